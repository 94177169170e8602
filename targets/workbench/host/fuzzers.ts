// How a surface of the C host (fuzz-surfaces.ts) is built for libFuzzer: one file of test/host/fuzz, and the files of
// the host that it is about.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "../engines/install.ts";
import type { Surface } from "./fuzz-surfaces.ts";
import { numbersHeader } from "./generate.ts";
import { type Plant, sourceWith } from "./plant.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;
const folder = `${root}dist/fuzz-c`;

/** What a surface's harness says must hold, and the headers beside it that it includes. */
export function boundsOf({ name }: Surface): readonly string[] {
  const folder = `${root}test/host/fuzz`;
  const own = readFileSync(`${folder}/${name}.c`, "utf8");
  const headers = [...own.matchAll(/^#include "(.+)"$/gm)].map(
    ([, header]) => `${folder}/${header}`,
  );
  const shared = headers.filter((header) => existsSync(header));
  const harness = [own, ...shared.map((header) => readFileSync(header, "utf8"))].join("\n");
  const named = [...harness.matchAll(/\bcheck\([^;]*?"([^"\n]*)"\);/g)].map(([, bound]) => bound!);
  return [...new Set(named)];
}

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
 * @param hasAssertions whether the host's own assertions are in it; without them the harness alone finds a fault
 * @returns the program
 */
export function buildFuzzer(
  { name, files }: Surface,
  plant?: Pick<Plant, "file" | "text" | "fault">,
  hasAssertions = true,
): string {
  const out = plant ? `${folder}/${name}/planted` : `${folder}/${name}`;
  mkdirSync(out, { recursive: true });
  writeFileSync(`${folder}/picogrant-numbers.h`, numbersHeader());
  const flags = [
    ...["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Werror"],
    ...["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all"],
    // Kernels that spread programs over more addresses put one in four where the sanitizer has its own memory.
    "-fno-pie",
    ...(hasAssertions ? ["-DPG_ASSERTIONS"] : []),
    ...[`-I${sources}/portable`, `-I${folder}`],
  ];
  const harness = `${root}test/host/fuzz/${name}.c`;
  // Of many planted faults each changes one file.
  const parts = files.map((file) => {
    const source = sourceWith(file, plant, out);
    return file === plant?.file ? source : objectOf(source, flags);
  });
  run("clang", [...flags, "-no-pie", "-o", `${out}/fuzz`, objectOf(harness, flags), ...parts]);
  return `${out}/fuzz`;
}
