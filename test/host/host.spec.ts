// The C host, as released and under sanitizers and valgrind. It runs with the simulated service, over HTTPS with a test
// authority, and over HTTP on loopback.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { code, tokens } from "../environment/environment.ts";
import { endpointsAt, opened, scripted } from "../environment/real-environment.ts";
import { HostProcess, STRICT } from "./host-process.ts";
import { runWholeLife } from "./host-run.ts";

const release = [programOf("release")];
const sanitized = [programOf("sanitize")];
const valgrind = [
  "valgrind",
  "--quiet",
  "--error-exitcode=99",
  "--leak-check=full",
  "--errors-for-leak-kinds=definite,possible",
];

describe("§1 a complete run on the C host: sign in, poll, restart, refresh, call, sign out", () => {
  it.each([
    ["over HTTPS, as released", "https", release],
    ["over HTTPS, under address and undefined-behaviour sanitizers", "https", sanitized],
    ["over HTTP, on QuickJS, under valgrind", "http", [...valgrind, programOf("quickjs")]],
  ] as const)("%s", async (name, protocol, command) => {
    const figures = await runWholeLife(await opened(protocol), {
      command,
      env: STRICT,
      calls: true,
    });
    const { limit = 0, peak = 0, residentPeakKiB } = figures;
    expect(peak).toBeLessThanOrEqual(limit);
    console.log(`${name}: engine peak ${peak} B, resident ${residentPeakKiB} KiB`);
  });
});

it("RFC 8628 §3.2: a response without a required member fails, and the error names the member", async () => {
  const environment = await opened("http", { provoke: { code: "id-token-alone" } });
  const host = new HostProcess([...release, "--page", environment.page()]);
  const lack = "there is no device_code in the response that can be used";
  await host.printed(`trying again: MALFORMED_RESPONSE\n${lack}`);
  await host.state("FAILED");
  expect(host.messages).toContain(`(UNUSABLE_RESPONSES)\n${lack}`);
  expect(await host.quit()).toBe(0);
});

it("the log names a value that does not fit, and the memory that is needed", async () => {
  const own = await opened();
  const { origin } = await scripted(({ path }) =>
    path === "/token" ? tokens({ access_token: "t".repeat(6000) }) : code({ interval: 1 }),
  );
  const host = new HostProcess([...sanitized, "--page", own.page(endpointsAt(origin))]);
  await host.printed("(VALUE_TOO_LONG)");
  await host.printed("access_token of 6000 bytes does not fit; ");
  const needed = Number(/; it needs (\d+) bytes of memory/.exec(host.messages)?.[1]);
  expect(host.messages).not.toContain("tttt");
  expect(await host.quit()).toBe(0);

  const enough = own.page({ ...endpointsAt(origin), limits: { memoryBytes: needed } });
  const larger = new HostProcess([...sanitized, "--page", enough]);
  await larger.printed("state: SIGNED_IN");
  expect(await larger.quit()).toBe(0);
});

describe("options and settings", () => {
  it("parameters, headers and texts with similar names reach their places", async () => {
    const { origin, requested } = await scripted(() => code({ interval: 1 }));
    const page = (await opened()).page({
      ...endpointsAt(origin),
      deviceParameters: {},
      tokenParameters: { a: "&a=", A: "2", aa: "3" },
      headers: {
        grant: { "X-A": "X-B: 1", "X-B": "", "X-AB": "X-A: 3" },
        resource: { "X-C": "1" },
      },
      messages: { requesting: "F\u00fcr \u00c4" },
    });
    const host = new HostProcess([...sanitized, "--page", page], STRICT);
    await host.until("a poll", () => requested.length > 1);
    for (const { headers } of requested) {
      expect(headers).toMatchObject({ "x-a": "X-B: 1", "x-b": "", "x-ab": "X-A: 3" });
      expect(headers).not.toHaveProperty("x-c");
    }
    expect(requested[0]!.form.has("aa")).toBe(false);
    expect(Object.fromEntries(requested[1]!.form)).toMatchObject({ a: "&a=", A: "2", aa: "3" });
    expect(Buffer.from(host.display, "latin1").toString()).toContain("F\u00fcr \u00c4");
    expect(await host.quit()).toBe(0);
  });

  it.each([
    [["--frobnicate"], "--frobnicate: no option"],
    [["--page"], "--page: no option, or its value is missing"],
    [["--page", "x", "--heap-limit", "much"], "much: no option, or its value"],
    [["--page", "x", "more"], "more: no option"],
    [["--page", "x", "--page", "y", "--page", "z"], "z: no option"],
    [[], "--page: name a settings page"],
  ])("%j on the command line: one line, exit code 2", async (args, complaint) => {
    const host = new HostProcess([...sanitized, ...args], STRICT);
    expect(await host.exit()).toBe(2);
    expect(host.messages).toMatch(/^picogrant-host: [^\n]+\n$/);
    expect(host.messages).toContain(complaint);
    expect(host.display).toBe("");
  });

  it("--help: usage on standard output, exit code 0", async () => {
    const host = new HostProcess([programOf("sanitize"), "--help"], STRICT);
    expect(await host.exit()).toBe(0);
    expect(host.messages).toBe("");
    expect(host.display).toContain("usage: picogrant-host --page");
  });

  it("too small a heap is an error, not a crash (QuickJS, below 70,000)", async () => {
    const page = (await opened("http")).page();
    for (let bytes = 1000; bytes < 70_000; bytes += 5_750) {
      const command = [programOf("quickjs"), "--heap-limit", String(bytes), "--page", page];
      const host = new HostProcess(command, STRICT);
      expect(await host.exit(), host.messages).toBe(2);
      expect(host.messages).toContain("--heap-limit: too little heap");
    }
  });
});

describe("storage", () => {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { encoding: "utf8", env: STRICT, maxBuffer: 1 << 25 });

  it("SPEC.md, Records: if a call on the file of records fails, the result is the old or the new state", () => {
    const folder = mkdtempSync("/dev/shm/picogrant-");
    try {
      const lines = run(programOf("sanitize", "record-faults"), folder).trim().split("\n");
      console.log(lines.join("\n"));
      expect(lines.map((line) => line.split(" ")[0])).toEqual(["first", "replace", "sign-out"]);
      for (const line of lines) {
        const [calls, failed, refused, old, fresh] = [...line.matchAll(/\d+/g)].map(Number);
        expect(calls).toBeGreaterThan(90);
        expect(failed).toBeGreaterThan(calls!);
        expect(old! + fresh!).toBe(calls);
        for (const count of [refused, old, fresh]) expect(count).toBeGreaterThan(0);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
