// QR codes (ISO/IEC 18004): what every code has at its corners, and that the drawing is the code.

import { describe, expect, it } from "vitest";
import { QrCode } from "../../platform/node/qr-code.ts";

/** The finder pattern, 7 modules on each side. */
const FINDER = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"];

function corner(qr: QrCode, row: number, column: number): string[] {
  return FINDER.map((line, y) =>
    Array.from(line, (_, x) => (qr.isDark(row + y, column + x) ? "#" : " ")).join(""),
  );
}

describe("QR code", () => {
  const qr = new QrCode("https://example.com/device?user_code=WDJB-MJHT");

  it("has a finder pattern at three corners and a light zone around", () => {
    // Version 4 holds 62 bytes with error correction M, version 3 only 42: ISO/IEC 18004 table 7.
    expect(qr.size).toBe(33);
    expect(corner(qr, 0, 0)).toEqual(FINDER);
    expect(corner(qr, 0, qr.size - 7)).toEqual(FINDER);
    expect(corner(qr, qr.size - 7, 0)).toEqual(FINDER);
    expect(corner(qr, qr.size - 7, qr.size - 7)).not.toEqual(FINDER);
    expect(qr.isDark(-1, 0)).toBe(false);
    expect(qr.isDark(0, qr.size)).toBe(false);
  });

  it("modules() is the code, row by row", () => {
    const modules = qr.modules();
    expect(modules).toHaveLength(qr.size);
    modules.forEach((row, y) => {
      expect(row).toEqual(Array.from({ length: qr.size }, (_, x) => qr.isDark(y, x)));
    });
  });

  it("toString() ends with the zone: nothing light is drawn below it", () => {
    expect(`${qr}`.split("\n").at(-1)).toBe("▀".repeat(qr.size + 8));
  });

  it("toString() draws every module, light ones as blocks, with four around", () => {
    const lines = `${qr}`.split("\n");
    expect(lines).toHaveLength(Math.ceil((qr.size + 8) / 2));
    for (let row = -4; row < qr.size + 4; row++) {
      const line = Array.from(lines[(row + 4) >> 1]!);
      expect(line).toHaveLength(qr.size + 8);
      const light = row % 2 === 0 ? "▀█" : "▄█";
      line.forEach((mark, at) => {
        expect(light.includes(mark)).toBe(!qr.isDark(row, at - 4));
      });
    }
  });
});
