// Checks a JSON value against a JSON schema (draft 7) with the keywords that device.schema.json uses. Small, without
// dependencies, for any engine. And finds duplicate names, which JSON.parse does not report.

import { nameMeant } from "../text/name-suggestion.ts";

/** The supported keywords. A schema with any other keyword is rejected. */
export interface Schema {
  readonly $ref?: string;
  /** Describes the value in error messages. */
  readonly description?: string;
  readonly type?: "object" | "array" | "string" | "integer" | "boolean";
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: false | Schema;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly propertyNames?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

export interface Problem {
  /** As in code: `endpoints.token`; "" for the whole document. */
  readonly path: string;
  /** What is wrong, and what is allowed. Never contains the value, which may be a secret. */
  readonly message: string;
}

const KEYWORDS = new Set(
  (
    "$ref description type enum const pattern minLength maxLength minimum maximum required " +
    "properties additionalProperties propertyNames items maxItems if then else $defs $schema title"
  ).split(" "),
);

/**
 * All problems of a value, in the order of the document; [] if it is valid.
 * @throws Error if the schema uses an unsupported keyword
 */
export function checkSchema(value: unknown, schema: Schema): Problem[] {
  return [...problemsOf(value, schema, schema)];
}

function* problemsOf(
  value: unknown,
  given: Schema,
  root: Schema,
  path = "",
): Generator<Problem, void> {
  const schema = resolved(given, root);
  const wrong = typeProblem(value, schema) || contentProblem(value, schema);
  const must = schema.description ? `must be ${schema.description}` : wrong;
  if (wrong) yield { path, message: must };
  const accepts = (one: unknown, other: Schema): boolean =>
    problemsOf(one, other, root).next().done === true;
  if (typeOf(value) === "object") {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value as object, name)) {
        yield { path: join(path, name), message: "is missing" };
      }
    }
    const { properties: known = {}, additionalProperties: other = {}, propertyNames } = schema;
    for (const [name, member] of Object.entries(value as object)) {
      const at = join(path, name);
      if (propertyNames && !accepts(name, propertyNames)) {
        yield { path: at, message: "is not a possible name" };
      }
      if (Object.hasOwn(known, name)) yield* problemsOf(member, known[name]!, root, at);
      else if (other) yield* problemsOf(member, other, root, at);
      else yield { path: at, message: `is unknown; ${advice(name, known)}` };
    }
  }
  if (Array.isArray(value) && schema.items) {
    for (const [i, one] of value.entries()) {
      yield* problemsOf(one, schema.items, root, `${path}[${i}]`);
    }
  }
  const branch = schema.if && (accepts(value, schema.if) ? schema.then : schema.else);
  if (branch) yield* problemsOf(value, branch, root, path);
}

function resolved(schema: Schema, root: Schema): Schema {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
  if (unknown !== undefined) throw new Error(`schema: keyword ${unknown} is not understood`);
  if (schema.$ref === undefined) return schema;
  const found = root.$defs?.[schema.$ref.replace(/^#\/\$defs\//, "")];
  if (found === undefined) throw new Error(`schema: nothing at ${schema.$ref}`);
  return resolved(found, root);
}

function advice(wrong: string, known: object): string {
  const names = Object.keys(known);
  const meant = nameMeant(wrong, names);
  return meant === undefined ? `known here: ${names.join(", ")}` : `did you mean ${meant}?`;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

function typeProblem(value: unknown, { type }: Schema): string {
  return type === undefined || type === typeOf(value) ? "" : `is not of type ${type}`;
}

function contentProblem(value: unknown, schema: Schema): string {
  if (schema.const !== undefined && value !== schema.const) return "is not the expected value";
  if (schema.enum && !(schema.enum as readonly unknown[]).includes(value)) {
    return "is none of the expected values";
  }
  if (typeof value === "string") return textProblem(value, schema);
  if (typeof value === "number") return numberProblem(value, schema);
  if (Array.isArray(value) && value.length > (schema.maxItems ?? value.length)) {
    return `has more than ${schema.maxItems} elements`;
  }
  return "";
}

function textProblem(value: string, schema: Schema): string {
  // JSON schema counts code points.
  const length = Array.from(value).length;
  if (length < (schema.minLength ?? 0)) return `is shorter than ${schema.minLength} characters`;
  if (length > (schema.maxLength ?? length)) return `is longer than ${schema.maxLength} characters`;
  if (!new RegExp(schema.pattern ?? "", "u").test(value)) {
    return "does not have the expected form";
  }
  return "";
}

function numberProblem(value: number, schema: Schema): string {
  if (value < (schema.minimum ?? value)) return `is less than ${schema.minimum}`;
  if (value > (schema.maximum ?? value)) return `is greater than ${schema.maximum}`;
  return "";
}

/** The path of a member, as in code. */
export function join(path: string, name: string): string {
  const plain = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
  if (!plain) return `${path}[${JSON.stringify(name.slice(0, 64))}]`;
  return path ? `${path}.${name}` : name;
}

/** A string, followed by its colon if it is a name, or the begin or end of an object. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}]/g;

/** An object whose end has not been read. */
interface Open {
  readonly path: string;
  readonly names: Set<string>;
  readonly outer: Open | undefined;
}

/**
 * The duplicate members, in the order of the text. JSON.parse silently uses the last one (RFC 8259 §4 allows it), another
 * parser the first one. In a configuration that is a mistake.
 * @param text valid JSON
 */
export function duplicateNames(text: string): Problem[] {
  const problems: Problem[] = [];
  let object: Open | undefined;
  let path = "";
  for (const [token, quoted, colon] of text.matchAll(TOKEN)) {
    if (token === "{") object = { path, names: new Set(), outer: object };
    else if (token === "}") object = object!.outer;
    else if (colon !== undefined) {
      const { path: above, names } = object!;
      const name = JSON.parse(quoted!) as string;
      path = join(above, name);
      if (names.has(name)) problems.push({ path, message: "is there twice" });
      names.add(name);
    }
  }
  return problems;
}
