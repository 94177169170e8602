import { pathProblem, READERS } from "../storage/path-owners.ts";
import type { Os } from "./engine.ts";

/** Negative errno values of Linux that are handled specially. */
export const NO_SUCH_FILE = -2;
export const FILE_EXISTS = -17;

/** Describes a failure for users in one line, without content of the file. `errno` is negative, or 0 for none. */
export class FileError extends Error {
  readonly errno: number;

  constructor(message: string, errno = 0) {
    super(message);
    this.errno = errno;
  }
}

/** Whether the medium is broken, full or read-only: EIO, EFBIG, ENOSPC, EROFS, EDQUOT. */
export function isMediumFault(errno: number): boolean {
  return [-5, -27, -28, -30, -122].includes(errno);
}

/** Returns undefined if there is no file. @throws FileError if it cannot be read or is longer than `limit` bytes */
export function readFile(os: Os, path: string, limit: number): Uint8Array | undefined {
  // Opening a pipe without a writer would block the device forever.
  if (isOfKind(os, path, "S_IFIFO")) throw new FileError(`${path}: is a pipe and not a file`);
  const fd = os.open(path, os.O_RDONLY);
  if (fd === NO_SUCH_FILE) return undefined;
  if (fd < 0) throw new FileError(`${path}: cannot be opened (${reasonOf(fd)})`, fd);
  try {
    // One byte more than the limit shows whether the file is longer.
    const buffer = new Uint8Array(limit + 1);
    let length = 0;
    while (length <= limit) {
      const count = os.read(fd, buffer.buffer, length, buffer.length - length);
      if (count < 0) throw new FileError(`${path}: cannot be read (${reasonOf(count)})`, count);
      if (count === 0) return buffer.slice(0, length);
      length += count;
    }
    throw new FileError(`${path}: longer than ${limit} bytes`);
  } finally {
    os.close(fd);
  }
}

/** Returns the user of this process, from /proc, because QuickJS has no getuid. Undefined without /proc. */
export function ownUser(os: Os): number | undefined {
  return os.stat("/proc/self")[0]?.uid;
}

/** @throws FileError if others can change the file, or can read it and must not */
export function refuseOthers(os: Os, path: string, what: keyof typeof READERS, name = path): void {
  const statusOf = (one: string) => os.stat(one)[0];
  const linkOf = (one: string) => os.readlink(one)[0] || "";
  const problem = pathProblem(path, READERS[what], ownUser(os), statusOf, linkOf);
  if (problem !== "") throw new FileError(`${name} ${problem}`);
}

export function isOfKind(os: Os, path: string, kind: "S_IFREG" | "S_IFDIR" | "S_IFIFO"): boolean {
  const [status] = os.stat(path);
  return status !== null && (status.mode & os.S_IFMT) === os[kind];
}

/** Writes all bytes; returns 0, or a negative errno. */
export function writeAll(os: Os, fd: number, bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const from = bytes.byteOffset + at;
    const count = os.write(fd, bytes.buffer as ArrayBuffer, from, bytes.length - at);
    if (count <= 0) return count || -5;
    at += count;
  }
  return 0;
}

/** Creates a file that only its owner can read. Returns 0, or a negative errno, also if the file exists already. */
export function createPrivate(os: Os, path: string, bytes: Uint8Array): number {
  const fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600);
  if (fd < 0) return fd;
  const written = writeAll(os, fd, bytes);
  const closed = os.close(fd);
  if (written === 0 && closed >= 0) return 0;
  os.remove(path);
  return written || closed;
}

const REASONS: Readonly<Record<number, string>> = {
  1: "not permitted",
  5: "the medium has a fault",
  2: "no such file or directory",
  13: "permission denied",
  17: "it exists already",
  20: "part of its path is not a directory",
  21: "it is a directory",
  27: "no file may be so long there",
  28: "no space left",
  30: "read-only file system",
};

export function reasonOf(errno: number): string {
  return REASONS[-errno] ?? `error ${-errno}`;
}
