// The core under test: its sources, a built bundle, or picogrant.c as WebAssembly.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as sources from "../../core/complete.ts";
import type { Device } from "../../core/device/memory.ts";
import { Property } from "../../core/device/property.ts";
import type { completeFunctions, grantFunctions } from "../../targets/bundle/surface.ts";
import { named } from "../../targets/workbench/engines/named-core.ts";
import { ofWasm } from "./wasm-core.ts";

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

/** Loads a file such as dist/picogrant.js, or picogrant.c as WebAssembly. @throws if the file does not exist */
export function ofFile(path: string): MakeCore {
  if (path.endsWith(".wasm")) return ofWasm(path);
  return ofBundle(readFileSync(resolve(path), "utf8"));
}

type Damaged = {
  -readonly [Name in keyof Device]: Device[Name] extends readonly number[]
    ? number[]
    : Device[Name];
};

/** Gives a test write access to the device, to damage it or to set a state directly. */
export function damaged(device: Device): Damaged {
  const { places } = device as { places?: unknown[] };
  if (places === undefined) return device as Damaged;
  // In a bundle, properties have numbers. Find the number by the property's name.
  const placeOf = (name: string | symbol) => Object.values<string>(Property).indexOf(String(name));
  return new Proxy(device as Damaged, {
    set: (_, name, value) => Reflect.set(places, placeOf(name), value),
  });
}
