// The character display as the simulator sees it: the present frame as lines of text, dark without power.
import type { Bytes, Display } from "../../../../platform/contracts.ts";
import { type RomName, romCharacter } from "../../../../platform/languages/display-rom.ts";

export class FrameDisplay implements Display {
  /** One string of `columns` characters for each row; blank while dark. */
  lines: readonly string[];
  lit = false;

  readonly #changed: () => void;

  /** @throws RangeError for a size outside 16..80 columns, 2..8 rows */
  constructor(
    readonly columns: number,
    readonly rows: number,
    changed: () => void,
    /** What the display's controller draws for a byte. */
    readonly rom: RomName = "A00",
  ) {
    this.#changed = changed;
    if (!(columns >= 16 && columns <= 80 && rows >= 2 && rows <= 8)) {
      throw new RangeError(`a display of ${columns}x${rows}: it has 16 to 80 columns, 2 to 8 rows`);
    }
    this.lines = this.#blank();
  }

  show(cells: Bytes, from: number): void {
    this.lines = this.lines.map((_, row) => {
      let line = "";
      for (let column = 0; column < this.columns; column++) {
        line += romCharacter(this.rom, cells[from + row * this.columns + column]!);
      }
      return line;
    });
    this.lit = true;
    this.#changed();
  }

  /** The power is gone. */
  darken(): void {
    this.lit = false;
    this.lines = this.#blank();
    this.#changed();
  }

  #blank(): string[] {
    return Array.from({ length: this.rows }, () => " ".repeat(this.columns));
  }
}

/** Whether the text is on the display, in one row or wrapped over several. */
export function shows(lines: readonly string[], text: string): boolean {
  const joined = lines.map((line) => line.trim()).join(" ");
  return joined.replace(/\s+/g, " ").includes(text.replace(/\s+/g, " "));
}
