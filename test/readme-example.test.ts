// The program that the README shows runs as it stands there, with the addresses of a service that is there
// and a place for its records.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { startService } from "./peers/running-service.ts";
import { TV } from "./service/harness.ts";

const root = new URL("..", import.meta.url);

/** The README's program; each of the replacements must have its place in it. */
function program(replacements: readonly (readonly [string, string])[]): string {
  const readme = readFileSync(new URL("README.md", root), "utf8");
  const shown = /```ts\n(.*?)```/s.exec(readme)![1]!;
  let text = shown;
  for (const [from, to] of replacements) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  return text;
}

it("README: the program under Use it signs a device in, and says so", async () => {
  const running = await startService();
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-readme-"));
  const file = path.join(folder, "program.ts");
  writeFileSync(
    file,
    program([
      ['"./', `"${root.href}`],
      ['"state"', JSON.stringify(path.join(folder, "state"))],
      ["https://auth.example.com", running.url],
      [
        'clientId: "printer", clientSecret: "..."',
        `clientId: "${TV.client_id}", clientSecret: "${TV.client_secret}"`,
      ],
    ]),
  );
  const tsx = pathToFileURL(path.join(root.pathname, "node_modules/tsx/dist/loader.mjs")).href;
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
        const [attempt] = running.service.pending();
        if (attempt && output.includes(attempt.userCode)) {
          running.service.approve(attempt.userCode, "ada");
        }
        if (/^signed in$/m.test(output)) resolve();
      });
    });
    expect(output).toContain("not yet");
  } finally {
    child.kill("SIGKILL");
    await running.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
