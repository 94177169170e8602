// The core as one ES5 script that defines `picogrant`. The result of make-bundle.ts is cached, so that most uses need
// not load the build tools.

import { keyOf, stored } from "./build-cache.ts";
import type { Variant } from "./surface.ts";

export type { Variant } from "./surface.ts";

export interface Bundle {
  /** The script for hosts in JavaScript: `picogrant` has the functions by name. */
  readonly code: string;
  /** The source map as JSON. Paths of sources are relative to dist/. */
  readonly map: string;
  /** The first part of `code`, for hosts in other languages. It defines `picogrant` as an array. The first element is
   * the one function, which takes another function's number (surface.ts) and arguments. The others are `create`,
   * `configError` and the release. Without minification, `flashed` equals `code`. */
  readonly flashed: string;
}

interface BundleOptions {
  /** False: only joins the files, with the names of the sources (for instrumentation and debugging). */
  readonly minify?: boolean;
}

export function bundleCore(variant: Variant, options: BundleOptions = {}): Promise<Bundle> {
  const { minify = true } = options;
  const key = `${variant} ${minify}`;
  const bundle =
    made.get(key) ?? stored(keyOf(key, ["core", "targets/bundle"]), () => make(variant, minify));
  made.set(key, bundle);
  return bundle;
}

const made = new Map<string, Promise<Bundle>>();

/** Loads the build tools on demand, because that takes half a second. */
async function make(variant: Variant, minify: boolean): Promise<Bundle> {
  const tools = await import("./make-bundle.ts");
  return minify ? tools.shippedBundle(variant) : tools.readableBundle(variant);
}
