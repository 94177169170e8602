// Files on Node. Every file is read or written here: slots, locks, owners of directories, metadata, the command's
// logins; and files that users name: keys, secrets, certificates, configurations.

import fs from "node:fs";
import path from "node:path";
import { pathProblem, READERS } from "../storage/path-owners.ts";
import { StateDirectoryError } from "./platform.ts";

const POSIX = process.platform !== "win32";
/** For files that are no slots. */
const SIZE_MAX = 1_048_576;

/**
 * What each error of the system means. A temporary one is retried for about a second: on Windows, while a virus scanner
 * or a backup has the file open; on a network, while its server is busy. A full, read-only or broken medium is no
 * reason to reject the directory. Any other error means that the directory is unsuitable. The host in C uses the same
 * table.
 */
export const ERRORS: Readonly<
  Record<string, readonly [words: string, kind?: "passing" | "medium"]>
> = {
  EACCES: ["permission denied"],
  EPERM: ["permission denied", "passing"],
  EBUSY: ["another program has it open", "passing"],
  EAGAIN: ["it is busy", "passing"],
  ESTALE: ["its server has changed", "passing"],
  ENOTDIR: ["part of its path is not a directory"],
  EEXIST: ["it is not a directory"],
  ENOENT: ["it does not exist"],
  EISDIR: ["it is a directory"],
  ELOOP: ["its symbolic links go in circles"],
  ENOSPC: ["no space left on the device", "medium"],
  EROFS: ["the file system is read-only", "medium"],
  EIO: ["the medium has a fault", "medium"],
  EDQUOT: ["the user's share of the disk is used up", "medium"],
  EFBIG: ["no file may be so long there", "medium"],
};
const TIMEOUT_MS = 1000;

/** "" if the system reported none. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** A full, read-only or broken medium, as opposed to an unsuitable directory. */
export function isMediumFault(error: unknown): boolean {
  return ERRORS[codeOf(error)]?.[1] === "medium";
}

/** The problem in words, without a path. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code = codeOf(error);
  return code === "" ? error.message : (ERRORS[code]?.[0] ?? code);
}

/** Retries temporary failures for about a second. It blocks, so that a record is never incomplete. */
export function withRetries<T>(run: () => T): T {
  const endMs = performance.now() + TIMEOUT_MS;
  for (let waitMs = 10; ; waitMs = Math.min(2 * waitMs, 200)) {
    try {
      return run();
    } catch (error) {
      if (ERRORS[codeOf(error)]?.[1] !== "passing" || performance.now() > endMs) throw error;
    }
    pause(waitMs);
  }
}

export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/**
 * Creates a directory and its missing parents with this mode. With the option `recursive`, Node 20 hangs if a file
 * system responds ENOENT below an existing directory, as /proc does.
 * @throws the system's error of the first one that cannot be created
 */
