// What the targets of an image are called in its header, and where its payload comes from.

import { UsageError } from "../../desktop/usage-error.ts";
import { kindOf, PayloadKind, type Target } from "../../image/format.ts";
import { readInput } from "./files.ts";
import type { Options, TargetName } from "./options.ts";

/** Where payloads come from: the sources in the repository, or the bundles in the installed package. */
export interface Payloads {
  /** Where an image goes unless it is said: a folder with a slash at its end, or "" for the current one. */
  readonly imageFolder: string;
  /**
   * The pair of engine and ABI of a target.
   * @throws UsageError for an ABI that does not belong to it
   */
  targetOf(name: TargetName, abi: string | undefined): Target;
  /** @throws UsageError where a file of the user's does not fit; an error of one line where a tool is missing */
  payloadFor(options: Options, target: Target): Promise<Uint8Array>;
}

/** Of a host that evaluates the core's source. */
export const ES5: Target = { engine: "any", abi: "es5" };

/** @throws UsageError for what no board has as its ABI: its name and the version of its map.h, and the slot */
export function boardTarget(abi: string | undefined): Target {
  if (abi !== undefined && /^[a-z0-9-]+-\d+-[ab]$/.test(abi)) return { engine: "firmware", abi };
  throw new UsageError(
    "--abi is the board's name in map.h, and the slot that it is linked for: mps2-an385-2-a",
  );
}

/** @throws UsageError for what no host in C has as its ABI */
export function checkedAbi(abi: string): string {
  if (/^\d{4}-\d\d-\d\d-(le|be)(32|64)$/.test(abi)) return abi;
  throw new UsageError(`--abi ${abi}: picogrant-host --abi prints it, e.g. 2025-04-26-le32`);
}

/** Source as its hosts read it: some engines want one NUL behind the core's bundle where it lies. */
export function sourcePayload(source: Uint8Array): Uint8Array {
  if (source.at(-1) === 0) return source;
  return Buffer.concat([source, Uint8Array.of(0)]);
}

/** @throws UsageError where the file cannot be one for this target */
export function ownPayload(path: string, target: Target): Uint8Array {
  const bytes = readInput(path);
  if (kindOf(target) !== PayloadKind.source && kindOf(target) !== undefined) return bytes;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path}: is not UTF-8; this target takes source`);
  }
  return sourcePayload(bytes);
}
