// Base64 (RFC 4648 §4) of what was written last, in its own place.

import { quotient } from "../device/digits.ts";
import type { Device } from "../device/memory.ts";
import { goTo } from "./form-encoder.ts";

/** The character that stands for six bits. */
function base64Character(value: number): number {
  if (value < 26) return 65 + value; // A..Z
  if (value < 52) return 97 + value - 26; // a..z
  if (value < 62) return 48 + value - 52; // 0..9
  return value === 62 ? 43 : 47; // + and /
}

/**
 * Encodes the bytes from `start` up to where the writer is; they become longer by a third. Three bytes
 * become four characters, the last three first, so that none is overwritten before it is read.
 */
export function encodeBase64(device: Device, start: number): void {
  var size = device.writeAt - start;
  var groups = quotient(size + 2, 3);
  goTo(device, start + 4 * groups);
  // What does not fit is noticed where the room for it was made.
  if (device.writeAt > device.writeEnd) return;
  while (groups--) {
    var from = start + 3 * groups;
    var to = start + 4 * groups;
    var count = size - 3 * groups;
    var bits = device.memory[from] << 16;
    if (count > 1) bits |= device.memory[from + 1] << 8;
    if (count > 2) bits |= device.memory[from + 2];
    device.memory[to] = base64Character(bits >> 18);
    device.memory[to + 1] = base64Character((bits >> 12) & 63);
    device.memory[to + 2] = count > 1 ? base64Character((bits >> 6) & 63) : 61;
    device.memory[to + 3] = count > 2 ? base64Character(bits & 63) : 61;
  }
}
