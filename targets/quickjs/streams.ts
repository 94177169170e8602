// Lines in and events out: commands from standard input or a named pipe, events as lines of JSON.

import type { Os } from "../../platform/quickjs/engine.ts";
import { FileError, reasonOf, writeAll } from "../../platform/quickjs/files.ts";
import { bytesOf } from "../../platform/text.ts";
import type { Emit } from "./app.ts";

/** A longer line is nobody's command: it is dropped. */
const LINE_MAX = 4096;

/** Cuts bytes into lines of ASCII; a line that is too long comes as an empty one. */
class LineReader {
  readonly #line: (text: string) => void;
  #text = "";
  #tooLong = false;

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  feed(bytes: Uint8Array, length: number): void {
    for (let at = 0; at < length; at++) {
      if (bytes[at] === 10) this.#flush();
      else if (this.#text.length >= LINE_MAX) this.#tooLong = true;
      else this.#text += String.fromCharCode(bytes[at]!);
    }
  }

  #flush(): void {
    const text = this.#tooLong ? "" : this.#text;
    this.#text = "";
    this.#tooLong = false;
    this.#line(text);
  }
}

/**
 * Reads commands.
 * @param source "stdin", an absolute path of a named pipe, or undefined: standard input where that is
 *   a terminal
 * @throws FileError where the pipe cannot be opened or is none
 */
export function readCommands(
  os: Os,
  source: string | undefined,
  line: (text: string) => void,
): void {
  if (source === undefined && !os.isatty(0)) return;
  const fd = source === undefined || source === "stdin" ? 0 : openPipe(os, source);
  const chunk = new Uint8Array(1024);
  const reader = new LineReader(line);
  os.setReadHandler(fd, () => {
    const count = os.read(fd, chunk.buffer, 0, chunk.length);
    if (count > 0) reader.feed(chunk, count);
    else os.setReadHandler(fd, null);
  });
}

function openPipe(os: Os, path: string): number {
  const [status] = os.stat(path);
  if (!status || (status.mode & os.S_IFMT) !== os.S_IFIFO) {
    throw new FileError(`control.commands ${path} is no named pipe; make it with mkfifo -m 600`);
  }
  // For writing too: a pipe without a writer would be at its end for ever.
  const fd = os.open(path, os.O_RDWR);
  if (fd < 0) throw new FileError(`control.commands ${path} cannot be opened (${reasonOf(fd)})`);
  return fd;
}

/**
 * Where events go.
 * @param target "stdout", "stderr", an absolute path, or undefined: nowhere
 * @throws FileError where the path cannot be opened, or is a pipe, which could stop the device
 */
export function eventWriter(os: Os, target: string | undefined): Emit {
  if (target === undefined) return () => {};
  const fd = target === "stdout" ? 1 : target === "stderr" ? 2 : openEvents(os, target);
  return (event, bytes) => {
    writeAll(os, fd, bytesOf(`${JSON.stringify(event)}\n`));
    if (bytes !== undefined && bytes.length > 0) writeAll(os, fd, Uint8Array.from([...bytes, 10]));
  };
}

function openEvents(os: Os, path: string): number {
  const [status] = os.stat(path);
  if (status && (status.mode & os.S_IFMT) === os.S_IFIFO) {
    throw new FileError(`control.events ${path} is a pipe; give a file or a device`);
  }
  const fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600);
  if (fd < 0) throw new FileError(`control.events ${path} cannot be opened (${reasonOf(fd)})`);
  return fd;
}
