// The lock of a state directory under QuickJS on Linux. It uses the same files as Node's lock (../node/state-lock.ts),
// but the holder does not update the time of its file, so several containers must not share the directory.

import { sha256 } from "../text/sha256.ts";
import { asciiOf, latinBytesOf } from "../text/text.ts";
import { type Os, quickJsEntropy } from "./engine.ts";
import { createPrivate, FileError, readFile, reasonOf } from "./files.ts";

/** The name of a lock file: process ID, start time of the process, process namespace, random bytes. */
const NAME = /^lock-(\d+)-(\d+)-([0-9a-f]+)-[0-9a-f]{16}$/;
const NO_SUCH_PROCESS = -3;
const PROC_BYTES_MAX = 4096;
const TRIES = 4;

/**
 * Takes the lock of a directory, because two devices with the same records would invalidate each other's refresh tokens.
 * @throws FileError if another live process holds the lock, or if the lock file cannot be written
 */
export function lockDirectory(os: Os, directory: string): () => void {
  const pid = os.getpid();
  const own = `${directory}/lock-${pid}-${startOf(os, pid) || 0}-${processSpace(os)}-${randomHex(os)}`;
  for (let tries = 1; ; tries++) {
    const made = createPrivate(os, own, new Uint8Array(0));
    if (made < 0) throw new FileError(`${own}: cannot be written (${reasonOf(made)})`, made);
    const holder = otherThan(os, directory, own);
    if (holder === "") return () => void os.remove(own);
    os.remove(own);
    const inUse = `in use by process ${holder}; stop it or choose another directory`;
    if (tries === TRIES) throw new FileError(`${directory}: ${inUse}`);
    // Two processes that start at the same time both withdraw and retry.
    os.sleep(5 + Math.random() * 45);
  }
}

/** Returns the process ID of another live holder, "" for none. Removes files of dead processes and other containers. */
function otherThan(os: Os, directory: string, own: string): string {
  let alive = "";
  const [names] = os.readdir(directory);
  for (const name of names) {
    const [, pid, started, space] = NAME.exec(name) ?? [];
    const file = `${directory}/${name}`;
    if (pid === undefined || file === own) continue;
    const since = startOf(os, Number(pid));
    const isAlive =
      space === processSpace(os) && since !== undefined && (since === "" || since === started);
    if (isAlive) alive = pid;
    else os.remove(file);
  }
  return alive;
}

/** Returns the start time of a process in ticks since the boot; "" if unknown, undefined if the process does not exist. */
function startOf(os: Os, pid: number): string | undefined {
  if (os.kill(pid, 0) === NO_SUCH_PROCESS) return undefined;
  const stat = kernelText(os, `/proc/${pid}/stat`);
  // The process name in field 2 may contain anything. Count from its closing bracket: fields 3 and 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : (fields[19] ?? "");
}

/** Identifies the boot and the container, within which process IDs are unique. "0" if unknown. */
function processSpace(os: Os): string {
  const boot = kernelText(os, "/proc/sys/kernel/random/boot_id");
  const [names] = os.readlink("/proc/self/ns/pid");
  if (boot === "" || !names) return "0";
  return hexOf(sha256(latinBytesOf(boot + names))).slice(0, 12);
}

function randomHex(os: Os): string {
  const bytes = new Uint8Array(8);
  quickJsEntropy(os).fill(bytes, 0, bytes.length);
  return hexOf(bytes);
}

const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join("");

function kernelText(os: Os, file: string): string {
  try {
    const bytes = readFile(os, file, PROC_BYTES_MAX) ?? [];
    return asciiOf(bytes, 0, bytes.length);
  } catch (error) {
    if (error instanceof FileError) return "";
    throw error;
  }
}
