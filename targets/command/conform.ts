// `picogrant conform`: runs the conformance suites over somebody's adapters, and says in words what is wrong with them
// and which sentence of the contract that breaks.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import {
  type ConformanceCase,
  type DisplaySubject,
  displayConformance,
  entropyConformance,
  type HttpLimits,
  httpConformance,
  type StorageSubject,
  storageConformance,
  timersConformance,
  type World,
} from "../../platform/conformance/index.ts";
import type { Display, Entropy, Http, Storage, Timers } from "../../platform/contracts.ts";
import { UsageError } from "../desktop/command-line.ts";
import { makeTlsIdentities } from "./certificates.ts";
import { startConformanceServer } from "./conform/conformance-server.ts";
import { Exit, Failure } from "./ending.ts";
import { commandLine, type Part } from "./option-parser.ts";
import { paintFor } from "./terminal.ts";

interface Flags {
  tls?: boolean;
  restart: boolean;
  json?: boolean;
}

/** What somebody's module exports: any of these. Each call makes an adapter of its own. */
interface Adapters {
  makeTimers?: () => Timers;
  makeEntropy?: () => Entropy;
  makeStorage?: (directory: string) => Storage & { close?: () => void };
  makeDisplay?: () => Display & { lines?: () => readonly string[] };
  makeHttp?: (limits: HttpLimits & { ca?: string }) => Http & { dispose?: () => void };
}

const NAMES = ["timers", "entropy", "storage", "display", "http"] as const;
type Name = (typeof NAMES)[number];

const HELP = `
The module exports any of these functions; each call makes an adapter of its own:
  makeTimers()               makeEntropy()
  makeStorage(directory)     may keep its records in this directory; called again, it finds them there
  makeDisplay()              with lines(), what a person sees is compared with what was to be shown
  makeHttp(limits)           { timeLimitMs, sizeLimitBytes }, with --tls also { ca }: certificates to trust

Examples:
  picogrant conform ./adapters.mjs
  picogrant conform ./adapters.mjs storage http --tls

A whole device is judged as a server sees it (picogrant conform --device - --help says more):
  picogrant conform --device "my-device {config}" [--call HOOK] [--sign-out HOOK] [--restart HOOK]
                    [--power-cut HOOK] [--no-pkce] [--no-json] [--no-resume] [--json] [rows...]

The cases run on this computer, with Node. The contract is platform/contracts.ts
(types of picogrant/driver). Exit code 1: a case failed.`;

const world: World = {
  wait: (ms) =>
    new Promise((done) => {
      if (ms === 0) setImmediate(done);
      else setTimeout(done, ms);
    }),
};

export const conform: Part = {
  line: async (argv) =>
    argv.some((word) => /^--device\b/.test(word))
      ? (await import("./conform/devices.ts")).deviceLine()
      : adaptersLine(),
  act: async (line) => {
    if (line.getOptionValue("device") !== undefined) {
      return (await import("./conform/devices.ts")).judgeDevices(line);
    }
    const [file = "", ...only] = line.args;
    const flags = line.opts<Flags>();
    const adapters = await load(file);
    const suites = suitesOf(adapters, checkedNames(only, adapters, file), flags);
    const failures = await report(suites, flags);
    const untried = untriedOf(suites, flags);
    if (!flags.json && untried !== "") process.stdout.write(`Not tried: ${untried}.\n`);
    // What the adapters have left open must not keep the command alive.
    await new Promise((done) => process.stdout.write("", done));
    process.exit(failures > 0 ? Exit.FAILED : Exit.DONE);
  },
};

function adaptersLine(): Command {
  return commandLine("conform", "Runs the conformance suites over adapters of your own.")
    .argument("<module>", "a module that makes the adapters, such as ./my-adapter.js")
    .argument("[names...]", `only these: ${NAMES.join(", ")}`)
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
    return (await import(pathToFileURL(full).href)) as Adapters;
  } catch (error) {
    throw new Failure(`${file} cannot be loaded: ${(error as Error).message}`);
  }
}

function makerOf(name: Name): keyof Adapters {
  return `make${name.slice(0, 1).toUpperCase()}${name.slice(1)}` as keyof Adapters;
}

