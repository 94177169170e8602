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

/** Code page 858 from 0x80 on. */
const PAGE_858 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐" +
  "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´";

function page858(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    const at = PAGE_858.indexOf(character);
    if (code >= 0x80 && at < 0) throw new RangeError(`code page 858 has no "${character}"`);
    return code < 0x80 ? code : 0x80 + at;
  });
}

/** The katakana page of printers has them where displays have them (JIS X 0201). */
function katakana(text: string): Uint8Array {
  return Uint8Array.from(romText("A00", text), (character) => character.charCodeAt(0));
}

/** What stands above the address, between address and code, and below; `$` stands for the minutes. */
const WORDS: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ["To sign in, open", "and enter", "within $ minutes."],
  de: ["Zum Anmelden öffnen Sie", "und geben Sie ein:", "Gültig $ Minuten."],
  fr: ["Pour vous connecter, ouvrez", "et entrez", "Valable $ minutes."],
  es: ["Para iniciar sesión, abra", "e introduzca", "Válido $ minutos."],
  ja: ["ﾛｸﾞｲﾝｽﾙﾆﾊ ﾂｷﾞｦﾋﾗｲﾃ", "ｺﾉｺｰﾄﾞｦ ﾆｭｳﾘｮｸ", "$ ﾌﾟﾝｲﾅｲ ﾆ ﾆｭｳﾘｮｸ"],
};

/** A slip as it lies there. */
export interface PrintedSlip {
  /** The world's time when it came out. */
  readonly atMs: number;
  readonly heading: string;
  readonly address: string;
  readonly between: string;
  readonly code: string;
  readonly footing: string;
  readonly modules: Modules;
  /** The bytes that a printer gets for it. */
  readonly bytes: Uint8Array;
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
  printNew(atMs: number, language: Language, prompt: Prompt, isOnPaper: boolean): void {
    if (prompt.code === "" || prompt.code === this.#printedCode) return;
    this.#printedCode = prompt.code;
    if (!isOnPaper) this.#print(atMs, language, prompt);
  }

  #print(atMs: number, language: Language, { address, code, complete, minutes }: Prompt): void {
    const [heading, between, below] = WORDS[language];
    const footing = below.replace("$", String(minutes));
    const encode = language === "ja" ? katakana : page858;
    const modules = qrModules(complete);
    const slip: Slip = {
      heading: [encode(heading)],
      address: ascii(address),
      between: [encode(between)],
      code: ascii(code),
      footing: [encode(footing)],
      qr: complete,
      modules,
    };
    const bytes = slipBytes(slip, { ...usualPrinter, codePage: language === "ja" ? 1 : 19 });
    this.#sink?.write(bytes, 0, bytes.length);
    this.count++;
    this.slips.push({ atMs, heading, address, between, code, footing, modules, bytes });
    if (this.slips.length > KEPT) this.slips.shift();
  }
}

/** What is on a slip, line by line, without its QR code, which comes in front of the footing. */
export function slipLines(slip: Pick<PrintedSlip, "heading" | "address" | "between" | "code">) {
  return [slip.heading, slip.address, "", slip.between, slip.code];
}
