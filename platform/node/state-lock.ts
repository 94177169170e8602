// A lock on a directory, held by one process, that outlives no process: after a SIGKILL or a power cut the
// next one finds out that its holder is gone and takes it over.

import { randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { StateDirectoryError } from "./state-directory-error.ts";

/** Who holds a lock. A process id alone is not enough: it is given anew after a while or a restart. */
interface Holder {
  pid: number;
  /** From /proc: when the process began, "" where there is no /proc. */
  started: string;
  host: string;
}

/** A takeover takes microseconds; a guard older than this was left by a process killed in the middle. */
const GUARD_STALE_MS = 10_000;

/**
 * Takes the lock of a directory.
 * @returns a function that gives it back
 * @throws StateDirectoryError where another living process holds it
 */
export function lockDirectory(directory: string): () => void {
  const lock = path.join(directory, "lock");
  const own = `${JSON.stringify(self())}\n`;
  if (!publish(lock, own)) takeOver(directory, lock, own);
  removeDrafts(directory);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    // Only what is still ours: somebody may have removed the directory or the lock by hand.
    if (readIfThere(lock) === own) fs.rmSync(lock, { force: true });
  };
}

/** Makes the lock appear with its whole content at once; false where there is one already. */
function publish(lock: string, content: string): boolean {
  const draft = `${lock}.${process.pid}.${randomBytes(6).toString("hex")}`;
  const file = fs.openSync(draft, "wx", 0o600);
  try {
    fs.writeSync(file, content);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
  try {
    fs.linkSync(draft, lock);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: the holder of the lock has cleared our draft away, see below.
    if (code === "EEXIST" || code === "ENOENT") return false;
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/**
 * Replaces the lock of a process that is gone. Two that find the same stale lock must not both succeed: the
 * second could remove the first one's fresh lock. So removing is done under a guard, after a second look.
 */
function takeOver(directory: string, lock: string, own: string): void {
  refuseIfHeld(directory, readIfThere(lock));
  const guard = path.join(directory, "lock.takeover");
  removeOldGuard(guard);
  if (!publish(guard, own)) throw inUse(directory, "another process that is just starting");
  try {
    refuseIfHeld(directory, readIfThere(lock));
    fs.rmSync(lock, { force: true });
    // Somebody without a need for the guard may be faster from here on: then it is theirs.
    if (!publish(lock, own)) throw inUse(directory, "another process that is just starting");
  } finally {
    fs.rmSync(guard, { force: true });
  }
}

/** What processes killed while publishing have left. Done by the holder of the lock only. */
function removeDrafts(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    if (/^lock\.(takeover\.)?\d+\.[0-9a-f]{12}$/.test(name)) {
      fs.rmSync(path.join(directory, name), { force: true });
    }
  }
}

function removeOldGuard(guard: string): void {
  const stat = fs.statSync(guard, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > GUARD_STALE_MS) {
    fs.rmSync(guard, { force: true });
  }
}

function refuseIfHeld(directory: string, content: string | undefined): void {
  if (content === undefined) return;
  const holder = parseHolder(content);
  if (holder === undefined) {
    throw new StateDirectoryError(
      `${directory}: its file "lock" is not a lock of picogrant; remove it if no other program uses it`,
    );
  }
  if (holder.host !== os.hostname()) {
    throw inUse(
      directory,
      `process ${holder.pid} on ${holder.host} (if it is gone, remove "lock")`,
    );
  }
  if (isAlive(holder)) throw inUse(directory, `process ${holder.pid}`);
}

function inUse(directory: string, by: string): StateDirectoryError {
  return new StateDirectoryError(
    `${directory}: in use by ${by}; stop it or choose another directory`,
  );
}

function self(): Holder {
  const started = startOf(process.pid)?.started ?? "";
  return { pid: process.pid, started, host: os.hostname() };
}

function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: there is one, of another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  const found = startOf(holder.pid);
  if (found === undefined || holder.started === "") return true;
  return !found.dead && found.started === holder.started;
}

/** When a process began (with the boot it belongs to); undefined where the system does not tell. */
function startOf(pid: number): { started: string; dead: boolean } | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    // The name in field 2 may contain anything, so count from its closing bracket: fields 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { started: `${boot}/${fields[19]}`, dead: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}

function parseHolder(content: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value !== "object" || value === null) return undefined;
    const { pid, started, host } = value as Partial<Record<keyof Holder, unknown>>;
    if (typeof pid !== "number" || !Number.isInteger(pid) || pid < 1) return undefined;
    if (typeof started !== "string" || typeof host !== "string") return undefined;
    return { pid, started, host };
  } catch {
    return undefined;
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
