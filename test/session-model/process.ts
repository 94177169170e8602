// Simulated processes that share a directory. Each loads its own copy of the platform, with the test's clock and files.
// A process can be killed at any call of the file system.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { build } from "esbuild";
import type * as files from "../../platform/node/file-storage.ts";
import type * as lock from "../../platform/node/state-lock.ts";
import type * as signIn from "../../platform/session/session.ts";
import type * as tokenCache from "../../platform/session/token-cache.ts";
import type * as seal from "../../platform/storage/sealed-storage.ts";
import type { ManualClock } from "../../platform/testing/index.ts";
import type { Random } from "../model/random.ts";

type Loaded = typeof files & typeof lock & typeof seal & typeof signIn & typeof tokenCache;
type Load = (...environment: unknown[]) => void;

const root = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(path.join(root, "package.json"));
const PARTS = [
  ...["node/file-storage", "node/state-lock"],
  ...["storage/sealed-storage", "session/session", "session/token-cache"],
];
const ENVIRONMENT = [
  ...["module", "require", "process", "performance", "Date", "Math"],
  ...["setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask"],
];
let load: Load | undefined;

/** The contents of replaced source files by path: the sampler tests mutants this way (test/sampler). */
function replacedSources(): Readonly<Record<string, string>> {
  const file = process.env.PICOGRANT_SOURCES;
  return file === undefined
    ? {}
    : (JSON.parse(fs.readFileSync(file, "utf8")) as Record<string, string>);
}

/** Await this before you create the first process. */
export async function ready(): Promise<void> {
  load ??= await loader();
}

/** Bundles the platform as one function. Each call creates new modules. */
async function loader(): Promise<Load> {
  const sources = replacedSources();
  const contents = PARTS.map((part) => `export * from "./platform/${part}.ts";`).join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, write: false, platform: "node", format: "cjs", external: ["tweetnacl"] },
    plugins: [
      {
        name: "replacedSources",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
            file in sources ? { contents: sources[file]!, loader: "ts" } : undefined,
          ),
      },
    ],
  });
  const code = `(function (${ENVIRONMENT.join()}) {${outputFiles[0]!.text}\n})`;
  return new vm.Script(code).runInThisContext() as Load;
}

export class SharedFiles {
  readonly folder = fs.mkdtempSync(path.join(fs.realpathSync("/tmp"), "picogrant-processes-"));
  readonly state = path.join(this.folder, "state");
  readonly violations: string[] = [];
  readonly hasProcesses: boolean;
  readonly running = new Set<number>();
  /** How often each file was replaced or removed. The times of some file systems are too coarse to see a change. */
  readonly replaced = new Map<string, number>();
  isFaulty = true;
  /** Whether a process could not create its lock. It then works without a lock, because it cannot store records. */
  isLockless = false;
  /** "ENOSPC": writes fail; "EROFS": opening to write, renaming and removing files fails; "": the medium works. */
  medium: "" | "ENOSPC" | "EROFS" = "";

  constructor(
    readonly clock: ManualClock,
    readonly random: Random,
  ) {
    this.hasProcesses = random.once(2);
  }

