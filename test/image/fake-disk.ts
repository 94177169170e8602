// A disk behind QuickJS's `os`, whose power can go at any step: what was not synced may be there
// afterwards or not. The file functions of the loader run on it as they are.

import type { Os } from "../../platform/quickjs/engine.ts";

const NO_SUCH_FILE = -2;
const FILE_EXISTS = -17;

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

export class FakeDisk {
  /** Steps done so far that change the disk. */
  steps = 0;
  /** The step at which the power goes. */
  cutAt = Number.POSITIVE_INFINITY;
  private names = new Map<string, File>();
  private durableNames = new Map<string, File>();
  private readonly open = new Map<number, { file: File; at: number }>();

  /** The state that `os` of QuickJS shows; functions that the loader does not use are missing. */
  readonly os: Os = {
    O_RDONLY: 0,
    O_WRONLY: 1,
    O_CREAT: 64,
    O_EXCL: 128,
    open: (path: string, flags: number) => this.openFile(path, flags),
    close: (fd: number) => (this.open.delete(fd) ? 0 : -9),
    read: (fd: number, into: ArrayBuffer, offset: number, length: number) => {
      const handle = this.open.get(fd)!;
      const part = handle.file.content.subarray(handle.at, handle.at + length);
      new Uint8Array(into, offset, part.length).set(part);
      handle.at += part.length;
      return part.length;
    },
    write: (fd: number, from: ArrayBuffer, offset: number, length: number) => {
      this.step();
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
      this.step();
      this.names.delete(path);
      return 0;
    },
    rename: (from: string, to: string) => {
      this.step();
      this.names.set(to, this.names.get(from)!);
      this.names.delete(from);
      return 0;
    },
    exec: ([command, ...paths]: readonly string[]) => {
      if (command !== "sync") throw new Error(`no command ${command} here`);
      for (const path of paths) this.sync(path);
      return 0;
    },
  } as Partial<Os> as Os;

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

  private step(): void {
    if (this.steps++ === this.cutAt) throw new PowerCut(`the power went at step ${this.cutAt}`);
  }

  private openFile(path: string, flags: number): number {
    let file = this.names.get(path);
    if ((flags & 64) !== 0) {
      if (file && (flags & 128) !== 0) return FILE_EXISTS;
      this.step();
      file = { content: Buffer.alloc(0), durable: Buffer.alloc(0) };
      this.names.set(path, file);
    }
    if (!file) return NO_SUCH_FILE;
    const fd = 3 + this.steps + this.open.size;
    this.open.set(fd, { file, at: 0 });
    return fd;
  }

  private sync(path: string): void {
    this.step();
    const file = this.names.get(path);
    if (file) file.durable = file.content;
    else this.durableNames = new Map(this.names);
  }
}
