// Secure storage as two files in a directory of its own. A record is replaced as a whole: written to a draft, made
// durable, renamed over the old one, and the directory made durable, too. It does not interpret records.

import fs from "node:fs";
import path from "node:path";
import type { Bytes, Storage } from "../contracts.ts";
import { singlePlaceStorage, type WithTokenCache } from "../storage/token-cache-storage.ts";
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
  /** Other programs use the directory as well: a lock protects their writes (SharedDirectory). */
  isShared?: boolean;
  /** Records are sealed: a file system without modes, which shows all files to everybody, is acceptable. */
  isSealed?: boolean;
}

/** Begins every slot file, so that another program's file is neither read as a record nor overwritten. */
const MAGIC = Buffer.from("picogrant slot\n", "latin1");
/** A number beside the slots that no device uses. */
const TOKEN_CACHE = 1000;
const NAMES: Readonly<Record<number, string>> = {
  0: "slot-0",
  1: "slot-1",
  [TOKEN_CACHE]: "token-cache",
};

/**
 * Storage in a directory that it creates if necessary (mode 0700, files 0600) and locks. All operations are
 * synchronous: the callback comes before the call returns, because a record must be complete by then.
 */
export class FileStorage implements Storage, WithTokenCache {
  readonly capacity: number;
  /** The directory, as an absolute path. */
  readonly directory: string;
  /** One line about the last failed operation, "" for none. Contains no record. */
  lastFailure = "";
  readonly #unlock: () => void;
  readonly #isSealed: boolean;
  #closed = false;

  /**
   * A full, read-only or broken medium is read, and its writes fail.
   * @throws StateDirectoryError if it is no directory, another user's, in use, or contains files that are not slots
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

  /**
   * Returns the result of `run`, or `otherwise` if the medium fails.
   * @throws StateDirectoryError for any other error
   */
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

  /** Releases the directory; later operations fail. */
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
    return singlePlaceStorage({
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

  /** Changes whenever the records do: another process may have written. */
  get stamp(): string {
    const stamps = [0, 1, TOKEN_CACHE].map((slot) => {
      const stat = fs.statSync(this.#fileOf(slot), { bigint: true, throwIfNoEntry: false });
      return `${stat?.ino} ${stat?.mtimeNs} ${stat?.ctimeNs}`;
    });
    return stamps.join();
  }

  /** Whether there is a record in either slot. */
  get hasRecords(): boolean {
    return [0, 1].some((slot) => fs.existsSync(this.#fileOf(slot)));
  }

  /** Rejects what cannot be one of our slots; without other writers, removes what a killed process left. */
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

  /** The record in a slot file, empty without a file; throws for anything else. */
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

/**
 * The result of a power failure on a file system that does not keep the order of writes: no record, and no reason to
 * refuse.
 */
class CutOff extends Error {}

/** Whether files can be created there. @throws the system's error */
function tryLock(directory: string): () => void {
  const lock = new StateLock(directory);
  lock.tryTake();
  lock.release();
  return noLock;
}

/** If nothing can be written, two devices cannot interfere. */
function noLock(): void {}
