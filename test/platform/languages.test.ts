// Checks that the translated texts fit the smallest and the usual display, and use only characters of the display's
// ROM. The core's model tests that texts reach the display unchanged (test/model).
import { describe, expect, test } from "vitest";
import { MESSAGES } from "../../core/index.ts";
import { type RomName, romCharacter, romText } from "../../platform/display/display-rom.ts";
import {
  languages,
  messagesFor,
  reasonsFor,
  TEXTS,
  usualRom,
} from "../../platform/display/languages.ts";
import { reasons } from "../../platform/display/reasons.ts";

const OTHERS = languages.filter((language) => language !== "en");
/** Indexes in MESSAGES (core/SPEC.md). */
const SIGNED_IN = 4;
const OPEN = 7;
const CODE = 8;
/** A user code of usual length. */
const USER_CODE = "ABCD-EFGH";
const COUNTDOWN = " 30:00";

/** How many rows a text needs when the core wraps it at spaces. */
function rowsOf(text: string, columns: number): number {
  let rows = 1;
  let used = 0;
  for (const word of text.split(" ")) {
    const needed = used === 0 ? word.length : used + 1 + word.length;
    if (needed <= columns) used = needed;
    else {
      rows++;
      used = word.length;
    }
  }
  return rows;
}

describe.each(OTHERS)("%s", (language) => {
  const texts = TEXTS[language];

  test("core/SPEC.md: there is a text for each of the core's messages", () => {
    expect(texts).toHaveLength(MESSAGES.split("\n").length);
    for (const text of texts) expect(text.trim()).not.toBe("");
  });

  test.each([
    [16, 2],
    [20, 4],
  ])("on a display of %ix%i no text has a broken word or more than two pages", (columns, rows) => {
    for (const text of texts) {
      for (const word of text.split(" "))
        expect([text, word.length <= columns]).toEqual([text, true]);
      const pages = Math.ceil(rowsOf(text, columns) / rows);
      expect([text, pages <= (rows === 2 ? 2 : 1)]).toEqual([text, true]);
    }
    expect(rowsOf(texts[SIGNED_IN]!, columns)).toBe(1);
    expect(rowsOf(texts[OPEN]!, columns)).toBe(1);
    expect((texts[CODE]! + USER_CODE).length).toBeLessThanOrEqual(columns);
    if (columns === 20)
      expect((texts[CODE]! + USER_CODE + COUNTDOWN).length).toBeLessThanOrEqual(columns);
  });

  test("the reason for a missing connection has two halves of at most 16 characters", () => {
    const output = reasonsFor(language);
    expect(Object.keys(output)).toEqual(reasons.map(({ name }) => name));
    for (const text of Object.values(output)) {
      expect(text).toMatch(/^[ -{}\x80-\xff]{1,16}\|[ -{}\x80-\xff]{1,16}$/);
    }
  });

  test("the display's ROM contains every character", () => {
    const rom = usualRom(language);
    const drawn = [...messagesFor(language, rom)].map((byte) =>
      byte === "\n" ? "\n" : romCharacter(rom, byte.charCodeAt(0)),
    );
    expect(drawn.join("").normalize()).toBe(texts.join("\n").normalize());
  });
});

test("a ROM without these letters: accents are dropped, and katakana are refused", () => {
  const drawn = (rom: RomName, text: string): string =>
    [...romText(rom, text)].map((byte) => romCharacter(rom, byte.charCodeAt(0))).join("");
  expect(drawn("A00", "Prüfe é ñ Ö ß")).toBe("Prüfe e ñ O β");
  expect(drawn("A02", "Prüfe é ñ Ö ß")).toBe("Prüfe é ñ Ö ß");
  expect(() => messagesFor("ja", "A02")).toThrow('the ROM A02 has no "ｷ"');
  for (const language of ["de", "fr", "es"] as const)
    expect(messagesFor(language, "A00")).not.toBe("");
});

test("no character of a ROM is a control character", () => {
  for (const rom of ["A00", "A02"] as const) {
    for (let byte = 0; byte < 256; byte++) {
      expect(romCharacter(rom, byte)).toMatch(/^[^\p{Cc}\p{Cs}]$/u);
    }
  }
});
