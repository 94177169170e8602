// Which core test/core runs on: the sources, or with PICOGRANT_CORE=path a built bundle, such as
// dist/picogrant.js. A bundle drives one device: every device gets functions of its own.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as sources from "../../core/complete.ts";
import type { completeFunctions, grantFunctions } from "../../targets/firmware/surface.ts";
import { spoiling } from "./spoil.ts";

/** The functions at the border. Numbers with names (State, ErrorCode ...) come from the sources. */
export type Core = Pick<
  typeof sources,
  (typeof grantFunctions)[number] | (typeof completeFunctions)[number]
>;

const path = process.env.PICOGRANT_CORE;
const bundle = path ? readFileSync(resolve(path), "utf8") : undefined;

const spoiled = spoiling(sources);

/** A core for one device. */
export function makeCore(): Core {
  if (process.env.PICOGRANT_SPOIL) return spoiled;
  if (bundle === undefined) return sources;
  return new Function(`${bundle}\nreturn picogrant;`)() as Core;
}
