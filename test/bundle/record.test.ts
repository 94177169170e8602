// The build replaces the properties of a device by places in an array (targets/bundle/record.ts). Random programs must
// behave the same afterwards. The build must stop if the types do not show to which object a name belongs.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import fc from "fast-check";
import { expect, test } from "vitest";
import { placeProperties } from "../../targets/bundle/record.ts";
import { temporaryFolder } from "../listening.ts";

const config = JSON.stringify({
  compilerOptions: { strict: true, target: "es2015", lib: ["es5"] },
});

/** Declarations for the programs: a device of three parts, and another type with some of the same names. */
const types = `
export interface Clock { waitMs: number; lifetimeS: number }
interface Lists { start: number[]; other: Device | null }
export type Device = Readonly<Clock> & Readonly<Lists> & Readonly<Own>;
interface Own { state: number }
export interface Config { waitMs: number; state: number; start: number }
function makeClock(device: Clock, waitMs: number): void {
  device.waitMs = waitMs;
  device.lifetimeS = 7;
}
export function create(config: Config): Device {
  var device = {} as Clock & Lists & Own;
  device.start = [1, 2, 3];
  device.other = null;
  device.state = config.state;
  makeClock(device, config.waitMs);
  return device;
}
`;

function place(program: string) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "tsconfig.json"), config);
  writeFileSync(join(folder, "program.ts"), types + program);
  const placed = placeProperties({
    config: join(folder, "tsconfig.json"),
    file: join(folder, "program.ts"),
    type: "Device",
    first: ["state"],
    absent: [],
  });
  const [source] = placed.sources.values();
  return { code: source!.code, places: placed.places };
}

function resultsOf(code: string, count: number): unknown[] {
  const { code: script } = transformSync(code, { loader: "ts", format: "cjs", target: "es2020" });
  const names = Array.from({ length: count }, (_, at) => `run${at}`);
  return new Function(
    "exports",
    "module",
    `${script}\nreturn [${names.map((name) => `${name}()`)}];`,
  )({}, {}) as unknown[];
}

const number = fc.constantFrom("waitMs", "lifetimeS", "state");
const place0 = fc.oneof(
  number.map((name) => `device.${name}`),
  number.map((name) => `(device.other || device).${name}`),
  fc.nat(2).map((at) => `device.start[${at}]`),
  fc.constantFrom("config.waitMs", "config.state", "config.start", "device.start.length"),
);
const value: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.nat(9).map(String),
    place0,
    fc
      .tuple(tie("value"), fc.constantFrom("+", "-", "*", "&", "<"), tie("value"))
      .map(([a, op, b]) => `(${op === "<" ? `+(${a} < ${b})` : `${a} ${op} ${b}`})`),
    tie("value").map((inner) => `touch(device, ${inner})`),
  ),
})).value;
const statement = fc.oneof(
  fc
    .tuple(number, fc.constantFrom("=", "+=", "|="), value)
    .map(([name, op, v]) => `(device as Writable).${name} ${op} ${v} & 65535;`),
  number.map((name) => `(device as Writable).${name}++;`),
  value.map((v) => `device.start[${v} & 1] = ${v} & 255;`),
  fc.tuple(value, number).map(([v, name]) => `if (${v}) (device as Writable).${name} = 1;`),
  fc.constant("(device as Writable).other = create(config);"),
  fc
    .tuple(number, value)
    .map(([name, v]) => `(device as Writable).${name} = config.state = ${v} & 31;`),
);

const helpers = `
type Writable = { -readonly [Key in keyof Device]: Device[Key] };
function touch(device: Device, by: number): number {
  (device as Writable).lifetimeS = (device.lifetimeS + by) & 1023;
  return device.lifetimeS;
}
`;

function programOf(bodies: readonly string[][]): string {
  const runs = bodies.map(
    (body, at) => `
export function run${at}(): unknown[] {
  var config: Config = { waitMs: 5, state: 2, start: 9 };
  var device = create(config);
  ${body.join("\n  ")}
  var o = device.other;
  return [device.state, device.waitMs, device.lifetimeS, device.start, o && o.state, config.state];
}`,
  );
  return helpers + runs.join("");
}

test("random programs behave the same with places as with names", () => {
  const bodies = fc.array(fc.array(statement, { minLength: 1, maxLength: 8, size: "max" }), {
    minLength: 40,
    maxLength: 40,
  });
  fc.assert(
    fc.property(bodies, (list) => {
      const program = programOf(list);
      const { code } = place(program);
      expect(code.slice(code.indexOf("function touch"))).not.toMatch(/device\.\w/);
      expect(resultsOf(code, list.length)).toEqual(resultsOf(types + program, list.length));
    }),
    { numRuns: 3 },
  );
});

test("the order of the places: first those with a name, then the order of the types", () => {
  const { places } = place("");
  expect(places.get("state")).toBe(0);
  expect([...places.values()]).toEqual([0, 1, 2, 3, 4]);
});

const table =
  "interface Table { run: (by: number) => number } function twice(by: number) { return 2 * by; }";

/** In these programs, the types allow an access by a removed property name, or the call of a number. */
const unsure: readonly [what: string, code: string][] = [
  ["anything", "export function f(device: any) { return device.state; }"],
  [
    "a type with one of its properties",
    "export function f(it: { state: number }) { return it.state; }",
  ],
  ["a cast", "export function f(d: Device) { return (d as unknown as { state: number }).state; }"],
  ["a name in brackets", 'export function f(d: Device) { return d["state"]; }'],
  ["a computed name", "export function f(d: Device, k: keyof Device) { return d[k]; }"],
  ["destructured", "export function f(d: Device) { var { state } = d; return state; }"],
  ["destructured as a parameter", "export function f({ state }: Device) { return state; }"],
  ["spread", "export function f(d: Device) { return { ...d }; }"],
  ["accessed with ?.", "export function f(d: Device | null) { return d?.state; }"],
  [
    "passed as another type",
    "declare function log(it: object): void; export function f(d: Device) { log(d); }",
  ],
  ["stored as another type", "export function f(d: Device) { var it: object = d; return it; }"],
  [
    "another literal of it",
    "var o = { start: [], waitMs: 1, lifetimeS: 1, other: null, state: 1 }; export var d: Device = o;",
  ],
  [
    "a shorthand property",
    "var state = 1; export var d: Device = { start: [], waitMs: 1, lifetimeS: 1, other: null, state };",
  ],
  ["a function stored in a variable", "var it = twice;"],
  [
    "a function passed as an argument",
    "declare function take(it: (by: number) => number): void; take(twice);",
  ],
  ["a function taken out of its table", "function f(t: Table) { var it = t.run; return it(1); }"],
  ["a function called under another type", "function f(t: any) { return t.run(1); }"],
  ["the length of a function", "var it = twice.length;"],
  [
    "called as a method",
    "interface Own { run(by: number): number } function f(t: Own) { t.run(1); }",
  ],
  ["a function called by a name in brackets", 'function f(t: Table) { return t["run"](1); }'],
];

test("calls of functions in a table are marked, calls of built-in methods are not", () => {
  const run = "export function f(t: Table, s: string) { return t.run(s.charCodeAt(0)); }";
  expect(place(`${table} ${run} export var t: Table = { run: twice };`).code).toContain(
    "return call$(t.run, s.charCodeAt(0));",
  );
});

test.each(unsure)("the build stops and reports the position: %s", (_what, code) => {
  expect(() => place(`${table}\n${code}`)).toThrow(/program\.ts:\d\d: /);
});
