// `picogrant conform`: runs the conformance suites on the user's adapters and prints the violated rules, or tests a device
// (conform/devices.ts).

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Argument, type Command } from "commander";
import {
  type ConformanceCase,
  type DisplaySubject,
  displayConformance,
  type Environment,
  entropyConformance,
  type HttpLimits,
  httpConformance,
  type SignerSubject,
  type StorageSubject,
  signerConformance,
  storageConformance,
  timersConformance,
  Violation,
} from "../../platform/conformance/index.ts";
import type { Display, Entropy, Http, Signer, Storage, Timers } from "../../platform/contracts.ts";
import { UsageError } from "../desktop/command-line.ts";
import { makeTlsIdentities } from "../service/certificates.ts";
import { startConformanceServer } from "./conform/conformance-server.ts";
import { Exit, Failure } from "./exit-codes.ts";
import type { Part } from "./option-parser.ts";
import { paintFor, showProgress } from "./terminal.ts";

interface Flags {
  tls?: boolean;
  restart: boolean;
  json?: boolean;
}

/** The exports of the user's module, all optional. Each call creates a new adapter. */
interface Adapters {
  makeTimers?: () => Timers;
  makeEntropy?: () => Entropy;
  makeStorage?: (directory: string) => Storage & { close?: () => void };
  makeDisplay?: () => Display & { lines?: () => readonly string[] };
  makeHttp?: (limits: HttpLimits & { ca?: string }) => Http & { dispose?: () => void };
  makeSigner?: () => Signer;
}

const MEMBERS = {
  timers: ["now", "alarm", "cancel"],
  entropy: ["fill"],
  storage: ["read", "write", "erase"],
  display: ["show"],
  http: ["send", "abort"],
  signer: ["sign"],
} as const;
type Name = keyof typeof MEMBERS;
const NAMES = Object.keys(MEMBERS) as Name[];

const HELP = `
The module exports any of these functions; each call makes an adapter of its own:
  makeTimers()               makeEntropy()
  makeStorage(directory)     may keep its records in this directory; called again, it finds them there
  makeDisplay()              with lines(), the visible lines are compared with the expected frame
  makeHttp(limits)           { timeLimitMs, sizeLimitBytes }, with --tls also { ca }: certificates to trust
  makeSigner()               for DPoP and private_key_jwt

Examples:
  picogrant conform ./adapters.mjs
  picogrant conform ./adapters.mjs storage http --tls

To test a whole device as a server sees it: picogrant conform --device - --help

The cases run on this computer, with Node. A rule is the name of
its case; all of them: platform/contracts.ts, the types of picogrant/driver. Exit code 1: a case failed.`;

const environment: Environment = { wait: (ms) => (ms === 0 ? nextTurn() : pause(ms)) };

export const conform: Part = {
  line: async (line, argv) =>
    argv.some((word) => /^--device\b/.test(word))
      ? (await import("./conform/devices.ts")).deviceLine(line)
      : adaptersLine(line),
  act: async (line) => {
    if (line.getOptionValue("device") !== undefined) {
      return (await import("./conform/devices.ts")).judgeDevices(line);
    }
    const [file = "", ...only] = line.args;
    const flags = line.opts<Flags>();
    const adapters = await load(file);
    const suites = suitesOf(adapters, checkedNames(only, adapters, file), flags);
    const failures = await report(suites, flags, path.dirname(path.resolve(file)));
    const untried = untriedOf(suites, flags);
    if (!flags.json && untried !== "") process.stdout.write(`Not tried: ${untried}.\n`);
    // Wait until all output is written, then exit: open handles of the adapters must not keep the command alive.
    await new Promise((done) => process.stdout.write("", done));
    process.exit(failures > 0 ? Exit.FAILED : Exit.DONE);
  },
};

function adaptersLine(line: Command): Command {
  return line
    .argument("<module>", "a module that makes the adapters, such as ./my-adapter.js")
    .addArgument(new Argument("[names...]", "only these").choices(NAMES))
    .allowExcessArguments(true)
    .option("--tls", "also the cases about certificates; makeHttp is given ca")
    .option("--no-restart", "leave out that records outlive the adapter")
    .option("--json", "one JSON object for each case")
    .option("--device <command>", "judge a whole device in place of adapters")
    .addHelpText("after", HELP);
}

