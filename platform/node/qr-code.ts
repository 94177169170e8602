// A text as a QR code (ISO/IEC 18004): modules to draw, and a drawing with half blocks for a terminal or a log. RFC
// 8628 §3.3.1 suggests it for verification_uri_complete.

import qrcode from "qrcode-generator";

/** The quiet zone around a code, in modules. */
const QUIET = 4;

/** Two rows of modules in one line, by which of them are light: neither, the lower, the upper, both. */
const LIGHT_HALVES = [" ", "▄", "▀", "█"] as const;

/** A QR code, as modules and as text for a terminal. */
export class QrCode {
  /** Modules on each side, without the quiet zone. */
  readonly size: number;
  readonly #code: QRCode;

  /** @param text up to 2331 bytes; error correction M: a seventh of the code may be lost */
  constructor(text: string) {
    this.#code = qrcode(0, "M");
    this.#code.addData(text);
    this.#code.make();
    this.size = this.#code.getModuleCount();
  }

  /** Whether a module is dark. Those outside the code are light, including the quiet zone. */
  isDark(row: number, column: number): boolean {
    const isInside = row >= 0 && column >= 0 && row < this.size && column < this.size;
    return isInside && this.#code.isDark(row, column);
  }

  /** Row by row, true for dark, without the quiet zone that a drawing needs. */
  modules(): boolean[][] {
    const all = Array.from({ length: this.size }, (_, at) => at);
    return all.map((row) => all.map((column) => this.isDark(row, column)));
  }

  /**
   * Half blocks with a quiet zone. Light modules are drawn, as for light text on a dark ground; on a light ground the
   * code is inverted, which most cameras can read.
   */
  toString(): string {
    const lines: string[] = [];
    for (let row = -QUIET; row < this.size + QUIET; row += 2) {
      let line = "";
      for (let column = -QUIET; column < this.size + QUIET; column++) {
        const upper = this.isDark(row, column) ? 0 : 2;
        const lower = row + 1 >= this.size + QUIET || this.isDark(row + 1, column) ? 0 : 1;
        line += LIGHT_HALVES[upper + lower];
      }
      lines.push(line);
    }
    return lines.join("\n");
  }
}
