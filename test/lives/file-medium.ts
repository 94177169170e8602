// The Node adapter on real files as the memory of a life: the power goes before any call of the file
// system, or in the middle of a write. What had been called until then has happened; what a disk would have
// lost of it behind an fsync that never came is not simulated.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { FileStorage } from "../../platform/node/file-storage.ts";
import type { Roll } from "./dice.ts";
import { flipBits, type Medium, NOTHING, putInto, recordIn } from "./media.ts";
import { PowerCut, Violation } from "./violation.ts";

const CAPACITY = 2048;
/** Begins a slot file; a file without it is not the adapter's, which says so and does not start. */
const MAGIC_BYTES = "picogrant slot\n".length;
/** Calls that change something; a write makes about six of them. */
const CALLS = ["openSync", "writeSync", "fsyncSync", "renameSync", "rmSync"] as const;
const CALLS_OF_A_WRITE = 9;

/** Nothing here waits for a disk (below): a file system in memory is the same, and much faster. */
const IN_MEMORY = "/dev/shm";
const PLACE = fs.existsSync(IN_MEMORY) ? IN_MEMORY : os.tmpdir();

type Call = (...args: unknown[]) => unknown;

/** Runs `act` with a file system that dies before its call number `calls` (from 0), or within it. */
function dyingAfter(calls: number, roll: Roll, act: () => void): void {
  const system = fs as unknown as Record<string, Call>;
  const own = new Map(CALLS.map((name) => [name, system[name]!]));
  let left = calls;
  for (const [name, call] of own) {
    system[name] = (...args) => {
      // A medium that is no disk has nothing to wait for.
      const carryOut = name === "fsyncSync" ? () => undefined : call;
      if (left-- > 0) return carryOut(...args);
      if (left === -1 && name === "writeSync") {
        const content = args[1] as Uint8Array;
        call(args[0], content, 0, roll.below(content.length + 1));
      }
      throw new PowerCut();
    };
  }
  try {
    act();
  } finally {
    for (const [name, call] of own) system[name] = call;
  }
}

export class FileMedium implements Medium {
  readonly capacity = CAPACITY;
  readonly #directory: string;
  #storage: FileStorage;

  readonly #roll: Roll;

  constructor(roll: Roll) {
    this.#roll = roll;
    this.#directory = fs.mkdtempSync(path.join(PLACE, "picogrant-life-"));
    this.#storage = this.#open();
  }

  peek(slot: number): Uint8Array {
    return this.get(slot) ?? NOTHING;
  }

  get(slot: number): Uint8Array | undefined {
    return recordIn(this.#storage, slot);
  }

  put(slot: number, record: Uint8Array): boolean {
    this.#undying(() => {
      if (!putInto(this.#storage, slot, record)) {
        throw new Violation("crash", `the file system refused: ${this.#storage.lastFailure}`);
      }
    });
    return true;
  }

  tear(slot: number, record: Uint8Array, roll: Roll, isCut: boolean): void {
    dyingAfter(roll.below(CALLS_OF_A_WRITE), roll, () => {
      putInto(this.#storage, slot, record);
    });
    // Whoever judges sees what the next start will see.
    if (isCut) this.powerOn();
  }

  rot(slot: number, roll: Roll): boolean {
    const file = path.join(this.#directory, `slot-${slot}`);
    if (!fs.existsSync(file)) return false;
    const content = fs.readFileSync(file);
    const record = content.subarray(MAGIC_BYTES);
    if (record.length === 0) return false;
    flipBits(record, roll);
    fs.writeFileSync(file, content);
    return true;
  }

  powerOn(): void {
    // The process that held the lock is gone.
    this.#storage.close();
    this.#storage = this.#open();
  }

  raw(): Uint8Array {
    const files = fs.readdirSync(this.#directory);
    return Buffer.concat(files.map((file) => fs.readFileSync(path.join(this.#directory, file))));
  }

  check(): void {}

  dispose(): void {
    this.#storage.close();
    fs.rmSync(this.#directory, { recursive: true, force: true });
  }

  #open(): FileStorage {
    let storage: FileStorage | undefined;
    this.#undying(() => {
      storage = new FileStorage(this.#directory, { capacity: CAPACITY });
    });
    return storage!;
  }

  #undying(act: () => void): void {
    dyingAfter(Number.POSITIVE_INFINITY, this.#roll, act);
  }
}
