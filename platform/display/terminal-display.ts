// The character display in a terminal: a bordered frame that is redrawn in place. In a file, a pipe or a narrow terminal,
// each changed frame is printed.

import type { Bytes, Display } from "../contracts.ts";
import { asciiOf } from "../text/text.ts";
import { type RomName, romCharacter } from "./display-rom.ts";

/** The members of `process.stdout` that the display uses. */
export interface TerminalOutput {
  /** Writes text, which may contain escape sequences. */
  write(text: string): unknown;
  /** Whether the output is a terminal. In a terminal, frames are redrawn in place. */
  readonly isTTY?: boolean | undefined;
  /** The terminal's width in characters. */
  readonly columns?: number | undefined;
  /** Without a listener for `error`, a closed terminal would end the process. */
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** The options of a terminal display. */
export interface TerminalDisplayOptions {
  /** 16..80, default 20. */
  columns?: number;
  /** 2..8, default 4. */
  rows?: number;
  /** Default `process.stdout`. */
  output?: TerminalOutput;
  /** The character ROM of the display. Without it, only printable ASCII is shown. */
  rom?: RomName;
}

/** Draws frames. Print other lines with `note`: the next frame overwrites lines that are printed in another way. */
export class TerminalDisplay implements Display {
  readonly columns: number;
  readonly rows: number;
  readonly #output: TerminalOutput;
  readonly #rom: RomName | undefined;
  #drawn = "";
  #isGone = false;

  constructor(options: TerminalDisplayOptions = {}) {
    this.columns = options.columns ?? 20;
    this.rows = options.rows ?? 4;
    if (!(this.columns >= 16 && this.columns <= 80 && this.rows >= 2 && this.rows <= 8)) {
      throw new RangeError(
        `display of ${this.columns}x${this.rows}: it must have 16..80 columns and 2..8 rows`,
      );
    }
    this.#output = options.output ?? process.stdout;
    this.#rom = options.rom;
    // If the reader of a pipe closes it, the display shows nothing more, and the device continues.
    this.#output.on?.("error", () => {
      this.#isGone = true;
    });
  }

  show(cells: Bytes, from: number): void {
    const frame = this.#frameOf(cells, from);
    if (frame === this.#drawn || this.#isGone) return;
    this.#output.write(this.#clearing() + frame);
    this.#drawn = frame;
  }

  /** Prints a line above the frame. */
  note(line: string): void {
    if (this.#isGone) return;
    const redrawn = this.#redraws() ? this.#drawn : "";
    this.#output.write(`${this.#clearing()}${printableOnly(line)}\n${redrawn}`);
  }

  /** Whether frames are redrawn in place: in a terminal that is wide enough. A wrapped line would remain on the screen. */
  #redraws(): boolean {
    const width = this.#output.columns ?? 80;
    return this.#output.isTTY === true && width >= this.columns + 2;
  }

  /** Returns the escape sequences to move to the frame's start and clear the rest; "" if frames are not redrawn. */
  #clearing(): string {
    return this.#drawn !== "" && this.#redraws() ? `\x1b[${this.rows + 2}A\r\x1b[J` : "";
  }

  #frameOf(cells: Bytes, from: number): string {
    const edge = `+${"-".repeat(this.columns)}+\n`;
    let frame = edge;
    for (let row = 0; row < this.rows; row++) {
      const at = from + row * this.columns;
      const line = asciiOf(cells, at, at + this.columns);
      frame += `|${this.#rom ? romCharacters(this.#rom, line) : printableOnly(line)}|\n`;
    }
    return frame + edge;
  }
}

const romCharacters = (rom: RomName, bytes: string): string =>
  bytes.replace(/./gs, (byte) => (byte < " " ? "?" : romCharacter(rom, byte.charCodeAt(0))));

/** Replaces all but printable ASCII: a terminal executes control characters, and the text may come from a server. */
function printableOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}
