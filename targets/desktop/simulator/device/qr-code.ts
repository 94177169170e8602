// A QR code as a matrix of modules: for the slip of the printer, the screen of the console, the panel.
import qrcode from "qrcode-generator";

/** Rows of modules, true for dark, without the quiet zone. */
export type Modules = readonly (readonly boolean[])[];

/** Light modules around the code that a camera needs to find it (ISO/IEC 18004). */
export const QUIET_MODULES = 4;

let lastText = "";
let lastModules: Modules = [];

/** The code of a text; [] for "". The last one is kept: a view asks for it four times a second. */
export function qrModules(text: string): Modules {
  if (text === lastText) return lastModules;
  lastText = text;
  lastModules = text === "" ? [] : encode(text);
  return lastModules;
}

function encode(text: string): Modules {
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const indices = Array.from({ length: size }, (_, at) => at);
  return indices.map((row) => indices.map((column) => code.isDark(row, column)));
}

/**
 * Lines of characters for a screen with light ground: two rows of modules in each, quiet zone included.
 * Dark modules are drawn with the screen's ink.
 */
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
