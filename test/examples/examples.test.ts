// Runs the programs in JavaScript of targets/examples unchanged, each from the code to a session.

import { spawn } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { opened, type RealEnvironment } from "../environment/real-environment.ts";
import { bundledProgram, Running } from "../program.ts";
import { TV } from "../service/harness.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const examples = path.join(root, "targets/examples");

/** Programs may run in any folder, so use absolute paths. */
const tsx = pathToFileURL(path.join(root, "node_modules/tsx/dist/loader.mjs")).href;

/** Maps the package's entries to the sources, as targets/examples/tsconfig.json does. */
const entries = { TSX_TSCONFIG_PATH: path.join(examples, "tsconfig.json") };

function start(
  file: string,
  { url, folder }: RealEnvironment,
  args: readonly string[] = [],
): Running {
  const env = {
    ...{ ...process.env, ...entries, SERVER: url, STATE: path.join(folder, "state") },
    ...{ CLIENT_ID: TV.client_id, CLIENT_SECRET: TV.client_secret },
  };
  const words = ["--import", tsx, file, ...args];
  const program = new Running(spawn(process.execPath, words, { cwd: folder, env }));
  onTestFinished(() => stop(program));
  return program;
}

async function stop({ child, end }: Running): Promise<void> {
  child.kill("SIGKILL");
  await end;
}

async function allow({ service }: RealEnvironment, program: Running): Promise<void> {
  const [attempt] = service.pending();
  await program.until(new RegExp(attempt ? attempt.userCode : "[A-Z]{4}-[A-Z]{4}"));
  service.approve(service.pending()[0]!.userCode, "ada");
}

const fileOf = (name: string): string => path.join(examples, name);

describe("examples", () => {
  it("the first program (README.md): signs in at its own server, calls an API and ends", async () => {
    const environment = await opened();
    const program = start(fileOf("first.mjs"), environment);
    expect((await program.end).code).toBe(0);
    expect(program.output).toMatch(
      /█[\s\S]*\nOpen http:\S+ and enter [A-Z-]{9}\n\{ sub: 'ada' \}\n$/,
    );
    expect(readdirSync(path.join(environment.folder, "tokens"))).toEqual(["metadata.json"]);
  });

  it("bare loop: signs in, resumes after a power loss, and signs out", async () => {
    const environment = await opened();
    const first = start(fileOf("bare-loop.mjs"), environment);
    await allow(environment, first);
    await first.until(/^\|Signed in {11}\|$/m);
    await stop(first);
    const program = start(fileOf("bare-loop.mjs"), environment);
    await program.until(/^\|Signed in {11}\|$/m);
    expect(program.output).not.toContain("Code ");
    program.child.stdin!.write("o\n");
    await program.until(/^\|Not signed in {7}\|$/m);
    program.child.stdin!.write("s\n");
    await program.until(/^\|Code [A-Z]{4}-[A-Z]{4}/m);
    program.child.stdin!.write("c\n");
  });

  it("printer: prints one slip with address and code, and one after the sign-in", async () => {
    const environment = await opened();
    const program = start(fileOf("printer.mjs"), environment);
    await allow(environment, program);
    await program.until(/This printer is connected/);
    const slip = /-{32}\n(Connect this printer\n.*?)\n-{32}/s.exec(program.output)![1]!;
    expect(slip).toContain(`${environment.url}/device`);
    expect(slip).toMatch(/^[A-Z]{4}-[A-Z]{4}$/m);
    for (const line of slip.split("\n")) expect(line.length).toBeLessThanOrEqual(32);
    expect(program.output.match(/Connect this printer/g)).toHaveLength(1);
    expect(program.output).toMatch(/^\[Signed in {7}\]$/m);
  });

  it("headless: the set-up page shows the code and never a token; the light stays on", async () => {
    const environment = await opened();
    const program = start(fileOf("headless.mjs"), environment);
    const [, page] = await program.until(/set-up page: (\S+)/);
    const read = async (): Promise<string> => (await fetch(page!)).text();
    await expect.poll(read).toMatch(/^Open \S+ and enter [A-Z]{4}-[A-Z]{4}\n$/);
    await program.until(/light on[\s\S]*light off[\s\S]*light on/);
    environment.service.approve(environment.service.pending()[0]!.userCode, "ada");
    await expect.poll(read).toBe("Signed in\n");
    await expect.poll(() => program.output.trimEnd().split("\n").at(-1)).toBe("light on");
  });

  it("web runtime: one file without Node's modules signs in, and resumes after a restart", async () => {
    const { outputFiles } = await build({
      entryPoints: [fileOf("web.mjs")],
      bundle: true,
      write: false,
      format: "iife",
      platform: "browser",
      tsconfig: fileOf("tsconfig.json"),
      alias: {
        "picogrant/core": path.join(examples, "../../core/complete.ts"),
        "picogrant/driver": path.join(examples, "../../platform/driver.ts"),
      },
    });
    const script = outputFiles[0]!.text;
    const environment = await opened();
    const items = new Map<string, string>();
    const first = startWebDevice(script, environment, items);
    await expect.poll(() => first.frame()).toMatch(/Code [A-Z]{4}-[A-Z]{4}/);
    environment.service.approve(environment.service.pending()[0]!.userCode, "ada");
    await expect.poll(() => first.frame()).toContain("Signed in");
    first.driver.stop();
    const second = startWebDevice(script, environment, items);
    await expect.poll(() => second.frame()).toContain("Signed in");
    expect(second.frames.some((frame) => frame.includes("Code "))).toBe(false);
    second.driver.stop();
  });
});

