// How a surface of the C host (fuzz-surfaces.ts) is built for libFuzzer: one file of test/host/fuzz, and the files of
// the host that it is about.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import type { Surface } from "./fuzz-surfaces.ts";
import { numbersHeader } from "./generate.ts";
import { type Fault, sourceWith } from "./plant.ts";

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
