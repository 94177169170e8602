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

describe("the display's dots in the panel", () => {
  test.each([
    ["A00", "ﾄ"],
    ["A02", "é"],
  ] as const)("every character that ready texts show with the ROM %s has some", (rom, one) => {
    const shown = shownBy(rom);
    expect(shown).toContain(one);
    expect([...shown].filter((character) => !hasGlyph(character.charCodeAt(0)))).toEqual([]);
  });

  test("all katakana of the ROM A00 have dots of their own, and what it has for ASCII", () => {
    const seen = new Map<string, number>();
    for (let byte = 32; byte < 128; byte++) {
      expect(hasGlyph(romCharacter("A00", byte).charCodeAt(0)), `byte ${byte}`).toBe(true);
    }
    for (const code of codesFrom("｡", "ﾟ")) {
      const glyph = glyphOf(code);
      expect(glyph.some((column) => column > 0)).toBe(true);
      expect(seen.get(glyph.join()), String.fromCharCode(code)).toBeUndefined();
      seen.set(glyph.join(), code);
    }
    expect(seen.size).toBe(63);
  });

  test("a letter with a mark is the letter and the mark, and unlike every other", () => {
    const marked = [...codesFrom("à", "ÿ").filter(hasGlyph)];
    expect(String.fromCharCode(...marked)).toBe("àáâãäåçèéêëìíîïñòóôõöùúûüýÿ");
    const glyphs = marked.map((code) => glyphOf(code));
    const plain = codesFrom(" ", "~").map((code) => glyphOf(code).join());
    expect(new Set([...glyphs.map((glyph) => glyph.join()), ...plain]).size).toBe(
      marked.length + plain.length,
    );
    for (const glyph of glyphs) {
      expect(glyph).toHaveLength(5);
      for (const column of glyph) expect(column).toBeLessThan(2 ** GLYPH_ROWS);
    }
    // An e, and above it what leans to the right.
    expect(glyphOf("é".charCodeAt(0))).toEqual([0x38, 0x54, 0x56, 0x55, 0x18]);
  });
});

test("the character set has a glyph of its own for each printable character, within 8 rows", () => {
  const seen = new Map<string, number>();
  for (let code = 32; code < 127; code++) {
    const glyph = glyphOf(code);
    expect(glyph).toHaveLength(5);
    for (const column of glyph) expect(column).toBeLessThan(2 ** GLYPH_ROWS);
    const key = glyph.join();
    expect(seen.get(key), `${String.fromCharCode(code)} looks like another`).toBeUndefined();
    seen.set(key, code);
    if (code > 32) expect(glyph.some((column) => column > 0)).toBe(true);
  }
  expect(glyphOf(7)).toEqual(glyphOf(32));
});
