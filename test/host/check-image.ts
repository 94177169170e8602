// What the checks in C say to an image: test/host/c/check-image.c, under sanitizers.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { programOf } from "../../scripts/host/build.ts";
import { NO_BORDER } from "../../targets/firmware/image/format.ts";
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

function ask(image: Uint8Array, question: Question, ...rest: string[]): string[] {
  const { file, abi, oldestKey, border = NO_BORDER, keys: trusted = [keys.publicKey] } = question;
  writeFileSync(file, image);
  const oldest = oldestKey ? hex(keyIdOf(oldestKey)) : "-";
  const device = [trusted.map(hex).join(), oldest, PRODUCT, abi, hex(border), String(COUNTER)];
  const program = programOf("sanitize", "check-image");
  const text = execFileSync(program, [file, ...device, ...rest], { encoding: "utf8" });
  return text.trimEnd().split("\n");
}

/** The result's name. */
export function saidInC(image: Uint8Array, question: Question): string {
  return ask(image, question, "once")[0]!;
}

/** The result's name; then a line for each byte, flipped twice; then one for each length cut. */
export function linesInC(image: Uint8Array, question: Question): string[] {
  return ask(image, question);
}
