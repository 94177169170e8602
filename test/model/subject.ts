// The core under test: the sources, or a built bundle.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as sources from "../../core/complete.ts";
import type { Device } from "../../core/device/memory.ts";
import { Property } from "../../core/device/property.ts";
import { named } from "../../platform/driver/named-core.ts";
import type { completeFunctions, grantFunctions } from "../../targets/bundle/surface.ts";
import { ofWasm } from "./wasm-core.ts";

/** The functions at the border. */
export type Core = Pick<
  typeof sources,
  (typeof grantFunctions)[number] | (typeof completeFunctions)[number]
>;

export type MakeCore = () => Core;

export const ofSources: MakeCore = () => sources;

export function ofBundle(code: string): MakeCore {
  const make = new Function(`${code}\nreturn picogrant;`) as MakeCore;
  return () => named(make());
}

/** The core of a file such as dist/picogrant.js, or of picogrant.c as WebAssembly. @throws where there is none */
export function ofFile(path: string): MakeCore {
  if (path.endsWith(".wasm")) return ofWasm(path);
  return ofBundle(readFileSync(resolve(path), "utf8"));
}

type Damaged = {
  -readonly [Name in keyof Device]: Device[Name] extends readonly number[]
    ? number[]
    : Device[Name];
};

/** The same device for a test that writes past the owners: to damage it, or to save a long way to a state. */
export function damaged(device: Device): Damaged {
  const { places } = device as { places?: unknown[] };
  if (places === undefined) return device as Damaged;
  // Of a bundle: the places have names for reading alone.
  const placeOf = (name: string | symbol) => Object.values<string>(Property).indexOf(String(name));
  return new Proxy(device as Damaged, {
    set: (_, name, value) => Reflect.set(places, placeOf(name), value),
  });
}
