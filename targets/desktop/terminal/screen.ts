// The terminal as a screen: taken over on start, given back however the program ends. Draws lines and
// hands over keys; what is drawn is in layout.ts.
import type { ReadStream, WriteStream } from "node:tty";
import type { ScreenSize } from "./layout.ts";

const ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l";
const REDRAW_MS = 40;
/** Bars run down without anything happening to the device. */
const REFRESH_MS = 250;

export class Screen {
  #open = false;
  #due: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;
  readonly #close = (): void => this.close();
  readonly #redraw = (): void => this.draw();

  readonly #output: WriteStream;
  readonly #input: ReadStream;
  readonly #lines: (size: ScreenSize) => string[];
  readonly #onKey: (key: string) => void;

  constructor(
    output: WriteStream,
    input: ReadStream,
    lines: (size: ScreenSize) => string[],
    onKey: (key: string) => void,
  ) {
    this.#output = output;
    this.#input = input;
    this.#lines = lines;
    this.#onKey = onKey;
  }

  open(): void {
    this.#open = true;
    this.#output.write(ENTER);
    takeKeys(this.#input, this.#onKey);
    this.#output.on("resize", this.#redraw);
    // The first before Node prints the exception, or it would be lost with this screen.
    process.on("uncaughtExceptionMonitor", this.#close);
    process.on("exit", this.#close);
    this.#refresh = setInterval(this.#redraw, REFRESH_MS);
    this.draw();
  }

  /** Gives the terminal back. Harmless the second time. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    clearTimeout(this.#due);
    clearInterval(this.#refresh);
    this.#output.off("resize", this.#redraw);
    process.off("uncaughtExceptionMonitor", this.#close);
    process.off("exit", this.#close);
    releaseKeys(this.#input);
    this.#output.write(LEAVE);
  }

  /** Draws soon; many changes in a row are drawn once. */
  change(): void {
    if (!this.#open || this.#due !== undefined) return;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      this.draw();
    }, REDRAW_MS);
  }

  draw(): void {
    if (!this.#open) return;
    const size = { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
    const lines = this.#lines(size);
    // Line by line with its own clearing: no flicker. No newline after the last: it would scroll.
    const text = lines.map((line, row) => `\x1b[${row + 1};1H${line}\x1b[0m\x1b[K`).join("");
    this.#output.write(`${text}\x1b[J`);
  }
}

/** Reads single keys, without echo and without waiting for a line. */
export function takeKeys(input: ReadStream, onKey: (key: string) => void): void {
  input.setRawMode(true);
  input.setEncoding("utf8");
  input.on("data", (data: string | Buffer) => {
    const text = String(data);
    // Cursor and function keys come as sequences; none of them means anything here.
    if (text.startsWith("\x1b") && text.length > 1) return;
    for (const key of text) onKey(key);
  });
  input.resume();
}

export function releaseKeys(input: ReadStream): void {
  input.setRawMode(false);
  input.removeAllListeners("data");
  input.pause();
}
