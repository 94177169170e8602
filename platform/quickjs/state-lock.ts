// The lock on a state directory, under QuickJS on Linux. Its rules are those of ../state-lock.ts.

import { LockRefused, type StateLockSystem, takeStateLock } from "../state-lock.ts";
import type { Os } from "./engine.ts";
import { QuickJsEntropy } from "./entropy.ts";
import {
  createPrivate,
  FILE_EXISTS,
  FileError,
  NO_SUCH_FILE,
  readFile,
  reasonOf,
} from "./files.ts";

const NO_SUCH_PROCESS = -3;
const LOCK_BYTES_MAX = 1024;

/**
 * Takes the lock of a directory: two devices on one state would rotate each other's refresh token away.
 * @returns a function that gives it back
 * @throws FileError where another living process holds it, or it cannot be written
 */
export function lockDirectory(os: Os, directory: string): () => void {
  try {
    return takeStateLock(quickJsSystem(os), `${directory}/lock`);
  } catch (error) {
    if (!(error instanceof LockRefused)) throw error;
    const advice = error.message.startsWith("in use")
      ? "; stop it or choose another directory"
      : "";
    throw new FileError(`${directory}: ${error.message}${advice}`);
  }
}

function quickJsSystem(os: Os): StateLockSystem {
  const pid = os.getpid();
  return {
    self: {
      pid,
      started: startOf(os, pid) ?? "",
      host: textOf(os, "/proc/sys/kernel/hostname"),
      nonce: nonceOf(os),
    },
    publish(file, content) {
      // The engine knows no hard links: the file appears empty and is written then.
      const made = createPrivate(os, file, asciiBytes(content));
      if (made < 0 && made !== FILE_EXISTS) {
        throw new FileError(`${file}: cannot be written (${reasonOf(made)})`, made);
      }
      return made === 0;
    },
    read(file) {
      const bytes = readFile(os, file, LOCK_BYTES_MAX);
      return bytes && asciiText(bytes);
    },
    remove(file) {
      const removed = os.remove(file);
      if (removed < 0 && removed !== NO_SUCH_FILE) {
        throw new FileError(`${file}: cannot be removed (${reasonOf(removed)})`, removed);
      }
    },
    ageS(file) {
      const [status] = os.stat(file);
      return status === null ? 0 : (Date.now() - status.mtime) / 1000;
    },
    startOf: (other) => startOf(os, other),
  };
}

/** The same as long as the process lives. */
let nonce = "";

function nonceOf(os: Os): string {
  if (nonce !== "") return nonce;
  const bytes = new Uint8Array(6);
  new QuickJsEntropy(os).fill(bytes, 0, bytes.length);
  for (const byte of bytes) nonce += (byte + 256).toString(16).slice(1);
  return nonce;
}

/** When a process began, with the boot it belongs to; see StateLockSystem. */
function startOf(os: Os, pid: number): string | undefined {
  if (os.kill(pid, 0) === NO_SUCH_PROCESS) return undefined;
  const stat = textOf(os, `/proc/${pid}/stat`);
  // The name in field 2 may contain anything, so count from its closing bracket: fields 3 and 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  const started = fields[19];
  return started === undefined ? "" : `${textOf(os, "/proc/sys/kernel/random/boot_id")}/${started}`;
}

/** A file of the kernel's as text, "" where there is none. */
function textOf(os: Os, file: string): string {
  try {
    return asciiText(readFile(os, file, LOCK_BYTES_MAX) ?? new Uint8Array(0)).trim();
  } catch (error) {
    if (error instanceof FileError) return "";
    throw error;
  }
}

function asciiText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
