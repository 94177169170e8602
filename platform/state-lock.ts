// The rules of a lock on a state directory under engines such as QuickJS: held by one process, it outlives none.
// After a SIGKILL or a loss of power the next process finds that the holder is gone and takes the lock over.
// How files are made and processes are found is the platform's part (StateLockSystem).
//
// Two that find the same stale lock must not both get it: the second could remove the first one's fresh lock.
// So whoever replaces a stale file holds a guard whose name is a checksum of that very content. No two processes
// write the same content, so a guard can only ever be for the file that was looked at; and a
// guard whose own holder is gone is replaced by the same rule. No clock is involved.

/** Who holds a lock. A process number alone is not enough: it is given anew after a while or a restart. */
export interface LockHolder {
  readonly pid: number;
  /** When the process began and which boot it belongs to; "" where the system does not tell. */
  readonly started: string;
  readonly host: string;
  /** Random, the same as long as the process lives: no two processes have the same content. */
  readonly nonce: string;
}

/** What the rules need of a platform. Paths are whole; failures of the system are thrown. */
export interface StateLockSystem {
  readonly self: LockHolder;
  /**
   * Makes a file that must not be there yet, readable by its owner only. Where the system can, it appears with
   * its whole content at once. False where there is one.
   */
  publish(file: string, content: string): boolean;
  /** The file's text, undefined where there is none. */
  read(file: string): string | undefined;
  remove(file: string): void;
  /** Seconds since the file was written. */
  ageS(file: string): number;
  /**
   * When a process that runs now began, as in LockHolder; "" where it runs and the system does not tell,
   * undefined where there is no such process.
   */
  startOf(pid: number): string | undefined;
}

/** Why a lock cannot be had, for a person. */
export class LockRefused extends Error {}

/** A process writes a file that it has just made within this time, or it is gone. */
const WRITING_S = 10;
/** A takeover of a takeover of a takeover ...: more in a row than processes are ever killed. */
const GUARDS_MAX = 8;

/**
 * Takes the lock.
 * @param file the lock's path; guards are made beside it
 * @returns a function that gives it back
 * @throws LockRefused where another living process holds it, with one line that says which
 */
export function takeStateLock(system: StateLockSystem, file: string): () => void {
  const own = `${JSON.stringify(system.self)}\n`;
  take(system, file, own, 0);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    // Only what is still ours: somebody may have removed the directory or the lock by hand.
    if (system.read(file) === own) system.remove(file);
  };
}

function take(system: StateLockSystem, file: string, own: string, depth: number): void {
  if (publishOwn(system, file, own)) return;
  const content = system.read(file);
  if (content === undefined) throw justStarting();
  refuseIfHeld(system, file, content, depth);
  if (depth === GUARDS_MAX) throw new LockRefused(`remove "${nameOf(file)}", which nobody holds`);
  const guard = `${file}.${checksumOf(content)}`;
  take(system, guard, own, depth + 1);
  try {
    // A second look, now that nobody else may replace this content.
    if (system.read(file) === content) system.remove(file);
    if (!publishOwn(system, file, own)) throw justStarting();
  } finally {
    system.remove(guard);
  }
}

/** Without hard links a file appears empty and is written then: what counts is what it holds in the end. */
function publishOwn(system: StateLockSystem, file: string, own: string): boolean {
  if (!system.publish(file, own)) return false;
  if (system.read(file) !== own) throw justStarting();
  return true;
}

function refuseIfHeld(system: StateLockSystem, file: string, content: string, depth: number): void {
  const holder = holderOf(content);
  if (holder === undefined) {
    // Killed, or without power, between making the file and writing it; or about to write it.
    if (content !== "") {
      throw new LockRefused(
        `its file "${nameOf(file)}" is not a lock of picogrant; remove it if no other program uses it`,
      );
    }
    if (system.ageS(file) < WRITING_S) throw justStarting();
    return;
  }
  if (holder.host !== system.self.host && !isSameBoot(holder, system.self)) {
    throw new LockRefused(
      `in use by process ${holder.pid} on ${holder.host} (if it is gone, remove "${nameOf(file)}")`,
    );
  }
  if (!isAlive(system, holder)) return;
  throw depth > 0 ? justStarting() : new LockRefused(`in use by process ${holder.pid}`);
}

/** A machine may be given another name while it runs. */
function isSameBoot(one: LockHolder, other: LockHolder): boolean {
  const [boot] = one.started.split("/");
  return boot !== "" && boot === other.started.split("/")[0];
}

/**
 * One's own number is nobody else's: on a board that boots the same way each time, a process finds the lock
 * that it held itself before the power went.
 */
function isAlive(system: StateLockSystem, holder: LockHolder): boolean {
  if (holder.pid === system.self.pid) return holder.nonce === system.self.nonce;
  const started = system.startOf(holder.pid);
  if (started === undefined) return false;
  return started === "" || holder.started === "" || started === holder.started;
}

/** The holder that a lock's content names, undefined where it is no lock. */
export function holderOf(content: string): LockHolder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { pid, started, host, nonce } = value as Partial<Record<keyof LockHolder, unknown>>;
  if (typeof pid !== "number" || pid < 1 || Math.floor(pid) !== pid) return undefined;
  if (typeof started !== "string" || typeof host !== "string") return undefined;
  return { pid, started, host, nonce: typeof nonce === "string" ? nonce : "" };
}

function justStarting(): LockRefused {
  return new LockRefused("in use by another process that is just starting");
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** FNV-1a of 32 bits, as eight hexadecimal digits: a name, nothing to rely on against an attacker. */
function checksumOf(content: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < content.length; i++) {
    hash = Math.imul(hash ^ content.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