export function makeDirectory(directory: string, mode: number): void {
  const parent = path.dirname(directory);
  // The parent of a missing Windows drive is the drive itself.
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent, mode);
  try {
    withRetries(() => fs.mkdirSync(directory, { mode }));
  } catch (error) {
    if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Creates a directory for the program's own files, or checks an existing one: it must belong to this user, and nobody
 * else may write to it. Directories above it are not checked: a replacement would have a different owner.
 * @param isSealed files in it are sealed with a key: a file system without modes is acceptable
 * @throws StateDirectoryError; the system's error
 */
export function makeOwnDirectory(directory: string, isSealed = false): void {
  makeDirectory(directory, 0o700);
  if (!POSIX) return;
  const handle = withRetries(() => fs.openSync(directory, "r"));
  try {
    keepOwn(handle, directory, isSealed);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Checks that an open file or directory belongs to this user, and removes the access of others that a mount, a copy or
 * a umask has given (Kubernetes gives whole volumes to a group). A file that every user could write to is rejected.
 * @throws StateDirectoryError
 */
function keepOwn(handle: number, file: string, isSealed: boolean): void {
  const status = fs.fstatSync(handle);
  const isDirectory = status.isDirectory();
  const open = isDirectory ? 0o022 : 0o077;
  const refuse = (what: string): never => {
    throw new StateDirectoryError(`${file}: ${what}`);
  };
  const isVolume = isDirectory && (status.mode & open) !== 0;
  const advice = isVolume
    ? `use a directory below it, ${path.join(file, "picogrant")}`
    : "run as that user, or choose another directory";
  if (status.uid !== process.getuid?.()) refuse(`belongs to user ${status.uid}; ${advice}`);
  const isPublic = !isDirectory && (status.mode & 0o002) !== 0;
  if (isPublic && !isSealed) refuse("every user could change it; delete it and sign in again");
  if ((status.mode & open) === 0) return;
  try {
    fs.fchmodSync(handle, status.mode & 0o7777 & ~open);
  } catch {
    // Checked again below: a file system may also report success and do nothing.
  }
  if (isSealed || (fs.fstatSync(handle).mode & open) === 0) return;
  refuse(
    "other users can get at it, and its file system keeps no modes; " +
      "choose a directory on another, or give a key that seals the tokens",
  );
}

/**
 * Reads a file that `writeOwn` has written.
 * @param options whether the content is sealed with a key; its longest content in bytes
 * @returns undefined if there is none; of a longer one `limit` + 1 bytes
 * @throws StateDirectoryError if it is no file, or if others could have written it; the system's error
 */
export function readOwn(
  file: string,
  options: { readonly isSealed?: boolean; readonly limit?: number } = {},
): Buffer | undefined {
  const { isSealed = false, limit = SIZE_MAX } = options;
  try {
    return withRetries(() => readUpTo(file, limit + 1, isSealed));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "ELOOP") throw noFile(file);
    throw error;
  }
}

const noFile = (file: string): StateDirectoryError =>
  new StateDirectoryError(`${file}: not a file; move it away or choose another directory`);

/** Not fs.readFile: a file that is far too large must not fill the memory, and a pipe must not block. */
function readUpTo(file: string, limit: number, isSealed: boolean): Buffer {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  const handle = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const status = fs.fstatSync(handle);
    if (!status.isFile()) throw noFile(file);
    if (POSIX) keepOwn(handle, file, isSealed);
    const buffer = Buffer.alloc(Math.min(limit, status.size + 1));
    let length = 0;
    while (length < buffer.length) {
      const count = fs.readSync(handle, buffer, length, buffer.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Replaces a file as a whole, for this user only: writes a draft, makes it durable, and renames it over the old file.
 * If the power fails, the old or the new file is there, complete.
 * @throws the system's error; the old file is then unchanged
 */
export function writeOwn(file: string, content: Uint8Array | string): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const draft = draftOf(file);
  withRetries(() => {
    removeDraft(file);
    try {
      const handle = fs.openSync(draft, "wx", 0o600);
      try {
        for (let at = 0; at < bytes.length; ) at += fs.writeSync(handle, bytes, at);
        fs.fsyncSync(handle);
      } finally {
        fs.closeSync(handle);
      }
      fs.renameSync(draft, file);
    } catch (error) {
      removeDraft(file);
      throw error;
    }
  });
  syncDirectory(path.dirname(file));
}

/**
 * Creates a file for this user only, complete or not at all. An existing one stays.
 * @throws the system's error
 */
export function createOwn(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(draft, content, { mode: 0o600, flush: true });
    fs.linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    // A file system without hard links.
    if (codeOf(error) !== "EPERM") throw error;
    fs.renameSync(draft, file);
  } finally {
    removeOwn(draft);
  }
  syncDirectory(path.dirname(file));
}

/** @throws the system's error if it still exists */
export function removeOwn(file: string): void {
  withRetries(() => fs.rmSync(file, { force: true }));
}

/** Removes the draft of a killed process. */
export function removeDraft(file: string): void {
  removeOwn(draftOf(file));
}

const draftOf = (file: string): string => `${file}.draft`;

/** Makes renames and removals in it durable. */
export function syncDirectory(directory: string): void {
  // Windows has no equivalent; its renames go through the journal.
  if (!POSIX) return;
  const handle = withRetries(() => fs.openSync(directory, "r"));
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * What is wrong with the owners and modes of a file that a user has named, "" for nothing (READERS: who may read it).
 */
export function ownersProblem(file: string, what: keyof typeof READERS): string {
  const statusOf = (one: string): fs.Stats | null =>
    fs.statSync(one, { throwIfNoEntry: false }) ?? null;
  return pathProblem(path.resolve(file), READERS[what], process.getuid?.(), statusOf, linkOf);
}

function linkOf(file: string): string {
  try {
    return fs.readlinkSync(file);
  } catch {
    // Any other file.
    return "";
  }
}
