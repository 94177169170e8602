// The portable files that need no engine and no network: each program of test/host/c tries one against rules written
// out there, under the sanitizers.

import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";

/** The numbers in what a program says; it ends with another code than 0 at the first fault. */
function numbersOf(name: string, ...args: readonly string[]): number[] {
  const line = execFileSync(programOf("sanitize", name), args, { encoding: "utf8" });
  console.log(line.trim());
  return [...line.matchAll(/\d+/g)].map(Number);
}

it("medium.h: records on flash of every geometry, the power going after each unit", () => {
  const [geometries, cuts] = numbersOf("geometry");
  expect(geometries).toBe(200);
  expect(cuts).toBeGreaterThan(10_000);
});

const seed = process.env.PICOGRANT_SEED ?? String(Date.now() % 1_000_000);

it("driver.h: each command is carried out once, and what comes back goes to the request in flight", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  for (const count of numbersOf("driver", seed)) expect(count).toBeGreaterThan(20);
});

it("network-watch.h: nothing is restarted but for silence, and with growing waits", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const [, ...counts] = numbersOf("network-watch", seed);
  for (const count of counts) expect(count).toBeGreaterThan(1000);
});
