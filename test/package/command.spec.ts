// The installed `picogrant` as a whole: its help, the service for testers of clients, the simulator.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, inject, it } from "vitest";
import { MESSAGES } from "../../core/complete.ts";
import { events, type Running, run, start } from "./command.ts";

const PARTS = [
  "login",
  "token",
  "logout",
  "simulate",
  "service",
  "conform",
  "configure",
  "sizing",
  "check-server",
];

const running: Running[] = [];
afterEach(async () => {
  for (const { child, end } of running.splice(0)) {
    child.kill("SIGTERM");
    await end;
  }
});

async function startService(...args: string[]): Promise<Running & { url: string }> {
  const service = start(["service", "--port", "0", ...args]);
  running.push(service);
  await expect.poll(() => service.stdout).toMatch(/listening on (\S+),(?:.*\n)+Try: .*\n/);
  return Object.assign(service, { url: /listening on (\S+),/.exec(service.stdout)![1]! });
}

describe("picogrant", () => {
  it("--help names every command; without arguments it is shown too, as a mistake", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of PARTS) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(await run([])).toEqual({ code: 2, stdout: "", stderr: stdout });
    expect((await run(["help"])).stdout).toBe(stdout);
  });

  it.each(PARTS)("%s --help tells of it in the same style, as help does", async (name) => {
    const { code, stdout, stderr } = await run([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: picogrant ${name} `));
    expect(stdout).toContain("-h, --help");
    expect(stdout).not.toContain("npm ");
    expect((await run(["help", name])).stdout).toBe(stdout);
  });

  it.each(PARTS)("%s: a wrong option is one line and exit code 2", async (name) => {
    const { code, stdout, stderr } = await run([name, "--nonsense"]);
    expect(stderr).toBe(`picogrant ${name}: unknown option '--nonsense'\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("the core is in a folder of its own: the simulator tells by it what the core allocates", () => {
    const at = path.join(inject("project"), "node_modules/picogrant-tools/dist/command");
    const scripts = readdirSync(at, { recursive: true, encoding: "utf8" }).filter((file) => {
      return /\.[jt]s$/.test(file);
    });
    const words = "Getting a code";
    expect(MESSAGES).toContain(words);
    const holding = scripts.filter((file) =>
      readFileSync(path.join(at, file), "utf8").includes(words),
    );
    expect(holding).toEqual([expect.stringMatching(/^core\/chunk-\w+\.js$/)]);
  });

  it("needs nothing installed beside it", () => {
    const modules = path.join(inject("project"), "node_modules");
    const there = readdirSync(modules).filter((name) => name !== ".bin" && name !== "@types");
    expect(there).toEqual([
      ...["picogrant", "picogrant-firmware", "picogrant-tools", "undici-types"],
    ]);
  });
});

describe("picogrant service", () => {
  it("prints its world; a login there is allowed by --approve", async () => {
    const service = await startService("--approve", "ada");
    expect(service.stdout).toMatch(/^ {2}living-room-tv +tv-secret +Living Room TV$/m);
    expect(service.stdout).toMatch(/^ {2}ada +Ada Brook$/m);
    const line = /^Try: picogrant (.*)$/m.exec(service.stdout)![1]!;
    const { code, stdout } = await run([...line.split(" "), "--json"]);
    expect(code).toBe(0);
    expect(events(stdout).at(-1)).toMatchObject({ event: "signed_in", server: service.url });
    expect((await run(["logout", "--state", "tokens"])).code).toBe(0);
  });

  it("--https: its certificate is trusted where it is named, and only there", async () => {
    const service = await startService("--https", "--approve", "ada");
    expect(service.url).toMatch(/^https:/);
    const line = /^Try: picogrant (.*)$/m.exec(service.stdout)![1]!.split(" ");
    const trusting = await run([...line, "--json"]);
    expect(events(trusting.stdout).at(-1)).toMatchObject({ event: "signed_in" });
    expect((await run(["logout", "--state", "tokens"])).code).toBe(0);
    const doubting = await run(line.slice(0, line.indexOf("--certificates")));
    expect(doubting.stderr).toMatch(/not reachable/);
    expect(doubting.code).toBe(1);
  });

  it("an account that is not there is a mistake", async () => {
    const { code, stderr } = await run(["service", "--port", "0", "--approve", "nobody"]);
    expect(stderr).toMatch(
      /^picogrant service: there is no account nobody; choose --approve from /,
    );
    expect(code).toBe(2);
  });
});

describe("picogrant simulate", () => {
  it("plays a whole sign-in, panel included, without anything of the repository", async () => {
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
    await expect.poll(() => simulator.stdout).toMatch(/Panel: open (\S+)/);
    const panel = /Panel: open (\S+)/.exec(simulator.stdout)![1]!;
    for (const name of ["", "/panel.js", "/panel.css"]) {
      const answer = await fetch(panel + name);
      expect([name, answer.status]).toEqual([name, 200]);
      expect((await answer.text()).length).toBeGreaterThan(1000);
    }
  });

  it("plays a scenario by its name", async () => {
    const { code, stdout } = await run(["simulate", "--scenario", "expire-and-renew"]);
    expect(stdout).toMatch(/expire-and-renew: all \d+ expectations held/);
    expect(code).toBe(0);
  });
});
