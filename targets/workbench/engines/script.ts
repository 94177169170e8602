// Puts the conformance script together: the numbers of the border, the built bundle unchanged, and the
// parts in test/engines/conformance. One file that needs nothing of an engine but `print`.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import * as core from "../../../core/complete.ts";
import { bundleCore, type Variant } from "../../bundle/bundled-core.ts";
import { nameOf } from "../../bundle/surface.ts";

const dist = fileURLToPath(new URL("../../../dist/", import.meta.url));
const folder = fileURLToPath(new URL("../../../test/engines/conformance/", import.meta.url));

/** Enums of the border that the script names. */
const enums = {
  Authorization: core.Authorization,
  ClientAuthentication: core.ClientAuthentication,
  Command: core.Command,
  Endpoint: core.Endpoint,
  CallState: core.CallState,
  ErrorCode: core.ErrorCode,
  ErrorKind: core.ErrorKind,
  Field: core.Field,
  OfferError: core.OfferError,
  Region: core.Region,
  State: core.State,
};

/**
 * `var Command={NONE:0,...};` for each enum: the bundle itself holds numbers only.
 * @param isPlaced true: the bundle's device is an array; false: it has the names of the sources
 */
export function borderNumbers(isPlaced = true): string {
  const properties = Object.entries(core.Property).map(([key, name], place) =>
    isPlaced ? `${key}:${place}` : `${key}:"${name}"`,
  );
  return `var Property={${properties.join(",")}};\n${enumsText()}`;
}

function enumsText(): string {
  return Object.entries(enums)
    .map(([name, members]) => {
      const numbers = Object.entries(members).filter(([, value]) => typeof value === "number");
      return `var ${name}={${numbers.map(([key, value]) => `${key}:${value}`).join(",")}};\n`;
    })
    .join("");
}

/** The conformance parts, in their order. */
export function conformanceParts(): string {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".js"))
    .sort()
    .map((file) => readFileSync(folder + file, "utf8"))
    .join("\n");
}

/**
 * The whole script.
 * @param bundle code that defines `picogrant`
 * @param plainMemory true: memory is a plain array even where the engine has typed arrays
 * @param isPlaced as in borderNumbers
 */
export function conformanceScript(bundle: string, plainMemory: boolean, isPlaced = true): string {
  return `${bundle}\nvar plainMemory=${plainMemory ? 1 : 0};\n${borderNumbers(isPlaced)}${conformanceParts()}`;
}

/**
 * The very file of dist/ that `npm run build` writes, which ships. Where it is not there, or is not of today's
 * sources, it is written first.
 */
export async function builtBundle(variant: Variant): Promise<string> {
  const { code } = await bundleCore(variant);
  const file = `${dist}${nameOf(variant)}.js`;
  if (!existsSync(file) || readFileSync(file, "utf8") !== code) {
    mkdirSync(dist, { recursive: true });
    // Another process may read it while it is written: it gets its name when it is complete.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, file);
  }
  return readFileSync(file, "utf8");
}
