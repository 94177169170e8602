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
import { borderDigest } from "../host/border.ts";
import { generate } from "../host/generate.ts";
import { engineVersion, quickjsFolder } from "../host/toolchain.ts";
import type { Options, TargetName } from "./options.ts";
import { checkedAbi, ownPayload, SOURCE_TARGETS, sourcePayload } from "./targets.ts";

/** Where an image goes unless it is said. */
export const imageFolder: string = fileURLToPath(new URL("../../dist/", import.meta.url));

const bytecodeFolder = fileURLToPath(new URL("../../dist/image/", import.meta.url));

/**
 * The pair of engine and ABI of a target.
 * @throws UsageError for an ABI that does not belong to it
 */
export function targetOf(name: TargetName, abi: string | undefined): Target {
  if (name !== "c-host") {
    if (abi === undefined) return SOURCE_TARGETS[name];
    throw new UsageError("--abi goes with --target c-host only; the others have but one");
  }
  const own = abi ?? `${engineVersion(quickjsFolder())}-le${process.arch.includes("64") ? 64 : 32}`;
  return { engine: "quickjs", abi: checkedAbi(own) };
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
  if (target.engine === "any") {
    return sourcePayload(Buffer.from((await bundleCore(options.variant)).code), target);
  }
  if (kindOf(target) === PayloadKind.source) return Buffer.from(await bundleProgram("main"));
  return bytecode(options.variant, target.abi);
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
