// The shipped bundle on QuickJS in WebAssembly, behind the functions that the driver calls. The device's memory
// lies in the engine's own; what the driver sees is a mirror of it and of the device's numbers, renewed with each
// call. Every call of malloc inside the engine is counted: the module's malloc has been patched (the build does
// it) to add one to the word whose address stands at POINTER_CELL.
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
} from "quickjs-emscripten-core";
import type * as complete from "../../../../core/complete.ts";
import { release } from "../../../../core/index.ts";
import type { Core } from "../../../../platform/driver.ts";
import type { EngineFigures } from "../../simulator/view.ts";
import { FUNCTIONS, guestScript, Mail, NUMBERS, REGIONS } from "./guest.ts";

/** Linear memory below the static data, which Emscripten leaves empty; the patched malloc reads it. */
const POINTER_CELL = 16;
/** A word that counts while no engine is there to look at it. */
const IDLE_CELL = 24;

/** Words of chance by which a buffer is found in the linear memory. */
const MARK_WORDS = 4;

const BYTES = 2048;
/** The longest body that an application sends: an offer. */
const LENT_BYTES = 32_768;

type Bytes = complete.Bytes;

/** One engine with one device; a new device gets a new engine, as at a switch of the power. */
export class CoreInQuickjs {
  readonly #module: QuickJSWASMModule;
  readonly #bundle: string;
  #engine: Engine | undefined;

  /**
   * @param module QuickJS with the patched malloc, which counts bytes, for this one device alone
   * @param bundle text of dist/picogrant.js
   */
  constructor(module: QuickJSWASMModule, bundle: string) {
    this.#module = module;
    this.#bundle = bundle;
  }

  get figures(): EngineFigures {
    return this.#engine?.figures ?? { calls: 0, takenBytes: 0, heapBytes: 0 };
  }

  /** What the driver takes for the core. */
  get core(): Core {
    const create = (memory: Bytes, config: complete.Config): complete.Device | null => {
      this.dispose();
      this.#engine = new Engine(this.#module, this.#bundle, memory as Uint8Array);
      return this.#engine.create(config);
    };
    const functions = Object.keys(FUNCTIONS).map((name, index) => [
      name,
      (_device: unknown, ...values: unknown[]) => this.#engine!.call(index, values),
    ]);
    // The bundle is made of the sources that are imported here.
    return { create, release, ...Object.fromEntries(functions) } as unknown as Core;
  }

  /** Takes the engine down. Harmless where none is up. */
  dispose(): void {
    this.#engine?.dispose();
    this.#engine = undefined;
  }
}

class Engine {
  readonly #module: QuickJSWASMModule;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #perform: QuickJSHandle;
  readonly #memory: Uint8Array;
  readonly #at: { memory: number; mail: number; bytes: number; lent: number };
  readonly #forms = Object.values(FUNCTIONS);
  #device: Record<string, unknown> = {};
  /** What the application has lent to the request under way. */
  #lent: { bytes: Bytes; from: number } | undefined;
  #calls = 0;
  #takenBytes = 0;

