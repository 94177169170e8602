// Tests the device program and its adapters in stock qjs, with a real curl, files and pipes: the contracts, a complete
// run with the simulated service, and refused settings.

import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import { lockDirectory } from "../../platform/node/state-lock.ts";
import { bundleProgram, programOptions } from "../../targets/quickjs/bundle-program.ts";
import { makeTlsIdentities } from "../../targets/service/certificates.ts";
import {
  createService,
  nodeEnvironment,
  type Service,
  serve,
} from "../../targets/service/index.ts";
import { findQjs } from "../../targets/workbench/engines/install.ts";
import { expectAllPass } from "../bench-run.ts";
import { temporaryFolder } from "../listening.ts";
import { Running } from "../program.ts";
import { FIXTURE, TV, VIDEO_READONLY } from "../service/harness.ts";

const qjs = findQjs();
if (qjs === undefined) throw new Error("no qjs here: npm run engines -- --qjs builds it");
const tls = makeTlsIdentities();
let program = "";
beforeAll(async () => {
  program = await bundleProgram();
});

interface DeviceEvent {
  event: string;
  state?: string;
  status?: number;
}

class Run extends Running {
  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    super(spawn(qjs!, ["--std", "-m", file, ...args], { env: { ...process.env, ...env } }));
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  get lines(): string[] {
    return this.stdout.split("\n").slice(0, -1);
  }

  get events(): DeviceEvent[] {
    return this.lines.filter((line) => line.startsWith('{"event"')).map((line) => JSON.parse(line));
  }

  send(command: string): void {
    this.child.stdin!.write(`${command}\n`);
  }

  async state(required: string): Promise<void> {
    const last = () => this.events.findLast(({ event }) => event === "state")?.state;
    await expect.poll(() => this.stderr + last()).toBe(required);
  }

  async list(): Promise<unknown> {
    const from = this.lines.length;
    this.send("get 0 /liveBroadcasts?part=id&broadcastStatus=all");
    await expect.poll(() => this.lines.length).toBe(from + 2);
    expect(JSON.parse(this.lines[from]!)).toMatchObject({ event: "response", status: 200 });
    return JSON.parse(this.lines[from + 1]!);
  }

  async stop(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return (await this.end).code;
  }
}

function deviceAt(url: string, own: Partial<DeviceConfig> = {}) {
  const folder = temporaryFolder();
  const files = { main: join(folder, "main.js"), config: join(folder, "device.json") };
  fs.writeFileSync(files.main, program);
  fs.writeFileSync(join(folder, "ca.pem"), tls.ca);
  fs.writeFileSync(join(folder, "device.key"), "0123456789abcdef", { mode: 0o600 });
  const config: Partial<DeviceConfig> = {
    clientId: TV.client_id,
    clientSecret: TV.client_secret,
    scope: VIDEO_READONLY,
    endpoints: {
      deviceAuthorization: `${url}/device/code`,
      token: `${url}/token`,
      revocation: `${url}/revoke`,
      resources: [`${url}/video/v3`],
    },
    display: { kind: "text", path: join(folder, "display"), columns: 40, rows: 4 },
    storage: { directory: join(folder, "state"), deviceKeyFile: join(folder, "device.key") },
    control: { commands: "stdin", events: "stdout" },
    http: { certificates: join(folder, "ca.pem") },
    // RFC 7636: the service checks the verifier of each code, also after a power cut.
    pkce: "S256",
    ...own,
  };
  fs.writeFileSync(files.config, JSON.stringify(config), { mode: 0o600 });
  const start = (env?: NodeJS.ProcessEnv, ...more: string[]): Run =>
    new Run(files.main, ["--config", files.config, ...more], env);
  return { folder, config: files.config, start };
}

/** Starts the simulated service, and records the secrets in the bodies that it sends or receives. */
async function secureService() {
  const secrets = new Set<string>();
  const options = { interval: 1, pollToleranceMs: 100, tokenCharacters: "awkward" } as const;
  const service = createService({ ...nodeEnvironment(), fixture: FIXTURE, options });
  const front: Service = {
    ...service,
    fetch: async (request, env) => {
      const sent = new URLSearchParams(await request.clone().text());
      const response = await service.fetch(request, env);
      const got = [...(await response.clone().text()).matchAll(/"(\w+)": ?"([^"]+)"/g)];
      for (const [name, value] of [...sent, ...got.map(([, name, value]) => [name!, value!])]) {
        if (!/secret|_token$|device_code/.test(name!) || value!.length < 6) continue;
        secrets.add(value!).add(encodeURIComponent(value!));
      }
      // Delays the response, so that the test can read curl's arguments.
      await new Promise((done) => setTimeout(done, 100));
      return response;
    },
  };
  const server = await serve(front, { port: 0, ...tls.identities.trusted });
  service.setOptions({ baseUrl: server.url });
  onTestFinished(() => server.close());
  return { service, url: server.url, secrets };
}

