// The simulated character display.

import * as core from "../../../../core/complete.ts";
import type { Bytes, Display } from "../../../../platform/contracts.ts";
import { type RomName, romCharacter } from "../../../../platform/display/display-rom.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { QrCode } from "../../../../platform/node/qr-code.ts";
import { asciiOf } from "../../../../platform/text/text.ts";

export class FrameDisplay implements Display {
  /** One string of `columns` characters for each row; blank without power. */
  lines: readonly string[];
  lit = false;

  readonly #changed: () => void;

  /** @throws RangeError for a size outside 16..80 columns, 2..8 rows */
  constructor(
    readonly columns: number,
    readonly rows: number,
    changed: () => void,
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

  darken(): void {
    this.lit = false;
    this.lines = this.#blank();
    this.#changed();
  }

  #blank(): string[] {
    return Array.from({ length: this.rows }, () => " ".repeat(this.columns));
  }
}

export function shows(lines: readonly string[], text: string): boolean {
  const joined = lines.map((line) => line.trim()).join(" ");
  return joined.replace(/\s+/g, " ").includes(text.replace(/\s+/g, " "));
}

type Device = Driver["device"];

/** The text of a region, such as the verification URI, while the device has a code to show. Otherwise "". */
export function shownText(
  device: Device | undefined,
  display: FrameDisplay,
  region: number,
): string {
  return device !== undefined && hasCode(device, display) ? textIn(device, region) : "";
}

/** After a restart, a code counts as soon as the display shows it, even if the server has not confirmed it yet. */
function hasCode(device: Device, display: FrameDisplay): boolean {
  if (device.codeConfirmed === 1) return true;
  const code = textIn(device, core.Field.USER_CODE);
  const isStored = device.state === core.State.PENDING && code !== "";
  return isStored && (display.lines.at(-1)?.includes(code) ?? false);
}

function textIn({ memory, start, length }: Device, region: number): string {
  const from = start[region]!;
  return asciiOf(memory, from, from + Math.max(0, length[region]!));
}

export type Modules = readonly (readonly boolean[])[];

/** Width of the quiet zone in modules (ISO/IEC 18004). */
export const QUIET_MODULES = 4;

let lastText = "";
let lastModules: Modules = [];

/** The QR code of a text; [] for "". The last one is cached, because a view needs it several times a second. */
export function qrModules(text: string): Modules {
  if (text === lastText) return lastModules;
  lastText = text;
  lastModules = text === "" ? [] : new QrCode(text).modules();
  return lastModules;
}

/** A QR code in characters, for a light background. A line shows two rows of modules. */
export function qrLines(modules: Modules, quiet = QUIET_MODULES): string[] {
  if (modules.length === 0) return [];
  const isDark = (row: number, column: number): boolean =>
    modules[row - quiet]?.[column - quiet] ?? false;
  const size = modules.length + 2 * quiet;
  const lines: string[] = [];
  for (let row = 0; row < size; row += 2) {
    let line = "";
    for (let column = 0; column < size; column++) {
      const [upper, lower] = [isDark(row, column), isDark(row + 1, column)];
      line += upper ? (lower ? "█" : "▀") : lower ? "▄" : " ";
    }
    lines.push(line);
  }
  return lines;
}
