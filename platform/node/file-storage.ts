import fs from "node:fs";
import path from "node:path";
import type { Bytes, Storage } from "../contracts.ts";
import { TOKEN_CACHE, tokenCacheOf, type WithTokenCache } from "../storage/token-cache-storage.ts";
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

/** The options of a file storage. */
export interface FileStorageOptions {
  /** Largest record in bytes; default 131072, enough for any token. */
  capacity?: number;
  /** Whether other programs use the directory too. The caller then protects writes by a lock (SharedDirectory). */
  isShared?: boolean;
  /** Whether records are sealed. The file system may then lack modes, so that every user can read the files. */
  isSealed?: boolean;
}

/** The start of every slot file, so that a file of another program is neither read as a record nor overwritten. */
const MAGIC = Buffer.from("picogrant slot\n", "latin1");
const NAMES: Readonly<Record<number, string>> = {
  0: "slot-0",
  1: "slot-1",
  [TOKEN_CACHE]: "token-cache",
};

/**
 * Storage in a directory, with a file for each slot. The constructor creates the directory if necessary (mode 0700,
 * files 0600), and locks it unless it is shared. A write replaces the whole file: it writes a draft, syncs it, renames
 * it over the old file, and syncs the directory. All operations are complete when the call returns.
 */
export class FileStorage implements Storage, WithTokenCache {
  readonly capacity: number;
  /** The directory, as an absolute path. */
  readonly directory: string;
  /** One line about the last failed operation, "" if none has failed. Contains no part of a record. */
  lastFailure = "";
  readonly #unlock: () => void;
  readonly #isSealed: boolean;
  #closed = false;

  /**
   * If the medium is full, read-only or broken, the constructor does not throw, but later writes fail.
   * @throws StateDirectoryError if the directory cannot be used: for example, it belongs to another user, is in use, or
   * contains a file that has the name of a slot but another content
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

  /** Returns the result of `run`, or `otherwise` if the medium fails. @throws StateDirectoryError for any other error */
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

  /** Releases the directory. Later operations fail. */
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

  get tokenCache(): Storage {
    return tokenCacheOf(this);
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

  /** A value that changes whenever a record or the token cache is written or erased, also by another process. */
  get stamp(): string {
    const stamps = [0, 1, TOKEN_CACHE].map((slot) => {
      const stat = fs.statSync(this.#fileOf(slot), { bigint: true, throwIfNoEntry: false });
      return `${stat?.ino} ${stat?.mtimeNs} ${stat?.ctimeNs}`;
    });
    return stamps.join();
  }

  get hasRecords(): boolean {
    return [0, 1].some((slot) => fs.existsSync(this.#fileOf(slot)));
  }

  /** Rejects a file that contains no record. If there are no other writers, removes the draft of a killed process. */
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

  /** Returns the record in a slot's file; empty if there is no file. Throws if the file contains no record. */
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

/** The file is cut off, as after a power failure on a file system that reorders writes. The next write replaces it. */
class CutOff extends Error {}

/** Checks that files can be created in a directory. @throws the system's error */
function tryLock(directory: string): () => void {
  const lock = new StateLock(directory);
  lock.tryTake();
  lock.release();
  return noLock;
}

/** Releases nothing: there is no lock, because the medium has failed or the caller locks each write. */
function noLock(): void {}
