// Secure storage as two files in a directory of one's own. A record is replaced as a whole: written beside,
// made durable, renamed over the old one, the directory made durable too. What a record means is not known here.

import fs from "node:fs";
import path from "node:path";
import type { Bytes, Storage } from "../contracts.ts";
import { capacityOf, type WithCapacity } from "../storage/token-cache-storage.ts";
import {
  isMediumFault,
  makeOwnDirectory,
  readOwn,
  reasonOf,
  removeDraft,
  removeOwn,
  syncDirectory,
  writeOwn,
} from "./files.ts";
import { StateDirectoryError } from "./platform.ts";
import { lockDirectory, StateLock } from "./state-lock.ts";

export { StateDirectoryError } from "./platform.ts";

/** What file storage is made with. */
export interface FileStorageOptions {
  /** Largest record in bytes; default 131072, enough for any token. */
  capacity?: number;
  /** Others use the directory, too: there is a lock for the moments in which one of them writes (SharedDirectory). */
  isShared?: boolean;
  /** What is written is sealed: a file system that keeps no modes, and shows all files to everybody, will do. */
  isSealed?: boolean;
}

/** Begins every slot file, so that a file of some other program is not taken for a record, or overwritten. */
const MAGIC = Buffer.from("picogrant slot\n", "latin1");
/** Beside the two slots, and none that a device would ask for. */
const TOKEN_CACHE = 1000;
const NAMES: Readonly<Record<number, string>> = {
  0: "slot-0",
  1: "slot-1",
  [TOKEN_CACHE]: "token-cache",
};

/**
 * Storage in a directory that it makes where needed (mode 0700, files 0600) and locks. All operations are
 * synchronous: the callback comes before the call returns, since a record must not be half-way when it does.
 */
export class FileStorage implements Storage, WithCapacity {
  readonly capacity: number;
  /** The directory, as an absolute path. */
  readonly directory: string;
  /** One line about the last operation that failed, "" if none has. Contains no record. */
  lastFailure = "";
  readonly #unlock: () => void;
  readonly #isSealed: boolean;
  #closed = false;

  /**
   * A medium that is full, read-only or broken is read, and its writes fail.
   * @throws StateDirectoryError for no directory, another user's, one in use, or files in it that are not slots
   */
  constructor(directory: string, options: FileStorageOptions = {}) {
    this.capacity = options.capacity ?? 131_072;
    this.directory = path.resolve(directory);
    this.#isSealed = options.isSealed ?? false;
    this.#unlock = this.#unlessBroken(() => {
      makeOwnDirectory(this.directory, this.#isSealed);
      return options.isShared ? tryLock(this.directory) : lockDirectory(this.directory);
    }, noLock);
    try {
      const isAlone = !options.isShared;
      for (const slot of [0, 1]) this.#unlessBroken(() => this.#inspect(slot, isAlone), undefined);
    } catch (error) {
      this.#unlock();
      throw error;
    }
  }

  /** What `run` gives, `otherwise` where the medium fails; any other error is the one for the command line. */
  #unlessBroken<T>(run: () => T, otherwise: T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof StateDirectoryError) throw error;
      const reason = reasonOf(error);
      if (!isMediumFault(error)) {
        throw new StateDirectoryError(
          `${this.directory}: cannot keep state there: ${reason}; choose another directory`,
        );
      }
      this.lastFailure = `${this.directory}: cannot keep records: ${reason}`;
      return otherwise;
    }
  }

  /** Gives the directory back; every operation after it fails. */
  close(): void {
    this.#closed = true;
    this.#unlock();
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    const file = this.#fileOf(slot);
    let length = -1;
    this.#attempt("read", () => {
      const content = this.#readSlot(file);
      if (content.length > to - from) return;
      for (let i = 0; i < content.length; i++) into[from + i] = content[i]!;
      length = content.length;
      content.fill(0);
    });
    done(length);
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    const file = this.#fileOf(slot);
    const ok = this.#attempt("write", () => {
      if (to - from > this.capacity) throw new Error(`record over ${this.capacity} bytes`);
      const content = Buffer.alloc(MAGIC.length + to - from);
      content.set(MAGIC);
      for (let i = from; i < to; i++) content[MAGIC.length + i - from] = bytes[i]!;
      try {
        writeOwn(file, content);
      } finally {
        content.fill(0);
      }
    });
    done(ok);
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    const file = this.#fileOf(slot);
    const ok = this.#attempt("erase", () => {
      removeOwn(file);
      syncDirectory(this.directory);
    });
    done(ok);
  }

  /** A file beside the records. */
  get tokenCache(): Storage {
    return capacityOf({
      read: (...range) => this.read(TOKEN_CACHE, ...range),
      write: (...range) => this.write(TOKEN_CACHE, ...range),
      erase: (done) => this.erase(TOKEN_CACHE, done),
    });
  }

  #fileOf(slot: number): string {
    const name = NAMES[slot];
    if (name === undefined) throw new RangeError(`storage: no slot ${slot}`);
    return path.join(this.directory, name);
  }

  #attempt(what: string, run: () => void): boolean {
    try {
      if (this.#closed) throw new Error("closed");
      run();
      return true;
    } catch (error) {
      this.lastFailure = `${this.directory}: cannot ${what} a record: ${reasonOf(error)}`;
      return false;
    }
  }

  /** What tells the records of now from those of before: another process may have written. */
  get stamp(): string {
    const stamps = [0, 1, TOKEN_CACHE].map((slot) => {
      const stat = fs.statSync(this.#fileOf(slot), { bigint: true, throwIfNoEntry: false });
      return `${stat?.ino} ${stat?.mtimeNs} ${stat?.ctimeNs}`;
    });
    return stamps.join();
  }

  /** Whether there is one in either slot. */
  get hasRecords(): boolean {
    return [0, 1].some((slot) => fs.existsSync(this.#fileOf(slot)));
  }

  /** Refuses what is there but cannot be a slot of ours; where nobody else writes, clears away what a killed one left. */
  #inspect(slot: number, isAlone: boolean): void {
    const file = this.#fileOf(slot);
    if (isAlone) removeDraft(file);
    try {
      this.#readSlot(file).fill(0);
    } catch (error) {
      if (error instanceof StateDirectoryError || isMediumFault(error)) throw error;
      if (error instanceof CutOff) return;
      const advice = "delete it to sign in again, or choose another directory";
      throw new StateDirectoryError(`${file}: ${reasonOf(error)}; ${advice}`);
    }
  }

  /** The record in a slot file, empty where there is no file; throws where it is something else. */
  #readSlot(file: string): Buffer {
    const limit = MAGIC.length + this.capacity;
    const content = readOwn(file, { limit, isSealed: this.#isSealed });
    if (content === undefined) return Buffer.alloc(0);
    if (!content.subarray(0, MAGIC.length).equals(MAGIC)) {
      const isBegun = MAGIC.subarray(0, content.length).equals(content);
      throw isBegun ? new CutOff("is cut off") : new Error("not a record of picogrant");
    }
    if (content.length > limit) {
      throw new Error(`holds a record of more than ${this.capacity} bytes`);
    }
    return content.subarray(MAGIC.length);
  }
}

/** What is left where the power went and the file system had not kept the order of writes: no record, and no reason to refuse. */
class CutOff extends Error {}

/** Whether a file can be made there at all. @throws the system's error */
function tryLock(directory: string): () => void {
  const lock = new StateLock(directory);
  lock.tryTake();
  lock.release();
  return noLock;
}

/** Where nothing can be written, two devices cannot get in each other's way. */
function noLock(): void {}
