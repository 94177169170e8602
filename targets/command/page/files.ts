// Files of the command line: read whole, and written whole or not at all. A failure is one line.
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { makeDirectory } from "../../../platform/node/make-directory.ts";
import { UsageError } from "../../desktop/command-line.ts";

/** @throws UsageError with one line that names the file */
export function readInput(path: string): Uint8Array {
  return orOneLine(path, "read", () => new Uint8Array(readFileSync(path)));
}

/** Makes a folder and those above it, where they are not there. @throws UsageError */
export function makeFolder(path: string): void {
  orOneLine(path, "made", () => makeDirectory(path, 0o777));
}

/** Replaces a file; its readers see the old one or the new one. @throws UsageError */
export function replaceFile(path: string, content: Uint8Array, mode: number): void {
  const draft = `${path}.${process.pid}.draft`;
  orOneLine(path, "written", () => {
    writeAndSync(draft, content, mode);
    orRemove(draft, () => renameSync(draft, path));
  });
}

function writeAndSync(path: string, content: string | Uint8Array, mode: number): void {
  const file = openSync(path, "wx", mode);
  // From here on it is ours: a full disk must not leave a name that blocks the next try.
  orRemove(path, () => {
    try {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}

function orRemove(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EEXIST: "it exists already, and is left as it is; choose another name",
  EISDIR: "it is a directory",
  ENOTDIR: "part of its path is no directory",
  EIO: "input or output error",
  ENOSPC: "no space left",
  EROFS: "read-only file system",
};

function orOneLine<T>(path: string, verb: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(`${path}: cannot be ${verb} (${REASONS[code] ?? code})`);
  }
}
