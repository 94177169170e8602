// The printer's paper: with each new code a slip comes out that says where to go and what to enter, also as
// a QR code. What is shown here is what the bytes for a real printer say (platform/display/escpos.ts).

import { romText } from "../../../../platform/display/display-rom.ts";
import {
  type PrinterSink,
  type Slip,
  slipBytes,
  usualPrinter,
} from "../../../../platform/display/escpos.ts";
import type { Language } from "../../../../platform/display/languages.ts";
import { type Modules, qrModules } from "./display.ts";

// What a slip of paper says beside address and code, in the language of the display; and the printer's code
// page for it.

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

/** A slip as it lies there. */
export interface PrintedSlip {
  /** The world's time when it came out. */
  readonly atMs: number;
  readonly heading: readonly string[];
  readonly address: string;
  readonly between: readonly string[];
  readonly code: string;
  readonly footing: readonly string[];
  readonly modules: Modules;
  /** The bytes that a printer gets for it. */
  readonly bytes: Uint8Array;
}

/** What a slip says beside the codes, and the printer's bytes for it. */
export interface SlipWords {
  readonly heading: readonly string[];
  readonly between: readonly string[];
  /** `$` stands for the minutes. */
  readonly footing: readonly string[];
  readonly codePage: number;
  encode(text: string): Uint8Array;
}

/** Where to go and what to enter, for how long. */
export interface Prompt {
  readonly address: string;
  readonly code: string;
  readonly complete: string;
  readonly minutes: number;
}

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** As many as one would tear off. */
const KEPT = 5;

export class Paper {
  readonly slips: PrintedSlip[] = [];
  /** How many there ever were. */
  count = 0;

  readonly #sink: PrinterSink | undefined;
  /** The code of the last slip. */
  #printedCode = "";

  /** @param sink where the bytes go as well: a real printer */
  constructor(sink?: PrinterSink) {
    this.#sink = sink;
  }

  /** @param isOnPaper whether a restart brought the code back: it was printed before */
  printNew(atMs: number, words: SlipWords, prompt: Prompt, isOnPaper: boolean): void {
    if (prompt.code === "" || prompt.code === this.#printedCode) return;
    this.#printedCode = prompt.code;
    if (!isOnPaper) this.print(atMs, words, prompt);
  }

  print(atMs: number, words: SlipWords, prompt: Prompt): void {
    const footing = words.footing.map((line) => line.replace("$", String(prompt.minutes)));
    const slip: Slip = {
      heading: words.heading.map(words.encode),
      address: ascii(prompt.address),
      between: words.between.map(words.encode),
      code: ascii(prompt.code),
      footing: footing.map(words.encode),
      qr: prompt.complete,
      modules: qrModules(prompt.complete),
    };
    const bytes = slipBytes(slip, { ...usualPrinter, codePage: words.codePage });
    this.#sink?.write(bytes, 0, bytes.length);
    this.count++;
    this.slips.push({
      atMs,
      heading: words.heading,
      address: prompt.address,
      between: words.between,
      code: prompt.code,
      footing,
      modules: qrModules(prompt.complete),
      bytes,
    });
    if (this.slips.length > KEPT) this.slips.shift();
  }
}

/** What is on a slip, line by line, without its QR code, which comes in front of the footing. */
export function slipLines(slip: Pick<PrintedSlip, "heading" | "address" | "between" | "code">) {
  return [...slip.heading, slip.address, "", ...slip.between, slip.code];
}
