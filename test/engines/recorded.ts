// Records sequences of the core's model (test/model) as ES5 calls that replay.js repeats on any engine: calls, return
// values, and the visible state of the device after each call. The results on the core's sources are the expected ones.
// Two devices share an engine, and their steps are interleaved. `npm run build` and `npm run engines` run this file
// with a build's name as its argument. It prints the calls.

import { readFileSync } from "node:fs";
import * as api from "../../core/api.ts";
import * as complete from "../../core/complete.ts";
import { Limit } from "../../core/device/limits.ts";
import * as grant from "../../core/index.ts";
import { functionsOf, type Variant } from "../../targets/bundle/surface.ts";
import { apiNumbers } from "../../targets/workbench/engines/script.ts";
import { Generator } from "../model/generator.ts";
import { Host } from "../model/host.ts";
import { noCounts, Unclear } from "../model/oracles/oracle.ts";
import { Random } from "../model/random.ts";
import { drawSettings, type Settings } from "../model/settings.ts";
import type { Step } from "../model/steps.ts";
import type { Core } from "../model/subject.ts";

/** Records this many pairs of sequences, and more until each state has been reached. */
const PAIRS = 8;
const LINES_MAX = 500;
const STEPS = 120;
const FIRST_SEED = 1;
/** A device memory for long URIs. In C it lacks the constant texts, and must still exceed LONG_URI_MEMORY. */
const LARGE = Limit.LONG_URI_MEMORY + 4096;
/** Longer bodies make the script long without finding more faults. */
const BODY_MAX = 4000;

/** These calls are not recorded. Only the device that `create` returns is recorded. */
const BEFORE = ["create", "configError"];

type Call = (...given: unknown[]) => unknown;
interface Replay {
  look(device: unknown): number[];
  handedOver(device: unknown, command: unknown): number;
}

const script = readFileSync(new URL("replay.js", import.meta.url), "utf8");
const { look, handedOver } = new Function(
  `${apiNumbers(false)}${script}\nreturn { look, handedOver };`,
)() as Replay;

const hex = (bytes: ArrayLike<number>): string =>
  `x${Buffer.from(Array.from(bytes)).toString("hex")}`;

/** For each kind of step, the function that it needs and that the grant build lacks. */
const NEEDS: Partial<Record<Step["do"], string>> = {
  discover: "discover",
  begin: "beginCall",
  add: "beginCall",
  send: "beginCall",
  call: "beginCall",
  nextPage: "beginCall",
  offer: "createOffer",
  pollEvents: "pollEvents",
  applyEvent: "applySecurityEvent",
};

/** Escapes everything except printable ASCII, which all engines can read. */
const asciiOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

class Run {
  readonly #lines: string[];
  readonly #number: number;
  readonly #functions: readonly string[];
  readonly #core: Core;
  readonly #generator: Generator;
  #host: Host;
  #right: number[] = [];
  #bytes = new Uint8Array();

  constructor(variant: Variant, number: number, random: Random, lines: string[]) {
    this.#lines = lines;
    this.#number = number;
    this.#functions = functionsOf(variant);
    const sources: Readonly<Record<string, unknown>> = { complete, api, grant }[variant];
    const requested = this.#functions.filter((name) => !BEFORE.includes(name));
    const recorded = requested.map((name) => [name, this.#recorded(name, sources[name] as Call)]);
    const { create, configError } = sources;
    this.#core = {
      // The model's host always calls these two functions. Where a build lacks them, they have no effect.
      eventVerified() {},
      responseChallenge() {},
      ...Object.fromEntries(recorded),
      create,
      configError,
    };
    this.#generator = new Generator(random);
    const settings = {
      ...drawSettings(random),
      countsFrom: 0,
      isCorrupted: false,
      isWatched: false,
    };
    this.#host = this.#made(settings, this.#generator.firstSlots(settings), 0);
  }

  #made(drawn: Settings, slots: Uint8Array[], unreadable: number): Host {
    const isLeast = drawn.memoryBytes === Limit.LONG_URI_MEMORY;
    const settings = { ...drawn, ...(isLeast && { memoryBytes: LARGE }) };
    const host = new Host(() => this.#core, settings, slots, noCounts(), unreadable);
    this.#right = look(host.device);
    this.#bytes = host.memory.slice();
    const given = `${this.#number},${host.memory.length},${asciiOf(settings.config)}`;
    this.#lines.push(`make(${given},[${this.#right.join()}]);`);
    return host;
  }

  #put(...words: readonly unknown[]): void {
    this.#lines.push(`step("${[this.#number, ...words].join(" ")}");`);
  }

