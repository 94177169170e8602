// What the targets of an image are called in its header, and payloads that the user brings.

import { UsageError } from "../../targets/desktop/usage-error.ts";
import { kindOf, PayloadKind, type Target } from "../../targets/firmware/image/format.ts";
import { readInput } from "./files.ts";
import type { TargetName } from "./options.ts";

export const SOURCE_TARGETS: Readonly<Record<Exclude<TargetName, "c-host">, Target>> = {
  qjs: { engine: "qjs", abi: "std-1" },
  quickjs: { engine: "quickjs", abi: "std-1" },
  "quickjs-ng": { engine: "quickjs-ng", abi: "std-1" },
  es5: { engine: "any", abi: "es5" },
};

/** @throws UsageError for what no host in C has as its ABI */
export function checkedAbi(abi: string): string {
  if (/^\d{4}-\d\d-\d\d-(le|be)(32|64)$/.test(abi)) return abi;
  throw new UsageError(`--abi ${abi}: picogrant-host --abi prints it, e.g. 2025-04-26-le32`);
}

/** Source as the target's hosts read it: some engines want one NUL behind the core's bundle where it lies. */
export function sourcePayload(source: Uint8Array, target: Target): Uint8Array {
  if (target.engine !== "any" || source.at(-1) === 0) return source;
  return Buffer.concat([source, Uint8Array.of(0)]);
}

/** @throws UsageError where the file cannot be one for this target */
export function ownPayload(path: string, target: Target): Uint8Array {
  const bytes = readInput(path);
  if (kindOf(target) === PayloadKind.bytecode) return bytes;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path}: is not UTF-8; this target takes source`);
  }
  return sourcePayload(bytes, target);
}
