// Runs the programs of test/host/c that need no engine and no network, with sanitizers. Also tests several simultaneous
// connections on Linux.

import { execFile, execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { type Kind, programOf } from "../../targets/workbench/host/build.ts";
import { listening } from "../listening.ts";

/** Returns the numbers in the output of a program. Throws if its exit code is not 0. */
function numbersOf(name: string, args: readonly string[] = [], kind: Kind = "sanitize"): number[] {
  const line = execFileSync(programOf(kind, name), args, { encoding: "utf8" });
  console.log(line.trim());
  return [...line.matchAll(/\d+/g)].map(Number);
}

it.each(["sanitize", "keys"] as const)(
  "records on flash of every geometry, with a power cut after each unit: %s",
  (kind) => {
    const [geometries, cuts] = numbersOf("geometry", [], kind);
    expect(geometries).toBe(200);
    expect(cuts).toBeGreaterThan(10_000);
  },
);

const seed = process.env.PICOGRANT_SEED ?? String(Date.now() % 1_000_000);

it("network-watch.h: only silence causes a restart, with growing waits", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const [, ...counts] = numbersOf("network-watch", [seed]);
  for (const count of counts) expect(count).toBeGreaterThan(1000);
});

it("wall-clock.h: an unauthenticated time is never stored, and with correct responses the device signs in", () => {
  console.log(`PICOGRANT_SEED=${seed}`);
  const [runs, ...counts] = numbersOf("wall-clock", [seed]);
  expect(runs).toBe(2000);
  for (const count of counts) expect(count).toBeGreaterThan(5000);
});

it("Linux: simultaneous connections to several servers, each with the right response", async () => {
  const counts = [0, 0];
  // Both servers respond in two pieces. The first server waits before the second piece.
  const servers = counts.map((_, at) =>
    createServer((_request, response) => {
      counts[at]!++;
      response.writeHead(200, { connection: "close" });
      response.write(at === 1 ? "fa" : "sl");
      setTimeout(() => response.end(at === 1 ? "st" : "ow"), at === 1 ? 0 : 15);
    }),
  );
  const origins = servers.map(async (server) => `http://127.0.0.1:${await listening(server)}/`);
  const all = ["20", ...(await Promise.all(origins)), "http://127.0.0.1:1/"];
  const program = programOf("sanitize", "two-connections");
  const { stdout } = await promisify(execFile)(program, all);
  expect(stdout.split("\n")).toEqual([
    "responded 20 failed 0 reason 0 slow",
    "responded 20 failed 0 reason 0 fast",
    expect.stringMatching(/^responded 0 failed 20 reason [1-9]\d* $/),
    expect.stringMatching(/^most at once [23]$/),
    "",
  ]);
  expect(counts).toEqual([20, 20]);
});
