// What goes into an image where the package is installed and the sources are not: the programs and bundles that came
// with it.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nameOf } from "../../bundle/surface.ts";
import { UsageError } from "../../desktop/usage-error.ts";
import type { Target } from "../../image/format.ts";
import type { Options, TargetName } from "./options.ts";
import {
  boardTarget,
  checkedAbi,
  ES5,
  ownPayload,
  type Payloads,
  sourcePayload,
} from "./payload-kinds.ts";

function targetOf(name: TargetName, abi: string | undefined): Target {
  if (name === "board") return boardTarget(abi);
  if (name !== "c-host") {
    if (abi === undefined) return ES5;
    throw new UsageError("--abi goes with --target c-host only");
  }
  if (abi !== undefined) return { engine: "quickjs", abi: checkedAbi(abi) };
  throw new UsageError("--abi is missing: picogrant-host --abi prints it, e.g. 2025-04-26-le32");
}

async function payloadFor(options: Options, target: Target): Promise<Uint8Array> {
  if (options.payload !== undefined) return ownPayload(options.payload, target);
  if (target.engine === "firmware") {
    throw new UsageError("--payload is missing: firmware-a.bin or -b.bin of npm run board");
  }
  if (target.engine === "quickjs") {
    throw new UsageError(
      "--payload is missing: the core as bytecode, by qjsc -c -s of dist/picogrant.js in this package",
    );
  }
  const bundle = `${nameOf(options.variant)}.js`;
  return sourcePayload(readShipped(bundle));
}

export const shippedPayloads: Payloads = { imageFolder: "", targetOf, payloadFor };

/** The bundles lie in dist/, beside the command's folder. */
function readShipped(name: string): Uint8Array {
  const folder = fileURLToPath(new URL("../../../../", import.meta.url));
  return new Uint8Array(readFileSync(`${folder}${name}`));
}
