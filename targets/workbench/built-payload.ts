// What goes into an image that is made in the repository, by its target: programs as source, or the core as bytecode
// of QuickJS.

import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleCore } from "../bundle/bundled-core.ts";
import type { Options, TargetName } from "../command/image/options.ts";
import {
  boardTarget,
  checkedAbi,
  ES5,
  ownPayload,
  type Payloads,
  sourcePayload,
} from "../command/image/payload-kinds.ts";
import { perform } from "../command/image/perform.ts";
import { UsageError } from "../desktop/usage-error.ts";
import type { Target } from "../image/format.ts";
import { engineVersion, quickjsFolder } from "./engines/debian-sources.ts";
import { run } from "./engines/install.ts";
import { generate } from "./host/generate.ts";

const imageFolder = fileURLToPath(new URL("../../dist/", import.meta.url));

const bytecodeFolder = fileURLToPath(new URL("../../dist/image/", import.meta.url));

function targetOf(name: TargetName, abi: string | undefined): Target {
  if (name === "board") return boardTarget(abi);
  if (name !== "c-host") {
    if (abi === undefined) return ES5;
    throw new UsageError("--abi goes with --target c-host only");
  }
  const own = abi ?? `${engineVersion(quickjsFolder())}-le${process.arch.includes("64") ? 64 : 32}`;
  return { engine: "quickjs", abi: checkedAbi(own) };
}

async function payloadFor(options: Options, target: Target): Promise<Uint8Array> {
  if (options.payload !== undefined) return ownPayload(options.payload, target);
  if (target.engine === "firmware") {
    throw new UsageError("--payload is missing: firmware-a.bin or -b.bin of npm run board");
  }
  if (target.engine === "any") {
    return sourcePayload(Buffer.from((await bundleCore(options.variant)).code));
  }
  return bytecode(options.variant, target.abi);
}

export const builtPayloads: Payloads = { imageFolder, targetOf, payloadFor };

/** `perform` with what is built from the sources. */
export function performBuilt(options: Options): Promise<string> {
  return perform(options, builtPayloads);
}

/** The core compiled by qjsc. The word size makes no difference to it, byte order does. */
async function bytecode(variant: Options["variant"], abi: string): Promise<Uint8Array> {
  const quickjs = quickjsFolder();
  const version = engineVersion(quickjs);
  if (!abi.startsWith(`${version}-le`)) {
    throw new UsageError(`--abi ${abi}: the compiler here writes bytecode for ${version}-le only`);
  }
  const folder = `${bytecodeFolder}${variant}`;
  mkdirSync(folder, { recursive: true });
  await generate(folder, variant, version);
  const output = `${folder}/bytecode.h`;
  run(`${quickjs}/qjsc`, ["-c", "-s", "-N", "pg_core_bytes", "-o", output, `${folder}/core.js`]);
  return bytesOfArray(readFileSync(output, "latin1"));
}

/** The bytes of the array in a C file, as qjsc writes it. */
export function bytesOfArray(text: string): Uint8Array {
  const list = text.slice(text.indexOf("{"));
  return Uint8Array.from([...list.matchAll(/0x([0-9a-f]{2})/g)], ([, digits]) =>
    Number.parseInt(digits!, 16),
  );
}
