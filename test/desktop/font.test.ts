// The dots of the display in the panel: whatever a ready text puts on a display is drawn with the display's own dots.
import { describe, expect, test } from "vitest";
import { type RomName, romCharacter } from "../../platform/languages/display-rom.ts";
import { languages, messagesFor } from "../../platform/languages/index.ts";
import { GLYPH_ROWS, glyphOf, hasGlyph } from "../../targets/desktop/panel/font.ts";

/** What a display with this ROM draws of all ready texts that it can show. */
function shownBy(rom: RomName): Set<string> {
  const shown = new Set<string>();
  for (const language of languages) {
    // The European ROM has no katakana.
    if (language === "ja" && rom === "A02") continue;
    for (const byte of messagesFor(language, rom).replaceAll("\n", "")) {
      shown.add(romCharacter(rom, byte.charCodeAt(0)));
    }
  }
  return shown;
}

const codesFrom = (first: string, last: string): number[] => {
  const from = first.charCodeAt(0);
  return Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, at) => from + at);
};

/** Every character has dots of its own, of five columns within the rows that there are. */
function expectOwnDots(codes: readonly number[]): void {
  const glyphs = codes.map((code) => glyphOf(code));
  expect(new Set(glyphs.map((glyph) => glyph.join())).size).toBe(codes.length);
  for (const glyph of glyphs) {
    expect(glyph).toHaveLength(5);
    for (const column of glyph) expect(column).toBeLessThan(2 ** GLYPH_ROWS);
  }
}

describe("the display's dots in the panel", () => {
  test.each([
    ["A00", "ﾄ"],
    ["A02", "é"],
  ] as const)("every character that ready texts show with the ROM %s has some", (rom, one) => {
    const shown = shownBy(rom);
    expect(shown).toContain(one);
    expect([...shown].filter((character) => !hasGlyph(character.charCodeAt(0)))).toEqual([]);
  });

  test("no two of the katakana, letters with marks and printable ASCII look alike", () => {
    const ascii = codesFrom(" ", "~");
    const marked = codesFrom("à", "ÿ").filter(hasGlyph);
    expect(String.fromCharCode(...marked)).toBe("àáâãäåçèéêëìíîïñòóôõöùúûüýÿ");
    expectOwnDots([...ascii, ...marked]);
    expectOwnDots(codesFrom("｡", "ﾟ"));
    for (let byte = 32; byte < 128; byte++) {
      expect(hasGlyph(romCharacter("A00", byte).charCodeAt(0)), `byte ${byte}`).toBe(true);
    }
    // An e, and above it what leans to the right.
    expect(glyphOf("é".charCodeAt(0))).toEqual([0x38, 0x54, 0x56, 0x55, 0x18]);
    expect(glyphOf(7)).toEqual(glyphOf(32));
  });
});
