// Runs picogrant.c as WebAssembly, behind the same functions as a JavaScript bundle. Copies the device's memory into
// the WebAssembly memory before each call, and back after the call.

import { readFileSync } from "node:fs";
import { types } from "node:util";
import { type Config, ConfigMember } from "../../core/complete.ts";
import { Property } from "../../core/device/property.ts";
import { Region } from "../../core/device/tables.ts";
import type { MakeCore } from "./subject.ts";

type Exports = Record<string, (...args: number[]) => number> & { memory: WebAssembly.Memory };

const members: readonly (keyof Config)[] = [
  ...(["clientId", "clientSecret", "scope", "deviceParameters", "tokenParameters"] as const),
  ...(["columns", "rows", "seed", "autoStart", "renewalsMax", "startSpreadMs", "pkce"] as const),
  ...(["jsonBodies", "clientAuthentication", "messages", "server", "formerServer"] as const),
];
const texts = /^(?:clientId|clientSecret|scope|\w+Parameters|messages|server|formerServer)$/;

const NO_INTEGER = -(2 ** 31) + 1;
/** In C, a spread of 0 means the default, and this constant means a spread of 0. */
const START_AT_ONCE = -1;

const omissible = new Set<keyof Config>(["startSpreadMs", "pkce", "jsonBodies"]);

const MEMORY_MAX = 65_535;

/** In the TypeScript sources, constant texts start at this byte of the device's memory. */
const CONSTANTS_AT = 4;
const places = new Set(["start", "target", "body", "data", "memoryNeeded"]);

const lending = new Set(["discover", "sendCall", "createOffer"]);
const bytesAt: Readonly<Record<string, readonly number[]>> = {
  ...{ responseBody: [1], responseChallenge: [1], setStatus: [0], discover: [0], addPath: [0] },
  ...{ addSegment: [0], addQueryValue: [0], sendCall: [2], createOffer: [0, 3] },
  applySecurityEvent: [0],
};

class WasmDevice {
  readonly core: number;
  readonly #constants: number;
  readonly #lent = new Map<number, ArrayLike<number>>();
  #free: number;

  /** @param constants number of bytes in `bytes` that the device in C does not need */
  constructor(
    readonly c: Exports,
    readonly bytes: Uint8Array,
    constants = 0,
  ) {
    this.core = c.coreOf!();
    this.#constants = constants;
    this.#free = c.memory.buffer.byteLength;
  }

