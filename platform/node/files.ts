// Reads and writes files on Node, and checks their owners and modes: files of a state directory, and files that users name
// (keys, secrets, certificates, configurations).

import fs from "node:fs";
import path from "node:path";
import { pathProblem, READERS } from "../storage/path-owners.ts";
import { StateDirectoryError } from "./platform.ts";

const POSIX = process.platform !== "win32";
const SIZE_MAX = 1_048_576;

/**
 * The meaning of the system's errors. "passing" errors are retried for about a second: on Windows, a virus scanner or a
 * backup may have the file open; on a network, the server may be busy. After a "medium" error (full, read-only or
 * broken), the directory stays in use. Other errors mean that the directory is unsuitable. The C host has these kinds.
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

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "";
}

/** Whether the medium is full, read-only or broken. */
export function isMediumFault(error: unknown): boolean {
  return ERRORS[codeOf(error)]?.[1] === "medium";
}

/** Describes an error without a path. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code = codeOf(error);
  return code === "" ? error.message : (ERRORS[code]?.[0] ?? code);
}

/** Retries temporary failures for about a second. It blocks the thread, as all file operations here do. */
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
 * Creates a directory and its missing parents with this mode. The option `recursive` is not used: with it, Node 20 hangs if
 * a file system responds ENOENT below an existing directory, as /proc does.
 */
export function makeDirectory(directory: string, mode: number): void {
  const parent = path.dirname(directory);
  // Do not create the parent of a missing Windows drive, because it is the drive itself.
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent, mode);
  try {
    withRetries(() => fs.mkdirSync(directory, { mode }));
  } catch (error) {
    if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Creates a directory for the program's own files, or checks an existing one. It must belong to this user, and no other
 * user may write to it. The directories above it are not checked, because a replaced directory would have another owner.
 * @param isSealed the files are sealed with a key, so a file system without modes is acceptable
 */
export function makeOwnDirectory(directory: string, isSealed = false): void {
  makeDirectory(directory, 0o700);
  if (!POSIX) return;
  withRetries(() => withFile(directory, "r", (handle) => keepOwn(handle, directory, isSealed)));
}

export function withFile<T>(file: string, flags: fs.OpenMode, run: (handle: number) => T): T {
  const handle = fs.openSync(file, flags, 0o600);
  try {
    return run(handle);
  } finally {
    fs.closeSync(handle);
  }
}

/**
 * Checks that an open file or directory belongs to this user. Removes permissions of others that a mount, a copy or a
 * umask has added (Kubernetes gives whole volumes to a group). Unless the file is sealed, rejects it if the permissions
 * cannot be removed, or if every user could write to it.
 */
function keepOwn(handle: number, file: string, isSealed: boolean): void {
  const status = fs.fstatSync(handle);
  const isDirectory = status.isDirectory();
  const open = isDirectory ? 0o022 : 0o077;
  const refused = (what: string) => new StateDirectoryError(`${file}: ${what}`);
  const isVolume = isDirectory && (status.mode & open) !== 0;
  const advice = isVolume
    ? `use a directory below it, ${path.join(file, "picogrant")}`
    : "run as that user, or choose another directory";
  if (status.uid !== process.getuid?.()) throw refused(`belongs to user ${status.uid}; ${advice}`);
  if (isVolume && status.mode & 0o1000) throw refused(`is shared by several users; ${advice}`);
  const isPublic = !isDirectory && (status.mode & 0o002) !== 0;
  if (isPublic && !isSealed)
    throw refused("every user could change it; delete it and sign in again");
  if ((status.mode & open) === 0) return;
  try {
    fs.fchmodSync(handle, status.mode & 0o7777 & ~open);
  } catch {
    // The modes are checked below, because a file system may also report success and do nothing.
  }
  if (isSealed || (fs.fstatSync(handle).mode & open) === 0) return;
  throw refused(
    "other users can get at it, and its file system keeps no modes; " +
      "choose a directory on another, or give a key that seals the tokens",
  );
}

/**
 * Reads a file that `writeOwn` has written.
 * @returns the content; its first `limit` + 1 bytes if it is longer; undefined if the file does not exist
 * @throws StateDirectoryError if it is not a file, or if others could have written it; the system's error
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

/** Unlike fs.readFile, this stops at the limit and does not block on a pipe. */
function readUpTo(file: string, limit: number, isSealed: boolean): Buffer {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  return withFile(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, (handle) => {
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
  });
}

/**
 * Replaces a whole file, for this user only. After a power loss, either the old or the new file is complete.
 * @throws the system's error. The old file is then unchanged, except if only the sync of the directory has failed
 */
export function writeOwn(file: string, content: Uint8Array | string): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const draft = draftOf(file);
  withRetries(() => {
    removeDraft(file);
    try {
      withFile(draft, "wx", (handle) => {
        for (let at = 0; at < bytes.length; ) at += fs.writeSync(handle, bytes, at);
        fs.fsyncSync(handle);
      });
      fs.renameSync(draft, file);
    } catch (error) {
      removeDraft(file);
      throw error;
    }
  });
  syncDirectory(path.dirname(file));
}

/** Creates a file for this user only. An existing file stays, if hard links work. @throws the system's error */
export function createOwn(file: string, content: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(draft, content, { mode: 0o600, flush: true });
    fs.linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    if (codeOf(error) !== "EPERM") throw error;
    fs.renameSync(draft, file);
  } finally {
    removeOwn(draft);
  }
  syncDirectory(path.dirname(file));
}

export function removeOwn(file: string): void {
  withRetries(() => fs.rmSync(file, { force: true }));
}

const draftOf = (file: string): string => `${file}.draft`;

export function removeDraft(file: string): void {
  removeOwn(draftOf(file));
}

/** Makes renames and removals in a directory durable. */
export function syncDirectory(directory: string): void {
  if (!POSIX) return;
  withRetries(() => withFile(directory, "r", fs.fsyncSync));
}

/** Returns the problem with the owners and modes of a file that a user has named, "" for none. */
export function ownersProblem(file: string, what: keyof typeof READERS): string {
  const statusOf = (one: string): fs.Stats | null =>
    fs.statSync(one, { throwIfNoEntry: false }) ?? null;
  return pathProblem(path.resolve(file), READERS[what], process.getuid?.(), statusOf, linkOf);
}

function linkOf(file: string): string {
  try {
    return fs.readlinkSync(file);
  } catch {
    return "";
  }
}
