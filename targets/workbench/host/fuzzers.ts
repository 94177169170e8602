// What the C host reads from outside, and how each is built for libFuzzer: one file of test/host/fuzz, and the
// files of the host that it is about.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import { numbersHeader } from "./generate.ts";
import { type Plant, sourceWith } from "./plant.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
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
  /** A fault that the fuzzer must find. */
  readonly plant: Plant;
}

export const surfaces: readonly Surface[] = [
  {
    name: "answer",
    files: ["http-answer", "http-date"],
    longest: 600,
    plant: {
      file: "http-answer",
      text: "text_size < PG_ANSWER_LINE",
      fault: "text_size <= PG_ANSWER_LINE",
    },
  },
  {
    name: "exchange",
    files: ["http", "http-answer", "http-date", "address", "last-look"],
    longest: 800,
    plant: {
      file: "http",
      text: "if (bytes[i] < 33 || bytes[i] > 126) return 0;",
      fault: "if (bytes[i] < 10 || bytes[i] > 126) return 0;",
    },
  },
  {
    name: "config",
    files: ["config", "json", "address"],
    longest: 1500,
    plant: {
      file: "json",
      text: "while (json->at < json->size) {",
      fault: "while (json->at <= json->size) {",
    },
  },
  {
    name: "record",
    files: ["storage", "units"],
    longest: 120,
    plant: {
      file: "storage",
      text: "return size <= pg_storage_room(medium) ? size : 0;",
      fault: "return size <= medium->slot_bytes ? size : 0;",
    },
  },
  {
    name: "image",
    files: ["image"],
    longest: 400,
    plant: {
      file: "image",
      text: "lengths->config == body - lengths->payload",
      fault: "lengths->config <= body",
    },
  },
  {
    name: "boot",
    files: ["boot", "image"],
    longest: 160,
    plant: {
      file: "boot",
      text: "other(kept == NO_SLOT ? boot->good : kept)",
      fault: "other(boot->good)",
    },
  },
];

/**
 * Builds a surface's fuzzer.
 * @param plant a fault to plant in it
 * @returns the program
 */
export function buildFuzzer({ name, files }: Surface, plant?: Plant): string {
  const out = plant ? `${folder}/${name}/planted` : `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    // Kernels that spread programs over more addresses put one in four where the sanitizer has its own memory.
    ...["-fno-pie", "-no-pie"],
    ...[`-I${sources}/portable`, `-I${folder}`],
  ];
  const own = files.map((file) => sourceWith(file, plant, out));
  const harness = `${root}test/host/fuzz/${name}.c`;
  run("clang", [...flags, "-o", `${out}/fuzz`, harness, ...own]);
  return `${out}/fuzz`;
}
