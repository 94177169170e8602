// A device's whole life in a stock qjs against the simulated service, over HTTP and HTTPS, with power
// cuts and restarts of both, and what other users of the system can see of it meanwhile.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { DeviceConfig } from "../../platform/configuration/device-config.ts";
import { PATIENCE_MS } from "../patience.ts";
import { makeTlsIdentities } from "../platform/certificates.ts";
import { TV, VIDEO_READONLY } from "../service/harness.ts";
import { RunningDevice, writeConfig } from "./device.ts";
import { runToEnd } from "./limits.ts";
import { watchDescendants } from "./processes.ts";
import { enginesHere, temporaryFolder, writeProgram } from "./qjs.ts";
import { RunningService } from "./service.ts";

const engines = enginesHere();
const LIST = "/liveBroadcasts?part=id&broadcastStatus=all";

interface World {
  service: RunningService;
  folder: string;
  secure: boolean;
  start(env?: NodeJS.ProcessEnv): RunningDevice;
}

/** A service, and a device that can be started again and again. */
async function world(qjs: string, secure: boolean): Promise<World> {
  const folder = temporaryFolder();
  const program = await writeProgram(folder);
  const tls = secure ? makeTlsIdentities() : undefined;
  const service = new RunningService(tls?.identities.trusted);
  await service.start();
  writeFileSync(join(folder, "ca.pem"), tls?.ca ?? "");
  writeFileSync(join(folder, "device.key"), "0123456789abcdef", { mode: 0o600 });
  const config = writeConfig(folder, configOf(folder, service.url, secure));
  const start = (env?: NodeJS.ProcessEnv): RunningDevice =>
    new RunningDevice(qjs, ["--std", "-m", program, "--config", config], env);
  return { service, folder, secure, start };
}

function configOf(folder: string, url: string, secure: boolean): DeviceConfig {
  return {
    clientId: TV.client_id,
    clientSecret: TV.client_secret,
    scope: VIDEO_READONLY,
    issuer: url,
    endpoints: { resources: [`${url}/video/v3`] },
    display: { kind: "text", path: join(folder, "display"), columns: 40, rows: 4 },
    storage: { directory: join(folder, "state"), deviceKeyFile: join(folder, "device.key") },
    control: { commands: "stdin", events: "stdout" },
    // RFC 7636: then each code is proved, over the power cut as well; the service checks it.
    ...(secure && { pkce: "S256" }),
    ...(secure && { http: { certificates: join(folder, "ca.pem") } }),
  };
}

const shown = (folder: string): string => readFileSync(join(folder, "display"), "latin1");

/** Waits until the service has logged `count` lines with this in them. */
async function logged(service: RunningService, what: string, count: number): Promise<void> {
  while (service.log.filter((line) => line.includes(what)).length < count) {
    await new Promise((done) => setTimeout(done, 10));
  }
}

async function untilSignedIn(service: RunningService, device: RunningDevice): Promise<void> {
  await logged(service, "POST /token 428", 1);
  service.service.approve(service.service.pending().at(-1)!.userCode, "ada");
  await device.state("signed-in");
}

async function list(device: RunningDevice): Promise<unknown> {
  const from = device.events.length;
  device.send(`get 0 ${LIST}`);
  const answer = await device.event("the answer", ({ event }) => event === "answer", from);
  expect(answer).toMatchObject({ status: 200, error: "none" });
  return JSON.parse(answer.body ?? "");
}

