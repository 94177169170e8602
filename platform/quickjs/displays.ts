// Displays under QuickJS: a terminal, the character LCD of Linux's charlcd driver, or plain text to a file, a device
// node or an open file descriptor.

import type { DeviceConfig } from "../configuration/device-config.ts";
import type { Display } from "../contracts.ts";
import { TerminalDisplay } from "../display/terminal-display.ts";
import { asciiOf, latinBytesOf } from "../text/text.ts";
import type { Os } from "./engine.ts";
import { FileError, isOfKind, reasonOf, writeAll } from "./files.ts";

const STANDARD_OUTPUT = 1;

type DisplayConfig = NonNullable<DeviceConfig["display"]>;

type Size = Pick<Display, "columns" | "rows">;

export function displaySizeOf({ columns = 20, rows = 4 }: DisplayConfig = {}): Size {
  return { columns, rows };
}

/** Opens the configured display; default: a terminal of 20x4. @throws FileError if its path cannot be opened */
export function displayOf(os: Os, config: DisplayConfig = {}): Display {
  const { kind = "terminal", path } = config;
  const size = displaySizeOf(config);
  const fd = path === undefined ? (config.fileDescriptor ?? STANDARD_OUTPUT) : openFor(os, path);
  const write = (text: string): void => {
    const bytes = latinBytesOf(text);
    if (kind !== "terminal" && path !== undefined && isFile(os, path)) showInFile(os, path, bytes);
    // Other outputs get one frame after the other. A failure is ignored, because a missing device may come back later.
    else writeAll(os, fd, bytes);
  };
  if (kind !== "terminal") return lineDisplay(size, kind === "lcd", write);
  const isTTY = os.isatty(fd);
  const columns = isTTY ? (os.ttyGetWinSize(fd)?.[0] ?? 80) : 80;
  return new TerminalDisplay({ ...size, output: { write, isTTY, columns } });
}

/** The file contains only the newest frame. If it cannot be written, the device continues without a display. */
function showInFile(os: Os, path: string, bytes: Uint8Array): void {
  try {
    const fd = openFor(os, path);
    writeAll(os, fd, bytes);
    os.close(fd);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
}

/** Returns a display that receives text: a device of Linux's charlcd driver, or lines of plain text. */
export function lineDisplay(
  { columns, rows }: Size,
  isLcd: boolean,
  write: (text: string) => void,
): Display {
  // A display executes control characters, so these are replaced. Only an LCD has characters beyond ASCII.
  const unshown = isLcd ? /[^ -~\x80-\xff]/g : /[^ -~]/g;
  // The first frame switches off cursor and blinking, and clears the display (drivers/auxdisplay/charlcd.c).
  let begin = "\x1b[Lc\x1b[Lb\f";
  return {
    ...{ columns, rows },
    show(cells, from) {
      const lines = Array.from({ length: rows }, (_, row) => {
        const at = from + row * columns;
        return asciiOf(cells, at, at + columns).replace(unshown, "?");
      });
      const places = lines.map((line, y) => `\x1b[Lx0y${y};${line}`);
      write(isLcd ? begin + places.join("") : `${lines.join("\n")}\n\n`);
      begin = "";
    },
  };
}

function isFile(os: Os, path: string): boolean {
  return os.stat(path)[0] === null || isOfKind(os, path, "S_IFREG");
}

function openFor(os: Os, path: string): number {
  // Opening a pipe without a reader would block the whole device, and so would a write to a full pipe.
  if (isOfKind(os, path, "S_IFIFO")) {
    throw new FileError(`display.path ${path} is a pipe; give a file or a device`);
  }
  const flags = isFile(os, path) ? os.O_WRONLY | os.O_CREAT | os.O_TRUNC : os.O_WRONLY;
  const fd = os.open(path, flags, 0o600);
  if (fd < 0) throw new FileError(`display.path ${path} cannot be opened (${reasonOf(fd)})`);
  return fd;
}
