// What goes into an image, by its target: programs as source, or the core as bytecode of QuickJS.

import { mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../targets/desktop/usage-error.ts";
import { bundleCore } from "../../targets/firmware/bundle.ts";
import {
  kindOf,
  NO_BORDER,
  PayloadKind,
  type Target,
} from "../../targets/firmware/image/format.ts";
import { bundleProgram } from "../../targets/quickjs/bundle.ts";
import { run } from "../engines/install.ts";
import { borderDigest, generate } from "../host/generate.ts";
import { engineVersion, quickjsFolder } from "../host/toolchain.ts";
import { readInput } from "./files.ts";
import type { Options, TargetName } from "./options.ts";

const bytecodeFolder = fileURLToPath(new URL("../../dist/image/", import.meta.url));

const SOURCE_TARGETS: Readonly<Record<Exclude<TargetName, "c-host">, Target>> = {
  qjs: { engine: "qjs", abi: "std-1" },
  quickjs: { engine: "quickjs", abi: "std-1" },
  "quickjs-ng": { engine: "quickjs-ng", abi: "std-1" },
  es5: { engine: "any", abi: "es5" },
};

/**
 * The pair of engine and ABI of a target.
 * @throws UsageError for an ABI that does not belong to it
 */
export function targetOf(name: TargetName, abi: string | undefined): Target {
  if (name !== "c-host") {
    if (abi === undefined) return SOURCE_TARGETS[name];
    throw new UsageError("--abi goes with --target c-host only; the others have but one");
  }
  const engine = "quickjs";
  const own = abi ?? `${engineVersion(quickjsFolder())}-le${process.arch.includes("64") ? 64 : 32}`;
  if (/^\d{4}-\d\d-\d\d-(le|be)(32|64)$/.test(own)) return { engine, abi: own };
  throw new UsageError(`--abi ${own}: picogrant-host --abi prints it, e.g. 2025-04-26-le32`);
}

/** What the host of a core must agree with it about; programs bring both themselves. */
export function borderOf({ abi }: Target): Uint8Array {
  return abi === "std-1" ? NO_BORDER : borderDigest();
}

/**
 * The payload of an image.
 * @throws UsageError where a file of the user's does not fit; InstallError where a tool is missing
 */
export async function payloadFor(options: Options, target: Target): Promise<Uint8Array> {
  if (options.payload !== undefined) return ownPayload(options.payload, target);
  if (target.engine === "any") return Buffer.from((await bundleCore(options.variant)).code);
  if (kindOf(target) === PayloadKind.source) return Buffer.from(await bundleProgram("main"));
  return bytecode(options.variant, target.abi);
}

function ownPayload(path: string, target: Target): Uint8Array {
  const bytes = readInput(path);
  if (kindOf(target) === PayloadKind.bytecode) return bytes;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return bytes;
  } catch {
    throw new UsageError(`${path}: is not UTF-8; this target takes source`);
  }
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
