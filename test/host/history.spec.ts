// What happened last, as the host in C tells it to whoever asks for support (targets/host/portable/history.h): against a
// list that is kept here, and in a life whose secrets are all known.

import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Endpoint, ErrorCode, State } from "../../core/index.ts";
import { reasons } from "../../platform/reasons.ts";
import { programOf } from "../../targets/workbench/host/build.ts";

const ENTRIES = 24;
const LINE = 111;
const seed = Number(process.env.PICOGRANT_SEED ?? Date.now() % 1_000_000);
const nameOf = (names: object, number: number): string =>
  (names as Record<number, string | undefined>)[number] ?? "?";
const membersOf = (numbers: object): number[] =>
  Object.values(numbers).filter((value): value is number => typeof value === "number");

/** What happened, in the numbers of history.h. */
interface Happened {
  readonly pauseMs: number;
  readonly what: number;
  readonly who: number;
  readonly number: number;
  readonly error: number;
  readonly times: number;
}

const common = {
  pauseMs: fc.oneof(fc.nat(3000), fc.nat(90_000_000)),
  error: fc.oneof(fc.constant(0), fc.constantFrom(...membersOf(ErrorCode))),
  times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 70_000 })),
};
const endpoint = fc.constantFrom(...membersOf(Endpoint));
const happened: fc.Arbitrary<Happened> = fc.oneof(
  fc.record({
    ...common,
    what: fc.constant(0),
    who: fc.constantFrom(...membersOf(State)),
    number: fc.constant(0),
  }),
  fc.record({
    ...common,
    what: fc.constant(1),
    who: endpoint,
    number: fc.integer({ min: 100, max: 599 }),
  }),
  fc.record({ ...common, what: fc.constant(2), who: endpoint, number: fc.nat(reasons.length) }),
  fc.record({
    ...common,
    what: fc.constantFrom(3, 4, 5),
    who: fc.nat(1),
    number: fc.constant(0),
  }),
);

function words({ what, who, number }: Happened): string {
  const slot = ["not read", "not written", "not erased"];
  if (what === 0) return `state ${nameOf(State, who)}`;
  if (what === 1) return `${nameOf(Endpoint, who)} answered ${number}`;
  if (what > 2) return `slot ${who} ${slot[what - 3]}`;
  const reason = number ? `: ${reasons[number - 1]!.name}` : "";
  return `${nameOf(Endpoint, who)} not reached${reason}`;
}

/** The lines as history.h promises them. */
function expected(list: readonly Happened[]): string[] {
  const lines: { ms: number; what: string; times: number }[] = [];
  let ms = 0;
  for (const one of list) {
    ms = (ms + one.pauseMs) % 2 ** 32;
    const what = words(one) + (one.error ? `, ${nameOf(ErrorCode, one.error)}` : "");
    const last = lines.at(-1);
    if (last?.what === what) Object.assign(last, { ms, times: last.times + one.times });
    else lines.push({ ms, what, times: one.times });
  }
  return lines.slice(-ENTRIES).map((line) => {
    const seconds = `${Math.floor(line.ms / 1000)}.${String(line.ms % 1000).padStart(3, "0")} s`;
    const count = Math.min(65_535, line.times);
    return `${seconds}  ${line.what}${count > 1 ? `, ${count} times` : ""}`;
  });
}

function told(list: readonly Happened[]): string[] {
  let ms = 0;
  const input = list.map(({ pauseMs, what, who, number, error, times }) => {
    ms = (ms + pauseMs) % 2 ** 32;
    return [ms, what, who, number, error, times].join(" ");
  });
  const output = execFileSync(programOf("sanitize", "history"), [], {
    input: `${input.join("\n")}\n`,
    encoding: "utf8",
  });
  return output.split("\n").slice(0, -1);
}

describe("history.h", () => {
  it("tells the last things that happened, by names and numbers, and counts what repeats", () => {
    const list = fc.array(happened, { maxLength: 60 });
    fc.assert(
      fc.property(list, (all) => {
        expect(told(all)).toEqual(expected(all));
      }),
      { seed, numRuns: 200 },
    );
  });

  it("has room for the longest names in one line", () => {
    const error = membersOf(ErrorCode).sort(
      (a, b) => nameOf(ErrorCode, b).length - nameOf(ErrorCode, a).length,
    )[0]!;
    const number = reasons.reduce(
      (longest, { name }, at) => (name.length > reasons[longest]!.name.length ? at : longest),
      0,
    );
    const who = membersOf(Endpoint).sort(
      (a, b) => nameOf(Endpoint, b).length - nameOf(Endpoint, a).length,
    )[0]!;
    const all = [{ pauseMs: 2 ** 32 - 1, what: 2, who, number: number + 1, error, times: 65_535 }];
    expect(told(all)).toEqual(expected(all));
    expect(told(all)[0]!.length).toBeLessThanOrEqual(LINE);
  });
});
