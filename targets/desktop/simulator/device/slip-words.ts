// What a slip of paper says beside address and code, in the language of the display; and the printer's code
// page for it.

import { romText } from "../../../../platform/languages/display-rom.ts";
import type { Language } from "../../../../platform/languages/index.ts";
import type { SlipWords } from "./paper.ts";

/** Code page 858 from 0x80 on, as far as the languages here need it. */
const PAGE_858: Readonly<Record<string, number>> = {
  ü: 0x81,
  é: 0x82,
  â: 0x83,
  ä: 0x84,
  à: 0x85,
  ç: 0x87,
  ê: 0x88,
  ë: 0x89,
  è: 0x8a,
  î: 0x8c,
  Ä: 0x8e,
  É: 0x90,
  ô: 0x93,
  ö: 0x94,
  û: 0x96,
  Ö: 0x99,
  Ü: 0x9a,
  á: 0xa0,
  í: 0xa1,
  ó: 0xa2,
  ú: 0xa3,
  ñ: 0xa4,
  ß: 0xe1,
};

function page858(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    const byte = code < 0x80 ? code : PAGE_858[character];
    if (byte === undefined) throw new RangeError(`code page 858 here has no "${character}"`);
    return byte;
  });
}

/** The katakana page of printers has them where displays have them (JIS X 0201). */
function katakana(text: string): Uint8Array {
  return Uint8Array.from(romText("A00", text), (character) => character.charCodeAt(0));
}

const WORDS: Readonly<Record<Language, SlipWords>> = {
  en: {
    heading: ["To sign in, open"],
    between: ["and enter"],
    footing: ["within $ minutes."],
    codePage: 19,
    encode: page858,
  },
  de: {
    heading: ["Zum Anmelden öffnen Sie"],
    between: ["und geben Sie ein:"],
    footing: ["Gültig $ Minuten."],
    codePage: 19,
    encode: page858,
  },
  fr: {
    heading: ["Pour vous connecter, ouvrez"],
    between: ["et entrez"],
    footing: ["Valable $ minutes."],
    codePage: 19,
    encode: page858,
  },
  es: {
    heading: ["Para iniciar sesión, abra"],
    between: ["e introduzca"],
    footing: ["Válido $ minutos."],
    codePage: 19,
    encode: page858,
  },
  ja: {
    heading: ["ﾛｸﾞｲﾝｽﾙﾆﾊ ﾂｷﾞｦﾋﾗｲﾃ"],
    between: ["ｺﾉｺｰﾄﾞｦ ﾆｭｳﾘｮｸ"],
    footing: ["$ ﾌﾟﾝｲﾅｲ ﾆ ﾆｭｳﾘｮｸ"],
    codePage: 1,
    encode: katakana,
  },
};

export function slipWords(language: Language): SlipWords {
  return WORDS[language];
}
