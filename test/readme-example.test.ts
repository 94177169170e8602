// The programs that the README shows run as they stand there, with the addresses of a service that is there
// and a place for its records.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { TV } from "./service/harness.ts";
import { opened, type RealWorld } from "./world/real-world.ts";

const root = new URL("..", import.meta.url);
const tsx = new URL("node_modules/tsx/dist/loader.mjs", root).href;

type Replacements = readonly (readonly [string, string])[];

/** The README's program below a heading; each of the replacements must have its place in it. */
function program(heading: string, replacements: Replacements): string {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const section = readme.slice(readme.indexOf(`\n## ${heading}\n`));
  let text = /```ts\n(.*?)```/s.exec(section)![1]!;
  for (const [from, to] of replacements) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** Runs it until its output is as wanted, allowing each code that it prints; returns the output. */
async function runUntil(text: string, { folder, service }: RealWorld, wanted: RegExp) {
  const file = path.join(folder, "program.mts");
  writeFileSync(file, text);
  const child = spawn(process.execPath, ["--import", tsx, file], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  try {
    await new Promise<void>((resolve, reject) => {
      child.on("close", (code) => reject(new Error(`ended with ${code}: ${output}`)));
      child.stdout.on("data", (chunk) => {
        output += chunk;
        const [attempt] = service.pending();
        if (attempt && output.includes(attempt.userCode)) {
          service.approve(attempt.userCode, "ada");
        }
        if (wanted.test(output)) resolve();
      });
    });
    return output;
  } finally {
    child.kill("SIGKILL");
  }
}

it("README: the program for a device signs in, and says so", async () => {
  const world = await opened();
  const text = program("On a device", [
    ['"./', `"${root.href}`],
    ['"state"', JSON.stringify(path.join(world.folder, "state"))],
    ["https://auth.example.com", world.url],
    [
      'clientId: "printer", clientSecret: "..."',
      `clientId: "${TV.client_id}", clientSecret: "${TV.client_secret}"`,
    ],
  ]);
  expect(await runUntil(text, world, /^signed in$/m)).toContain("not yet");
});
