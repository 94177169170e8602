// How much each region takes. A build for devices does not tell it: there the sources divide a memory of
// the same size, since both have the same texts in it.

import { create, type Device } from "../../core/complete.ts";
import type { Settings } from "./settings.ts";

const KNOWN = new Map<string, readonly number[]>();

function capacitiesOf(settings: Settings): readonly number[] {
  const key = JSON.stringify(settings);
  let known = KNOWN.get(key);
  if (!known) {
    const twin = create(new Uint8Array(settings.memoryBytes), settings.config);
    known = twin ? [...twin.capacity] : [];
    KNOWN.set(key, known);
  }
  return known;
}

/** How much each region of a device of these settings takes. */
export function roomOf(settings: Settings): (region: number) => number {
  const rooms = capacitiesOf(settings);
  return (region) => rooms[region]!;
}

export function roomsOf(device: Device, settings: Settings): (region: number) => number {
  const told = device.capacity as number[] | undefined;
  if (!told) return roomOf(settings);
  const rooms = [...told];
  return (region) => rooms[region]!;
}
