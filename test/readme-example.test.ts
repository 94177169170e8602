// The programs that the README shows run as they stand there, with the addresses of a service that is there
// and a place for its records.

import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { TV, VIDEO_READONLY } from "./service/harness.ts";
import { opened, type RealWorld } from "./world/real-world.ts";

const root = new URL("..", import.meta.url);

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

it("README: the five lines on Node sign in and call an API", async () => {
  const world = await opened();
  const text = program("In a program on Node", [
    ['"picogrant"', `"${new URL("platform/node/sign-in.ts", root).href}"`],
    ['"tokens"', JSON.stringify(path.join(world.folder, "tokens"))],
    [
      'server: "github", clientId: "your client\'s id"',
      `server: "${world.url}", scope: "${VIDEO_READONLY}", clientId: "${TV.client_id}", ` +
        `clientSecret: "${TV.client_secret}"`,
    ],
    ["https://api.github.com/user", `${world.url}/video/v3/liveBroadcasts?part=id&mine=true`],
  ]);
  const output = await runUntil(
    `${text}\nconsole.log("answer", answer.status);`,
    world,
    /^answer \d/m,
  );
  expect(output).toContain("answer 200");
  // The picture of the address.
  expect(output).toMatch(/█|▄|▀/);
});

it("README: the server in a test allows by itself", async () => {
  const [, text] = /```ts\n(import \{ startSimulatedService.*?)```/s.exec(
    readFileSync(new URL("README.md", root), "utf8"),
  )!;
  const world = await opened();
  const state = JSON.stringify(path.join(world.folder, "tokens"));
  const own = [
    `import { signIn } from "${new URL("platform/node/sign-in.ts", root).href}";`,
    text!
      .replace(
        "picogrant-tools/service",
        new URL("targets/service/simulated-service.ts", root).href,
      )
      .replace("// ... signIn(", "const session = await signIn(")
      .replace('"tokens"', state)
      .replace('state: "state"', `state: ${state}`)
      .replace(", onCode", ", onCode: () => {}"),
    'console.log("signed in", session.status); await session.close(); await service.close();',
  ];
  expect(await runUntil(own.join("\n"), world, /^signed in .*$/m)).toBeTruthy();
});
