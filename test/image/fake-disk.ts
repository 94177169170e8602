// A disk behind QuickJS's `os`, whose power can go at any step (what was not synced may be there
// afterwards or not), and whose calls can fail at any step, once or from there on. The file functions of
// the loader run on it as they are.

import type { Os } from "../../platform/quickjs/engine.ts";

const NO_SUCH_FILE = -2;
const FILE_EXISTS = -17;
const IO_ERROR = -5;
/** flock's exit status where another program has the lock. */
const LOCKED = 1;

interface File {
  /** What a reader sees now. */
  content: Buffer;
  /** What is on the medium for sure. */
  durable: Buffer;
}

/** How a disk looks after the power went, as far as nothing was synced. */
export const AFTERMATHS = ["all lost", "names kept", "half written", "all kept"] as const;
export type Aftermath = (typeof AFTERMATHS)[number];

export class PowerCut extends Error {}

/** Calls that fail, counted from 0 from when the fault is set. */
export interface Fault {
  /** `once`: that call. `on`: that one and all behind it. `writes`: only those that change the disk. */
  readonly kind: "once" | "on" | "writes";
  readonly at: number;
  /** As QuickJS has it: negative. */
  readonly errno: number;
}

export class FakeDisk {
  /** Steps done so far that change the disk. */
  steps = 0;
  /** The step at which the power goes. */
  cutAt = Number.POSITIVE_INFINITY;
  /** The power is gone: nothing works any more. */
  isCut = false;
  /** Calls so far since the fault was set. */
  calls = 0;
  /** How many of them have failed. */
  failures = 0;
  private fault: Fault | undefined;
  private locked: File | undefined;
  private names = new Map<string, File>();
  private durableNames = new Map<string, File>();
  private readonly open = new Map<number, { file: File; at: number }>();

  /** The state that `os` of QuickJS shows; functions that the loader does not use are missing. */
  readonly os: Os = {
    O_RDONLY: 0,
    O_WRONLY: 1,
    O_RDWR: 2,
    O_CREAT: 64,
    O_EXCL: 128,
    open: (path: string, flags: number) => this.openFile(path, flags),
    close: (fd: number) => {
      const file = this.open.get(fd)?.file;
      // Whoever closes its file gives the lock back.
      if (file !== undefined && file === this.locked) this.locked = undefined;
      return this.open.delete(fd) ? 0 : -9;
    },
    read: (fd: number, into: ArrayBuffer, offset: number, length: number) => {
      const failed = this.failing(false);
      if (failed !== 0) return failed;
      const handle = this.open.get(fd)!;
      const part = handle.file.content.subarray(handle.at, handle.at + length);
      new Uint8Array(into, offset, part.length).set(part);
      handle.at += part.length;
      return part.length;
    },
    write: (fd: number, from: ArrayBuffer, offset: number, length: number) => {
      const failed = this.step();
      if (failed !== 0) return failed;
      const { file } = this.open.get(fd)!;
      // In two goes, so that a cut can come between.
      const size = length > 1 ? length >> 1 : length;
      file.content = Buffer.concat([file.content, new Uint8Array(from, offset, size)]);
      return size;
    },
    stat: (path: string) => {
      const file = this.names.get(path);
      return file ? [{ size: file.content.length }, 0] : [null, 2];
    },
    remove: (path: string) => {
      if (!this.names.has(path)) return NO_SUCH_FILE;
      const failed = this.step();
      if (failed === 0) this.names.delete(path);
      return failed;
    },
    rename: (from: string, to: string) => {
      const failed = this.step();
      if (failed !== 0) return failed;
      this.names.set(to, this.names.get(from)!);
      this.names.delete(from);
      return 0;
    },
    exec: ([command, ...args]: readonly string[], options: { stdin?: number }) => {
      if (command === "flock") return this.flock(options.stdin ?? -1);
      if (command !== "sync") throw new Error(`no command ${command} here`);
      return args.every((path) => this.sync(path)) ? 0 : 1;
    },
  } as Partial<Os> as Os;

  /** From now on calls fail; none do where nothing is given. */
  fail(fault?: Fault): void {
    this.fault = fault;
    this.calls = 0;
    this.failures = 0;
  }

  content(path: string): Buffer | undefined {
    return this.names.get(path)?.content;
  }

  /** Puts a file there, durably: the factory does it. */
  put(path: string, content: Buffer): void {
    this.names.set(path, { content, durable: content });
    this.durableNames = new Map(this.names);
  }

  /** The disk as it is found when the power is back. */
  restart(aftermath: Aftermath): FakeDisk {
    const disk = new FakeDisk();
    const names = aftermath === "all lost" ? this.durableNames : this.names;
    for (const [path, { content, durable }] of names) {
      const half = content.subarray(0, content.length >> 1);
      const written = content.equals(durable) ? content : half;
      if (aftermath === "all kept") disk.put(path, content);
      else disk.put(path, aftermath === "half written" ? written : durable);
    }
    return disk;
  }

  /** A call that changes the disk: 0, or a negative errno. */
  private step(): number {
    if (this.isCut || this.steps++ === this.cutAt) {
      this.isCut = true;
      throw new PowerCut(`the power went at step ${this.cutAt}`);
    }
    return this.failing(true);
  }

  private failing(isWrite: boolean): number {
    if (this.isCut) throw new PowerCut("the power is gone");
    const { fault } = this;
    if (fault === undefined || (fault.kind === "writes" && !isWrite)) return 0;
    const call = this.calls++;
    if (fault.kind === "once" ? call !== fault.at : call < fault.at) return 0;
    this.failures++;
    return fault.errno;
  }

  private openFile(path: string, flags: number): number {
    let file = this.names.get(path);
    const isMade = (flags & 64) !== 0 && file === undefined;
    if (file && (flags & 192) === 192) return FILE_EXISTS;
    if (!file && !isMade) return NO_SUCH_FILE;
    const failed = isMade ? this.step() : this.failing((flags & 3) !== 0);
    if (failed !== 0) return failed;
    if (isMade) {
      file = { content: Buffer.alloc(0), durable: Buffer.alloc(0) };
      this.names.set(path, file);
    }
    const fd = 3 + this.nextFd++;
    this.open.set(fd, { file: file!, at: 0 });
    return fd;
  }

  private nextFd = 0;

  private flock(fd: number): number {
    // The command itself may not be to be had.
    if (this.failing(false) !== 0) return 127;
    const { file } = this.open.get(fd)!;
    if (this.locked !== undefined) return LOCKED;
    this.locked = file;
    return 0;
  }

  private sync(path: string): boolean {
    if (this.step() !== 0) return false;
    const file = this.names.get(path);
    if (file) file.durable = file.content;
    else this.durableNames = new Map(this.names);
    return true;
  }
}

/** What a medium says that is full, read-only, or broken. */
export const ERRORS = { full: -28, readOnly: -30, broken: IO_ERROR } as const;
