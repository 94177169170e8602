// Puts the conformance script together: the numbers of the border, the built bundle unchanged, and the
// parts in test/engines/conformance. One file that needs nothing of an engine but `print`.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as core from "../../core/complete.ts";
import { bundleCore, type Variant } from "../../targets/firmware/bundle.ts";

const folder = fileURLToPath(new URL("../../test/engines/conformance/", import.meta.url));

/** Enums of the border that the script names. */
const {
  Authorization,
  ClientAuthentication,
  Command,
  Endpoint,
  CallState,
  ErrorCode,
  ErrorKind,
  Field,
} = core;
const { OfferError, Region, State } = core;
const enums = {
  ...{
    Authorization,
    ClientAuthentication,
    Command,
    Endpoint,
    CallState,
    ErrorCode,
    ErrorKind,
    Field,
  },
  ...{ OfferError, Region, State },
};

/** `var Command={NONE:0,...};` for each enum: the bundle itself holds numbers only. */
export function borderNumbers(): string {
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
 */
export function conformanceScript(bundle: string, plainMemory: boolean): string {
  return `${bundle}\nvar plainMemory=${plainMemory ? 1 : 0};\n${borderNumbers()}${conformanceParts()}`;
}

/** The bundle as `npm run build` writes it. */
export async function builtBundle(variant: Variant): Promise<string> {
  return (await bundleCore(variant)).code;
}
