// The printer's paper: a slip for each new code.

import type { Language } from "../../../../platform/display/languages.ts";
import { type Modules, qrModules } from "./display.ts";

export interface SlipPrompt {
  readonly address: string;
  readonly code: string;
  /** The address in the QR code. */
  readonly complete: string;
  readonly minutes: number;
}

export interface PrintedSlip {
  readonly atMs: number;
  readonly heading: string;
  readonly address: string;
  readonly between: string;
  readonly code: string;
  readonly footing: string;
  readonly modules: Modules;
}

/** The lines above the address, between address and code, and below the code. `$` stands for the minutes. */
const WORDS: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ["To sign in, open", "and enter", "within $ minutes."],
  de: ["Zum Anmelden öffnen Sie", "und geben Sie ein:", "Gültig $ Minuten."],
  fr: ["Pour vous connecter, ouvrez", "et entrez", "Valable $ minutes."],
  es: ["Para iniciar sesión, abra", "e introduzca", "Válido $ minutos."],
  ja: ["ﾛｸﾞｲﾝｽﾙﾆﾊ ﾂｷﾞｦﾋﾗｲﾃ", "ｺﾉｺｰﾄﾞｦ ﾆｭｳﾘｮｸ", "$ ﾌﾟﾝｲﾅｲ ﾆ ﾆｭｳﾘｮｸ"],
};

const STORED = 5;

export class Paper {
  readonly slips: PrintedSlip[] = [];
  count = 0;

  #printedCode = "";

  /** `isOnPaper`: the code is from before a restart, so its slip is already printed. */
  printNew(atMs: number, language: Language, prompt: SlipPrompt, isOnPaper: boolean): void {
    if (prompt.code === "" || prompt.code === this.#printedCode) return;
    this.#printedCode = prompt.code;
    if (!isOnPaper) this.#print(atMs, language, prompt);
  }

  #print(atMs: number, language: Language, { address, code, ...prompt }: SlipPrompt): void {
    const [heading, between, below] = WORDS[language];
    const footing = below.replace("$", String(prompt.minutes));
    const modules = qrModules(prompt.complete);
    this.count++;
    this.slips.push({ atMs, heading, address, between, code, footing, modules });
    if (this.slips.length > STORED) this.slips.shift();
  }
}

/** The lines above the QR code. */
export function slipLines(slip: Pick<PrintedSlip, "heading" | "address" | "between" | "code">) {
  return [slip.heading, slip.address, "", slip.between, slip.code];
}
