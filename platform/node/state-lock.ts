// The lock on a state directory, as files: one process at a time. platform/README.md says how.

import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { pause, removeOwn, withRetries } from "./files.ts";
import { StateDirectoryError } from "./platform.ts";

const BEAT_MS = 1000;
const SILENCE_MS = 10_000;
const PREFIX = "lock-";
/** Process, when it began, whose process numbers these are ("0": unknown), chance. */
const NAME = /^lock-(\d+)-(\d+)-([0-9a-f]+)-[0-9a-f]{16}$/;

/** What this process holds, to know it by and to give it back at the end. */
const held = new Set<string>();

/** A lock that can be taken and given back again and again. */
export class StateLock {
  readonly #directory: string;
  /** When a file of another was last seen to change: its time, and ours. */
  readonly #seen = new Map<string, readonly [mtimeMs: number, atMs: number]>();
  /** "" while it is not held: there is no such file. */
  #own = "";
  #isSure = false;
  #beat: NodeJS.Timeout | undefined;

  /** @param directory is there */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Whether it is held still: whoever was asleep for long enough has lost it. */
  get isHeld(): boolean {
    return fs.existsSync(this.#own);
  }

  /** Whether the holder that `tryTake` has named last was seen to run, and not taken to by its file alone. */
  get isSure(): boolean {
    return this.#isSure;
  }

  /**
   * Takes it where nobody has it.
   * @returns the process that has it, 0 where it is taken now
   */
  tryTake(): number {
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

  /** While it is held: makes sure that so many bytes can be written beside it. @throws the system's error */
  reserve(bytes: number): void {
    const handle = fs.openSync(this.#own, "r+");
    try {
      for (let at = 0; at < bytes; ) at += fs.writeSync(handle, Buffer.alloc(bytes - at));
      fs.ftruncateSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  }

  /** Gives it back, where it is held. A medium that does not let it go leaves it held, until the next call. */
  release(): void {
    if (this.#own !== "" && !isDropped(this.#own)) return;
    clearInterval(this.#beat);
    this.#own = "";
  }

  #giveSign(): void {
    const now = new Date();
    try {
      fs.utimesSync(this.#own, now, now);
    } catch {
      // Taken away from a process that was asleep: it finds out before it writes.
    }
  }

  /** The process of another that lives, 0 where there is none; clears the dead away. */
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
    // Another thread of this process has names of its own.
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
 * Takes the lock for as long as the process runs. Blocks while only the silence of its file can show a dead holder.
 * @returns a function that gives it back
 * @throws StateDirectoryError where another process holds it
 */
export function lockDirectory(directory: string): () => void {
  const lock = new StateLock(directory);
  const endMs = performance.now() + SILENCE_MS + BEAT_MS;
  for (let refusals = 0; ; refusals++) {
    const holder = lock.tryTake();
    if (holder === 0) return () => lock.release();
    // Two that come at the same moment both step back.
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

/** Where the same number is the same process: this boot of this machine, and this container. "0" where that is not told. */
function processSpace(): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "latin1");
    const names = fs.readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(boot).update(names).digest("hex").slice(0, 12);
  } catch {
    return "0";
  }
}

/** When a process began, in ticks since the boot; "" where there is none that runs. */
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
