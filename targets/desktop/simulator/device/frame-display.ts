// The character display as the simulator sees it: the present frame as lines of text, dark without power.
import * as core from "../../../../core/complete.ts";
import type { Bytes, Display } from "../../../../platform/contracts.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { type RomName, romCharacter } from "../../../../platform/languages/display-rom.ts";
import { asciiOf } from "../../../../platform/text.ts";

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

type Device = Driver["device"];

/** The code or one of its addresses, as whoever stands before the device can read them: "" where no code can be read from the display. */
export function shownText(
  device: Device | undefined,
  display: FrameDisplay,
  region: number,
): string {
  return device !== undefined && hasCode(device, display) ? textIn(device, region) : "";
}

/** Whether a code can be read from the display: a good one, or one that is being checked after a restart. */
function hasCode(device: Device, display: FrameDisplay): boolean {
  if (device.codeShown === 1) return true;
  const code = textIn(device, core.Field.USER_CODE);
  const isKept = device.state === core.State.PENDING && code !== "";
  return isKept && (display.lines.at(-1)?.includes(code) ?? false);
}

function textIn({ memory, start, length }: Device, region: number): string {
  const from = start[region]!;
  return asciiOf(memory, from, from + Math.max(0, length[region]!));
}