async function load(file: string): Promise<Adapters> {
  const full = path.resolve(file);
  if (!existsSync(full))
    throw new UsageError(`${file}: there is no such module; conform tries adapters of your own`);
  try {
    const module = (await import(pathToFileURL(full).href)) as Record<string, unknown>;
    return Object.fromEntries(NAMES.map((name) => [manufacturerOf(name), checked(name, module)]));
  } catch (error) {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    // Only the report of a Node process that ends with a syntax error contains the line, so start one with the file.
    const report = error instanceof SyntaxError ? reportOf(full) : "";
    const place = placeIn(path.dirname(full), `${report}\n${stack}`);
    throw new Failure(`${file} cannot be loaded: ${message}${place}`);
  }
}

/** Node's report of an error in the file. The position that Node marks with a caret is converted to FILE:LINE:COLUMN. */
function reportOf(file: string): string {
  const { stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 10_000 });
  return stderr.replace(
    /^(.*:\d+)\n.*\n(\s*)\^/m,
    (_, line, before) => `${line}:${before.length + 1}`,
  );
}

/** Wraps a make function of the module. The wrapper throws if the returned adapter lacks a function. */
function checked(name: Name, module: Record<string, unknown>) {
  const manufacturer = manufacturerOf(name);
  const make = module[manufacturer];
  if (typeof make !== "function") return undefined;
  return (...args: unknown[]) => {
    const adapter = make(...args);
    const lacks = MEMBERS[name].find((member) => typeof adapter?.[member] !== "function");
    if (lacks !== undefined)
      throw new Violation(`what ${manufacturer}() returns has no function ${lacks}`);
    return adapter;
  };
}

function manufacturerOf(name: Name): keyof Adapters {
  return `make${name.slice(0, 1).toUpperCase()}${name.slice(1)}` as keyof Adapters;
}

function checkedNames(only: readonly string[], adapters: Adapters, file: string): Name[] {
  const there = NAMES.filter((name) => typeof adapters[manufacturerOf(name)] === "function");
  const missing = only.find((name) => !there.includes(name as Name));
  if (missing !== undefined)
    throw new UsageError(`${file} exports no function ${manufacturerOf(missing as Name)}`);
  if (there.length === 0) {
    throw new UsageError(
      `${file} exports none of ${NAMES.map(manufacturerOf).join(", ")}; see --help`,
    );
  }
  return there.filter((name) => only.length === 0 || only.includes(name));
}

type Suites = ReadonlyMap<Name, readonly ConformanceCase[]>;

function suitesOf(adapters: Adapters, names: readonly Name[], flags: Flags): Suites {
  const manufacturers: Record<Name, () => ConformanceCase[]> = {
    timers: () => timersConformance(() => ({ timers: adapters.makeTimers!(), environment })),
    entropy: () => entropyConformance(() => ({ entropy: adapters.makeEntropy!() })),
    storage: () => storageConformance(() => storageSubject(adapters.makeStorage!, flags.restart)),
    display: () => displayConformance(() => displaySubject(adapters.makeDisplay!())),
    http: () => httpCases(adapters.makeHttp!, flags.tls === true),
    signer: () => signerConformance(() => signerSubject(adapters.makeSigner!())),
  };
  return new Map(names.map((name) => [name, manufacturers[name]()]));
}