  dispose(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

const REFUSED = {
  "": () => false,
  ENOSPC: (name: string) => name === "writeSync",
  EROFS: (name: string, [, flags]: unknown[]) =>
    ["mkdirSync", "renameSync", "rmSync", "utimesSync"].includes(name) ||
    (name === "openSync" && ["wx", "r+"].includes(String(flags))),
} as const;

const FAILING = ["openSync", "writeSync", "fsyncSync", "renameSync"];

export class Process {
  readonly platform: Loaded;
  readonly pid: number;
  readonly #shared: SharedFiles;
  #callsLeft = Number.POSITIVE_INFINITY;

  constructor(shared: SharedFiles, pid: number) {
    this.pid = pid;
    this.#shared = shared;
    shared.running.add(pid);
    const { clock, random } = shared;
    const after = (run: () => void, ms: number): object => {
      const cancel = clock.after(Math.ceil(ms), this.guarded(run));
      return { cancel, unref: () => ({ cancel }) };
    };
    const every = (run: () => void, ms: number): object => {
      let timer: object;
      const again = (): void => {
        timer = after(again, ms);
        run();
      };
      timer = after(again, ms);
      const cancel = (): void => clear(timer);
      return { unref: () => ({ cancel }) };
    };
    const clear = (timer?: { cancel?: () => void } | object): void =>
      (timer as { cancel?: () => void } | undefined)?.cancel?.();
    const own = this.#files();
    const required = (name: string): unknown =>
      name === "node:fs" || name === "fs" ? own : require(name);
    const module = { exports: {} as Loaded };
    const itself = { pid, platform: process.platform, getuid: process.getuid, on() {}, off() {} };
    const math = Object.assign(Object.create(Math) as Math, {
      random: () => random.next() / 2 ** 32,
    });
    const time = { now: () => clock.elapsedMs };
    const soon = (run: () => void): void => queueMicrotask(this.guarded(run));
    const calendar = class extends Date {
      static override now = (): number => 1.7e12 + clock.elapsedMs;
    };
    load!(module, required, itself, time, calendar, math, after, clear, every, clear, soon);
    this.platform = module.exports;
  }

  get isAlive(): boolean {
    return this.#shared.running.has(this.pid);
  }

  /** Wraps callbacks. An exception would end the process, so it is a violation. After a kill, callbacks do not run. */
  guarded<A extends unknown[]>(run: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      try {
        if (this.isAlive) run(...args);
      } catch (error) {
        if (this.isAlive) this.#shared.violations.push(`uncaught: ${String(error)}`);
      }
    };
  }

  kill(): void {
    this.#shared.running.delete(this.pid);
  }

  /** Kills the process at one of its next `calls` calls of the file system, unless the run's faults end before. */
  killWithin(calls: number): void {
    this.#callsLeft = this.#shared.random.below(calls);
  }

  #files(): object {
    const guarded = new Map<string | symbol, unknown>();
    const get = (real: object, name: string | symbol): unknown => {
      const own: unknown = Reflect.get(real, name);
      if (typeof own !== "function") return own;
      const call = this.#call(name, own as (...args: unknown[]) => unknown);
      if (!guarded.has(name)) guarded.set(name, call);
      return guarded.get(name);
    };
    return new Proxy(fs, { get });
  }

  #call(name: string | symbol, real: (...args: unknown[]) => unknown) {
    return (...args: unknown[]): unknown => {
      const { isFaulty, random, medium } = this.#shared;
      if (isFaulty && this.#callsLeft-- <= 0) this.kill();
      // Code of a killed process may still run here, but must not change files.
      if (!this.isAlive && name === "existsSync") return false;
      if (!this.isAlive && name === "rmSync") return undefined;
      const isFailing = isFaulty && FAILING.includes(String(name)) && random.once(60);
      const isRefused = REFUSED[medium](String(name), args);
      const code = isRefused ? medium : "EIO";
      this.#shared.isLockless ||= isFailing && String(args[0]).includes("/lock-");
      if (!this.isAlive || isFailing || isRefused) throw Object.assign(new Error(code), { code });
      return this.#simulated(name, args) ?? real(...args);
    };
  }

  /** @returns the result of a simulated call, or undefined for a real one */
  #simulated(name: string | symbol, args: unknown[]): unknown {
    const { clock, hasProcesses, replaced, running } = this.#shared;
    const file = String(args[0]);
    const [, pid] = /^\/proc\/(\d+|self)\/stat$/.exec(file) ?? [];
    if (file.startsWith("/proc/") && !hasProcesses) throw new Error("ENOENT");
    if (pid === "self") return `1 (node) S${" 0".repeat(18)} 4711`;
    if (pid !== undefined) {
      if (!running.has(Number(pid))) throw new Error("ENOENT");
      return `${pid} (node) S${" 0".repeat(18)} 4711`;
    }
    if (name === "fsyncSync") return true;
    if (name === "utimesSync") {
      const date = new Date(1.7e12 + clock.elapsedMs);
      fs.utimesSync(file, date, date);
      return true;
    }
    const target = String(name === "renameSync" ? args[1] : name === "rmSync" ? file : "");
    if (/(slot-[01]|token-cache)$/.test(target)) this.#changes(target);
    const { bigint = false } = (args[1] ?? {}) as { readonly bigint?: boolean };
    if (name !== "statSync" || !bigint || !fs.existsSync(file)) return undefined;
    return { ino: 0n, mtimeNs: BigInt(replaced.get(file) ?? 0), ctimeNs: 0n };
  }

  #changes(slot: string): void {
    const { replaced, state, violations } = this.#shared;
    replaced.set(slot, (replaced.get(slot) ?? 0) + 1);
    const isHeld = fs.readdirSync(state).some((name) => name.startsWith(`lock-${this.pid}-`));
    if (!isHeld) violations.push("written without the lock");
  }
}