function checkedNames(only: readonly string[], adapters: Adapters, file: string): Name[] {
  for (const name of only) {
    if (NAMES.some((known) => known === name)) continue;
    throw new UsageError(`there is no contract ${name}; choose of ${NAMES.join(", ")}`);
  }
  const there = NAMES.filter((name) => typeof adapters[makerOf(name)] === "function");
  for (const name of only) {
    if (there.some((known) => known === name)) continue;
    throw new UsageError(`${file} exports no function ${makerOf(name as Name)}`);
  }
  if (there.length === 0) {
    throw new UsageError(`${file} exports none of ${NAMES.map(makerOf).join(", ")}; see --help`);
  }
  return there.filter((name) => only.length === 0 || only.includes(name));
}

type Suites = ReadonlyMap<Name, readonly ConformanceCase[]>;

function suitesOf(adapters: Adapters, names: readonly Name[], flags: Flags): Suites {
  const makers: Record<Name, () => ConformanceCase[]> = {
    timers: () => timersConformance(() => ({ timers: adapters.makeTimers!(), world })),
    entropy: () => entropyConformance(() => ({ entropy: adapters.makeEntropy!() })),
    storage: () => storageConformance(() => storageSubject(adapters.makeStorage!, flags.restart)),
    display: () => displayConformance(() => displaySubject(adapters.makeDisplay!())),
    http: () => httpCases(adapters.makeHttp!, flags.tls === true),
  };
  return new Map(names.map((name) => [name, makers[name]()]));
}

