// The printer's paper: each new code prints a slip with address, code and QR code. The view shows the same content as
// the bytes for a real printer (platform/display/escpos.ts).

import {
  type PrinterSink,
  printerFor,
  type SlipPrompt,
  slipBytes,
  slipIn,
  slipWords,
} from "../../../../platform/display/escpos.ts";
import type { Language } from "../../../../platform/display/languages.ts";
import { type Modules, qrModules } from "./display.ts";

export interface PrintedSlip {
  readonly atMs: number;
  readonly heading: string;
  readonly address: string;
  readonly between: string;
  readonly code: string;
  readonly footing: string;
  readonly modules: Modules;
  readonly bytes: Uint8Array;
}

/** Number of stored slips. */
const STORED = 5;

export class Paper {
  readonly slips: PrintedSlip[] = [];
  count = 0;

  readonly #sink: PrinterSink | undefined;
  #printedCode = "";

  /**
   * @param sink a real printer that receives the bytes as well
   */
  constructor(sink?: PrinterSink) {
    this.#sink = sink;
  }

  /**
   * @param isOnPaper whether a restart restored the code, whose slip was printed before
   */
  printNew(atMs: number, language: Language, prompt: SlipPrompt, isOnPaper: boolean): void {
    if (prompt.code === "" || prompt.code === this.#printedCode) return;
    this.#printedCode = prompt.code;
    if (!isOnPaper) this.#print(atMs, language, prompt);
  }

  #print(atMs: number, language: Language, prompt: SlipPrompt): void {
    const [heading, between, footing] = slipWords(language, prompt);
    const { address, code } = prompt;
    const modules = qrModules(prompt.complete);
    const bytes = slipBytes({ ...slipIn(language, prompt), modules }, printerFor(language));
    this.#sink?.write(bytes, 0, bytes.length);
    this.count++;
    this.slips.push({ atMs, heading, address, between, code, footing, modules, bytes });
    if (this.slips.length > STORED) this.slips.shift();
  }
}

/** The lines of a slip without its QR code, which precedes the footing. */
export function slipLines(slip: Pick<PrintedSlip, "heading" | "address" | "between" | "code">) {
  return [slip.heading, slip.address, "", slip.between, slip.code];
}
