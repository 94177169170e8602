// Tests the installed `picogrant` command.

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import type { Running } from "../program.ts";
import { events, run, start } from "./install.ts";

const PARTS =
  "login status accounts token logout key git-credential simulate service conform configure sizing check-server completion".split(
    " ",
  );

const running: Running[] = [];
afterEach(async () => {
  for (const { child, end } of running.splice(0)) {
    child.kill("SIGTERM");
    await end;
  }
});

describe("picogrant", () => {
  it("--help lists every command; without arguments it prints the same as an error", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of PARTS) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(await run([])).toMatchObject({ code: 2, stdout: "", stderr: stdout });
    expect((await run(["help"])).stdout).toBe(stdout);
  });

  it.each(PARTS)("%s --help has the same layout as the general help", async (name) => {
    const { code, stdout, stderr } = await run([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: picogrant ${name} `));
    expect(stdout).toContain("-h, --help");
    expect(stdout).not.toContain("npm ");
    expect((await run(["help", name])).stdout).toBe(stdout);
  });

  it.each(PARTS)("%s: a wrong option is one line and exit code 2", async (name) => {
    const { code, stdout, stderr } = await run([name, "--hlep"]);
    expect(stderr).toBe(`picogrant ${name}: unknown option '--hlep' (Did you mean --help?)\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("has no dependencies", () => {
    const modules = path.join(inject("project"), "node_modules");
    const there = readdirSync(modules).filter((name) => name !== ".bin" && name !== "@types");
    expect(there).toEqual([
      ...["picogrant", "picogrant-firmware", "picogrant-tools", "undici-types"],
    ]);
  });
});

describe("picogrant service", () => {
  it("prints its fixture; --approve allows a login", async () => {
    const service = start(["service", "--port", "0", "--approve", "ada"]);
    running.push(service);
    const [, url] = await service.until(/listening on (\S+),(?:.*\n)+Try: .*\n/);
    expect(service.stdout).toMatch(/^ {2}living-room-tv +tv-secret +Living Room TV$/m);
    expect(service.stdout).toMatch(/^ {2}ada +Ada Brook$/m);
    const line = /^Try: picogrant (.*)$/m.exec(service.stdout)![1]!;
    const { code, stdout } = await run([...line.split(" "), "--json"]);
    expect(code).toBe(0);
    expect(events(stdout).at(-1)).toMatchObject({ event: "signed_in", server: url });
    expect((await run(["logout", "--state", "tokens"])).code).toBe(0);
  });

  it("an unknown account is an error", async () => {
    const { code, stderr } = await run(["service", "--port", "0", "--approve", "nobody"]);
    expect(stderr).toMatch(/^picogrant service: there is no account nobody; approve as one of /);
    expect(code).toBe(2);
  });
});

describe("picogrant simulate", () => {
  it("runs a complete sign-in with the panel, without files of the repository", async () => {
    const args = ["simulate", "--approve", "--fast", "--port", "0", "--plain", "--state", "world"];
    const { code, stdout, stderr } = await run([...args, "--exit-when", "signed-in"]);
    expect(stderr).toBe("");
    expect(stdout).toContain("Signed in");
    expect(code).toBe(0);
  });

  it("serves the panel with its script and style", async () => {
    const args = ["simulate", "--port", "0", "--plain", "--state", "world-2"];
    const simulator = start(args);
    running.push(simulator);
    const [, panel] = await simulator.until(/Panel: open (\S+)\n/);
    for (const name of ["", "/panel.js", "/panel.css"]) {
      const response = await fetch(`${panel}${name}`);
      expect([name, response.status]).toEqual([name, 200]);
      expect((await response.text()).length).toBeGreaterThan(1000);
    }
  });

  it("plays a scenario by its name", async () => {
    const { code, stdout } = await run(["simulate", "--scenario", "expire-and-renew"]);
    expect(stdout).toMatch(/expire-and-renew: all \d+ expectations held/);
    expect(code).toBe(0);
  });
});

const toolsFolder = path.join(inject("project"), "tools");

it("picogrant check-server passes the check of a C port, counts its connections, and ends with Ctrl+C", async () => {
  const server = start(["check-server", "--port", "0"]);
  const [, url] = await server.until(/listening on (\S+)\n/);
  const pattern = await fetch(`${url}pattern`);
  expect(pattern.headers.get("picogrant-check")).toBe("1");
  expect((await pattern.arrayBuffer()).byteLength).toBe(5000);
  const echo = await fetch(`${url}echo`, { method: "POST", body: "abc" });
  // The length and the checksum of "abc": 97 * 31^2 + 98 * 31 + 99
  expect(await echo.text()).toBe("3 96354 ");
  expect(await (await fetch(`${url}open`)).text()).toMatch(/^[1-3] $/);
  const again = await run(["check-server", "--port", new URL(url!).port]);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toMatch(
    /^picogrant check-server: port \d+ on 127\.0\.0\.1 is in use; [^\n]*\n$/,
  );
  server.child.kill("SIGINT");
  expect(await server.end).toMatchObject({ code: 0, stderr: "" });
});

it("picogrant configure writes the server's profile into a device.json for any host", async () => {
  mkdirSync(toolsFolder, { recursive: true });
  const file = path.join(toolsFolder, "device.json");
  const out = path.join(toolsFolder, "complete.json");
  writeFileSync(
    file,
    JSON.stringify({ clientId: "c", scope: "openid", server: "google", clientSecret: "x" }),
  );
  expect(await run(["configure", file, "--out", out])).toMatchObject({ code: 0, stderr: "" });
  const config = JSON.parse(readFileSync(out, "utf8")) as { endpoints: { token: string } };
  expect(config.endpoints.token).toMatch(/^https:/);
  expect(statSync(out).mode & 0o777).toBe(0o600);

  const again = await run(["configure", file, "--out", out]);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toMatch(
    /^picogrant configure: [^\n]*complete\.json: exists already[^\n]*\n$/,
  );
});

it("picogrant sizing reports how much memory tokens need, which is more for longer ones", async () => {
  const need = async (access: string): Promise<{ complete: number; grant_alone: number }> => {
    const { stdout } = await run(["sizing", "--access", access, "--refresh", "64", "--json"]);
    return JSON.parse(stdout) as { complete: number; grant_alone: number };
  };
  const [short, long] = [await need("64"), await need("2000")];
  expect(short.complete % 32).toBe(0);
  expect(short.grant_alone).toBeLessThanOrEqual(short.complete);
  // With the shortest tokens, the memory size depends on the request for a code.
  expect(long.complete).toBeGreaterThan(short.complete + 1700);
});

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = path.join(inject("project"), "adapters");

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, "targets/examples/own-adapters.mjs"), path.join(folder, "adapters.mjs"));
});

