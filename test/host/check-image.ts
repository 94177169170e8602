// What the checks in C say to an image: test/host/c/check-image.c, under sanitizers, and on a Cortex-M3.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { NO_BORDER } from "../../targets/image/format.ts";
import { programOf } from "../../targets/workbench/host/build.ts";
import { checkOnCortexM3 } from "../../targets/workbench/host/cortex-m3.ts";
import { keyIdOf, keys, PRODUCT } from "../image/image-builder.ts";
import { COUNTER } from "../image/image-cases.ts";

export interface Question {
  /** A file that the image may be written to. */
  file: string;
  abi: string;
  keys?: readonly Uint8Array[] | undefined;
  oldestKey?: Uint8Array | undefined;
  border?: Uint8Array;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** How the program is run with its arguments. */
type Command = (args: readonly string[]) => [command: string, args: readonly string[]];

const sanitized: Command = (args) => [programOf("sanitize", "check-image"), args];

function ask(image: Uint8Array, question: Question, command: Command, ...rest: string[]): string[] {
  const { file, abi, oldestKey, border = NO_BORDER, keys: trusted = [keys.publicKey] } = question;
  writeFileSync(file, image);
  const oldest = oldestKey ? hex(keyIdOf(oldestKey)) : "-";
  const device = [trusted.map(hex).join("+"), oldest, PRODUCT, abi, hex(border), String(COUNTER)];
  const [program, args] = command([file, ...device, ...rest]);
  const text = execFileSync(program, args, { encoding: "utf8" });
  return text.trimEnd().split("\n");
}

/** The result's name. */
export function saidInC(image: Uint8Array, question: Question): string {
  return ask(image, question, sanitized, "once")[0]!;
}

/** The same on a Cortex-M3, with the boot loader's cryptography. */
export function saidOnCortexM3(image: Uint8Array, question: Question): string {
  const command: Command = (args) => {
    const words = `${question.file}.words`;
    writeFileSync(words, args.join(" "));
    return checkOnCortexM3(words);
  };
  return ask(image, question, command, "once")[0]!;
}

/** The result's name; then a line for each byte, flipped twice; then one for each length cut. */
export function linesInC(image: Uint8Array, question: Question): string[] {
  return ask(image, question, sanitized);
}
