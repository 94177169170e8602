// The core with other limits, for comparison: the firmware's own build of it, with numbers replaced.
// The devices themselves run exactly what ships otherwise.
import type * as grant from "../../../core/index.ts";
import { bundleCore } from "../../bundle/bundled-core.ts";
import type { grantFunctions } from "../../bundle/surface.ts";
import { coreOf } from "./core-code.ts";

export type FleetCore = Pick<typeof grant, (typeof grantFunctions)[number]>;

export interface Variant {
  readonly name: string;
  /** What is replaced in the built text of the core; each must be found. */
  readonly replace: readonly (readonly [from: RegExp, to: string])[];
}

const noSpread = limit("BOOT_SPREAD_MS", 1);
const noJitter = [/backoff \+= backoff < 65536 \? [^;]*;/g, "backoff *= 2;"] as const;

export const VARIANTS: readonly Variant[] = [
  { name: "as shipped", replace: [] },
  { name: "no spread at boot", replace: [noSpread] },
  { name: "spread of 30 s at boot", replace: [limit("BOOT_SPREAD_MS", 30_000)] },
  { name: "backoff up to 8 s only", replace: [limit("BACKOFF_MAX_MS", 8_000)] },
  { name: "backoff without jitter", replace: [noJitter] },
  { name: "neither spread nor jitter", replace: [noSpread, noJitter] },
];

/** The build writes the number in a limit's place and its name behind. */
function limit(name: string, value: number): readonly [RegExp, string] {
  return [new RegExp(`[\\de]+ /\\* ${name} \\*/`, "g"), String(value)];
}

/** Builds the grant's core with a variant's numbers. Throws where one is no longer there. */
export async function buildVariant(variant: Variant): Promise<FleetCore> {
  return coreOf(await variantCode(variant));
}

/** The text of the core that buildVariant runs. */
export async function variantCode(variant: Variant): Promise<string> {
  let { code } = await bundleCore("grant", { minify: false });
  for (const [from, to] of variant.replace) {
    const changed = code.replace(from, to);
    if (changed === code) throw new Error(`${variant.name}: ${from} is not in the core any more`);
    code = changed;
  }
  return code;
}
