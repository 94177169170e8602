// The terminal as a screen: draws lines, reads input, and restores the terminal when the program ends.
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { hasUtf8 } from "../../command/terminal.ts";
import { time } from "../panel/client/dom.ts";
import { ACTIONS } from "../simulator/actions.ts";
import { qrLines } from "../simulator/device/display.ts";
import { type PrintedSlip, slipLines } from "../simulator/device/paper.ts";
import type { Simulation } from "../simulator/simulation.ts";
import type { ScreenSize } from "./layout.ts";

const ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l";
const REDRAW_MS = 40;
/** The screen is drawn at least this often, because the displayed time advances even if nothing happens. */
const REFRESH_MS = 250;

/** The screen draws the input, so the output of the line editor is discarded. */
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

export interface Typist {
  onLine(line: string): void;
  onQuit(): void;
}

/** Passes each entered line to `onLine`. With a screen, tab completes names, and `line` has the unfinished input. */
export function takeLines(input: ReadStream, { onLine, onQuit }: Typist, hasScreen: boolean) {
  const names = [...ACTIONS.map(({ name }) => name), "quit"];
  const lines = createInterface({
    input,
    ...(hasScreen && { output: nowhere, terminal: true }),
    completer: (text: string) => [names.filter((name) => name.startsWith(text)), text],
  });
  lines.on("line", (line) => {
    if (["q", "quit"].includes(line.trim())) onQuit();
    else if (line.trim() !== "") onLine(line.trim());
  });
  lines.on("SIGINT", onQuit);
  return lines;
}

export class Screen {
  #lines: Interface | undefined;
  #due: NodeJS.Timeout | undefined;
  #refresh: NodeJS.Timeout | undefined;
  readonly #close = (): void => this.close();
  readonly #redraw = (): void => this.draw();

  readonly #output: WriteStream;
  readonly #input: ReadStream;
  readonly #layOut: (size: ScreenSize, typed: string) => string[];
  readonly #typist: Typist;

  constructor(
    output: WriteStream,
    input: ReadStream,
    layOut: (size: ScreenSize, typed: string) => string[],
    typist: Typist,
  ) {
    this.#output = output;
    this.#input = input;
    this.#layOut = layOut;
    this.#typist = typist;
  }

  open(): void {
    this.#output.write(ENTER);
    this.#lines = takeLines(this.#input, this.#typist, true);
    this.#lines.on("close", () => this.#typist.onQuit());
    this.#input.on("keypress", () => this.change());
    this.#output.on("resize", this.#redraw);
    // Leave the screen before Node prints an exception, which would otherwise disappear with the screen.
    process.on("uncaughtExceptionMonitor", this.#close);
    process.on("exit", this.#close);
    this.#refresh = setInterval(this.#redraw, REFRESH_MS);
    this.draw();
  }

  /** Restores the terminal. Further calls have no effect. */
  close(): void {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#lines = undefined;
    clearTimeout(this.#due);
    clearInterval(this.#refresh);
    this.#output.off("resize", this.#redraw);
    process.off("uncaughtExceptionMonitor", this.#close);
    process.off("exit", this.#close);
    lines.close();
    this.#output.write(LEAVE);
  }

  /** Draws after a short delay, once for several changes. */
  change(): void {
    if (this.#lines === undefined || this.#due !== undefined) return;
    this.#due = setTimeout(() => {
      this.#due = undefined;
      this.draw();
    }, REDRAW_MS);
  }

  draw(): void {
    if (this.#lines === undefined) return;
    const size = { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
    const lines = this.#layOut(size, this.#lines.line);
    // To avoid flicker, clear line by line. A newline after the last line would scroll.
    const text = lines.map((line, row) => `\x1b[${row + 1};1H${line}\x1b[0m\x1b[K`).join("");
    this.#output.write(`${text}\x1b[J`);
  }
}

/** Prints each changed frame and new slip as text, for output without a screen. Returns a function that stops this. */
export function printFrames(simulation: Simulation, write: (text: string) => void): () => void {
  let drawn = "";
  let printed = 0;
  return simulation.onChange(() => {
    const { display, paper } = simulation;
    if (paper.count !== printed) {
      printed = paper.count;
      write(slipText(paper.slips.at(-1)!));
    }
    const frame = frameText(display.lines);
    if (frame === drawn || !display.lit) return;
    drawn = frame;
    write(`${time(simulation.clock.nowMs())}\n${frame}`);
  });
}

export function frameText(lines: readonly string[]): string {
  const edge = `+${"-".repeat(lines[0]?.length ?? 0)}+`;
  return [edge, ...lines.map((line) => `|${line}|`), edge, ""].join("\n");
}

function slipText(slip: PrintedSlip): string {
  const modules = hasUtf8(process.env) ? slip.modules : [];
  const all = [...slipLines(slip), ...qrLines(modules), slip.footing];
  const width = Math.max(...all.map((line) => line.length));
  return `${["", ...all, ""].map((line) => `  :${line.padEnd(width)}:`).join("\n")}\n`;
}