/** An empty one, in a directory of its own. */
async function storageSubject(
  make: NonNullable<Adapters["makeStorage"]>,
  hasRestart: boolean,
): Promise<StorageSubject> {
  const directory = mkdtempSync(path.join(tmpdir(), "picogrant-conform-"));
  let storage = make(directory);
  for (const slot of [0, 1]) await new Promise((done) => storage.erase(slot, done));
  return {
    storage,
    world,
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
  return { display, world, ...(display.lines && { look: () => display.lines!() }) };
}

function httpCases(make: NonNullable<Adapters["makeHttp"]>, tls: boolean): ConformanceCase[] {
  const { ca, identities } = tls ? makeTlsIdentities() : {};
  return httpConformance(
    (limits) => {
      const http = make({ ...limits, ...(ca !== undefined && { ca }) });
      return { http, dispose: () => http.dispose?.() };
    },
    { wire: true, tls, world, start: () => startConformanceServer(identities) },
  );
}

/** Runs every case, prints what came of it, and counts those that failed. */
async function report(suites: Suites, { json }: Flags): Promise<number> {
  const paint = paintFor(process.stdout, process.env);
  let failures = 0;
  // A display prints while it is tried: what there is to say comes at the end of each suite.
  for (const [name, cases] of suites) {
    const lines: string[] = [];
    for (const [at, one] of cases.entries()) {
      showProgress(`${name}: case ${at + 1} of ${cases.length}`);
      const reason = await reasonOf(one);
      const contract = contractLine(one.name);
      const result = { case: one.name, passed: reason === undefined };
      if (json) {
        const why = reason === undefined ? {} : { reason, contract };
        process.stdout.write(`${JSON.stringify({ ...result, ...why })}\n`);
      }
      if (reason === undefined) continue;
      lines.push(`  ${paint.bold(one.name)}`, `    what happened: ${reason}`);
      lines.push(`    the contract:  "${contract}"`);
    }
    showProgress("");
    const failed = lines.length / 3;
    failures += failed;
    if (json) continue;
    const passed = cases.length - failed;
    process.stdout.write(`${name}: ${passed} of ${cases.length} cases pass\n`);
    for (const line of lines) process.stdout.write(`${line}\n`);
  }
  return failures;
}

/** Why a case failed, undefined where it did not. What an adapter throws in a callback of its own counts too. */
async function reasonOf(one: ConformanceCase): Promise<string | undefined> {
  let onEscape: (error: unknown) => void = () => {};
  const escaped = new Promise<string>((resolve) => {
    onEscape = (error) => resolve(`it threw: ${wordsOf(error)}`);
  });
  process.on("uncaughtException", onEscape);
  process.on("unhandledRejection", onEscape);
  // An exception that is on its way arrives before the end of the case counts.
  const end = one.run().then(
    () => new Promise<undefined>((done) => setImmediate(() => done(undefined))),
    async (error: unknown) => {
      await new Promise((done) => setImmediate(done));
      return wordsOf(error);
    },
  );
  try {
    return await Promise.race([escaped, end]);
  } finally {
    process.off("uncaughtException", onEscape);
    process.off("unhandledRejection", onEscape);
  }
}

/** What the suite says of a rule that was broken, and the kind of whatever else was thrown. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.name === "Violation" ? error.message : `${error.name}: ${error.message}`;
  return text.replace(/\s+/g, " ");
}

function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function untriedOf(suites: Suites, { tls, restart }: Flags): string {
  return [
    ...(suites.has("http") && tls !== true ? ["certificates (--tls)"] : []),
    ...(suites.has("storage") && !restart ? ["that records outlive the adapter"] : []),
    ...(suites.has("storage") ? ["a loss of power within a write"] : []),
    ...(suites.has("entropy") ? ["whether randomness is good"] : []),
  ].join("; ");
}

// Which sentence of platform/contracts.ts a case of the conformance suite is about, word for word as it stands there.
// The first that fits counts.

type Lines = readonly (readonly [pattern: RegExp, sentence: string])[];

const TIMERS: Lines = [
  [/now goes on/, "Milliseconds since any fixed moment"],
  [/now/, "never going back except by wrapping to 0"],
  [/cancel/, "Takes the alarm back; it will not ring. Harmless when none is set."],
  [/second alarm/, "A second call replaces the first."],
  [/alarm\(0\)/, "never earlier and never before"],
  [/./, "Calls `ring` once, `afterMs` (0..134217727) from now or later"],
];

const ENTROPY: Lines = [
  [/range|65536/, "Fills `into[from..to)` from a cryptographically secure source."],
  [/./, "from a cryptographically secure source"],
];

const STORAGE: Lines = [
  [/restart/, "`done(true)` promises that the record survives a loss"],
  [/apart/, "never a change to the other slot"],
  [/other than 0 and 1/, "caller's mistake (a slot that does not exist)"],
  [/over capacity/, "Largest record in bytes that `write` accepts."],
  [/longer than the range/, "-1 where it cannot be read or is longer than `to - from`"],
  [/empt/, "the record's length: 0 for an empty"],
  [/copy/, "the receiver may read (or fill) it until it calls back, and must copy what it keeps"],
  [/once/, "comes exactly once unless its contract says otherwise"],
  [/within/, "A callback may come before the call returns"],
  [/plain arrays/, "or a plain array of integers 0..255 without typed arrays"],
  [/range|`bytes/, "Byte ranges are `bytes[from]` up to and excluding `bytes[to]`."],
  [/./, "Replaces slot 0 or 1 by `bytes[from..to)`."],
];

const DISPLAY: Lines = [
  [
    /16\.\.80|do not change/,
    "Size in characters: columns 16..80, rows 2..8. Fixed while a driver runs.",
  ],
  [/copy/, "The range is the caller's and only good until return."],
  [/./, "`columns * rows` codes from `cells[from]`, row by row"],
];

const HTTP: Lines = [
  [/TLS/, "certificates and host names checked"],
  [/redirect/, "redirects never followed (the 3xx is reported)"],
  [/never sent twice|closed|unread rest|unasked/, "a body never sent twice"],
  [/Retry-After/, "`Retry-After` in seconds, 0..134217727 (a date is turned into seconds"],
  [/timeout/, "a time limit for the"],
  [/too-large/, "The answer is longer than the adapter's size limit."],
  [/abort/, "Ends the exchange under way, if any; its sink hears nothing more."],
  [/unreachable/, "Name not resolved, connection refused or reset, TLS refused, body cut off."],
  [/not thrown|nothing sent/, "Any failure to start is reported too, never thrown."],
  [/Accept/, "`Accept: application/json` on every request"],
  [/empty range/, "an empty range sends no body (a POST then says `Content-Length: 0`)"],
  [/Content-Type/, 'Value of `Content-Type`, or "" where there is no body.'],
  [
    /cut off|chunk|Content-Length/,
    "A body cut off before its promised length is `failed`, not `end`.",
  ],
  [/Authorization/, 'Value of `Authorization`, or "".'],
  [/further headers/, "Further headers, sent as they are; absent: none."],
  [/bytes|body arrive/, "`body[bodyFrom..bodyTo)`"],
  [/within|twenty|next exchange/, "At most one exchange is under way"],
  [/every status/, "The status line and headers have come."],
  [/./, "Order: `status`, then any number of `body`, then `end`; or `failed`."],
];

const CONTRACTS: Readonly<Record<string, Lines>> = {
  timers: TIMERS,
  entropy: ENTROPY,
  storage: STORAGE,
  display: DISPLAY,
  http: HTTP,
};

/** @param name of a case, such as "http: redirects are reported, not followed" */
export function contractLine(name: string): string {
  const [contract = "", rule = ""] = name.split(/: (.*)/s);
  const lines = CONTRACTS[contract] ?? [];
  return lines.find(([pattern]) => pattern.test(rule))?.[1] ?? "";
}
