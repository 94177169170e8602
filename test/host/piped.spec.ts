// Runs the core's model on the C host: two devices in one program, without an engine and on QuickJS.

import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { plantedFaults, plantedProgram, programOf } from "../../targets/workbench/host/build.ts";
import { Random } from "../model/random.ts";
import { freshSeed } from "../seeds.ts";
import { STRICT } from "./host-process.ts";
import { ADDRESSES, compare, FORM, linesOf, playPair } from "./piped.ts";

const SEED = freshSeed();

/** The test draws more pairs of devices until all of these have occurred, at most ten times the number of pairs. */
const REQUIRED = [
  ...["response", "end", "break", "key", "call", "status", "medium", "close", "slot"],
  ...ADDRESSES.map((path) => `https://auth.test${path.split("?")[0]}`),
  ...["https://api.test/video/v3/list", FORM, "application/json"],
];

it.each([
  ["sanitize", 40],
  ["quickjs", 8],
] as const)("SPEC.md on the C host: two devices behave as the model does (%s)", (kind, pairs) => {
  console.log(`PICOGRANT_SEED=${SEED}`);
  const random = new Random(SEED);
  const seen = new Map<string, number>();
  const isMissing = (): boolean => REQUIRED.some((what) => !seen.has(what));
  for (let pair = 0; pair < pairs || (isMissing() && pair < 10 * pairs); pair++) {
    const sights = playPair(random, kind !== "sanitize");
    const input = linesOf(sights);
    const options = { input, env: STRICT, encoding: "utf8", maxBuffer: 1 << 28 } as const;
    const { stdout, stderr, status } = spawnSync(programOf(kind, "piped"), options);
    expect(status, stderr + stdout.slice(-2000)).toBe(0);
    compare(sights, stdout.split("\n").slice(0, -1));
    for (const { line, request } of sights) {
      for (const what of [line.split(" ")[1]!, request?.type, request?.url.split(/[?&]/)[0]]) {
        if (what !== undefined) seen.set(what, (seen.get(what) ?? 0) + 1);
      }
    }
  }
  console.log([...seen].map(([what, count]) => `${what} ${count}`).join(", "));
  for (const what of REQUIRED) expect(seen.get(what) ?? 0, what).toBeGreaterThan(0);
});

describe.each(["piped", "network-watch", "geometry"])("%s", (name) => {
  it.each(plantedFaults(name))("finds a planted fault: $finding", (plant) => {
    const program = plantedProgram(name, plant);
    const random = new Random(1);
    const runs = Array.from({ length: 20 }, (_, seed) => {
      const input = name === "piped" ? linesOf(playPair(random, false)) : "";
      return spawnSync(program, [String(seed)], { input, encoding: "utf8" }).stderr;
    });
    expect(runs.join("")).toContain(plant.finding);
  });
});
