// The loader's slots and boot record as files of a directory, under QuickJS. What they mean is in
// targets/image/slots.ts.

import type { Os } from "../../platform/quickjs/engine.ts";
import { FileError, NO_SUCH_FILE, reasonOf, replaceFile } from "../../platform/quickjs/files.ts";
import type { SlotStore, StoreFile } from "../image/slots.ts";

export class SlotFiles implements SlotStore {
  private readonly os: Os;
  private readonly directory: string;
  private lockFile = -1;

  constructor(os: Os, directory: string) {
    this.os = os;
    this.directory = directory;
  }

  read(name: StoreFile, limit: number): Uint8Array | undefined {
    return readBeginning(this.os, `${this.directory}/${name}`, limit);
  }

  replace(name: StoreFile, bytes: Uint8Array): void {
    const path = `${this.directory}/${name}`;
    if (!replaceFile(this.os, path, bytes)) throw new FileError(`${path}: cannot be written`);
  }

  /**
   * The kernel's own lock, which a killed program cannot leave behind: QuickJS has no flock(2), but the
   * command can take it on a file that we have opened, and it is ours until we close that.
   */
  lock(): boolean {
    const { os } = this;
    const path = `${this.directory}/lock`;
    const file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600);
    if (file < 0) throw new FileError(`${path}: cannot be written (${reasonOf(file)})`);
    const status = os.exec(["flock", "-x", "-n", "0"], { block: true, stdin: file });
    if (status === 0) {
      this.lockFile = file;
      return true;
    }
    os.close(file);
    if (status === 1) return false;
    throw new FileError(`${path}: cannot be locked; is there a flock command?`);
  }

  unlock(): void {
    this.os.close(this.lockFile);
  }
}

/**
 * The first `limit` bytes of a file, all of them where it has fewer.
 * @returns undefined where there is none
 * @throws FileError where it cannot be read
 */
export function readBeginning(os: Os, path: string, limit: number): Uint8Array | undefined {
  const fd = os.open(path, os.O_RDONLY);
  if (fd === NO_SUCH_FILE) return undefined;
  if (fd < 0) throw new FileError(`${path}: cannot be opened (${reasonOf(fd)})`);
  try {
    const size = os.stat(path)[0]?.size ?? 0;
    // No more memory than the file needs; a pipe or device file has no size to go by.
    const buffer = new Uint8Array(size > 0 ? Math.min(size, limit) : limit);
    let length = 0;
    while (length < buffer.length) {
      const count = os.read(fd, buffer.buffer, length, buffer.length - length);
      if (count < 0) throw new FileError(`${path}: cannot be read (${reasonOf(count)})`);
      if (count === 0) break;
      length += count;
    }
    return buffer.subarray(0, length);
  } finally {
    os.close(fd);
  }
}