  #written(memory: Uint8Array): void {
    for (let from = 0; from < memory.length; from++) {
      let to = from;
      while (to < memory.length && memory[to] !== this.#bytes[to]) to++;
      if (to > from) this.#put("set", from, hex(memory.subarray(from, to)));
      from = to;
    }
  }

  #recorded(name: string, call: Call): Call {
    return (device, ...given) => {
      const { memory } = this.#host;
      this.#written(memory);
      const words = given.map((one) =>
        one === null ? "-" : typeof one === "number" ? one : hex(one as Uint8Array),
      );
      missing.delete((device as { state: complete.State }).state);
      const response = call(device, ...given);
      const seen = look(device);
      const changes = seen.flatMap((one, at) => (one === this.#right[at] ? [] : [`${at}:${one}`]));
      if (name === "tick" && response !== 0) changes.push(`#${handedOver(device, response)}`);
      this.#put(name, ...words, "=", typeof response === "number" ? response : "-", ...changes);
      this.#right = seen;
      this.#bytes = memory.slice();
      return response;
    };
  }

  step(): void {
    const step = this.#generator.next(this.#host);
    const needed = NEEDS[step.do];
    // A "configure" step only calls functions of BEFORE.
    if (step.do === "configure" || (needed && !this.#functions.includes(needed))) return;
    if (step.do === "head" && step.body.length > BODY_MAX) return;
    if (step.do === "power") {
      this.#host.powerCut(step.done);
      const settings = { ...this.#host.settings, memoryBytes: step.memoryBytes };
      this.#host = this.#made(settings, this.#host.slots, step.unreadable);
    } else this.#host.perform(step);
    const { device } = this.#host;
    if (device.error !== complete.ErrorCode.NONE) this.#core.errorKind(device, device.error);
    this.#lines.push(`done("${step.do}");`);
  }
}

function pair(variant: Variant, seed: number): string[] {
  const random = new Random(seed);
  const lines: string[] = [];
  try {
    const runs = [0, 1].map((number) => new Run(variant, number, random, lines));
    for (let i = 0; i < STEPS; i++) random.pick(runs).step();
  } catch (error) {
    if (error instanceof Unclear) return [];
    throw error;
  }
  return [...lines, "over();"];
}

const variant = process.argv[2] as Variant;
let missing = new Set(Object.values(complete.State).filter((state) => typeof state === "number"));
const pairs: string[][] = [];
for (let seed = FIRST_SEED; pairs.length < PAIRS || missing.size > 0; seed++) {
  const before = new Set(missing);
  const lines = pair(variant, seed);
  const isNeeded = pairs.length < PAIRS || missing.size < before.size;
  if (lines.length > 0 && isNeeded) pairs.push(lines);
  else missing = before;
}
// Divides the calls into functions, because some engines limit jumps (MuJS: 65,535 instructions).
const calls: string[] = [];
for (let lines = pairs.flat(); lines.length > 0; lines = lines.slice(LINES_MAX)) {
  const name = `part${calls.length}`;
  process.stdout.write(`function ${name}() {\n${lines.slice(0, LINES_MAX).join("\n")}\n}\n`);
  calls.push(`${name}();`);
}
process.stdout.write(`${[...calls, "conclude();"].join("\n")}\n`);
