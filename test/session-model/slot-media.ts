// The media that slots.ts tests, with their faults: a power cut during a change, a transient failure, changed content.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Entropy, Storage } from "../../platform/contracts.ts";
import { FileStorage } from "../../platform/node/file-storage.ts";
import { SEALED_OVERHEAD_BYTES, SealedStorage } from "../../platform/storage/sealed-storage.ts";
import { ValueSlots } from "../../platform/storage/value-storage.ts";
import { MemoryStorage, SeededEntropy } from "../../platform/testing/index.ts";
import type { Random } from "../model/random.ts";

/** The possible contents of a slot after a change. */
interface Change {
  readonly possible: Set<string>;
  readonly isDoubtful: boolean;
}

export abstract class Medium {
  /** Whether an interrupted change may leave neither the old nor the new content. */
  readonly tears: boolean = false;

  constructor(readonly random: Random) {}

  /** Opens a storage on the medium, as a start does. */
  abstract open(): Storage;
  abstract cut(): void;
  abstract fail(): void;
  abstract fine(): void;
  restart(): void {}
  damage(_slot: 0 | 1): Partial<Change> {
    return {};
  }
  /** Call this when storage has written this content; "" after an erase. */
  written(_slot: 0 | 1, _text: string): void {}
  /** Call this after a failed write of this content, which may nevertheless be in the slot. */
  interrupted(_slot: 0 | 1, _text: string): void {}
  seen(_slot: 0 | 1): void {}
  /** Storage does not know the current content any more. @returns an older content that storage may accept again */
  unsure(_slot: 0 | 1): string | undefined {
    return undefined;
  }
  /** Returns storages that lack a key or another required part. */
  wrong(): Storage[] {
    return [];
  }
  problem(): string {
    return "";
  }
  dispose(): void {}
}

const key = (length: number, factor = 7): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => at * factor + 1);

/** Sealed storage on a medium on which an interrupted write may leave neither the old nor the new content. */
export class SealedMedium extends Medium {
  override readonly tears = true;
  #inner = new MemoryStorage({ capacity: 120 });
  readonly #entropy = new SeededEntropy(5);
  /** All sealed records of each slot, with their contents. */
  readonly #earlier: [[Uint8Array, string][], [Uint8Array, string][]] = [[], []];
  #atStart: readonly number[] = [0, 0];
  readonly #known: (Buffer | undefined)[] = [undefined, undefined];
  readonly #nonces = new Set<string>();
  #problem = "";

  open(): Storage {
    this.#known.fill(undefined);
    this.#atStart = this.#earlier.map(({ length }) => length);
    const storage = this.#sealed(key(32));
    const expected = this.#inner.capacity - SEALED_OVERHEAD_BYTES;
    if (storage.capacity !== expected) this.#problem = "the capacity";
    return storage;
  }