/** Records the arguments, which every user can read, and the environments of these processes and their children. */
function watch(roots: () => readonly number[]) {
  const seen = new Set<string>();
  const textOf = (pid: number, file: string): string => {
    try {
      return fs.readFileSync(`/proc/${pid}/${file}`, "latin1").replaceAll("\0", " ");
    } catch {
      return "";
    }
  };
  const look = (pid: number): void => {
    for (const file of ["cmdline", "environ"]) seen.add(textOf(pid, file));
    const children = textOf(pid, `task/${pid}/children`).trim();
    for (const child of children === "" ? [] : children.split(" ")) look(Number(child));
  };
  const timer = setInterval(() => roots().forEach(look), 15);
  onTestFinished(() => clearInterval(timer));
  return seen;
}

it("contracts.ts: the adapters in qjs satisfy every rule except those of HTTP", async () => {
  const folder = temporaryFolder();
  const outfile = join(folder, "conformance.js");
  const entry = fileURLToPath(new URL("conformance-program.ts", import.meta.url));
  await build({ ...programOptions, entryPoints: [entry], outfile });
  const run = new Run(outfile, [folder]);
  expect((await run.end).code, run.stderr).toBe(0);
  expect(JSON.parse(run.lines[0]!).report).toEqual({ failed: [], isComplete: true });
});

it("RFC 8628, RFC 6749, RFC 7009, RFC 9110, RFC 9700: every row of the bench, without using a proxy", async () => {
  const file = join(temporaryFolder(), "main.js");
  fs.writeFileSync(file, program);
  const proxy = "http_proxy=http://127.0.0.1:1";
  const device = `exec env ${proxy} ${qjs} --std -m ${file} --config {config}`;
  const hooks = ["--call", "> get 0 /x", "--sign-out", "> sign-out"];
  const control = { commands: "stdin", events: "stderr" };
  const limits = { memoryBytes: 6144, exchangeSeconds: 8 };
  const settings = ["--with", JSON.stringify({ control, limits })];
  // curl does not report whether TLS was closed properly.
  await expectAllPass(device, [...hooks, ...settings, "--no-closure"], 1);
});

describe("a complete run in qjs", () => {
  it("over HTTPS: sign in, API, a restart with a refresh, sign out; no secret is visible", async () => {
    const { service, url, secrets } = await secureService();
    const { folder, start } = deviceAt(url);
    const runs: Run[] = [];
    const seen = watch(() => runs.map(({ child }) => child.pid!));
    // SSLKEYLOGFILE makes curl write TLS keys to a file, so the program must not pass it on to curl.
    const switchOn = (): Run => {
      runs.push(start({ SSLKEYLOGFILE: join(folder, "tls-secrets") }));
      return runs.at(-1)!;
    };
    const shown = (): string => fs.readFileSync(join(folder, "display"), "latin1");

    let device = switchOn();
    await expect.poll(() => service.pending()).toHaveLength(1);
    const code = service.pending().at(-1)!.userCode;
    await expect.poll(shown).toContain(code);
    expect(JSON.stringify(service.snapshot())).toContain('"challenge"');
    service.approve(code, "ada");
    await device.state("signed-in");
    await expect.poll(shown).toContain("Signed in");
    expect(await device.list()).toHaveProperty("items");

    // After a restart the age of the token is unknown, so the device refreshes.
    expect(await device.stop("SIGTERM"), device.stderr).toBe(0);
    device = switchOn();
    await device.state("signed-in");
    expect(await device.list()).toHaveProperty("items");
    device.send("sign-out");
    await device.state("signed-out");
    expect(service.counts()).toMatchObject({ grants: 0 });
    device.send("quit");
    expect((await device.end).code, device.stderr).toBe(0);

    expect([...seen]).toContain("curl -q -K - ");
    expect(secrets.size).toBeGreaterThanOrEqual(5);
    for (const secret of secrets) {
      expect([...seen].filter((text) => text.includes(secret))).toEqual([]);
    }
    expect(fs.readdirSync(folder)).not.toContain("tls-secrets");
    const state = join(folder, "state");
    const stored = [state, ...fs.readdirSync(state).map((name) => join(state, name))];
    expect(stored.filter((path) => (fs.statSync(path).mode & 0o077) !== 0)).toEqual([]);
  });

  it("a second device on the same state directory is refused, and the first continues", async () => {
    const { folder, start } = deviceAt("http://127.0.0.1:1");
    const first = start();
    await expect.poll(() => first.events).not.toEqual([]);
    const second = start();
    expect((await second.end).code).toBe(2);
    expect(second.stderr).toMatch(
      /state: in use by process \d+; stop it or choose another directory/,
    );
    expect(first.child.exitCode).toBe(null);
    expect(await first.stop("SIGINT")).toBe(0);
    // At its end the program removes its lock. The next start removes a lock of an earlier boot, whatever PID it names.
    const state = join(folder, "state");
    const locks = (): string[] => fs.readdirSync(state).filter((name) => name.startsWith("lock-"));
    expect(locks()).toEqual([]);
    const unlock = lockDirectory(state);
    expect((await start().end).code).toBe(2);
    unlock();
    fs.writeFileSync(join(state, `lock-${process.pid}-1-abc-0123456789abcdef`), "");
    const third = start();
    await expect.poll(() => third.events).not.toEqual([]);
    expect(locks()).toHaveLength(1);
    expect(() => lockDirectory(state)).toThrow(`in use by process ${third.child.pid}`);
  });
});