/** Runs the script in an engine with only what browsers have: no `process` and no `require`. */
function startWebDevice(script: string, environment: RealEnvironment, items: Map<string, string>) {
  const frames: string[] = [];
  const sandbox: Record<string, unknown> = {
    ...{ fetch, Headers, AbortController, Uint8Array, performance, crypto, URL },
    ...{ setTimeout, clearTimeout, console },
    localStorage: {
      getItem: (name: string) => items.get(name) ?? null,
      setItem: (name: string, text: string) => void items.set(name, text),
      removeItem: (name: string) => void items.delete(name),
    },
  };
  const context = vm.createContext(sandbox);
  expect(vm.runInContext("typeof process + typeof require + typeof Buffer", context)).toBe(
    "undefinedundefinedundefined",
  );
  vm.runInContext(script, context);
  const start = sandbox.startDevice as (settings: object) => { stop(): void };
  const driver = start({
    endpoints: {
      deviceAuthorization: `${environment.url}/device/code`,
      token: `${environment.url}/token`,
      revocation: `${environment.url}/revoke`,
    },
    clientId: TV.client_id,
    clientSecret: TV.client_secret,
    scope: "email",
    show: (rows: string[]) => frames.push(rows.join("\n")),
  });
  return { driver, frames, frame: () => frames.at(-1) ?? "" };
}

const templates = fileURLToPath(new URL("../../platform/templates", import.meta.url));

it("the porting kit: adapters over node:http, files and a console pass all tests, and a device signs in", async () => {
  const environment = await opened();
  cpSync(templates, environment.folder, { recursive: true });
  cpSync(path.join(examples, "own-adapters.mjs"), path.join(environment.folder, "adapters.mjs"));
  const command = await bundledProgram("targets/command/main.ts");
  const adapters = path.join(environment.folder, "adapters.mjs");
  const program = start(command, environment, ["conform", adapters, "--tls"]);
  const { code } = await program.end;
  const { output } = program;
  expect(output).not.toMatch(/^ {2}\w+: /m);
  expect(output.match(/^\w+: (\d+) of \1 cases pass$/gm)).toHaveLength(5);
  expect(code).toBe(0);
  const device = path.join(environment.folder, "device.mjs");
  const first = start(device, environment);
  await allow(environment, first);
  await first.until(/^\|Signed in {11}\|$/m);
  await stop(first);
  const second = start(device, environment);
  await second.until(/^\|Signed in {11}\|$/m);
  expect(second.output).not.toContain("Code ");
});