  #sealed(
    deviceKey: Uint8Array | undefined,
    entropy: Entropy = this.#entropy,
    salt = key(3),
  ): SealedStorage {
    return new SealedStorage({ storage: this.#inner, entropy, deviceKey, salt });
  }

  cut(): void {
    this.#inner.cutNextWriteAt(this.random.below(130));
  }

  fail(): void {
    this.#inner.failWhen = () => true;
  }

  fine(): void {
    this.#inner.failWhen = () => false;
  }

  override restart(): void {
    this.#inner = this.#inner.clone();
  }

  override written(slot: 0 | 1, text: string): void {
    const box = this.#inner.peek(slot);
    this.#known[slot] = Buffer.from(box);
    // After an erase, sequence numbers may repeat. Storage then cannot distinguish the records so far from a new one.
    if (box.length === 0) this.#atStart = this.#earlier.map(({ length }) => length);
    if (box.length === 0) return;
    const nonce = Buffer.from(box.subarray(1, 25)).toString("hex");
    if (this.#nonces.has(nonce)) this.#problem = "two records have one nonce";
    this.#nonces.add(nonce);
    const isSeen =
      text.length > 8 && Buffer.from(box).toString("latin1").includes(text.slice(0, 8));
    if (isSeen) this.#problem = "a record is readable although it is sealed";
    this.#earlier[slot].push([box, text]);
  }

  override interrupted(slot: 0 | 1, text: string): void {
    const now = Buffer.from(this.#inner.peek(slot));
    if (this.#earlier[slot].every(([box]) => !now.equals(box)))
      this.#earlier[slot].push([now, text]);
  }

  override seen(slot: 0 | 1): void {
    this.#known[slot] = Buffer.from(this.#inner.peek(slot));
  }

  override unsure(slot: 0 | 1): string | undefined {
    this.#known[slot] = undefined;
    const now = Buffer.from(this.#inner.peek(slot));
    return this.#earlier[slot].find(([box]) => now.equals(box))?.[1];
  }

  /** Storage must not accept a changed, moved or foreign record. Puts such a record, or an earlier one, into the slot. */
  override damage(slot: 0 | 1): Partial<Change> {
    const lost = { possible: new Set<string>(), isDoubtful: true };
    const box = this.#inner.peek(slot);
    const put = (bytes: Uint8Array, what: Partial<Change>): Partial<Change> => {
      this.#inner.poke(slot, bytes);
      this.#atStart = this.#earlier.map(({ length }) => length);
      return bytes.length === 0 ? { possible: new Set([""]), isDoubtful: false } : what;
    };
    const at = this.random.below(box.length);
    const index = this.random.below(this.#earlier[slot].length);
    const [earlier, text] = this.#earlier[slot][index] ?? [];
    switch (this.random.below(4)) {
      case 0:
        return put(
          box.map((byte, i) => (i === at ? byte ^ (1 << this.random.below(8)) : byte)),
          lost,
        );
      case 1:
        return put(box.slice(0, at), lost);
      case 2: {
        // The other slot may contain a record that was moved from this slot before.
        const moved = this.#inner.peek(1 - slot);
        const own = this.#earlier[slot].find(([one]) => Buffer.from(one).equals(moved))?.[1];
        return put(
          moved,
          own === undefined ? lost : { possible: new Set([own]), isDoubtful: true },
        );
      }
      default: {
        if (earlier === undefined) return {};
        // If storage knows which record is current, it rejects this older one. The current one is lost.
        const known = this.#known[slot];
        const isNewer = index >= this.#atStart[slot]! || known?.length === 0;
        const isNoticed = isNewer && known?.equals(earlier) === false;
        return put(earlier, isNoticed ? lost : { possible: new Set([text!]), isDoubtful: true });
      }
    }
  }

  override wrong(): Storage[] {
    const others = [undefined, key(15), new Uint8Array(32).fill(9)].map((one) => this.#sealed(one));
    const disposed = this.#sealed(key(32));
    disposed.dispose();
    const strangers = [this.#sealed(key(33)), this.#sealed(key(32), this.#entropy, key(4))];

    const none = { fill: () => false };
    const mute = { ...readOnly(this.#sealed(key(32), none)), read: unread };
    const writes = this.#sealed(key(32), none);
    mute.write = (...args) => writes.write(...args);
    return [...others, disposed, ...strangers.map(readOnly), mute];
  }

  override problem(): string {
    return this.#problem;
  }
}

const unread: Storage["read"] = (_slot, _into, _from, _to, done) => done(-1);

function readOnly(storage: Storage): Storage {
  return {
    capacity: storage.capacity,
    read: (...args) => storage.read(...args),
    write: (_slot, _bytes, _from, _to, done) => done(false),
    erase: (_slot, done) => done(false),
  };
}

/** A storage that keeps the records in a value, which the program itself stores. */
export class ValueMedium extends Medium {
  #value: string | undefined;
  #fault: "" | "before" | "after" = "";

  open(): Storage {
    const change = async (value: string | undefined): Promise<void> => {
      if (this.#fault === "before") throw new TypeError(`not kept: ${value}`);
      this.#value = value;
      if (this.#fault === "after") throw Object.assign(new Error(), { code: "ETIMEDOUT" });
    };
    return new ValueSlots({
      load: async () => {
        if (this.#fault !== "") throw new Error("not there");
        return this.#value;
      },
      save: change,
      erase: () => change(undefined),
    });
  }

  cut(): void {
    this.fail();
  }

  fail(): void {
    this.#fault = this.random.pick(["before", "after"]);
  }

  fine(): void {
    this.#fault = "";
  }

  override wrong(): Storage[] {
    const storage = this.open();
    const foreign = this.random.pick(["picogrant 1 !!! ", "something else", "picogrant 2  "]);
    const own = this.#value;
    const inPlace = (run: () => void): void => {
      this.#value = foreign;
      run();
    };
    return [
      {
        ...readOnly(storage),
        write: (slot, bytes, from, to, done) =>
          inPlace(() =>
            storage.write(slot, bytes, from, to, (ok) => {
              done(ok || this.#value !== foreign);
              this.#value = own;
            }),
          ),
        read: (slot, into, from, to, done) =>
          inPlace(() =>
            storage.read(slot, into, from, to, (length) => {
              done(length);
              this.#value = own;
            }),
          ),
      },
    ];
  }

  override problem(): string {
    const isText = this.#value === undefined || /^picogrant 1 [\w+/=]* [\w+/=]*$/.test(this.#value);
    return isText ? "" : `the value is ${this.#value}`;
  }
}

const CALLS = ["openSync", "writeSync", "fsyncSync", "renameSync", "rmSync", "readSync"] as const;

/** A storage in files. Any call of the file system may fail, or be the last one before a power cut. */
export class FileMedium extends Medium {
  readonly #directory = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-slots-"));
  readonly #state = path.join(this.#directory, "state");
  readonly #real = Object.fromEntries(CALLS.map((name) => [name, fs[name]]));
  #storage: FileStorage | undefined;
  #stamp = "";
  #problem = "";

  open(): Storage {
    this.#storage = new FileStorage(this.#state, { capacity: 100, isShared: this.random.once(2) });
    this.#stamp = this.#storage.stamp;
    return this.#storage;
  }

  cut(): void {
    this.#failFrom(this.random.below(8), Number.POSITIVE_INFINITY);
  }

  fail(): void {
    this.#failFrom(this.random.below(8), 1);
  }

  #failFrom(first: number, count: number): void {
    let at = 0;
    for (const name of CALLS) {
      const real = this.#real[name] as (...args: unknown[]) => unknown;
      const failing = (...args: unknown[]): unknown => {
        const isFailing = at >= first && at < first + count;
        at++;
        if (!isFailing) return real(...args);
        if (name === "writeSync") real(args[0], (args[1] as Uint8Array).subarray(0, 3), 0);
        throw Object.assign(new Error("a fault of the medium"), { code: "EIO" });
      };
      Object.assign(fs, { [name]: failing });
    }
  }

  fine(): void {
    Object.assign(fs, this.#real);
  }

  override restart(): void {
    this.#storage?.close();
  }

  override written(slot: 0 | 1, text: string): void {
    const storage = this.#storage!;
    if (text !== "" && storage.stamp === this.#stamp)
      this.#problem = "a change that does not change the stamp";
    this.#stamp = storage.stamp;
    if (text !== "" && !storage.hasRecords) this.#problem = "hasRecords misses a record";
    const mode =
      text === "" ? 0o600 : fs.statSync(path.join(this.#state, `slot-${slot}`)).mode & 0o777;
    if (mode !== 0o600 || (fs.statSync(this.#state).mode & 0o777) !== 0o700) {
      this.#problem = "others can read it";
    }
  }

  override problem(): string {
    const strange = fs
      .readdirSync(this.#state)
      .filter((name) => !/^(slot-[01](\.draft)?|lock-.*)$/.test(name));
    return strange.length > 0 ? `unexpected files: ${strange.join()}` : this.#problem;
  }

  override dispose(): void {
    this.#storage?.close();
    fs.rmSync(this.#directory, { recursive: true, force: true });
  }
}
