// What the tests of the core use of vitest, without its start: tests are collected in a list, and expect is
// vitest's own. Mutants are run against that list (runner.ts).

import * as library from "@vitest/expect";
import fc from "fast-check";

// The same inputs for every mutant; and which input is the simplest matters to nobody here.
fc.configureGlobal({ seed: 1, endOnFailure: true });

export interface Test {
  readonly name: string;
  run(): unknown;
}

export const tests: Test[] = [];
/** The file, and the groups within it, that are being collected. */
let groups: string[] = [];

/** The tests that follow are those of this file. */
export function beginFile(name: string): void {
  groups = [name];
}

function add(name: string, run: () => unknown): void {
  tests.push({ name: [...groups, name].join(" > "), run });
}

/** A row of a table in a name: `$member`, or `%s` and the like in turn. */
function named(name: string, row: unknown): string {
  const values = Array.isArray(row) ? [...row] : [row];
  return name
    .replace(/%[sidj]/g, () => String(values.shift()))
    .replace(/\$(\w+)/g, (_, member: string) => String((row as Record<string, unknown>)[member]));
}

type Body = (...row: never[]) => unknown;

function tabled(declare: (name: string, run: () => unknown) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, run: Body): void => {
      for (const [number, row] of rows.entries()) {
        const values = (Array.isArray(row) ? row : [row]) as never[];
        declare(`${named(name, row)} #${number}`, () => run(...values));
      }
    };
}

const adding = Object.assign(add, { each: tabled(add) });
const leavingOut: typeof adding = Object.assign(() => {}, { each: () => () => {} });

/** As vitest's; a time limit is not kept: a mutant that hangs is the runner's matter. */
export const it = Object.assign(adding, {
  skipIf: (isSkipped: boolean) => (isSkipped ? leavingOut : adding),
});
export const test = it;

/** A test that is under way can be ended here by nobody; only on a built bundle some need it (test/core/subject.ts). */
export const TestRunner = { getCurrentTest: (): undefined => undefined };

function group(name: string, declare: () => unknown): void {
  groups.push(name);
  declare();
  groups.pop();
}

export const describe = Object.assign(group, { each: tabled(group) });

const { chai } = library;
chai.use(library.JestExtend);
chai.use(library.JestChaiExpect);
chai.use(library.JestAsymmetricMatchers);
const matchers = (globalThis as Record<symbol, object>)[library.ASYMMETRIC_MATCHERS_OBJECT];
export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  matchers,
);
library.setState({ assertionCalls: 0 }, expect as never);
(globalThis as Record<symbol, unknown>)[library.GLOBAL_EXPECT] = expect;
