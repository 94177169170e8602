// A fuzzer for each surface where the C host reads external input: a file of test/host/fuzz, the host's files that it
// covers, and a fault that it must find. Built for libFuzzer.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import { type Fault, sourceWith } from "./build.ts";
import { numbersHeader } from "./generate.ts";

export interface Surface {
  /** Name of the file in test/host/fuzz and of the entry in its corpus.json. */
  readonly name: string;
  /** Files of targets/host/portable. */
  readonly files: readonly string[];
  /** Maximum bytes of an input. */
  readonly longest: number;
  /** Inputs of a round: some five seconds on an idle core. */
  readonly round: number;
  /** A planted fault that the fuzzer must find. */
  readonly fault: Fault;
}

export const surfaces: readonly Surface[] = [
  {
    name: "response",
    files: ["http-response"],
    longest: 600,
    round: 150_000,
    fault: {
      file: "http-response",
      text: "taken > response->body_max - response->body_bytes",
      fault: "taken > response->body_max",
    },
  },
  {
    name: "exchange",
    files: ["http", "http-response", "wall-clock", "address", "leak-guard"],
    longest: 800,
    round: 350_000,
    fault: {
      file: "http",
      text: "if (!pg_leak_guard(request,",
      fault: "if (request->target_size > 3 || !pg_leak_guard(request,",
    },
  },
  {
    name: "page",
    files: ["page", "address"],
    longest: 600,
    round: 150_000,
    fault: {
      file: "page",
      text: "reader.is_invalid || reader.left > 0",
      fault: "reader.is_invalid",
    },
  },
];

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;
const folder = `${root}dist/fuzz-c`;

/** Objects compiled by this process, keyed by everything that affects the result. */
const objects = new Map<string, string>();

function objectOf(source: string, flags: readonly string[]): string {
  const key = [source, ...flags].join(" ");
  const known = objects.get(key);
  if (known !== undefined) return known;
  // Another process may compile the same.
  const own = `${folder}/objects-${process.pid}`;
  if (objects.size === 0) {
    mkdirSync(own, { recursive: true });
    process.once("exit", () => rmSync(own, { recursive: true, force: true }));
  }
  const object = `${own}/${objects.size}.o`;
  run("clang", [...flags, "-c", "-o", object, source]);
  objects.set(key, object);
  return object;
}

/** Texts whose characters are bytes; a pair repeats a character. */
type Input = string | readonly (string | readonly [string, number])[];

/** Writes the seed inputs of a surface's fuzzer (test/host/fuzz/corpus.json) into a folder, and returns it. */
export function corpusOf(surface: string): string {
  const text = readFileSync(`${root}test/host/fuzz/corpus.json`, "utf8");
  const inputs = (JSON.parse(text) as Record<string, Record<string, Input>>)[surface]!;
  const out = `${folder}/${surface}/begun`;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, input] of Object.entries(inputs)) {
    const pieces = [input].flat() as (string | [string, number])[];
    const whole = pieces.map((piece) =>
      typeof piece === "string" ? piece : piece[0].repeat(piece[1]),
    );
    writeFileSync(`${out}/${name}`, whole.join(""), "latin1");
  }
  return out;
}

export function buildFuzzer({ name, files }: Surface, plant?: Fault): string {
  const out = plant ? `${folder}/${name}/planted` : `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    // On kernels with strong address randomization, one start in four collides with the sanitizer's memory.
    "-fno-pie",
    ...["-DPG_ASSERTIONS", `-I${sources}/portable`, `-I${folder}`],
  ];
  const harness = `${root}test/host/fuzz/${name}.c`;
  const parts = files.map((file) => {
    const source = sourceWith(file, plant, out);
    return file === plant?.file ? source : objectOf(source, flags);
  });
  run("clang", [...flags, "-no-pie", "-o", `${out}/fuzz`, objectOf(harness, flags), ...parts]);
  return `${out}/fuzz`;
}
