// Checks a value against a JSON schema (draft 7), and finds duplicate names, which JSON.parse does not report. Supports the
// keywords that the schemas of settings use, and types for values that JSON does not have: "function", "instance" (any
// object), and classes by their name.

/** The supported keywords. A schema with any other keyword is rejected. */
export interface Schema {
  readonly $ref?: string;
  /** The allowed values in words, for error messages. Default: derived from the other keywords. */
  readonly title?: string;
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly type?: string | readonly string[];
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
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly propertyNames?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

export interface Problem {
  /** The path as in code: `endpoints.token`; "" for the whole document. */
  readonly path: string;
  /** The mistake, and what is allowed. Contains no text of the value, which may be a secret. */
  readonly message: string;
}

const KEYWORDS = new Set(
  (
    "$ref title type enum const pattern minLength maxLength minimum maximum required properties " +
    "additionalProperties propertyNames items minItems maxItems if then else $defs $schema " +
    "description default"
  ).split(" "),
);

/** Returns all problems of a value; [] if it is valid. Undefined members are absent. */
export function checkSchema(value: unknown, schema: Schema): Problem[] {
  return [...problemsOf(value, schema, schema)];
}

/** Whether there is a problem of the member `name`, of a value in it, or of the whole document. */
export function hasProblem(found: readonly Problem[], name: string): boolean {
  return found.some(({ path }) => path === "" || path.split(/[.[]/)[0] === name);
}

/** Copies a value and checks the copy. Use the copy, because the original may change after the check. */
export function checkedCopy(
  value: unknown,
  schema: Schema,
): { readonly copy: unknown; readonly found: readonly Problem[] } {
  const copy = plainCopy(() => value, schema);
  return { copy, found: checkSchema(copy, schema) };
}

/** Replaces a value in a copy: its getter or proxy throws, or it is nested too deeply or too long for a setting. */
const UNREADABLE = Symbol("unreadable");
const CANNOT_BE_READ = "cannot be read";
const DEPTH_MAX = 8;
const ITEMS_MAX = 10_000;

/** Copies plain objects and lists where the schema accepts them. Returns any other value as it is. */
function plainCopy(read: () => unknown, { type, ...schema }: Schema, depth = 0): unknown {
  try {
    const value = read();
    const kind = typeOf(value);
    const isPlain = type === undefined || [type].flat().includes(kind);
    if (!isPlain || (kind !== "object" && kind !== "array")) return value;
    const isList = kind === "array";
    if (depth > DEPTH_MAX || (value as unknown[]).length > ITEMS_MAX) return UNREADABLE;
    const names = isList ? Array.from(value as unknown[], (_, at) => `${at}`) : Object.keys(value!);
    const members = value as Readonly<Record<string, unknown>>;
    const copies = names.map((name) => {
      const part = isList ? schema.items : schema.properties?.[name];
      return [name, plainCopy(() => members[name], part ?? {}, depth + 1)] as const;
    });
    return isList ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
  } catch {
    return UNREADABLE;
  }
}

/** Returns the result of `check`, which reads an object of the program. If the object throws, the result says so. */
export function whenReadable(check: () => string): string {
  try {
    return check();
  } catch {
    return CANNOT_BE_READ;
  }
}

function* problemsOf(
  value: unknown,
  given: Schema,
  root: Schema,
  path = "",
): Generator<Problem, void> {
  const schema = resolved(given, root);
  if (value === UNREADABLE) {
    yield { path, message: CANNOT_BE_READ };
    return;
  }
  if (!isOfType(value, schema) || !hasContent(value, schema)) {
    yield { path, message: mustBe(value, schema) };
    return;
  }
  const accepts = (one: unknown, other: Schema): boolean =>
    problemsOf(one, other, root).next().done === true;
  const kind = schema.type === "instance" ? "instance" : typeOf(value);
  if (kind === "object") {
    const members = value as Readonly<Record<string, unknown>>;
    const isThere = (name: string): boolean =>
      Object.hasOwn(members, name) && members[name] !== undefined;
    for (const name of schema.required ?? []) {
      if (!isThere(name)) yield { path: join(path, name), message: "is missing" };
    }
    const { properties: known = {}, additionalProperties: other = {}, propertyNames } = schema;
    for (const name of Object.keys(members)) {
      const at = join(path, name);
      if (propertyNames && !accepts(name, propertyNames)) {
        const { title = "a possible name" } = resolved(propertyNames, root);
        yield { path: at, message: `is not ${title}` };
      } else if (!Object.hasOwn(known, name)) {
        if (other) yield* problemsOf(members[name], other, root, at);
        else yield { path: at, message: `is unknown; ${advice(name, Object.keys(known))}` };
      } else if (isThere(name)) yield* problemsOf(members[name], known[name]!, root, at);
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

function advice(wrong: string, known: readonly string[]): string {
  const meant = nameMeant(wrong, known);
  return meant === undefined ? `known here: ${known.join(", ")}` : `did you mean ${meant}?`;
}

/** Returns the first of `known` that differs from `wrong` by a typing error; undefined for none. */
export function nameMeant(wrong: string, known: readonly string[]): string | undefined {
  return known.find((name) => isAlike(name, wrong));
}

/** Whether names differ at most in case, underscores, and one typing error: a letter, or two letters swapped. */
function isAlike(one: string, other: string): boolean {
  const a = one.toLowerCase().replace(/_/g, "");
  const b = other.toLowerCase().replace(/_/g, "");
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const rests = [
    [at + 1, at + 1],
    [at + 1, at],
    [at, at + 1],
  ] as const;
  const swapped = `${b.slice(0, at)}${b[at + 1] ?? ""}${b[at] ?? ""}${b.slice(at + 2)}`;
  return [b, swapped].includes(a) || rests.some(([inA, inB]) => a.slice(inA) === b.slice(inB));
}

/** Returns a value's type. An object: "object" if plain, a built-in class's name (in any realm), else "instance". */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "object") return Number.isInteger(value) ? "integer" : typeof value;
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  const isOther = Object.hasOwn(value, Symbol.toStringTag);
  if (name !== "Object") return isOther ? "instance" : name;
  // A copy would not contain the members of a class, or inherited ones, so such an object is not a plain object.
  const parent = Object.getPrototypeOf(value) as object | null;
  return parent === null || Object.getPrototypeOf(parent) === null ? "object" : "instance";
}

function isOfType(value: unknown, { type }: Schema): boolean {
  if (type === undefined) return true;
  const isInstance = typeof value === "object" && value !== null && !Array.isArray(value);
  return [type].flat().some((one) => one === typeOf(value) || (one === "instance" && isInstance));
}

function hasContent(value: unknown, schema: Schema): boolean {
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum && !(schema.enum as readonly unknown[]).includes(value)) return false;
  const isWithin = (size: number, min = size, max = size): boolean => size >= min && size <= max;
  // JSON schema counts code points.
  if (typeof value === "string")
    return (
      isWithin(Array.from(value).length, schema.minLength, schema.maxLength) &&
      new RegExp(schema.pattern ?? "", "u").test(value)
    );
  if (typeof value === "number") return isWithin(value, schema.minimum, schema.maximum);
  return !Array.isArray(value) || isWithin(value.length, schema.minItems, schema.maxItems);
}

const NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  function: "a function",
  instance: "an instance of a class",
  integer: "an integer",
  object: "an object",
  string: "a text",
};

function mustBe(value: unknown, schema: Schema): string {
  const { title = allowedBy(schema), enum: choices = [] } = schema;
  const meant = typeof value === "string" ? nameMeant(value, choices) : undefined;
  const more = meant === undefined ? "" : `; did you mean ${meant}?`;
  return `must be ${title} (given: ${given(value, schema)})${more}`;
}

export function allowedBy({ const: only, enum: choices, type, minimum, maximum }: Schema): string {
  if (only !== undefined) return only;
  if (choices) return choices.join(", ").replace(/, ([^,]*)$/, " or $1");
  const range = minimum === undefined ? "" : ` from ${minimum} to ${maximum}`;
  return `${NAMES[`${type}`] ?? "valid"}${range}`;
}

/** Describes a value by its type or length, because it may be a secret. An integer is shown where one is required. */
function given(value: unknown, { type }: Schema): string {
  if (typeof value === "string") return `a text of ${value.length} characters`;
  if (typeof value === "number") return type === "integer" ? `${value}` : "a number";
  if (Array.isArray(value) && value.length === 0) return "an empty list";
  return NAMES[typeOf(value)] ?? typeOf(value);
}

export function listed(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}

export function join(path: string, name: string): string {
  const plain = /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
  if (!plain) return `${path}[${JSON.stringify(name.slice(0, 64))}]`;
  return path ? `${path}.${name}` : name;
}

/** A string, which is a member's name if a colon follows, or the start or end of an object. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}]/g;

interface Open {
  readonly path: string;
  readonly names: Set<string>;
  readonly outer: Open | undefined;
}

/**
 * Returns the duplicate members in valid JSON. RFC 8259 §4 allows them, but JSON.parse silently uses the last one and
 * some other parsers use the first one. In a configuration, they are a mistake.
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
