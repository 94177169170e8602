// The lock of a state directory, in files: one process at a time. platform/README.md describes it.

import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pause, removeOwn, withRetries } from "./files.ts";
import { StateDirectoryError } from "./platform.ts";

const BEAT_MS = 1000;
const SILENCE_MS = 10_000;
const PREFIX = "lock-";
/** Process, its start time, the process namespace ("0": unknown), random bytes. */
const NAME = /^lock-(\d+)-(\d+)-([0-9a-f]+)-[0-9a-f]{16}$/;

/** The locks of this process, released at its end. */
const held = new Set<string>();

/** A lock that can be taken and released repeatedly. */
export class StateLock {
  readonly #directory: string;
  /** When another process's file last changed: its time, and ours. */
  readonly #seen = new Map<string, readonly [mtimeMs: number, atMs: number]>();
  /** "" while it is not held: there is no such file. */
  #own = "";
  #isSure = false;
  /** Released, but the medium has refused to remove the file so far. */
  #isLeft = false;
  #beat: NodeJS.Timeout | undefined;

  /** @param directory exists */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Whether it is still held: a process that was suspended for long enough has lost it. */
  get isHeld(): boolean {
    return fs.existsSync(this.#own);
  }

  /** Whether the holder that `tryTake` last returned is known to run, and not only assumed from its file. */
  get isSure(): boolean {
    return this.#isSure;
  }

  /**
   * Takes the lock if nobody holds it.
   * @returns the process that holds it, 0 if it was taken now
   */
  tryTake(): number {
    this.#isLeft = false;
    if (this.isHeld) return 0;
    this.release();
    const own = path.join(
      this.#directory,
      `${PREFIX}${identity()}-${randomBytes(8).toString("hex")}`,
    );
    hold(own);
    let holder: number | undefined;
    try {
      withRetries(() => fs.closeSync(fs.openSync(own, "wx", 0o600)));
      holder = this.#otherThan(own);
    } catch (error) {
      // A program that cannot create its file still waits for the one that holds the lock.
      holder = this.#otherThan(own) || undefined;
      if (holder === undefined) throw error;
    } finally {
      if (holder !== 0) drop(own);
    }
    if (holder !== 0) return holder;
    this.#own = own;
    this.#beat = setInterval(() => this.#giveSign(), BEAT_MS);
    // In jsdom they are numbers.
    this.#beat.unref?.();
    return 0;
  }

  /** While it is held: reserves so many bytes beside it. @throws the system's error */
  reserve(bytes: number): void {
    const handle = fs.openSync(this.#own, "r+");
    try {
      for (let at = 0; at < bytes; ) at += fs.writeSync(handle, Buffer.alloc(bytes - at));
      fs.ftruncateSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }

  /** Releases the lock. While the medium refuses, it stays held, and each beat retries. */
  release(): void {
    this.#isLeft = this.#own !== "" && !isDropped(this.#own);
    if (this.#isLeft) return;
    clearInterval(this.#beat);
    this.#own = "";
  }

  #giveSign(): void {
    if (this.#isLeft) {
      this.release();
      return;
    }
    const now = new Date();
    try {
      fs.utimesSync(this.#own, now, now);
    } catch {
      // Taken from a suspended process, which notices before it writes.
    }
  }

  /** Another live process that holds it, 0 for none; removes files of dead processes. */
  #otherThan(own: string): number {
    let alive = 0;
    this.#isSure = false;
    for (const name of fs.readdirSync(this.#directory)) {
      const file = path.join(this.#directory, name);
      if (!NAME.test(name) || file === own) continue;
      if (this.#runs(file, NAME.exec(name)!)) alive = Number(name.split("-")[1]);
      else removeOwn(file);
    }
    return alive;
  }

  #runs(file: string, [, pid, started, space]: RegExpExecArray): boolean {
    // Another thread of this process has its own names.
    const isOurs = space !== "0" && space === processSpace() && Number(pid) !== process.pid;
    if (isOurs || held.has(file)) {
      const isRunning = held.has(file) || startOf(pid!) === started;
      this.#isSure ||= isRunning;
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
 * Takes the lock for the lifetime of the process. Blocks while a dead holder can only be detected by its unchanged
 * file.
 * @returns a function that releases it
 * @throws StateDirectoryError if another process holds it
 */
export function lockDirectory(directory: string): () => void {
  const lock = new StateLock(directory);
  const endMs = performance.now() + SILENCE_MS + BEAT_MS;
  for (let refusals = 0; ; refusals++) {
    const holder = lock.tryTake();
    if (holder === 0) return () => lock.release();
    // If two come at the same time, both step back.
    const isHeld = lock.isSure ? refusals >= 3 : performance.now() > endMs;
    if (isHeld) {
      const what = `in use by process ${holder}; stop it or choose another directory`;
      throw new StateDirectoryError(`${directory}: ${what}`);
    }
    pause(5 + Math.random() * 45);
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

/** This process in a lock's name. */
function identity(): string {
  return `${process.pid}-${startOf("self") || 0}-${processSpace()}`;
}

/**
 * The namespace in which equal numbers mean the same process: this boot of this machine, and this container. "0" if
 * unknown.
 */
function processSpace(): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    const names = fs.readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(boot).update(names).digest("hex").slice(0, 12);
  } catch {
    return "0";
  }
}

/** The start time of a process in ticks since the boot; "" if no such process runs. */
function startOf(pid: string): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in field 2 may contain anything, so count from its closing bracket: fields 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "" : fields[19]!;
  } catch {
    return "";
  }
}
