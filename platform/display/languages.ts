// Ready-made display texts by language, for Config.messages, or for `messages` and `reasons` of device.json.
import { MESSAGES } from "../../core/index.ts";
import { type RomName, romText } from "./display-rom.ts";
import { reasons } from "./reasons.ts";
import { connectionReasons, messages, type Texts } from "./texts.ts";

/** The languages with ready-made texts. */
export const languages = ["en", "de", "fr", "es", "ja"] as const;
/** One of `languages` (ISO 639-1). */
export type Language = (typeof languages)[number];

/** The texts in the core's order. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en: MESSAGES.split("\n"), ...messages };
const REASONS: Readonly<Record<Language, Texts>> = {
  ...{ en: reasons.map(({ text }) => text), ...connectionReasons },
};

/** The ROM that shows a language best. */
export function usualRom(language: Language): RomName {
  return language === "ja" || language === "en" ? "A00" : "A02";
}

/**
 * The texts as Config.messages: one line each, one character per byte of the display.
 * @throws RangeError if the ROM has no letters for the language, such as A02 for katakana
 */
export function messagesFor(language: Language, rom: RomName = usualRom(language)): string {
  // The core's own texts need no memory twice.
  if (language === "en") return "";
  return TEXTS[language].map((text) => romText(rom, text)).join("\n");
}

/**
 * Texts for a missing connection, as the `reasons` of device.json.
 * @throws RangeError as messagesFor
 */
export function reasonsFor(
  language: Language,
  rom: RomName = usualRom(language),
): Record<string, string> {
  return Object.fromEntries(
    reasons.map(({ name }, at) => [name, romText(rom, REASONS[language][at]!)]),
  );
}
