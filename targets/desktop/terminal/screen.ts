// The terminal as a screen: taken over on start, given back however the program ends. Draws lines and hands over what
// is typed; what is drawn is in layout.ts.
import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { ReadStream, WriteStream } from "node:tty";
import { time } from "../panel/client/dom.ts";
import { DEEDS } from "../simulator/deeds.ts";
import { qrLines } from "../simulator/device/display.ts";
import { type PrintedSlip, slipLines } from "../simulator/device/paper.ts";
import type { Simulation } from "../simulator/simulation.ts";
import type { ScreenSize } from "./layout.ts";

const ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l";
const REDRAW_MS = 40;
/** The clock goes on without anything happening to the device. */
const REFRESH_MS = 250;

/** What is typed is drawn by the screen, and not by the line editor. */
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });

/** Hears lines that are typed; `quit` and the keys that mean it end the program. */
export interface Typist {
  onLine(line: string): void;
  onQuit(): void;
}

/** Reads lines from a person; with a screen each letter at once, with tab to complete a name. */
export function takeLines(input: ReadStream, { onLine, onQuit }: Typist, hasScreen: boolean) {
  const names = [...DEEDS.map(({ name }) => name), "quit"];
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
    // The first before Node prints the exception, or it would be lost with this screen.
    process.on("uncaughtExceptionMonitor", this.#close);
    process.on("exit", this.#close);
    this.#refresh = setInterval(this.#redraw, REFRESH_MS);
    this.draw();
  }

  /** Gives the terminal back. Harmless the second time. */
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

  /** Draws soon; many changes in a row are drawn once. */
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
    // Line by line with its own clearing: no flicker. No newline after the last: it would scroll.
    const text = lines.map((line, row) => `\x1b[${row + 1};1H${line}\x1b[0m\x1b[K`).join("");
    this.#output.write(`${text}\x1b[J`);
  }
}

// Output for pipes, logs and terminals without a cursor: each changed frame as text, with the time at
// which it changed, and a line for everything else that happens.

/** Prints frames as they change. Returns what ends it. */
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

/** A frame with its border, as lines that each end with a newline. */
export function frameText(lines: readonly string[]): string {
  const edge = `+${"-".repeat(lines[0]?.length ?? 0)}+`;
  return [edge, ...lines.map((line) => `|${line}|`), edge, ""].join("\n");
}

/** A slip of paper as it comes out, with its QR code in characters. */
function slipText(slip: PrintedSlip): string {
  const all = [...slipLines(slip), ...qrLines(slip.modules), slip.footing];
  const width = Math.max(...all.map((line) => line.length));
  return `${["", ...all, ""].map((line) => `  :${line.padEnd(width)}:`).join("\n")}\n`;
}