describe("a life in qjs", () => {
  describe.each(engines)("%s", (_, qjs) => {
    it("RFC 8414 §2 a client with a secret authenticates as the metadata says", async () => {
      const { service, start } = await world(qjs, false);
      const device = start();
      await untilSignedIn(service, device);
      expect(service.authorizations.get("/token")).toMatch(/^Basic /);
      expect((await device.signal("SIGTERM")).code).toBe(0);
    });

    it.each([
      ["HTTP on loopback", false],
      ["HTTPS with an authority of one's own", true],
    ])("%s: sign in, power cuts, restarts, refresh, API, sign out", async (_name, secure) => {
      const { service, folder, start } = await world(qjs, secure);
      let device = start();
      await logged(service, "POST /token 428", 1);
      const code = service.service.pending().at(-1)!.userCode;
      await vi.waitFor(() => expect(shown(folder)).toContain(code), { timeout: PATIENCE_MS });

      const snapshot = JSON.stringify(service.service.snapshot());
      expect(snapshot.includes('"challenge"')).toBe(secure);

      // The power goes while the user types; the same code is polled again.
      expect((await device.signal("SIGKILL")).code).toBe(null);
      await service.restart();
      device = start();
      await logged(service, "POST /token 428", 2);
      expect(service.log.filter((line) => line.includes("/device/code")).length).toBe(1);
      await vi.waitFor(() => expect(shown(folder)).toContain(code), { timeout: PATIENCE_MS });
      service.service.approve(code, "ada");
      await device.state("signed-in");
      expect(shown(folder)).toContain("Signed in");
      expect(await list(device)).toHaveProperty("items");

      // The service restarts: its grants are kept, the session goes on.
      await service.restart();
      expect(await list(device)).toHaveProperty("items");

      // So does the device, in good order; the age of its token is unknown then: refresh.
      expect(await device.signal("SIGTERM")).toEqual({ code: 0, errors: "" });
      const before = service.log.length;
      device = start();
      await device.state("signed-in");
      expect(await list(device)).toHaveProperty("items");
      expect(service.log.slice(before)).toContain("POST /token 200");

      device.send("sign-out");
      await device.state("signed-out", device.events.length);
      expect(service.log).toContain("POST /revoke 200");
      expect(service.service.counts()).toMatchObject({ grants: 0 });
      device.send("quit");
      expect(await device.end()).toEqual({ code: 0, errors: "" });
    });

    it("RFC 8628 §5.2 plain HTTP goes to this device itself, whatever proxy the environment names", async () => {
      const { service, start } = await world(qjs, false);
      const proxy = "http://127.0.0.1:1";
      start({ http_proxy: proxy, all_proxy: proxy });
      await logged(service, "POST /token 428", 1);
    });

    it("no secret is in any process's arguments or environment, nor in an open file", async () => {
      const { service, folder, start } = await world(qjs, true);
      // Long enough to look at curl while it works.
      service.delayMs = 200;
      // Whoever sets this could read along; nothing of it reaches curl.
      process.env.SSLKEYLOGFILE = join(folder, "tls-secrets");
      let again: RunningDevice | undefined;
      const device = start();
      const seen = watchDescendants(() => [device, again].flatMap((one) => one?.child.pid ?? []));
      await untilSignedIn(service, device);
      await list(device);
      await device.signal("SIGTERM");
      again = start();
      await again.state("signed-in");
      again.send("sign-out");
      await again.state("signed-out", again.events.length);
      await again.signal("SIGTERM");
      seen.stop();
      delete process.env.SSLKEYLOGFILE;
      expect(readdirSync(folder)).not.toContain("tls-secrets");
      // Metadata, codes, polls, tokens, API, refresh, revocation: all were looked at.
      expect(seen.curls.size).toBeGreaterThanOrEqual(7);
      expect([...seen.texts].filter((text) => text.includes("curl"))).toContain("curl -q -K - ");
      expect(service.secrets.size).toBeGreaterThanOrEqual(5);
      for (const secret of service.secrets) {
        for (const text of seen.texts) expect(text.includes(secret)).toBe(false);
      }
      expect(openFiles(join(folder, "state"))).toEqual([]);
    });
  });
});

/** Files that anybody but their owner can read. */
function openFiles(folder: string): string[] {
  const paths = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  return paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
}

