// Builds the board's firmware: the libraries once, and then a firmware for each kind that is tested.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Variant } from "../../bundle/bundled-core.ts";
import { InstallError, quickjsFolder, run } from "../engines/install.ts";
import { refuseSpaces } from "../host/build.ts";
import { generate, generateC, writeIfChanged } from "../host/generate.ts";
import { GLYPH_COLUMNS, glyphOf } from "./font.ts";
import { bearsslFolder, lwipFolder, type MachineName, machine } from "./machines.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

export const folderOf = (name: MachineName): string =>
  name === "mps2" ? `${root}dist/board/` : `${root}dist/board-${name}/`;
export const boardFolder = folderOf(machine.name);
export const boardPort = `${root}targets/host/ports/board`;
export const portFolder = `${root}dist/firmware/`;

interface Settings {
  readonly variant: Variant;
  /** Bytes of the heap of QuickJS. Undefined: the core is C. */
  readonly arenaBytes?: number;
  /** "small" needs a server that supports max_fragment_length or sends short records. "full" works with any server. */
  readonly tlsBuffers: "small" | "full";
  readonly stackBytes: number;
  readonly memoryBytes: number;
  /** With DPoP and private_key_jwt. */
  readonly keys?: 1;
}

export const kinds = {
  complete: { variant: "complete", tlsBuffers: "small", stackBytes: 6144, memoryBytes: 4800 },
  api: { variant: "api", tlsBuffers: "small", stackBytes: 6144, memoryBytes: 4800 },
  keys: { variant: "complete", tlsBuffers: "small", stackBytes: 6144, memoryBytes: 4800, keys: 1 },
  grant: { variant: "grant", tlsBuffers: "small", stackBytes: 6144, memoryBytes: 4096 },
  full: { variant: "complete", tlsBuffers: "full", stackBytes: 6144, memoryBytes: 4800 },
  quickjs: {
    variant: "complete",
    tlsBuffers: "small",
    arenaBytes: 52_224,
    stackBytes: 6144,
    memoryBytes: 6144,
  },
} as const satisfies Record<string, Settings>;

export type Kind = keyof typeof kinds;

export const kindNames = (Object.keys(kinds) as Kind[]).filter(
  (kind) => kind !== "quickjs" || machine.fitsEngine,
);

/** The path of a kind's firmware. The linker's map is in the same folder. */
export const firmwareOf = (kind: Kind, folder = boardFolder): string =>
  `${folder}${kind}/firmware.elf`;
export const mapOf = (kind: Kind, folder = boardFolder): string => `${folder}${kind}/firmware.map`;

/** The time of the last commit, in seconds since 1970, so that builds are reproducible; 0 if unknown. */
function sourceTime(): number {
  try {
    const args = ["log", "-1", "--format=%ct"];
    return Number(execFileSync("git", args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return 0;
  }
}

const FIRST_CODE = 32;
const LAST_CODE = 126;

function fontHeader(): string {
  const rows = Array.from({ length: LAST_CODE - FIRST_CODE + 1 }, (_, at) => {
    return `    {${glyphOf(FIRST_CODE + at).join(", ")}},`;
  });
  return (
    "/* Generated: columns of dots for the characters 32 to 126, the lowest bit on top. */\n" +
    `#include <stdint.h>\n\nenum { FONT_COLUMNS = ${GLYPH_COLUMNS} };\n` +
    `static const uint8_t font[][FONT_COLUMNS] = {\n${rows.join("\n")}\n};\n` +
    "/* Custom texts may contain characters up to 255. */\n" +
    `static inline const uint8_t *glyph(uint8_t cell) {\n` +
    `  return font[(cell >= ${FIRST_CODE} && cell <= ${LAST_CODE} ? cell : '?') - ${FIRST_CODE}];\n}\n`
  );
}

/**
 * Builds a kind of the board's firmware, from the repository's port or from a changed copy of its folder.
 * @param port the source folder
 * @param out the output folder
 * @param name the name of the machine's folder in `port`
 * @throws InstallError with the compiler's first error
 */
export async function buildFirmware(
  kind: Kind,
  port = boardPort,
  out = port === boardPort ? boardFolder : portFolder,
  name: string = machine.name,
): Promise<void> {
  for (const folder of [root, port, out]) refuseSpaces(folder);
  if (!existsSync(`${port}/${name}/machine.mk`))
    throw new InstallError(
      `there is no ${name}/machine.mk in ${port}: copy a machine's folder there`,
    );
  const { variant, tlsBuffers, arenaBytes, stackBytes, memoryBytes, keys }: Settings = kinds[kind];
  const quickjs = arenaBytes === undefined ? undefined : quickjsFolder();
  const generated = `${boardFolder}generated${quickjs === undefined ? "" : `-${variant}`}`;
  if (quickjs === undefined) await generateC(generated);
  else await generate(generated, variant);
  writeIfChanged(`${generated}/font.h`, fontHeader());
  const settings = {
    ...(quickjs !== undefined && {
      ENGINE: "quickjs",
      QUICKJS_DIR: quickjs,
      ARENA_BYTES: arenaBytes,
    }),
    ...(keys && { KEYS: keys }),
    BUILD: variant.toUpperCase(),
    LWIP_DIR: lwipFolder(),
    BEARSSL_DIR: bearsslFolder(),
    GENERATED: generated,
    HOST: `${root}targets/host`,
    LIBRARIES: `${out}libraries`,
    OUT: out + kind,
    TLS_BUFFERS: tlsBuffers,
    STACK_BYTES: stackBytes,
    DEVICE_MEMORY_BYTES: memoryBytes,
    BUILD_S: sourceTime(),
    MACHINE: name,
  };
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  try {
    run("make", ["-s", "-C", port, ...words]);
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    throw new InstallError(error.message.slice(error.message.indexOf(": ") + 2));
  }
}
