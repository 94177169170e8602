// Where frames are shown under QuickJS: a terminal, the character LCD of Linux's charlcd driver, or
// plain text on a file, a device node or an open file descriptor.

import type { DeviceConfig } from "../configuration/device-config.ts";
import type { Bytes, Display } from "../contracts.ts";
import { TerminalDisplay } from "../display/terminal-display.ts";
import { asciiOf } from "../text/text.ts";
import type { Os } from "./engine.ts";
import { FileError, reasonOf, writeAll } from "./files.ts";

const STANDARD_OUTPUT = 1;

type DisplayConfig = NonNullable<DeviceConfig["display"]>;

/** Its size in characters, 20x4 where the configuration says nothing. */
export function displaySizeOf({ columns = 20, rows = 4 }: DisplayConfig = {}): {
  columns: number;
  rows: number;
} {
  return { columns, rows };
}

/**
 * The display that the configuration asks for; default: a terminal of 20x4.
 * @throws FileError where its path cannot be opened
 */
export function displayOf(os: Os, config: DisplayConfig = {}): Display {
  const { kind = "terminal", path } = config;
  const size = displaySizeOf(config);
  const fd = path === undefined ? (config.fileDescriptor ?? STANDARD_OUTPUT) : openFor(os, path);
  if (kind === "terminal") return terminal(os, fd, size);
  return new LineDisplay(size, kind === "lcd" ? lcdFrame : textFrame, kind === "lcd", (text) => {
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    if (path !== undefined && isFile(os, path)) showInFile(os, path, bytes);
    // A device gets each frame after the one before. One that is gone may come back: nothing is to be done.
    else writeAll(os, fd, bytes);
  });
}

/**
 * A file always holds the frame of now. Where it cannot be written, because its place is gone or read-only, this
 * frame is not shown: a display is no reason for the device to end.
 */
function showInFile(os: Os, path: string, bytes: Uint8Array): void {
  try {
    const fd = openFor(os, path);
    writeAll(os, fd, bytes);
    os.close(fd);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

function terminal(os: Os, fd: number, size: Size): Display {
  const isTTY = os.isatty(fd);
  const columns = isTTY ? (os.ttyGetWinSize(fd)?.[0] ?? 80) : 80;
  const write = (text: string): unknown =>
    writeAll(
      os,
      fd,
      Uint8Array.from(text, (character) => character.charCodeAt(0)),
    );
  return new TerminalDisplay({ ...size, output: { write, isTTY, columns } });
}

/** Makes what is written out of the rows of a frame. */
type Format = (rows: readonly string[], first: boolean) => string;

const lcdFrame: Format = (rows, first) => {
  // drivers/auxdisplay/charlcd.c: cursor and blinking off, clear, then each row at its place.
  const begin = first ? "\x1b[Lc\x1b[Lb\f" : "";
  return begin + rows.map((row, y) => `\x1b[Lx0y${y};${row}`).join("");
};

const textFrame: Format = (rows) => `${rows.join("\n")}\n\n`;

/** A display that is a place to write text to. */
export class LineDisplay implements Display {
  readonly columns: number;
  readonly rows: number;
  readonly #format: Format;
  readonly #unshown: RegExp;
  readonly #write: (text: string) => void;
  #first = true;

  /** @param hasRom whether bytes from 0x80 on are characters of the display's own: a file has no such set */
  constructor(size: Size, format: Format, hasRom: boolean, write: (text: string) => void) {
    this.#unshown = hasRom ? /[^ -~\x80-\xff]/g : /[^ -~]/g;
    this.columns = size.columns;
    this.rows = size.rows;
    this.#format = format;
    this.#write = write;
  }

  show(cells: Bytes, from: number): void {
    const rows: string[] = [];
    for (let row = 0; row < this.rows; row++) {
      const at = from + row * this.columns;
      // A device obeys control characters: none may reach it.
      rows.push(asciiOf(cells, at, at + this.columns).replace(this.#unshown, "?"));
    }
    this.#write(this.#format(rows, this.#first));
    this.#first = false;
  }
}

function isFile(os: Os, path: string): boolean {
  const [status] = os.stat(path);
  return status === null || (status.mode & os.S_IFMT) === os.S_IFREG;
}

function openFor(os: Os, path: string): number {
  const [status] = os.stat(path);
  // A pipe without a reader would stop the whole device.
  if (status && (status.mode & os.S_IFMT) === os.S_IFIFO) {
    throw new FileError(`display.path ${path} is a pipe; give a file or a device`);
  }
  const flags = isFile(os, path) ? os.O_WRONLY | os.O_CREAT | os.O_TRUNC : os.O_WRONLY;
  const fd = os.open(path, flags, 0o600);
  if (fd < 0) throw new FileError(`display.path ${path} cannot be opened (${reasonOf(fd)})`);
  return fd;
}