describe("mistakes in qjs", () => {
  const base = (folder: string): DeviceConfig => configOf(folder, "http://127.0.0.1:1", false);
  const key = (folder: string, mode: number, content = "0123456789abcdef"): string => {
    const file = join(folder, "device.key");
    writeFileSync(file, content, { mode });
    return file;
  };
  const mistakes: [string, (folder: string) => Partial<DeviceConfig>, string][] = [
    ["a wrong value", (folder) => ({ ...base(folder), clientId: "" }), "clientId must be"],
    [
      "no storage",
      (folder) => ({ ...base(folder), storage: undefined as never }),
      "device.json: storage is missing",
    ],
    ["no key file", base, "storage.deviceKeyFile"],
    [
      "no key",
      (folder) => ({ ...base(folder), storage: { directory: join(folder, "state") } }),
      "device.json: storage.deviceKeyFile is missing",
    ],
    [
      "an open key file",
      (folder) => {
        key(folder, 0o644);
        return base(folder);
      },
      "run chmod 600 on it",
    ],
    [
      "a configuration that its group can change",
      (folder) => {
        key(folder, 0o600);
        writeFileSync(join(folder, "device.json"), "", { mode: 0o664 });
        chmodSync(join(folder, "device.json"), 0o664);
        return base(folder);
      },
      "its group can change it; run chmod 640 on it",
    ],
    [
      "a key that nobody made",
      (folder) => {
        key(folder, 0o600, "\0".repeat(32));
        return base(folder);
      },
      "random bytes",
    ],
    [
      "no curl",
      (folder) => {
        key(folder, 0o600);
        return { ...base(folder), http: { curl: "/nonexistent/curl" } };
      },
      "http.curl /nonexistent/curl cannot be run",
    ],
    [
      "a state directory that others can enter",
      (folder) => {
        key(folder, 0o600);
        mkdirSync(join(folder, "state"), { mode: 0o755 });
        return base(folder);
      },
      "run chmod 700 on it",
    ],
    [
      "too little memory for the messages",
      (folder) => {
        key(folder, 0o600);
        return { ...base(folder), limits: { memoryBytes: 2048 } };
      },
      "give more",
    ],
    [
      "a display that is a directory",
      (folder) => {
        key(folder, 0o600);
        return { ...base(folder), display: { kind: "lcd" as const, path: folder } };
      },
      "display.path",
    ],
  ];

  describe.each(engines)("%s", (_, qjs) => {
    const run = async (args: readonly string[]) => {
      const program = await writeProgram(temporaryFolder());
      return new RunningDevice(qjs, ["--std", "-m", program, ...args]).end();
    };

    it.each(mistakes)("%s: one clear line, exit code 2", async (_name, make, text) => {
      const folder = temporaryFolder();
      const { code, errors } = await run(["--config", writeConfig(folder, make(folder))]);
      expect(errors).toMatch(/^picogrant: [^\n]+\n$/);
      expect(errors).toContain(text);
      expect(code).toBe(2);
    });

    it("a pipe in the configuration's place: one clear line, exit code 2", async () => {
      const file = join(temporaryFolder(), "pipe.json");
      execFileSync("mkfifo", [file]);
      const { code, errors } = await run(["--config", file]);
      expect(errors).toBe(`picogrant: ${file}: is a pipe and not a file\n`);
      expect(code).toBe(2);
    });

    it("a configuration that every user can change: one clear line, exit code 2", async () => {
      const folder = temporaryFolder();
      key(folder, 0o600);
      const file = writeConfig(folder, base(folder));
      chmodSync(file, 0o646);
      const { code, errors } = await run(["--config", file]);
      expect(errors).toMatch(/^picogrant: \S+: every user can change it; [^\n]+\n$/);
      expect(code).toBe(2);
    });

    it("secrets in a file that every user can read: one clear line, exit code 2", async () => {
      const folder = temporaryFolder();
      const file = join(folder, "open.json");
      writeFileSync(file, JSON.stringify(base(folder)), { mode: 0o644 });
      const { code, errors } = await run(["--config", file]);
      expect(errors).toContain("run chmod 640 on it");
      expect(code).toBe(2);
    });

    it.each([[[]], [["--config"]], [["--frobnicate"]]])("%j: usage, exit code 2", async (args) => {
      expect(await run(args)).toEqual({ code: 2, errors: expect.stringContaining("usage: qjs") });
    });

    it("--help: usage on standard output, exit code 0", async () => {
      const program = await writeProgram(temporaryFolder());
      const args = ["--std", "-m", program, "--help"];
      const { stdout, stderr, status } = await runToEnd("--help", qjs, args);
      expect(stdout).toMatch(/^usage: qjs [^\n]+\n$/);
      expect(stderr).toBe("");
      expect(status).toBe(0);
    });

    it("--check finds too little memory, and says so as the start does", async () => {
      const folder = temporaryFolder();
      const config = writeConfig(folder, { ...base(folder), limits: { memoryBytes: 2048 } });
      const { code, errors } = await run(["--config", config, "--check"]);
      expect(errors).toMatch(/^picogrant: limits\.memoryBytes: 2048 [^\n]+; give more\n$/);
      expect(code).toBe(2);
    });

    it("--check says that a configuration is right, and starts nothing", async () => {
      const folder = temporaryFolder();
      const config = writeConfig(folder, base(folder));
      const { code, errors } = await run(["--config", config, "--check"]);
      expect(errors).toBe("picogrant: the configuration is right\n");
      expect(code).toBe(0);
      expect(readdirSync(folder)).toEqual(["device.json"]);
    });

    it("a second device on the same state directory is refused, the first goes on", async () => {
      const { start } = await world(qjs, false);
      const first = start();
      await first.event("its start", () => true);
      const { code, errors } = await start().end();
      expect(errors).toMatch(/state: in use by process \d+; stop it or choose another directory/);
      expect(code).toBe(2);
      expect(first.child.exitCode).toBe(null);
      expect((await first.signal("SIGINT")).code).toBe(0);
    });
  });
});
