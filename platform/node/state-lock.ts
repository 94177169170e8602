// Implements the lock of a state directory with a file for each process. One process at a time holds the lock.
// platform/README.md describes how.

import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Storage } from "../contracts.ts";
import { type RecordsLock, SharedRecords } from "../session/shared-records.ts";
import { pause, reasonOf, removeOwn, withFile, withRetries } from "./files.ts";
import { StateDirectoryError } from "./platform.ts";

const BEAT_MS = 1000;
const SILENCE_MS = 10_000;
/** The name of a lock file: process ID, start time of the process, process namespace ("0": unknown), random bytes. */
const NAME = /^lock-(\d+)-(\d+)-([0-9a-f]+)-[0-9a-f]{16}$/;

/** The lock files of this process, which it removes when it exits. */
const held = new Set<string>();

export class StateLock implements RecordsLock {
  readonly #directory: string;
  /** For each lock file of another process: its newest modification time, and when this process first saw that time. */
  readonly #seen = new Map<string, readonly [mtimeMs: number, atMs: number]>();
  /** This process's lock file; "" if it has not taken the lock. Another process may have removed the file (`isHeld`). */
  #own = "";
  /** Whether the holder that `tryTake` returned is known to run. Otherwise, only the age of its file suggests this. */
  isSure = false;
  /** Whether the lock was released, but its file could not be removed yet. */
  #isLeft = false;
  #beat: NodeJS.Timeout | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Whether this process still holds the lock. A process that was suspended for too long may have lost it. */
  get isHeld(): boolean {
    return fs.existsSync(this.#own);
  }

  /** @returns the ID of the other process that holds the lock, 0 if this process has taken the lock */
  tryTake(): number {
    this.#isLeft = false;
    if (this.isHeld) return 0;
    this.release();
    const name = `lock-${identity()}-${randomBytes(8).toString("hex")}`;
    const own = path.join(this.#directory, name);
    hold(own);
    let holder: number | undefined;
    try {
      withRetries(() => withFile(own, "wx", () => {}));
      holder = this.#otherThan(own);
    } catch (error) {
      // A program that cannot create its file still waits for the holder of the lock.
      holder = this.#otherThan(own) || undefined;
      if (holder === undefined) throw error;
    } finally {
      if (holder !== 0) drop(own);
    }
    if (holder !== 0) return holder;
    this.#own = own;
    this.#beat = setInterval(() => this.#giveSign(), BEAT_MS);
    this.#beat.unref?.();
    return 0;
  }

  /** Checks that the medium has space: fills the lock file with `bytes` bytes, and empties it. @throws the system's error */
  reserve(bytes: number): void {
    withFile(this.#own, "r+", (handle) => {
      for (let at = 0; at < bytes; ) at += fs.writeSync(handle, Buffer.alloc(bytes - at));
      fs.ftruncateSync(handle);
    });
  }

  problemOf(error: unknown): string {
    return `${this.#directory} cannot be written: ${reasonOf(error)}`;
  }

  /** Releases the lock. If its file cannot be removed, the lock stays held, and `#giveSign` retries. */
  release(): void {
    this.#isLeft = this.#own !== "" && !isDropped(this.#own);
    if (this.#isLeft) return;
    clearInterval(this.#beat);
    this.#own = "";
  }

  #giveSign(): void {
    const now = new Date();
    try {
      if (this.#isLeft) this.release();
      else fs.utimesSync(this.#own, now, now);
    } catch {
      // Another process has taken the lock while this process was suspended. `isHeld` shows this before the next write.
    }
  }

  /** Returns the ID of another live process that holds the lock, 0 for none. Removes files of dead processes. */
  #otherThan(own: string): number {
    let alive = 0;
    this.isSure = false;
    for (const name of fs.readdirSync(this.#directory)) {
      const file = path.join(this.#directory, name);
      if (!NAME.test(name) || file === own) continue;
      if (this.#runs(file, NAME.exec(name)!)) alive = Number(name.split("-")[1]);
      else removeOwn(file);
    }
    return alive;
  }

  #runs(file: string, [, pid, started, space]: RegExpExecArray): boolean {
    // For a lock file of another thread of this process, only the age of the file counts.
    const isOurs = space !== "0" && space === processSpace() && Number(pid) !== process.pid;
    if (isOurs || held.has(file)) {
      const isRunning = held.has(file) || startOf(pid!) === started;
      this.isSure ||= isRunning;
      return isRunning;
    }
    const mtimeMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (mtimeMs === undefined) return false;
    const nowMs = performance.now();
    const [before, sinceMs] = this.#seen.get(file) ?? [];
    if (before !== mtimeMs) this.#seen.set(file, [mtimeMs, nowMs]);
    return before !== mtimeMs || nowMs - sinceMs! < SILENCE_MS;
  }
}

/**
 * Takes the lock. Blocks for up to eleven seconds if only the age of a lock file can show that its holder is dead.
 * @returns a function that releases the lock
 * @throws StateDirectoryError if another process holds it
 */
export function lockDirectory(directory: string): () => void {
  const lock = new StateLock(directory);
  const endMs = performance.now() + SILENCE_MS + BEAT_MS;
  for (let refusals = 0; ; refusals++) {
    const holder = lock.tryTake();
    if (holder === 0) return () => lock.release();
    const isHeld = lock.isSure ? refusals >= 3 : performance.now() > endMs;
    if (isHeld) {
      const what = `in use by process ${holder}; stop it or choose another directory`;
      throw new StateDirectoryError(`${directory}: ${what}`);
    }
    pause(5 + Math.random() * 45);
  }
}

export class SharedDirectory extends SharedRecords {
  constructor(
    files: Storage & { readonly directory: string; readonly stamp: string },
    open: () => Storage = () => files,
  ) {
    super({ files, open, lock: new StateLock(files.directory) });
  }
}

function hold(file: string): void {
  if (held.size === 0) process.on("exit", dropAll);
  held.add(file);
}

function drop(file: string): void {
  removeOwn(file);
  held.delete(file);
  if (held.size === 0) process.off("exit", dropAll);
}

function isDropped(file: string): boolean {
  try {
    drop(file);
    return true;
  } catch {
    return false;
  }
}

function dropAll(): void {
  for (const file of held) isDropped(file);
}

function identity(): string {
  return `${process.pid}-${startOf("self") || 0}-${processSpace()}`;
}

/** Identifies the boot and the container, within which process IDs are unique. "0" if unknown. */
function processSpace(): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    const names = fs.readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(boot).update(names).digest("hex").slice(0, 12);
  } catch {
    return "0";
  }
}

/** Returns the start time of a process in ticks since the boot; "" if no such process runs. */
function startOf(pid: string): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    // The process name in field 2 may contain anything. Count from its closing bracket: fields 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "" : fields[19]!;
  } catch {
    return "";
  }
}
