import type { Device } from "../../core/device/memory.ts";

type Damaged = {
  -readonly [Name in keyof Device]: Device[Name] extends readonly number[]
    ? number[]
    : Device[Name];
};

/** The same device for a test that writes past the owners: to damage it, or to save a long way to a state. */
export function damaged(device: Device): Damaged {
  return device as Damaged;
}
