// The core's assertions (core/device/assertion.ts): for each a fault is planted in the core that it alone is to find,
// and none of them is in what ships.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleCore } from "../../targets/bundle/bundled-core.ts";
import { variants } from "../../targets/bundle/surface.ts";
import { bundleProgram } from "../../targets/quickjs/bundle-program.ts";
import { noCounts } from "./oracles/oracle.ts";
import { play } from "./sequence.ts";
import { ofBundle } from "./subject.ts";

const SEQUENCES_MAX = 1000;

/** The rule that is broken, the function that breaks it, what stands in it, and what is planted there. */
const FAULTS: readonly (readonly [rule: string, at: string, find: string, fault: string])[] = [
  [
    "a divisor has three digits",
    "advance",
    "quotient\\(elapsedMs, 1e3\\)",
    "quotient(elapsedMs, 1001)",
  ],
  ["a quotient has 18 bits", "advance", "quotient\\(elapsedMs,", "quotient(elapsedMs + 300000000,"],
  ["no row is longer than the display is wide", "put", "\\+= device\\.columns", "+= 0"],
  [
    "a cell lies in the frame",
    "beginText",
    "columns \\* device\\.rows",
    "columns * (device.rows + 1)",
  ],
  ["jitter has 16 bits", "backOff", "jitter\\(device, backoff\\)", "jitter(device, -backoff)"],
  ["a wait is a time", "waitAtLeast", "asked : ms", "asked : ms - 100000"],
  ["no poll comes before a second", "\\w*", "seconds \\? seconds \\* 1e3 : 1e3", "seconds"],
  [
    "an access token lives for a time",
    "\\w*",
    "setAccessLife\\(device, life\\)",
    "setAccessLife(device, -life)",
  ],
  ["a refresh token lives for a time", "dropTokens", "1e8", "-1"],
  ["a value ends in its region", "keep", "size <= device\\.capacity\\[region\\]", "size < 65536"],
  ["who claims OUTPUT uses it", "nextRequest", "1 /\\* REQUEST \\*/", "0"],
  [
    "a code moves while there is none",
    "placeDeviceCode",
    "forget\\(device, 26 [^;]*;",
    "device.length[1] = 9;",
  ],
  ["the table has every move", "moveTo", "isTransition\\(device\\.state,", "isTransition(9,"],
  [
    "a request lies in the memory",
    "\\w*",
    "fillRequest\\(device, device",
    "fillRequest(device, 65536 + device",
  ],
  [
    "one request at a time",
    "nextRequest",
    "sendRequest\\(device\\);",
    "sendRequest(device), sendRequest(device);",
  ],
  [
    "no request goes out before an end that is due",
    "tick",
    "return abortExchange\\(device\\);",
    "return sendRequest(device), abortExchange(device);",
  ],
  ["an answer has a request", "responseStart", "if \\(isCurrent\\(device, requestId\\)\\)", ""],
  ["a value that is kept has begun", "beginValue", "setLength\\([^;]*;", ""],
  [
    "a region lies in the memory",
    "writeTo",
    "device\\.writeAt \\+ device\\.capacity",
    "65536 + device.capacity",
  ],
  ["a byte has 8 bits", "writeHex", "value \\+ 48", "value + 300"],
  [
    "a job is something to do",
    "tokensReceived",
    "startJob\\(device, 4 /\\* WRITE \\*/\\)",
    "startJob(device, 0)",
  ],
];

const heard = globalThis as { ruleBroken?: (rule: string) => void };
let code: string;

beforeAll(async () => {
  ({ code } = await bundleCore("complete", { minify: false }));
});
afterEach(() => {
  delete heard.ruleBroken;
});

/** The rules that were broken in sequences with this core, until the one that is looked for is among them. */
function brokenIn(text: string, wanted: string): Set<string> {
  const told = text.replace(/function must\((\w+), (\w+)\) \{/, "$&\n  if (!$1) ruleBroken($2);");
  expect(told).not.toBe(text);
  const rules = new Set<string>();
  heard.ruleBroken = (rule) => rules.add(rule);
  const core = ofBundle(told)();
  for (let seed = 1; seed <= SEQUENCES_MAX && !rules.has(wanted); seed++) {
    play(seed, () => core, noCounts());
  }
  return rules;
}

describe("assertions of the core", () => {
  it.each(FAULTS)("%s: a fault planted is found", (rule, at, find, fault) => {
    const place = new RegExp(`(function ${at}\\([\\s\\S]*?)${find}`);
    const planted = code.replace(place, `$1${fault}`);
    expect(planted).not.toBe(code);
    expect([...brokenIn(planted, rule)]).toContain(rule);
  });

  it("each has a fault in the table above", () => {
    const core = fileURLToPath(new URL("../../core/", import.meta.url));
    const texts = readdirSync(core, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(core + name, "utf8"));
    const rules = texts.flatMap((text) =>
      [...text.matchAll(/^ *ASSERT: must\([^;]*"([^"]+)",?\s*\);/gm)].map(([, rule]) => rule),
    );
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.sort()).toEqual(FAULTS.map(([rule]) => rule).sort());
  });

  it.each(variants)("none is in what ships: %s", async (variant) => {
    const shipped = await bundleCore(variant);
    expect(shipped.code).not.toMatch(/at fault|ASSERT/);
    for (const [rule] of FAULTS) expect(shipped.code).not.toContain(rule);
  });

  it("none is in the program for qjs", async () => {
    const program = await bundleProgram();
    for (const [rule] of FAULTS) expect(program).not.toContain(rule);
  });
});