describe("refused in one line with exit code 2", () => {
  const at = (name: string, change: (file: string) => void) => (folder: string) =>
    change(join(folder, name));
  const open = (mode: number) => (file: string) => fs.chmodSync(file, mode);

  it.each<[what: string, wrong: Partial<DeviceConfig> | ((folder: string) => void), text: string]>([
    ["a wrong value", { clientId: "" }, "clientId must be"],
    ["no storage", { storage: undefined as never }, "device.json: storage is missing"],
    ["a key", { dpop: "auto" }, "device.json: dpop needs a host with a key"],
    ["no key", { storage: { directory: "/tmp/x" } }, "storage.deviceKeyFile is missing"],
    [
      "an issuer alone",
      { endpoints: undefined as never, issuer: "https://a.test" },
      "npx picogrant configure",
    ],
    ["no curl", { http: { curl: "/nonexistent/curl" } }, "/nonexistent/curl cannot be run"],
    ["too little memory", { limits: { memoryBytes: 2048 } }, "give more"],
    ["a directory as display", { display: { kind: "lcd", path: "/" } }, "display.path"],
    ["no key file", at("device.key", fs.rmSync), "storage.deviceKeyFile"],
    ["an open key file", at("device.key", open(0o644)), "run chmod 600"],
    [
      "a key that does not exist",
      at("device.key", (file) => fs.writeFileSync(file, "\0".repeat(32))),
      "random bytes",
    ],
    [
      "an open state directory",
      at("state", (folder) => fs.mkdirSync(folder, { mode: 0o755 })),
      "run chmod 700",
    ],
    ["secrets that every user can read", at("device.json", open(0o644)), "run chmod 640"],
    [
      "a pipe",
      at("device.json", (file) => execFileSync("sh", ["-c", `rm ${file}; mkfifo ${file}`])),
      "is a pipe and not a file",
    ],
  ])("%s", async (_, wrong, text) => {
    const isHarm = typeof wrong === "function";
    const { folder, start } = deviceAt("http://127.0.0.1:1", isHarm ? {} : wrong);
    if (isHarm) wrong(folder);
    const run = start();
    expect((await run.end).code).toBe(2);
    expect(run.stderr).toMatch(/^picogrant: [^\n]+\n$/);
    expect(run.stderr).toContain(text);
  });

  it.each([[[]], [["--config"]], [["--frobnicate"]]])("%j: usage", async (args) => {
    const file = join(temporaryFolder(), "main.js");
    fs.writeFileSync(file, program);
    const run = new Run(file, args);
    expect((await run.end).code).toBe(2);
    expect(run.stderr).toMatch(/^picogrant: usage: qjs [^\n]+\n$/);
  });
});

it("--help and --check report, and start nothing", async () => {
  const { folder, start } = deviceAt("http://127.0.0.1:1");
  const help = start({}, "--help");
  expect((await help.end).code).toBe(0);
  expect(help.lines).toEqual([expect.stringMatching(/^usage: qjs /)]);
  const right = start({}, "--check");
  expect((await right.end).code).toBe(0);
  expect(right.stderr).toBe("picogrant: the configuration is right\n");
  expect(fs.readdirSync(folder)).not.toContain("state");
  const small = deviceAt("http://127.0.0.1:1", { limits: { memoryBytes: 2048 } });
  const wrong = small.start({}, "--check");
  expect((await wrong.end).code).toBe(2);
  expect(wrong.stderr).toMatch(/^picogrant: limits\.memoryBytes: 2048 [^\n]+; give more\n$/);
});
