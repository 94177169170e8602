// Slips for receipt printers in ESC/POS, which nearly all of them support. The bytes go to a sink: a file, a serial
// line, a socket of port 9100. An adapter beside the display's: the core knows nothing of paper.

import type { Bytes } from "../contracts.ts";
import { romText } from "./display-rom.ts";
import type { Language } from "./languages.ts";

/** Receives the bytes for a printer; the range is valid until it returns. */
export interface PrinterSink {
  write(bytes: Bytes, from: number, to: number): void;
}

/** The content of a slip. Texts are bytes of the printer's code page; see codePage. */
export interface Slip {
  /** Lines above the address, such as what to do. */
  readonly heading: readonly Bytes[];
  /** Where the code is entered. */
  readonly address: Bytes;
  /** Lines between address and code. */
  readonly between: readonly Bytes[];
  /** Printed in double height and width. */
  readonly code: Bytes;
  /** Lines below the codes, such as their lifetime. */
  readonly footing: readonly Bytes[];
  /** The content of the QR code; "" for none. Printable ASCII. */
  readonly qr: string;
  /**
   * The QR code's modules, true for dark, for printers that cannot create QR codes: it is printed as an image. Absent:
   * the printer creates it from `qr`.
   */
  readonly modules?: readonly (readonly boolean[])[];
}

/** Settings of a printer. */
export interface PrinterSettings {
  /** Argument of ESC t: 0 for code page 437, 1 for katakana, 19 for 858 (Western Europe). */
  readonly codePage: number;
  /** Dots for each module of a QR code, 1..16. */
  readonly moduleDots: number;
  /** Lines to feed before the paper is cut. */
  readonly feedLines: number;
}

/** Code page 858 (Western Europe), and what fits on paper of 80 mm. */
export const usualPrinter: PrinterSettings = { codePage: 19, moduleDots: 6, feedLines: 4 };

const ESC = 0x1b;
const GS = 0x1d;
const LF = 0x0a;
/** Light modules around a code (ISO/IEC 18004). */
const QUIET_MODULES = 4;

/** The bytes of one slip, to be sent to the printer as they are. */
export function slipBytes(slip: Slip, settings: PrinterSettings = usualPrinter): Uint8Array {
  const out: number[] = [];
  // Initialized, the code page chosen, centred.
  out.push(ESC, 0x40, ESC, 0x74, settings.codePage, ESC, 0x61, 1);
  for (const line of slip.heading) addLine(out, line);
  addLine(out, slip.address);
  out.push(LF);
  for (const line of slip.between) addLine(out, line);
  // The code in double height and width (GS !), so that it is read across a room.
  out.push(GS, 0x21, 0x11);
  addLine(out, slip.code);
  out.push(GS, 0x21, 0);
  if (slip.qr !== "") {
    out.push(LF);
    if (slip.modules) addImage(out, slip.modules, settings.moduleDots);
    else addQrCode(out, slip.qr, settings.moduleDots);
  }
  for (const line of slip.footing) addLine(out, line);
  // ESC d feeds lines, GS V 66 0 cuts.
  out.push(ESC, 0x64, settings.feedLines, GS, 0x56, 66, 0);
  return Uint8Array.from(out);
}

/** A line of text. Control characters would be commands: they are dropped. */
function addLine(out: number[], text: Bytes): void {
  for (let at = 0; at < text.length; at++) {
    if (text[at]! >= 0x20 && text[at] !== 0x7f) out.push(text[at]!);
  }
  out.push(LF);
}

/** GS ( k: the printer makes the code. Model 2, the size of a module, error correction M, data, print. */
function addQrCode(out: number[], text: string, moduleDots: number): void {
  const data = Array.from(text, (character) => character.charCodeAt(0));
  const command = (fn: number, ...rest: readonly number[]): void => {
    const length = rest.length + 2;
    out.push(GS, 0x28, 0x6b, length & 255, length >> 8, 49, fn, ...rest);
  };
  command(65, 50, 0);
  command(67, moduleDots);
  command(69, 49);
  command(80, 48, ...data);
  command(81, 48);
}

/** GS v 0: an image, a bit for each dot, the leftmost the highest, rows filled up to whole bytes. */
function addImage(
  out: number[],
  modules: readonly (readonly boolean[])[],
  moduleDots: number,
): void {
  const size = (modules.length + 2 * QUIET_MODULES) * moduleDots;
  const rowBytes = (size + 7) >> 3;
  out.push(GS, 0x76, 0x30, 0, rowBytes & 255, rowBytes >> 8, size & 255, size >> 8);
  for (let y = 0; y < size; y++) {
    const row = modules[Math.floor(y / moduleDots) - QUIET_MODULES];
    for (let byte = 0; byte < rowBytes; byte++) {
      let bits = 0;
      for (let bit = 0; bit < 8; bit++) {
        const column = Math.floor((8 * byte + bit) / moduleDots) - QUIET_MODULES;
        if (row?.[column]) bits |= 128 >> bit;
      }
      out.push(bits);
    }
  }
}

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
  return plain(romText("A00", text));
}

/** The lines above the address, between address and code, and below; `$` stands for the minutes. */
const WORDS: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ["To sign in, open", "and enter", "within $ minutes."],
  de: ["Zum Anmelden öffnen Sie", "und geben Sie ein:", "Gültig $ Minuten."],
  fr: ["Pour vous connecter, ouvrez", "et entrez", "Valable $ minutes."],
  es: ["Para iniciar sesión, abra", "e introduzca", "Válido $ minutos."],
  ja: ["ﾛｸﾞｲﾝｽﾙﾆﾊ ﾂｷﾞｦﾋﾗｲﾃ", "ｺﾉｺｰﾄﾞｦ ﾆｭｳﾘｮｸ", "$ ﾌﾟﾝｲﾅｲ ﾆ ﾆｭｳﾘｮｸ"],
};

/** Where to go, what to enter, and for how long. Address and code are printable ASCII. */
export interface SlipPrompt {
  /** Where the code is entered. */
  readonly address: string;
  /** The user code. */
  readonly code: string;
  /** The content of the QR code. */
  readonly complete: string;
  /** The lifetime of the code. */
  readonly minutes: number;
}

/** The slip's lines above the address, between address and code, and below. */
export function slipWords(
  language: Language,
  { minutes }: SlipPrompt,
): readonly [string, string, string] {
  const [heading, between, below] = WORDS[language];
  return [heading, between, below.replace("$", String(minutes))];
}

/** The slip in a language, for `printerFor(language)`. */
export function slipIn(language: Language, prompt: SlipPrompt): Slip {
  const encode = language === "ja" ? katakana : page858;
  const [heading, between, footing] = slipWords(language, prompt);
  return {
    heading: [encode(heading)],
    address: plain(prompt.address),
    between: [encode(between)],
    code: plain(prompt.code),
    footing: [encode(footing)],
    qr: prompt.complete,
  };
}

const plain = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

/** The usual printer with the code page of a language. */
export function printerFor(language: Language): PrinterSettings {
  return { ...usualPrinter, codePage: language === "ja" ? 1 : 19 };
}