  constructor(module: QuickJSWASMModule, bundle: string, memory: Uint8Array) {
    this.#module = module;
    this.#memory = memory;
    this.#runtime = module.newRuntime();
    this.#context = this.#runtime.newContext();
    this.#at = {
      memory: this.#buffer("memoryBuffer", memory.length),
      mail: this.#buffer("mailBuffer", 4 * Mail.WORDS),
      bytes: this.#buffer("bytesBuffer", BYTES),
      lent: this.#buffer("lentBuffer", LENT_BYTES),
    };
    this.#run(bundle, "picogrant.js");
    this.#run(guestScript(), "guest.js");
    this.#perform = this.#context.getProp(this.#context.global, "perform");
    this.#words(POINTER_CELL, 1)[0] = this.#at.mail;
  }

  get figures(): EngineFigures {
    const usage = this.#runtime.computeMemoryUsage();
    const { memory_used_size: heapBytes } = this.#context.dump(usage) as {
      memory_used_size: number;
    };
    usage.dispose();
    return { calls: this.#calls, takenBytes: this.#takenBytes, heapBytes };
  }

  create(config: complete.Config): complete.Device | null {
    this.#give();
    const made = this.#run(`begin(${JSON.stringify(config)})`, "begin.js");
    if (made !== 1) return null;
    const lists = { start: [], length: [], capacity: [] };
    const { columns, rows } = config;
    this.#device = { memory: this.#memory, callBody: null, columns, rows, ...lists };
    this.#look();
    return this.#device as unknown as complete.Device;
  }

  /** Calls a function of the core; bytes longer than the guest's buffer go in pieces. */
  call(index: number, values: readonly unknown[]): number {
    const form = this.#forms[index]!;
    // Only the body of an answer may be longer than one buffer.
    if (form === "nb") {
      const [id, bytes, from, to] = values as [number, Bytes, number, number];
      for (let at = from; at < to; at += BYTES) {
        this.#callOnce(index, form, [id, bytes, at, Math.min(to, at + BYTES)]);
      }
      return 0;
    }
    return this.#callOnce(index, form, values);
  }

  dispose(): void {
    this.#words(POINTER_CELL, 1)[0] = IDLE_CELL;
    this.#perform.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  #callOnce(index: number, form: string, values: readonly unknown[]): number {
    this.#give();
    const mail = this.#words(this.#at.mail, Mail.WORDS);
    mail[Mail.FUNCTION] = index;
    let at = Mail.ARGUMENTS as number;
    let next = 0;
    for (const kind of form) {
      if (kind === "n") mail[at++] = values[next++] as number;
      else {
        const [bytes, from, to] = values.slice(next, next + 3) as [Bytes | null, number, number];
        next += 3;
        mail[at++] =
          kind === "b"
            ? this.#pass(this.#at.bytes, BYTES, bytes!, from, to)
            : this.#lend(bytes, from, to);
      }
    }
    const result = this.#context.callFunction(this.#perform, this.#context.undefined);
    this.#context.unwrapResult(result).dispose();
    this.#look();
    const after = this.#words(this.#at.mail, Mail.WORDS);
    this.#calls++;
    this.#takenBytes += after[Mail.TAKEN_BY_CALL]!;
    return after[Mail.RESULT]!;
  }

  /** Bytes into one of the guest's buffers, of `most` bytes; returns how many there are. */
  #pass(place: number, most: number, bytes: Bytes, from: number, to: number): number {
    if (to - from > most) throw new RangeError(`the engine takes ${most} bytes at once`);
    const target = this.#bytes(place, most);
    for (let i = from; i < to; i++) target[i - from] = bytes[i]!;
    return to - from;
  }

  #lend(bytes: Bytes | null, from: number, to: number): number {
    if (bytes === null) return -1;
    this.#lent = { bytes, from };
    return this.#pass(this.#at.lent, LENT_BYTES, bytes, from, to);
  }

  /** The driver's memory into the engine: storage may have written to it. */
  #give(): void {
    this.#bytes(this.#at.memory, this.#memory.length).set(this.#memory);
  }

  /** The engine's memory and the device's numbers, as they are now. */
  #look(): void {
    this.#memory.set(this.#bytes(this.#at.memory, this.#memory.length));
    const mail = this.#words(this.#at.mail, Mail.WORDS);
    const device = this.#device;
    NUMBERS.forEach((name, at) => {
      device[name] = mail[Mail.PROPERTIES + at]!;
    });
    const lent = this.#lent;
    const isLent = device.callBody === 1 && lent !== undefined;
    device.callBody = isLent ? lent.bytes : null;
    if (isLent) {
      device.callBodyFrom = (device.callBodyFrom as number) + lent.from;
      device.callBodyTo = (device.callBodyTo as number) + lent.from;
    }
    for (let region = 0; region < REGIONS; region++) {
      (device.start as number[])[region] = mail[Mail.START + region]!;
      (device.length as number[])[region] = mail[Mail.LENGTH + region]!;
      (device.capacity as number[])[region] = mail[Mail.CAPACITY + region]!;
    }
  }

  /** Makes an array buffer of the guest's, all zeros; returns where it lies in the linear memory. */
  #buffer(name: string, length: number): number {
    const bytes = new Uint8Array(length);
    const mark = new Int32Array(bytes.buffer, 0, MARK_WORDS);
    crypto.getRandomValues(mark);
    const handle = this.#context.newArrayBuffer(bytes.buffer);
    this.#context.setProp(this.#context.global, name, handle);
    handle.dispose();
    const at = this.#find(mark);
    this.#words(at, MARK_WORDS).fill(0);
    return at;
  }

  /** The engine does not tell where its buffers lie: they are found by what they hold. */
  #find(mark: Int32Array): number {
    const linear = new Int32Array(this.#module.getWasmMemory().buffer);
    for (let at = linear.indexOf(mark[0]!); at >= 0; at = linear.indexOf(mark[0]!, at + 1)) {
      if (mark.every((word, offset) => linear[at + offset] === word)) return 4 * at;
    }
    throw new Error("the engine's buffer is not found in its memory");
  }

  /** Made anew each time: the linear memory moves when it grows. */
  #bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#module.getWasmMemory().buffer, at, length);
  }

  #words(at: number, length: number): Int32Array {
    return new Int32Array(this.#module.getWasmMemory().buffer, at, length);
  }

  #run(script: string, name: string): unknown {
    const result = this.#context.unwrapResult(this.#context.evalCode(script, name));
    const value = this.#context.dump(result) as unknown;
    result.dispose();
    return value;
  }
}
