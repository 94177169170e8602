// Converts a text to a QR code (ISO/IEC 18004). RFC 8628 §3.3.1 suggests a QR code for verification_uri_complete.

import qrcode from "qrcode-generator";

const QUIET = 4;

/** A line of text shows two rows of modules. The characters for light modules: neither, the lower, the upper, both. */
const LIGHT_HALVES = [" ", "▄", "▀", "█"] as const;

/** A QR code, as modules and as text for a terminal. */
export class QrCode {
  /** Modules on each side, without the quiet zone. */
  readonly size: number;
  readonly #code: QRCode;

  /** @param text up to 2331 bytes. With error correction M, about a seventh of the code may be unreadable */
  constructor(text: string) {
    this.#code = qrcode(0, "M");
    this.#code.addData(text);
    this.#code.make();
    this.size = this.#code.getModuleCount();
  }

  /** Whether a module is dark. Modules outside the code are light, including the quiet zone. */
  isDark(row: number, column: number): boolean {
    const isInside = row >= 0 && column >= 0 && row < this.size && column < this.size;
    return isInside && this.#code.isDark(row, column);
  }

  /** Returns the modules row by row, true for dark, without the quiet zone that a scanner needs. */
  modules(): boolean[][] {
    const all = Array.from({ length: this.size }, (_, at) => at);
    return all.map((row) => all.map((column) => this.isDark(row, column)));
  }

  /**
   * Returns the code as text, with two modules per character and a quiet zone. Light modules are drawn, for light text
   * on a dark background. On a light background, the code is inverted, which most cameras can read.
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
