// Runs `npm run board -- --interactive` in a terminal that script(1) provides.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TIMEOUT_MS } from "../../targets/workbench/board/emulator.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

let program: ChildProcessByStdio<Writable, Readable, null>;
let output = "";
let ended: Promise<number | null>;

beforeEach(() => {
  output = "";
  const command = "npx tsx scripts/board.ts --interactive";
  const args = ["--quiet", "--return", "--command", command, "/dev/null"];
  program = spawn("script", args, { cwd: root, stdio: ["pipe", "pipe", "ignore"] });
  program.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString("latin1");
  });
  ended = new Promise((resolve) => {
    program.on("close", resolve);
  });
});

afterEach(() => {
  program.kill();
});

async function description(pattern: RegExp): Promise<RegExpExecArray> {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const found = pattern.exec(output);
    if (found) return found;
    if (Date.now() > end || program.exitCode !== null) {
      throw new Error(`waited in vain for ${pattern}; the terminal shows:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

it("keys are the board's buttons, the page accepts the code, q quits", async () => {
  const [, pages] = await description(/enter the code at (http:\/\/127\.0\.0\.1:\d+)\/device/);
  await description(/\|Code [A-Z]{4}-[A-Z]{4} {2}\|/);
  expect((await fetch(`${pages}/device`)).status).toBe(200);
  program.stdin.write("m");
  await description(/sleep: wakes \d+, asleep [1-9]/);
  program.stdin.write("c");
  await description(/state: SIGNED_OUT/);
  program.stdin.write("q");
  expect(await ended).toBe(0);
});
