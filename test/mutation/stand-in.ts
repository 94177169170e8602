// What the tests use of vitest, without its start: tests are collected in a list, and expect is vitest's own.
// Mutants are run against that list (runner.ts).

import * as library from "@vitest/expect";
import { restoreAllMocks, spyOn } from "@vitest/spy";
import fc from "fast-check";

// The same inputs for every mutant; and which input is the simplest matters to nobody here.
fc.configureGlobal({ seed: 1, endOnFailure: true });

type Hook = () => unknown;

export interface Test {
  readonly name: string;
  /** What stands before the test, the test, and what stands behind it. Gives a promise only where one of them does. */
  run(): unknown;
  /** What stands behind it, for a test that never ends. */
  abandon(): unknown;
}

export const tests: Test[] = [];

/** A file, or a group of tests within it. */
class Group {
  readonly #outer: Group | undefined;
  readonly #name: string;
  readonly before: Hook[] = [];
  readonly after: Hook[] = [];

  constructor(outer: Group | undefined, name: string) {
    this.#outer = outer;
    this.#name = name;
  }

  nameOf(test: string): string {
    return [...this.#path().map((group) => group.#name), test].join(" > ");
  }

  /** All that stands before a test of this group, the outermost first. */
  allBefore(): Hook[] {
    return this.#path().flatMap(({ before }) => before);
  }

  /** All that stands behind it, the innermost first. */
  allAfter(): Hook[] {
    return this.#path()
      .flatMap(({ after }) => after)
      .reverse();
  }

  #path(): Group[] {
    return this.#outer === undefined ? [this] : [...this.#outer.#path(), this];
  }
}

let group = new Group(undefined, "");

/** The tests that follow are those of this file. */
export function beginFile(name: string): void {
  group = new Group(undefined, name);
}

// Each mutant meets a test or two of a file, in any order: what stands before all of them stands before each.
export const beforeEach = (hook: Hook): void => void group.before.push(hook);
export const afterEach = (hook: Hook): void => void group.after.push(hook);
export const beforeAll = beforeEach;
export const afterAll = afterEach;

/** Runs one behind the other, and waits only where there is something to wait for. */
function inTurn(calls: readonly Hook[]): unknown {
  for (const [at, call] of calls.entries()) {
    const result = call();
    if (result instanceof Promise) return result.then(() => inTurn(calls.slice(at + 1)));
  }
  return undefined;
}

function add(name: string, body: Hook): void {
  const own = group;
  const abandon = (): unknown => inTurn(own.allAfter());
  const run = (): unknown => {
    let result: unknown;
    try {
      result = inTurn([...own.allBefore(), body]);
    } catch (error) {
      const end = abandon();
      if (!(end instanceof Promise)) throw error;
      return end.then(() => Promise.reject(error));
    }
    return result instanceof Promise ? result.finally(abandon) : abandon();
  };
  tests.push({ name: group.nameOf(name), run, abandon });
}

/** A row of a table in a name: `$member`, or `%s` and the like in turn. */
function named(name: string, row: unknown): string {
  const values = Array.isArray(row) ? [...row] : [row];
  return name
    .replace(/%[sidj]/g, () => String(values.shift()))
    .replace(/\$(\w+)/g, (_, member: string) => String((row as Record<string, unknown>)[member]));
}

type Body = (...row: never[]) => unknown;

function tabled(declare: (name: string, run: Hook) => void) {
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
const choosing = <Declare>(declare: Declare, leaveOut: Declare) => ({
  skipIf: (isSkipped: boolean) => (isSkipped ? leaveOut : declare),
});

/** As vitest's; a time limit is not kept: a mutant that hangs is the runner's matter. */
export const it = Object.assign(adding, choosing(adding, leavingOut));
export const test = it;

/** A test that is under way can be ended here by nobody; only on a built bundle some need it (test/core/subject.ts). */
export const TestRunner = { getCurrentTest: (): undefined => undefined };

function declareGroup(name: string, declare: Hook): void {
  const outer = group;
  group = new Group(outer, name);
  declare();
  group = outer;
}

const grouping = Object.assign(declareGroup, { each: tabled(declareGroup) });
export const describe = Object.assign(grouping, choosing(grouping, leavingOut));

const POLL_MS = 20;

/** Tries until it succeeds. That it never does is the runner's matter, too. */
async function untilItHolds(attempt: () => unknown): Promise<unknown> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

export const vi = { spyOn, restoreAllMocks, waitFor: untilItHolds };

type Matchers = Record<string, (...values: unknown[]) => unknown>;

/** `expect.poll(read).toBe(value)`, and so on. */
function poll(read: () => unknown): Matchers {
  const matcher =
    (name: string) =>
    (...values: unknown[]) =>
      untilItHolds(async () => (expect(await read()) as unknown as Matchers)[name]!(...values));
  return new Proxy<Matchers>({}, { get: (_, name) => matcher(String(name)) });
}

function unreachable(message = "what should not be reached"): never {
  throw new Error(message);
}

const { chai } = library;
chai.use(library.JestExtend);
chai.use(library.JestChaiExpect);
chai.use(library.JestAsymmetricMatchers);
const matchers = (globalThis as Record<symbol, object>)[library.ASYMMETRIC_MATCHERS_OBJECT];
export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  matchers,
  { poll, unreachable },
);
library.setState({ assertionCalls: 0 }, expect as never);
(globalThis as Record<symbol, unknown>)[library.GLOBAL_EXPECT] = expect;
