// Storage as two files in a directory, under QuickJS. A write creates a draft, syncs it, renames it and syncs the
// directory. The syncs do not block the event loop.

import type { Bytes, Storage } from "../contracts.ts";
import type { Os } from "./engine.ts";
import {
  createPrivate,
  FILE_EXISTS,
  FileError,
  isMediumFault,
  isOfKind,
  NO_SUCH_FILE,
  ownUser,
  readFile,
  reasonOf,
} from "./files.ts";
import { Child } from "./process.ts";
import { lockDirectory } from "./state-lock.ts";

export class QuickJsFileStorage implements Storage {
  readonly capacity: number;
  readonly #os: Os;
  readonly #directory: string;
  readonly #unlock: () => void;

  /**
   * Creates the directory if necessary (0700) and takes its lock. On a full or read-only medium it takes no lock.
   * @param capacity the largest record in bytes; the default is enough for usual tokens
   * @throws FileError with one line if others own the directory, can read or write in it, or use it
   */
  constructor(os: Os, directory: string, capacity = 32_768) {
    this.#os = os;
    this.#directory = directory;
    this.capacity = capacity;
    this.#unlock = openDirectory(os, directory);
    for (const slot of [0, 1]) os.remove(`${this.#fileOf(slot)}.draft`);
  }

  close(): void {
    this.#unlock();
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    done(this.#readSlot(this.#fileOf(slot), into, from, to));
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    const file = this.#fileOf(slot);
    const draft = `${file}.draft`;
    const content = new Uint8Array(to - from);
    for (let at = from; at < to; at++) content[at - from] = bytes[at]!;
    this.#os.remove(draft);
    const begun = content.length <= this.capacity && createPrivate(this.#os, draft, content) === 0;
    content.fill(0);
    if (!begun) {
      done(false);
      return;
    }
    // Sync the content before the rename. Otherwise a power failure could leave an empty file.
    this.#sync(draft, (synced) => {
      if (synced && this.#os.rename(draft, file) >= 0) this.#sync(this.#directory, done);
      else {
        this.#os.remove(draft);
        done(false);
      }
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    const removed = this.#os.remove(this.#fileOf(slot));
    if (removed < 0 && removed !== NO_SUCH_FILE) done(false);
    else this.#sync(this.#directory, done);
  }

  #fileOf(slot: number): string {
    if (slot !== 0 && slot !== 1) throw new RangeError(`storage: no slot ${slot}`);
    return `${this.#directory}/slot-${slot}`;
  }

  #readSlot(file: string, into: Bytes, from: number, to: number): number {
    try {
      const content = readFile(this.#os, file, this.capacity);
      if (content === undefined) return 0;
      if (content.length > to - from) return -1;
      for (let at = 0; at < content.length; at++) into[from + at] = content[at]!;
      return content.length;
    } catch (error) {
      if (error instanceof FileError) return -1;
      throw error;
    }
  }

  #sync(path: string, done: (ok: boolean) => void): void {
    try {
      new Child(this.#os, ["sync", path], new Uint8Array(0), { exit: (code) => done(code === 0) });
    } catch {
      done(false);
    }
  }
}

function openDirectory(os: Os, directory: string): () => void {
  try {
    prepareDirectory(os, directory);
    return lockDirectory(os, directory);
  } catch (error) {
    if (error instanceof FileError && isMediumFault(error.errno)) return () => {};
    throw error;
  }
}

function prepareDirectory(os: Os, directory: string): void {
  const made = os.mkdir(directory, 0o700);
  if (made < 0 && made !== FILE_EXISTS) {
    throw new FileError(`${directory}: cannot be made (${reasonOf(made)})`, made);
  }
  if (!isOfKind(os, directory, "S_IFDIR")) {
    throw new FileError(`${directory}: is not a directory`);
  }
  const { uid, mode } = os.stat(directory)[0]!;
  if (uid !== ownUser(os)) throw new FileError(`${directory}: belongs to another user`);
  if ((mode & 0o077) !== 0) {
    throw new FileError(`${directory}: other users can get in; run chmod 700 on it`);
  }
}
