// The printer's paper: with each new code a slip comes out that says where to go and what to enter, also as
// a QR code. What is shown here is what the bytes for a real printer say (platform/display/escpos.ts).

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
    if (this.slips.length > KEPT) this.slips.shift();
  }
}

/** What is on a slip, line by line, without its QR code, which comes in front of the footing. */
export function slipLines(slip: Pick<PrintedSlip, "heading" | "address" | "between" | "code">) {
  return [slip.heading, slip.address, "", slip.between, slip.code];
}
