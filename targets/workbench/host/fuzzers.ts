// What the C host reads from outside: for each surface a fuzzer, one file of test/host/fuzz with the files of the host
// that it is about, and a fault that it must find. Built for libFuzzer.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import { type Fault, sourceWith } from "./build.ts";
import { numbersHeader } from "./generate.ts";

/** Something that is read from outside. */
export interface Surface {
  /** Of the file in test/host/fuzz, and in its corpus.json. */
  readonly name: string;
  /** Files of targets/host/portable. */
  readonly files: readonly string[];
  /** Bytes of an input at the most. */
  readonly longest: number;
  /** Inputs of a round: some five seconds of an idle core. */
  readonly round: number;
  /** The fuzzer must find it: one that cannot fail is worse than none. */
  readonly fault: Fault;
}

export const surfaces: readonly Surface[] = [
  {
    name: "answer",
    files: ["http-answer"],
    longest: 600,
    round: 150_000,
    fault: {
      file: "http-answer",
      text: "taken > answer->body_max - answer->body_bytes",
      fault: "taken > answer->body_max",
    },
  },
  {
    name: "exchange",
    files: ["http", "http-answer", "wall-clock", "address", "last-look"],
    longest: 800,
    round: 350_000,
    fault: {
      file: "http",
      text: "if (!pg_last_look(request,",
      fault: "if (request->target_size > 3 || !pg_last_look(request,",
    },
  },
  {
    name: "config",
    files: ["config", "json", "address"],
    longest: 1500,
    round: 800_000,
    fault: {
      file: "config",
      text: "value < member->low || value > member->high",
      fault: "value > member->high",
    },
  },
  {
    name: "page",
    files: ["page", "address"],
    longest: 600,
    round: 150_000,
    fault: {
      file: "page",
      text: "reader.is_bad || reader.left > 0",
      fault: "reader.is_bad",
    },
  },
];

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;
const folder = `${root}dist/fuzz-c`;

/** Compiled once by this process, by all that decides what comes of it. */
const objects = new Map<string, string>();

/** An object of a source that stays as it is while this process runs. */
function objectOf(source: string, flags: readonly string[]): string {
  const key = [source, ...flags].join(" ");
  const known = objects.get(key);
  if (known !== undefined) return known;
  // Another process may be at the same.
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

/** Texts, each of whose characters is a byte, or such a character and how often it comes. */
type Input = string | readonly (string | readonly [string, number])[];

/** Puts the inputs that a surface's fuzzer begins with (test/host/fuzz/corpus.json) into a folder, and returns it. */
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

/**
 * Builds a surface's fuzzer.
 * @param plant a fault to plant in it
 * @returns the program
 */
export function buildFuzzer({ name, files }: Surface, plant?: Fault): string {
  const out = plant ? `${folder}/${name}/planted` : `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    // Kernels that spread programs over more addresses put one in four where the sanitizer has its own memory.
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
