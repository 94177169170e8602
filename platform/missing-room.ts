// What a device had no room for, in words for whoever gave it its memory.

import { type Device, Field } from "../core/index.ts";

/** Names the value, how long it was, and how much memory would do; "" where nothing is missing. */
export function missingRoomOf(device: Device): string {
  if (device.memoryNeeded === 0) return "";
  const name = device.errorField > 0 ? (Field[device.errorField] ?? "").toLowerCase() : "";
  const what = name === "" ? "a request or a record" : `${name} of ${device.errorLength} bytes`;
  return `no room for ${what}; ${device.memoryNeeded} bytes of memory would do`;
}