  put(bytes: ArrayLike<number>): number {
    const { memory } = this.c;
    const at = this.#free;
    this.#free += bytes.length + 1;
    if (this.#free > memory.buffer.byteLength) memory.grow(Math.ceil(bytes.length / 65_536) + 1);
    new Uint8Array(memory.buffer).set([...Array.from(bytes), 0], at);
    return at;
  }

  text(value: unknown): number {
    return typeof value === "string" ? this.put(new TextEncoder().encode(value)) : 0;
  }

  config(config: Config): number {
    const words = members.map((name) => {
      const value = config[name];
      if (texts.test(name)) return this.text(name === "formerServer" ? (value ?? "") : value);
      if (name === "startSpreadMs" && value === 0) return START_AT_ONCE;
      if (name === "startSpreadMs" && value === START_AT_ONCE) return NO_INTEGER;
      if (value === undefined && omissible.has(name)) return 0;
      return (Number(value) | 0) === value ? value : NO_INTEGER;
    });
    const at = Math.ceil(this.put(new Uint8Array(4 * words.length + 8)) / 4) * 4;
    new Int32Array(this.c.memory.buffer).set([...words, 0], at / 4);
    return at;
  }

  call(name: string, args: unknown[]): number {
    const free = this.#free;
    const places = bytesAt[name] ?? [];
    for (const place of places) {
      const bytes = args[place] as ArrayLike<number> | null;
      if (!bytes) continue;
      const from = Number(args[place + 1]);
      const isLent = lending.has(name);
      const at = this.put(
        isLent ? bytes : Array.prototype.slice.call(bytes, from, Number(args[place + 2])),
      );
      if (isLent) this.#lent.set(at, bytes);
      args[place] = isLent ? at : at - from;
    }
    if (!lending.has(name)) this.#free = free;
    return this.through(() => this.c[name]!(this.core, ...(args as number[])));
  }

  place(inC: number): number {
    return inC < CONSTANTS_AT ? inC : inC + this.#constants;
  }

  through(call: () => number): number {
    const at = this.c.memoryOf!();
    const { bytes } = this;
    const size = Math.min(bytes.length, MEMORY_MAX);
    const from = at + this.#constants;
    new Uint8Array(this.c.memory.buffer, at, size).set(bytes);
    new Uint8Array(this.c.memory.buffer).copyWithin(from, at, at + CONSTANTS_AT);
    const result = call();
    new Uint8Array(this.c.memory.buffer).copyWithin(at, from, from + CONSTANTS_AT);
    const after = new Uint8Array(this.c.memory.buffer, at, size);
    // If `bytes` is a proxy that checks each access, write only the changed bytes.
    if (!types.isProxy(bytes)) bytes.set(after);
    else for (const [i, byte] of after.entries()) if (bytes[i] !== byte) bytes[i] = byte;
    return result;
  }

  get memory(): Uint8Array {
    return this.bytes;
  }

  get callBody(): ArrayLike<number> | null {
    return this.#lent.get(this.c.pg_call_body!(this.core)) ?? null;
  }

  set requestId(value: number) {
    this.c.setCounters!(this.core, value);
  }

  set moves(value: number) {
    this.c.setCounters!(this.core, value);
  }
}

const lists = { start: "pg_start", length: "pg_length", capacity: "pg_capacity" } as const;
Object.values<string>(Property).forEach((name, place) => {
  const list = lists[name as keyof typeof lists];
  const before = Object.getOwnPropertyDescriptor(WasmDevice.prototype, name);
  if (before?.get) return;
  Object.defineProperty(WasmDevice.prototype, name, {
    ...before,
    get(this: WasmDevice) {
      const { c, core } = this;
      const read = (value: number): number => (places.has(name) ? this.place(value) : value);
      if (!list) return read(c.pg_get!(core, place));
      return Array.from({ length: Region.COUNT }, (_, region) => read(c[list]!(core, region)));
    },
  });
});

/** A member that is not text becomes NULL in C. NULL is valid for these two members, so check them here. */
function noText({ formerServer, messages }: Partial<Config>): ConfigMember {
  if (typeof (formerServer || "") !== "string") return ConfigMember.FORMER_SERVER;
  return typeof messages === "string" ? ConfigMember.NONE : ConfigMember.MESSAGES;
}

/** Converts the C name `pgc_wake_in` to the name in the sources, wakeIn. */
function sourceName(name: string): string {
  const [, own] = /^pgc_(.*)/.exec(name) ?? [];
  return own?.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) ?? name;
}

/** @param constantsIn returns the number of bytes of constant texts in the sources; 0 for the layout of C */
export function ofWasm(
  path: string,
  constantsIn: (memory: Uint8Array, config: Config) => number = () => 0,
): MakeCore {
  const module = new WebAssembly.Module(readFileSync(path));
  const instance = (): Exports => {
    const exported = Object.entries(new WebAssembly.Instance(module).exports);
    return Object.fromEntries(exported.map(([name, one]) => [sourceName(name), one])) as Exports;
  };
  const names = WebAssembly.Module.exports(module).map(({ name }) => sourceName(name));
  const functions: Record<string, unknown> = {};
  for (const name of names) {
    functions[name] = (device: WasmDevice, ...args: unknown[]) => device.call(name, args);
  }
  functions.create = (memory: Uint8Array, config: Config) => {
    const constants = constantsIn(memory, config);
    const device = new WasmDevice(instance(), memory, constants);
    const { c, core } = device;
    const size = memory.length - constants;
    const at = device.config(config);
    const result = device.through(() => c.pg_core_open!(core, c.memoryOf!() + constants, size, at));
    const error = c.configError!(at) || noText(config);
    return result === 0 && error === ConfigMember.NONE ? device : null;
  };
  functions.configError = (config: Config) => {
    const device = new WasmDevice(instance(), new Uint8Array(0));
    return device.c.configError!(device.config(config)) || noText(config);
  };
  return () => functions as ReturnType<MakeCore>;
}