function changed(from: string, to: string): string {
  const text = readFileSync(path.join(folder, "adapters.mjs"), "utf8");
  expect(text).toContain(from);
  const file = path.join(folder, "broken.mjs");
  writeFileSync(file, text.replace(from, to));
  return file;
}

describe("picogrant conform", () => {
  it("passes correct adapters, including their certificate checks", async () => {
    const { code, stdout } = await run(["conform", "adapters/adapters.mjs", "--tls", "--json"], {
      STATE: path.join(folder, "state"),
    });
    const cases = events(stdout.replace(/^[^{].*$/gm, ""));
    expect(cases.filter(({ passed }) => !passed)).toEqual([]);
    expect(cases.length).toBeGreaterThan(90);
    expect(code).toBe(0);
  });

  it("reports which rule is violated, and what happened", async () => {
    const file = changed("random.fill(0)", "into[to] = 0");
    const { code, stdout } = await run(["conform", file, "entropy"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^entropy: \d+ of \d+ cases pass$/m);
    expect(stdout).toMatch(/^ {2}entropy: fills its range and nothing else, plain arrays too$/m);
    expect(stdout).toMatch(/^ {4}what happened: index 38 outside the range was changed$/m);
  });

  it("reports an exception in an adapter's callback as a failed case, and continues", async () => {
    const file = path.join(folder, "throwing.mjs");
    writeFileSync(
      file,
      "export const makeTimers = () => ({ now: () => Math.floor(performance.now()), cancel() {},\n" +
        '  alarm() { setTimeout(() => { throw new Error("oh no"); }, 1); } });\n' +
        "export const makeEntropy = () => ({});\n",
    );
    const { code, stdout } = await run(["conform", file, "--json"]);
    expect(code).toBe(1);
    const reasons = events(stdout).map(({ reason }) => reason);
    expect(reasons).toContain(`it threw: Error: oh no, at ${file}:2:38`);
    expect(reasons).toContain("what makeEntropy() returns has no function fill");
    expect(events(stdout).some(({ passed }) => passed)).toBe(true);
  });

  it.each([
    [["conform"], /missing required argument 'module'/],
    [["conform", "adapters/adapters.mjs", "abacus"], /'abacus' is invalid .* choices are timers, /],
    [["conform", "adapters/throwing.mjs", "http"], /exports no function makeHttp/],
    [
      ["conform", "node_modules/picogrant-firmware/dist/picogrant.mjs"],
      /exports none of makeTimers, /,
    ],
  ])("%j is reported in one line with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^picogrant conform: [^\n]*\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("a module that cannot be loaded is one line and exit code 1", async () => {
    const file = path.join(folder, "wrong.mjs");
    writeFileSync(file, "export const = 1;\n");
    const { code, stderr } = await run(["conform", file]);
    expect(stderr).toMatch(
      /^picogrant conform: \S+ cannot be loaded: .*, at \S+wrong\.mjs:1:14\n$/,
    );
    expect(code).toBe(1);
  });
});