async function storageSubject(
  make: NonNullable<Adapters["makeStorage"]>,
  hasRestart: boolean,
): Promise<StorageSubject> {
  const directory = mkdtempSync(path.join(tmpdir(), "picogrant-conform-"));
  let storage = make(directory);
  for (const slot of [0, 1]) await new Promise((done) => storage.erase(slot, done));
  return {
    storage,
    environment,
    ...(hasRestart && {
      restart: () => {
        storage.close?.();
        storage = make(directory);
        return storage;
      },
    }),
    dispose: () => {
      storage.close?.();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function displaySubject(display: ReturnType<NonNullable<Adapters["makeDisplay"]>>): DisplaySubject {
  return { display, environment, ...(display.lines && { look: () => display.lines!() }) };
}

function httpCases(make: NonNullable<Adapters["makeHttp"]>, tls: boolean): ConformanceCase[] {
  const { ca, identities } = tls ? makeTlsIdentities() : {};
  return httpConformance(
    (limits) => {
      const http = make({ ...limits, ...(ca !== undefined && { ca }) });
      return { http, dispose: () => http.dispose?.() };
    },
    { wire: true, tls, environment, start: () => startConformanceServer(identities) },
  );
}

/** The signer, and a function that verifies its signatures with Web Cryptography. */
export function signerSubject(signer: Signer): SignerSubject {
  const { subtle } = globalThis.crypto;
  const kind = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const verify: SignerSubject["verify"] = async (signature, message) => {
    const { kty, crv, x, y } = signer.publicJwk;
    const key = await subtle.importKey("jwk", { kty, crv, x, y }, kind, false, ["verify"]);
    return subtle.verify(kind, key, Uint8Array.from(signature), Uint8Array.from(message));
  };
  return { signer, verify };
}

async function report(suites: Suites, { json }: Flags, folder: string): Promise<number> {
  const paint = paintFor(process.stdout, process.env);
  let failures = 0;
  // A display may print during its tests, so print the results for users only at the end of each suite.
  for (const [name, cases] of suites) {
    const lines: string[] = [];
    for (const [at, one] of cases.entries()) {
      showProgress(`${name}: case ${at + 1} of ${cases.length}`);
      const reason = await reasonOf(one, folder);
      const result = { case: one.name, passed: reason === undefined, reason };
      if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
      if (reason === undefined) continue;
      lines.push(`  ${paint.bold(one.name)}`, `    what happened: ${reason}`);
    }
    showProgress("");
    const failed = lines.length / 2;
    failures += failed;
    if (json) continue;
    const passed = cases.length - failed;
    process.stdout.write(`${name}: ${passed} of ${cases.length} cases pass\n`);
    for (const line of lines) process.stdout.write(`${line}\n`);
  }
  return failures;
}

/** The reason why a case failed, or undefined. An uncaught exception or rejection during the case counts as a failure. */
async function reasonOf(one: ConformanceCase, folder: string): Promise<string | undefined> {
  let onEscape: (error: unknown) => void = () => {};
  const escaped = new Promise<string>((resolve) => {
    onEscape = (error) => resolve(`it threw: ${wordsOf(error, folder)}`);
  });
  process.on("uncaughtException", onEscape);
  process.on("unhandledRejection", onEscape);
  // Wait for one more turn of the event loop, because callbacks of the adapter may still throw.
  const end = one.run().then(
    () => nextTurn(undefined),
    async (error: unknown) => {
      await nextTurn();
      return wordsOf(error, folder);
    },
  );
  try {
    return await Promise.race([escaped, end]);
  } finally {
    process.off("uncaughtException", onEscape);
    process.off("unhandledRejection", onEscape);
  }
}

/** The message of a violated rule, or the type, message and place of another error. */
function wordsOf(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack = "" } = error;
  if (name === "Violation") return message.replace(/\s+/g, " ");
  const place = placeIn(folder, stack);
  return `${name}: ${message}${place}`.replace(/\s+/g, " ");
}

/** The first place in the module's own files, as ", at FILE:LINE:COLUMN"; "" if there is none. */
function placeIn(folder: string, trace: string): string {
  const places = trace.replaceAll("file://", "").match(/\/.*?:\d+(?::\d+)?/g) ?? [];
  const isOwn = (place: string) => !place.slice(folder.length).includes("node_modules");
  const place = places.find((one) => one.startsWith(folder) && isOwn(one));
  return place === undefined ? "" : `, at ${place}`;
}

function untriedOf(suites: Suites, { tls, restart }: Flags): string {
  return [
    ...(suites.has("http") && tls !== true ? ["certificates (--tls)"] : []),
    ...(suites.has("storage") && !restart ? ["that records outlive the adapter"] : []),
    ...(suites.has("storage") ? ["a loss of power within a write"] : []),
    ...(suites.has("entropy") ? ["whether randomness is good"] : []),
  ].join("; ");
}
