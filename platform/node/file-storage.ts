// Secure storage as two files in a directory of one's own. A record is replaced as a whole: written beside,
// made durable, renamed over the old one, the directory made durable too. What a record means is not known here.

import fs from "node:fs";
import path from "node:path";
import type { Bytes, Storage } from "../contracts.ts";
import { makeDirectory } from "./make-directory.ts";
import { StateDirectoryError } from "./state-directory-error.ts";
import { lockDirectory, StateLock } from "./state-lock.ts";

export { StateDirectoryError } from "./state-directory-error.ts";

/** What file storage is made with. */
export interface FileStorageOptions {
  /** Largest record in bytes; default 131072, enough for any token. */
  capacity?: number;
  /** Others use the directory, too: there is a lock for the moments in which one of them writes (SharedDirectory). */
  isShared?: boolean;
}

/** Begins every slot file, so that a file of some other program is not taken for a record, or overwritten. */
const MAGIC = Buffer.from("picogrant slot\n", "latin1");
const POSIX = process.platform !== "win32";

/**
 * Storage in a directory that it makes where needed (mode 0700, files 0600) and locks. All operations are
 * synchronous: the callback comes before the call returns, since a record must not be half-way when it does.
 */
export class FileStorage implements Storage {
  readonly capacity: number;
  /** The directory, as an absolute path. */
  readonly directory: string;
  /** One line about the last operation that failed, "" if none has. Contains no record. */
  lastFailure = "";
  readonly #unlock: () => void;
  #closed = false;

  /**
   * A medium that is full, read-only or broken is no reason to refuse: what lies there is read, writes fail, and
   * the device says that it could not save.
   * @throws StateDirectoryError where the directory cannot be used: not a directory, not ours, readable
   * by others, in use by another process, or with files in it that are not slots
   */
  constructor(directory: string, options: FileStorageOptions = {}) {
    this.capacity = options.capacity ?? 131_072;
    this.directory = path.resolve(directory);
    this.#unlock = this.#unlessBroken(() => {
      prepareDirectory(this.directory);
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
      const content = readSlot(file, this.capacity);
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
        replaceFile(file, content);
      } finally {
        content.fill(0);
      }
    });
    done(ok);
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    const file = this.#fileOf(slot);
    const ok = this.#attempt("erase", () => {
      fs.rmSync(file, { force: true });
      syncDirectory(this.directory);
    });
    done(ok);
  }

  #fileOf(slot: number): string {
    if (slot !== 0 && slot !== 1) throw new RangeError(`storage: no slot ${slot}`);
    return path.join(this.directory, `slot-${slot}`);
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
    const stamps = [0, 1].map((slot) => {
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
    if (isAlone) fs.rmSync(draftOf(file), { force: true });
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const refuse = (what: string): never => {
      throw new StateDirectoryError(`${file}: ${what}`);
    };
    if (!stat.isFile()) refuse("not a file; move it away or choose another directory");
    if (POSIX && (stat.mode & 0o077) !== 0) {
      refuse(
        "other users can read this secret; run chmod 600 on it, or delete it and sign in again",
      );
    }
    try {
      readSlot(file, this.capacity).fill(0);
    } catch (error) {
      if (isMediumFault(error)) throw error;
      refuse(`${reasonOf(error)}; delete it to sign in again, or choose another directory`);
    }
  }
}

function prepareDirectory(directory: string): void {
  makeDirectory(directory, 0o700);
  const stat = fs.statSync(directory);
  if (!POSIX) return;
  const own = process.getuid?.();
  if (own !== undefined && stat.uid !== own) {
    throw new StateDirectoryError(
      `${directory}: belongs to another user; choose a directory of your own`,
    );
  }
  if ((stat.mode & 0o022) !== 0) {
    throw new StateDirectoryError(`${directory}: other users can write to it; run chmod 700 on it`);
  }
}

/** The record in a slot file, empty where there is no file; throws where it is something else. */
function readSlot(file: string, capacity: number): Buffer {
  let content: Buffer;
  try {
    // Not fs.readFile: a file that is far too large must not be taken into memory.
    content = readUpTo(file, MAGIC.length + capacity + 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
  if (!content.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new Error("not a record of picogrant");
  }
  if (content.length > MAGIC.length + capacity) {
    throw new Error(`holds a record of more than ${capacity} bytes`);
  }
  return content.subarray(MAGIC.length);
}

function readUpTo(file: string, limit: number): Buffer {
  const handle = fs.openSync(file, "r");
  try {
    const buffer = Buffer.alloc(limit);
    let length = 0;
    for (;;) {
      const count = fs.readSync(handle, buffer, length, limit - length, null);
      if (count === 0) return buffer.subarray(0, length);
      length += count;
      if (length === limit) return buffer;
    }
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * 1. cut while writing the draft: the old file is untouched; 2. cut between draft and rename: as before, and
 * the draft is cleared away at the next start; 3. cut after the rename but before the directory is durable:
 * the old name or the new one is found, both whole, since the draft's bytes were durable before.
 */
function replaceFile(file: string, content: Buffer): void {
  const draft = draftOf(file);
  fs.rmSync(draft, { force: true });
  try {
    const handle = fs.openSync(draft, "wx", 0o600);
    try {
      for (let at = 0; at < content.length; ) at += fs.writeSync(handle, content, at);
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(path.dirname(file));
}

function draftOf(file: string): string {
  return `${file}.draft`;
}

function syncDirectory(directory: string): void {
  // Windows has no such thing; its renames go through the journal.
  if (!POSIX) return;
  const handle = fs.openSync(directory, "r");
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/** Whether a file can be made there at all. @throws the system's error */
function tryLock(directory: string): () => void {
  const lock = new StateLock(directory);
  lock.tryTake();
  lock.release();
  return noLock;
}

/** Where nothing can be written, two devices cannot get in each other's way. */
function noLock(): void {}

/** A medium that is full, read-only or broken, as opposed to a directory that was chosen wrongly. */
function isMediumFault(error: unknown): boolean {
  return ["EIO", "ENOSPC", "EDQUOT", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "");
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "part of its path is not a directory",
  EEXIST: "it is not a directory",
  ENOENT: "it does not exist",
  ENOSPC: "no space left on the device",
  EROFS: "the file system is read-only",
  EIO: "the medium has a fault",
  EDQUOT: "the user's share of the disk is used up",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links go in circles",
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? error.message : (REASONS[code] ?? code);
}
