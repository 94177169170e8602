// What the C host reads from outside, and how each is built for libFuzzer: one file of test/host/fuzz, and the
// files of the host that it is about.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import { numbersHeader } from "./generate.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const sources = `${root}targets/host`;
const folder = `${root}dist/fuzz-c`;

/** Something that is read from outside. */
export interface Surface {
  /** Of the file in test/host/fuzz and of the folder in test/host/corpus. */
  readonly name: string;
  /** Files of targets/host/portable. */
  readonly files: readonly string[];
  /** Bytes of an input at the most. */
  readonly longest: number;
  readonly libraries?: readonly string[];
}

export const surfaces: readonly Surface[] = [
  { name: "answer", files: ["http-answer", "http-date"], longest: 600 },
  { name: "config", files: ["config", "json", "address"], longest: 1500 },
  { name: "record", files: ["record-slots"], longest: 120 },
  { name: "image", files: ["image"], longest: 400 },
  { name: "boot", files: ["boot", "image"], longest: 160 },
];

/**
 * Builds a surface's fuzzer.
 * @returns the program
 */
export function buildFuzzer({ name, files, libraries = [] }: Surface): string {
  const out = `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    ...[`-I${sources}/portable`, `-I${folder}`],
  ];
  const own = files.map((file) => `${sources}/portable/${file}.c`);
  const harness = `${root}test/host/fuzz/${name}.c`;
  run("clang", [...flags, "-o", `${out}/fuzz`, harness, ...own, ...libraries]);
  return `${out}/fuzz`;
}
