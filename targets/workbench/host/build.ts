// Builds the C host in the kinds that are tested: as released, under sanitizers, and for 32-bit ARM; and plants faults
// into copies of its files, to see that whoever looks for faults finds them.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { functionsOf, type Variant } from "../../bundle/surface.ts";
import { engineVersion, InstallError, quickjsFolder, run, runBeside } from "../engines/install.ts";
import { generate, generateC } from "./generate.ts";
import { armQuickjs, armSysroot } from "./toolchain.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const sources = `${root}targets/host`;

/** Where the kinds are built; git-ignored. */
export const hostFolder = `${root}dist/host/`;

/** The core as C, and its numbers. */
export const generatedC = `${hostFolder}generated`;

/**
 * Release and sanitize have the core as C. On QuickJS it is as released, and for ARM: `arm` has the whole core, `arm-api` and
 * `arm-grant` the smaller builds. On Duktape it is under the sanitizers.
 */
export type Kind = "release" | "sanitize" | "quickjs" | "duktape" | "arm" | "arm-api" | "arm-grant";

type Engine = "none" | "quickjs" | "duktape";
const engineOf = (kind: Kind): Engine =>
  kind === "duktape" ? kind : kind === "release" || kind === "sanitize" ? "none" : "quickjs";

/** The C programs that test parts of the host, each a file in test/host/c. */
const testPrograms = [
  "allocations",
  "piped",
  "two-connections",
  "answer",
  "record-faults",
  "geometry",
  "network-watch",
  "wall-clock",
  "last-look",
] as const;

/** A program of a kind: the host itself, or a test program. */
export function programOf(kind: Kind, name = "picogrant-host"): string {
  return `${hostFolder}${kind}/${name}`;
}

/** Brings a kind that has been built once up to the sources. @returns false where it has not been built */
export async function isRefreshed(kind: Kind): Promise<boolean> {
  if (!existsSync(programOf(kind))) return false;
  await buildHost(kind);
  return true;
}

/** Those that are an engine's affair, and those that are none's. */
function programsOf(kind: Kind): readonly string[] {
  return kind === "quickjs" || kind === "duktape" ? ["allocations", "piped"] : testPrograms;
}

function settingsOf(kind: Kind, quickjs: string): string[] {
  if (kind === "release" || kind === "quickjs") return [];
  if (kind === "sanitize" || kind === "duktape") {
    const sanitizers = "-fsanitize=address,undefined -fno-sanitize-recover=all";
    return [`CFLAGS=-O1 -g -fno-omit-frame-pointer -DPG_ASSERTIONS ${sanitizers}`];
  }
  return [
    `CC=arm-linux-gnueabihf-gcc --sysroot=${armSysroot()}`,
    `QUICKJS_LIB=${armQuickjs(quickjs)}`,
    "INCLUDES=",
    "LIBS=-lcurl -lsodium",
  ];
}

/** @throws InstallError where make would take the folder's name for several. */
export function refuseSpaces(folder: string): void {
  if (!/\s/.test(folder)) return;
  throw new InstallError(`make cannot build in ${folder}; move it where no name has a space`);
}

/**
 * Builds a kind and the test programs with it.
 * @throws InstallError with the compiler's first complaint
 */
export async function buildHost(kind: Kind): Promise<void> {
  refuseSpaces(root);
  const engine = engineOf(kind);
  const variant: Variant = kind === "arm-grant" ? "grant" : kind === "arm-api" ? "api" : "complete";
  const quickjs = engine === "quickjs" ? quickjsFolder() : "";
  const onEngine = `${hostFolder}generated-${variant}${engine === "duktape" ? "-source" : ""}`;
  const generated = engine === "none" ? generatedC : onEngine;
  if (engine === "none") await generateC(generated);
  else await generate(generated, variant, quickjs ? engineVersion(quickjs) : undefined);
  const out = `${hostFolder}${kind}`;
  const targets = ["all", ...programsOf(kind).map((name) => `${out}/${name}`)];
  const settings = [
    `ENGINE=${engine}`,
    `QUICKJS_DIR=${quickjs}`,
    `GENERATED=${generated}`,
    `OUT=${out}`,
    `TESTS=${root}test/host/c`,
    ...settingsOf(kind, quickjs),
  ];
  try {
    run("make", ["-s", "-C", sources, ...settings, ...targets]);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    throw new InstallError(error.message.slice(error.message.indexOf(": ") + 2));
  }
}

/**
 * Compiles picogrant.c of `npm run build` for WebAssembly, with its functions by the names of the sources.
 * @returns the file
 */
export function buildWasm(variant: Variant): string {
  const out = `${hostFolder}${variant}.wasm`;
  const border = ["core_open", "get", "start", "length", "capacity", "call_body"];
  const names = [...functionsOf(variant), ...border.map((name) => `pg_${name}`)];
  names.push("setCounters", "coreOf", "memoryOf", "regionsOf");
  mkdirSync(hostFolder, { recursive: true });
  run("clang", [
    ...["--target=wasm32", "-O1", "-std=c99", "-ffreestanding", "-nostdlib", "-Dstatic="],
    ...[`-DPICOGRANT_BUILD=PICOGRANT_${variant.toUpperCase()}`, `-I${root}dist`],
    ...["-Wl,--no-entry", ...names.map((name) => `-Wl,--export=${name}`), "-o", out],
    `${root}targets/c-file/wasm.c`,
  ]);
  return out;
}

/** Where a port of one's own is built, and its program. */
export const portFolder = `${hostFolder}port/`;

/**
 * Builds the port in a folder (main.c, connection.c, medium.c, display.c, clock.c; what is missing is taken from
 * ports/template) for this machine.
 * @param more for make: the target `check` builds the program that tries the files
 * @throws InstallError with the compiler's first complaint
 */
export async function buildPort(
  folder: string,
  out = portFolder,
  ...more: readonly string[]
): Promise<void> {
  for (const name of [root, folder, out]) refuseSpaces(name);
  await generateC(generatedC);
  // What is there may be another port's, whose files were newer than this one's.
  rmSync(out, { recursive: true, force: true });
  await makePort(folder, out, ...more);
}

/** What `buildPort` has built before, of the same port, is only brought up to date: by the times of its files. */
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

/** `text` of a file of targets/host/portable becomes `fault`. */
export interface Fault {
  readonly file: string;
  readonly text: string;
  readonly fault: string;
}

/**
 * The path of a source file, or of a copy with the fault in it, where it belongs to this file.
 * @param folder where the copy goes
 * @throws InstallError where the text is not there just once: the source has changed
 */
export function sourceWith(file: string, plant: Fault | undefined, folder: string): string {
  const path = `${sources}/portable/${file}.c`;
  if (plant?.file !== file) return path;
  const text = readFileSync(path, "utf8");
  if (text.split(plant.text).length !== 2) {
    throw new InstallError(
      `${path}: "${plant.text}" is not there just once; mend the planted fault`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const copy = `${folder}/${file}.c`;
  writeFileSync(copy, text.replace(plant.text, plant.fault));
  return copy;
}
