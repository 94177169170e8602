// Builds the C host in the kinds that are tested: release, with sanitizers, with keys, on QuickJS, and for 32-bit ARM.
// Plants faults into copies of the host's files, because a check that cannot fail shows nothing.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { functionsOf, type Variant } from "../../bundle/surface.ts";
import { InstallError, quickjsFolder, run, runBeside } from "../engines/install.ts";
import { generate, generateC } from "./generate.ts";
import faults from "./planted-faults.json" with { type: "json" };
import { armQuickjs, armSysroot } from "./toolchain.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;

export const hostFolder = `${root}dist/host/`;

export const generatedC = `${hostFolder}generated`;

/** The kinds. release, sanitize and keys contain the core as C, and the others run its bundle on QuickJS. arm-api and
 * arm-grant have the smaller builds of the core. keys has sanitizers, DPoP and private_key_jwt. */
export type Kind = "release" | "sanitize" | "keys" | "quickjs" | "arm" | "arm-api" | "arm-grant";

const engineOf = (kind: Kind): "none" | "quickjs" =>
  kind === "release" || kind === "sanitize" || kind === "keys" ? "none" : "quickjs";

/** The programs of test/host/c that need no keys. */
const testPrograms = [
  "allocations",
  "piped",
  "two-connections",
  "response",
  "record-faults",
  "geometry",
  "network-watch",
  "wall-clock",
  "leak-guard",
] as const;

export function programOf(kind: Kind, name = "picogrant-host"): string {
  return `${hostFolder}${kind}/${name}`;
}

/** Builds a kind again, but only if it has been built before. @returns whether it has */
export async function isRefreshed(kind: Kind): Promise<boolean> {
  if (!existsSync(programOf(kind))) return false;
  await buildHost(kind);
  return true;
}

function programsOf(kind: Kind): readonly string[] {
  if (kind === "keys") return ["keys", "geometry"];
  return kind === "quickjs" ? ["allocations", "piped"] : testPrograms;
}

function settingsOf(kind: Kind, quickjs: string): string[] {
  if (kind === "release" || kind === "quickjs") return [];
  if (kind === "sanitize" || kind === "keys") {
    const sanitizers = "-fsanitize=address,undefined -fno-sanitize-recover=all";
    const cflags = `CFLAGS=-O1 -g -fno-omit-frame-pointer -DPG_ASSERTIONS ${sanitizers}`;
    return kind === "keys" ? [cflags, "KEYS=1"] : [cflags];
  }
  return [
    `CC=arm-linux-gnueabihf-gcc --sysroot=${armSysroot()}`,
    `QUICKJS_LIB=${armQuickjs(quickjs)}`,
    "INCLUDES=",
    "LIBS=-lcurl -lsodium",
  ];
}

/** @throws InstallError if the folder's path contains a space, because make would treat it as several names */
export function refuseSpaces(folder: string): void {
  if (!/\s/.test(folder)) return;
  throw new InstallError(`make cannot build in ${folder}: move it to a path without spaces`);
}

/** Builds a kind and its test programs. @throws InstallError with the compiler's first error */
export async function buildHost(kind: Kind): Promise<void> {
  refuseSpaces(root);
  const engine = engineOf(kind);
  const variant: Variant = kind === "arm-grant" ? "grant" : kind === "arm-api" ? "api" : "complete";
  const quickjs = engine === "quickjs" ? quickjsFolder() : "";
  const generated = engine === "none" ? generatedC : `${hostFolder}generated-${variant}`;
  if (engine === "none") await generateC(generated);
  else await generate(generated, variant);
  const out = `${hostFolder}${kind}`;
  const targets = ["all", ...programsOf(kind).map((name) => `${out}/${name}`)];
  const settings = [`ENGINE=${engine}`, `QUICKJS_DIR=${quickjs}`, `GENERATED=${generated}`];
  makeHost(out, [...settings, ...settingsOf(kind, quickjs), ...targets]);
}

function makeHost(out: string, args: readonly string[]): void {
  try {
    run("make", ["-s", "-C", sources, `OUT=${out}`, `TESTS=${root}test/host/c`, ...args]);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    throw new InstallError(error.message.slice(error.message.indexOf(": ") + 2));
  }
}

