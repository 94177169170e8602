// Checks a JSON value against a JSON schema (draft 7), the keywords that device.schema.json uses and no
// others: small enough for the device, without dependencies, on any engine.

import { nameMeant } from "../text/name-suggestion.ts";

/** The keywords that are understood; a schema with any other is refused, not half obeyed. */
export interface Schema {
  readonly $ref?: string;
  /** What the value is to be; ends up in the message. */
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
  readonly $schema?: string;
  readonly title?: string;
}

export interface Problem {
  /** As one would write it in code: `endpoints.token`; "" for the whole document. */
  readonly path: string;
  /** What is wrong and what it must be. Never contains the value: it may be a secret. */
  readonly message: string;
}

const KEYWORDS = new Set(
  (
    "$ref description type enum const pattern minLength maxLength minimum maximum required " +
    "properties additionalProperties propertyNames items maxItems if then else $defs $schema title"
  ).split(" "),
);

/** One run over one document. */
class Check {
  readonly #root: Schema;
  readonly problems: Problem[];

  constructor(root: Schema, problems: Problem[] = []) {
    this.#root = root;
    this.problems = problems;
  }

  value(value: unknown, given: Schema, path = ""): void {
    const schema = this.#resolve(given);
    const wrong = typeProblem(value, schema) || this.#contentProblem(value, schema);
    if (wrong) {
      const must = schema.description ? `must be ${schema.description}` : wrong;
      this.problems.push({ path, message: must });
    }
    if (isObject(value)) this.#object(value, schema, path);
    if (Array.isArray(value)) this.#elements(value, schema, path);
    this.#condition(value, schema, path);
  }

  #resolve(schema: Schema): Schema {
    const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword));
    if (unknown !== undefined) throw new Error(`schema: keyword ${unknown} is not understood`);
    if (schema.$ref === undefined) return schema;
    const found = this.#root.$defs?.[schema.$ref.replace(/^#\/\$defs\//, "")];
    if (found === undefined) throw new Error(`schema: nothing at ${schema.$ref}`);
    return this.#resolve(found);
  }

  #contentProblem(value: unknown, schema: Schema): string {
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

  #object(value: Record<string, unknown>, schema: Schema, path: string): void {
    for (const name of schema.required ?? []) {
      if (Object.hasOwn(value, name)) continue;
      this.problems.push({ path: join(path, name), message: "is missing" });
    }
    const known = schema.properties ?? {};
    for (const name of Object.keys(value)) {
      const at = join(path, name);
      if (schema.propertyNames && !this.#accepts(name, schema.propertyNames)) {
        this.problems.push({ path: at, message: "is not a possible name" });
      }
      const other = schema.additionalProperties ?? {};
      if (Object.hasOwn(known, name)) this.value(value[name], known[name]!, at);
      else if (other === false) {
        this.problems.push({ path: at, message: `is unknown; ${advice(name, known)}` });
      } else this.value(value[name], other, at);
    }
  }

  #elements(values: readonly unknown[], { items }: Schema, path: string): void {
    for (let i = 0; items && i < values.length; i++) this.value(values[i], items, `${path}[${i}]`);
  }

  #condition(value: unknown, schema: Schema, path: string): void {
    if (!schema.if) return;
    const branch = this.#accepts(value, schema.if) ? schema.then : schema.else;
    if (branch) this.value(value, branch, path);
  }

  #accepts(value: unknown, schema: Schema): boolean {
    const trial = new Check(this.#root);
    trial.value(value, schema);
    return trial.problems.length === 0;
  }
}

/**
 * All problems of a value, in the order in which they stand in it; none where it is right.
 * @throws Error where the schema itself uses a keyword that this check does not know
 */
export function checkSchema(value: unknown, schema: Schema): Problem[] {
  const check = new Check(schema);
  check.value(value, schema);
  return check.problems;
}

function advice(wrong: string, known: object): string {
  const names = Object.keys(known);
  const meant = nameMeant(wrong, names);
  return meant === undefined ? `known here: ${names.join(", ")}` : `did you mean ${meant}?`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeProblem(value: unknown, schema: Schema): string {
  const { type } = schema;
  const right =
    type === undefined ||
    (type === "object" && isObject(value)) ||
    (type === "array" && Array.isArray(value)) ||
    (type === "integer" && Number.isInteger(value)) ||
    (type === "string" && typeof value === "string") ||
    (type === "boolean" && typeof value === "boolean");
  return right ? "" : `is not of type ${type}`;
}

function textProblem(value: string, schema: Schema): string {
  // Code points, as JSON schema counts.
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

/** The path of a member, as one would write it in code. */
export function join(path: string, name: string): string {
  const plain = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
  if (!plain) return `${path}[${JSON.stringify(name.slice(0, 64))}]`;
  return path ? `${path}.${name}` : name;
}
