// The lock on a state directory, on Node. Its rules are those of ../state-lock.ts.

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { isLeftover, LockRefused, type StateLockSystem, takeStateLock } from "../state-lock.ts";
import { StateDirectoryError } from "./state-directory-error.ts";

/**
 * Takes the lock of a directory.
 * @returns a function that gives it back
 * @throws StateDirectoryError where another living process holds it
 */
export function lockDirectory(directory: string): () => void {
  try {
    const unlock = takeStateLock(nodeSystem(), path.join(directory, "lock"));
    removeLeftovers(directory);
    return unlock;
  } catch (error) {
    if (!(error instanceof LockRefused)) throw error;
    const advice = error.message.startsWith("in use")
      ? "; stop it or choose another directory"
      : "";
    throw new StateDirectoryError(`${directory}: ${error.message}${advice}`);
  }
}

/** Done by the holder of the lock only: nobody else's takeover is under way then. */
function removeLeftovers(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    if (isLeftover(name)) fs.rmSync(path.join(directory, name), { force: true });
  }
}

const nonce = randomBytes(6).toString("hex");

function nodeSystem(): StateLockSystem {
  const started = startOf(process.pid) ?? "";
  return {
    self: { pid: process.pid, started, host: os.hostname(), nonce },
    publish,
    read: readIfThere,
    remove: (file) => fs.rmSync(file, { force: true }),
    ageS: (file) => {
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      return stat === undefined ? 0 : (Date.now() - stat.mtimeMs) / 1000;
    },
    startOf,
  };
}

/** File systems without hard links, such as that of most memory cards. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** By a hard link to a draft, which appears with its whole content at once and never over another file. */
function publish(file: string, content: string): boolean {
  const draft = `${file}.draft-${randomBytes(6).toString("hex")}`;
  writeNew(draft, content);
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: the holder of the lock has cleared our draft away.
    if (code === "EEXIST" || code === "ENOENT") return false;
    if (!NO_LINKS.has(code ?? "")) throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
  try {
    writeNew(file, content);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function writeNew(file: string, content: string): void {
  const handle = fs.openSync(file, "wx", 0o600);
  try {
    fs.writeSync(handle, content);
    fs.fsyncSync(handle);
  } catch (error) {
    // A full disk must not leave an empty file that looks like a lock.
    fs.rmSync(file, { force: true });
    throw error;
  } finally {
    fs.closeSync(handle);
  }
}

/** When a process began, with the boot it belongs to; see StateLockSystem. */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: there is one, of another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return undefined;
  }
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    // The name in field 2 may contain anything, so count from its closing bracket: fields 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : `${boot}/${fields[19]}`;
  } catch {
    return "";
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return fs.readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