/** Compiles picogrant.c of `npm run build` to WebAssembly, including the functions that are static in C. */
export function buildWasm(variant: Variant): string {
  const out = `${hostFolder}${variant}.wasm`;
  const api = ["core_open", "get", "start", "length", "capacity", "call_body"];
  const own = functionsOf(variant).map((name) => name.replace(/[A-Z]/g, "_$&").toLowerCase());
  const names = [...own.map((name) => `pgc_${name}`), ...api.map((name) => `pg_${name}`)];
  names.push("setCounters", "coreOf", "memoryOf");
  mkdirSync(hostFolder, { recursive: true });
  run("clang", [
    ...["--target=wasm32", "-O1", "-std=c99", "-ffreestanding", "-nostdlib", "-Dstatic="],
    ...["-mbulk-memory", `-DPICOGRANT_BUILD=PICOGRANT_${variant.toUpperCase()}`, `-I${root}dist`],
    ...["-Wl,--no-entry", ...names.map((name) => `-Wl,--export=${name}`), "-o", out],
    `${root}test/model/wasm.c`,
  ]);
  return out;
}

export const portFolder = `${hostFolder}port/`;

/**
 * Builds the port in `folder` for this machine. Files that the folder does not contain come from ports/template.
 * @param more targets for make: `check` builds the program that tests the port's files
 * @throws InstallError with the compiler's first error
 */
export async function buildPort(
  folder: string,
  out = portFolder,
  ...more: readonly string[]
): Promise<void> {
  for (const name of [root, folder, out]) refuseSpaces(name);
  await generateC(generatedC);
  // Delete the objects of the last port. They may be newer than this port's files, and make would not replace them.
  rmSync(out, { recursive: true, force: true });
  await makePort(folder, out, ...more);
}

/** Builds the missing and outdated files of a port. Generate the core as C before. */
export function makePort(folder: string, out: string, ...more: readonly string[]): Promise<void> {
  const settings = [`PORT=${folder}`, `GENERATED=${generatedC}`, `OUT=${out}`];
  return runBeside("make", [
    "-s",
    "-f",
    `${sources}/ports/template/Makefile`,
    ...settings,
    ...more,
  ]);
}

/** Replaces `text` by `fault` in a file of targets/host/portable, or in the core (`file`: "picogrant"). */
export interface PlantedFault {
  readonly file: string;
  readonly text: string;
  readonly fault: string;
  /** Part of the output of a check that has found this fault. */
  readonly finding: string;
}

/** @param check "fuzz NAME", "prove NAME", or the name of a program in test/host/c */
export function plantedFaults(check: string): PlantedFault[] {
  const found = faults.filter((one) => one.check === check);
  if (found.length === 0) throw new Error(`planted-faults.json has no fault for ${check}`);
  return found;
}

/**
 * The path of a source file. If `plant` is for this file: the path of a copy in `folder` that has the fault.
 * @throws InstallError if `plant.text` does not occur exactly once in the file: the source has changed
 */
export function sourceOf(file: string, plant?: PlantedFault, folder = ""): string {
  const path = `${file === "picogrant" ? generatedC : `${sources}/portable`}/${file}.c`;
  if (plant?.file !== file) return path;
  const parts = readFileSync(path, "utf8").split(plant.text);
  if (parts.length !== 2)
    throw new InstallError(`${path}: "${plant.text}" is not there exactly once`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${file}.c`, parts.join(plant.fault));
  return `${folder}/${file}.c`;
}

/** Builds a program of test/host/c with sanitizers and a planted fault. @returns its path */
export function plantedProgram(name: string, plant: PlantedFault): string {
  const out = `${hostFolder}planted`;
  rmSync(out, { recursive: true, force: true });
  cpSync(`${hostFolder}sanitize`, out, { recursive: true, preserveTimestamps: true });
  sourceOf(plant.file, plant, out);
  const settings = [`VPATH=${out} portable ports/posix ${generatedC}`, `GENERATED=${generatedC}`];
  makeHost(out, [...settings, ...settingsOf("sanitize", ""), `${out}/${name}`]);
  return `${out}/${name}`;
}
