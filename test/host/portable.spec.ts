// The portable files that need no engine and no network: each program of test/host/c tries one against rules written
// out there, under the sanitizers. And the connections of Linux, several at the same time.

import { execFile, execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { listening } from "../listening.ts";

/** The numbers in what a program says; it ends with another code than 0 at the first fault. */
function numbersOf(name: string, ...args: readonly string[]): number[] {
  const line = execFileSync(programOf("sanitize", name), args, { encoding: "utf8" });
  console.log(line.trim());
  return [...line.matchAll(/\d+/g)].map(Number);
}

it("records on flash of every geometry, the power going after each unit", () => {
  const [geometries, cuts] = numbersOf("geometry");
  expect(geometries).toBe(200);
  expect(cuts).toBeGreaterThan(10_000);
});

const seed = process.env.PICOGRANT_SEED ?? String(Date.now() % 1_000_000);

it("network-watch.h: nothing is restarted but for silence, and with growing waits", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const [, ...counts] = numbersOf("network-watch", seed);
  for (const count of counts) expect(count).toBeGreaterThan(1000);
});

it("wall-clock.h: what nobody authenticated is never kept, and once answers are right the device signs in", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const [runs, ...counts] = numbersOf("wall-clock", seed);
  expect(runs).toBe(2000);
  for (const count of counts) expect(count).toBeGreaterThan(5000);
});

it("Linux: connections to several servers at the same time, each answered by its own", async () => {
  const counts = [0, 0];
  // The first is slow, and its answer comes in pieces; the second is fast.
  const servers = counts.map((_, at) =>
    createServer((_request, response) => {
      counts[at]!++;
      response.writeHead(200, { connection: "close" });
      response.write(at === 1 ? "fa" : "sl");
      setTimeout(() => response.end(at === 1 ? "st" : "ow"), at === 1 ? 0 : 15);
    }),
  );
  const origins = servers.map(async (server) => `http://127.0.0.1:${await listening(server)}/`);
  // No server listens at the third address.
  const all = ["20", ...(await Promise.all(origins)), "http://127.0.0.1:1/"];
  const program = programOf("sanitize", "two-connections");
  const { stdout } = await promisify(execFile)(program, all);
  expect(stdout.split("\n")).toEqual([
    "answered 20 failed 0 reason 0 slow",
    "answered 20 failed 0 reason 0 fast",
    expect.stringMatching(/^answered 0 failed 20 reason [1-9]\d* $/),
    expect.stringMatching(/^most at once [23]$/),
    "",
  ]);
  expect(counts).toEqual([20, 20]);
});
