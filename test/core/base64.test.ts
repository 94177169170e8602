// Base64 (RFC 4648 §4) by itself. What a device sends is form-encoded first, and of such text no `+` and no `/` ever
// comes: here is all else.

import { describe, expect, it } from "vitest";
import { create } from "../../core/complete.ts";
import { type Device, Region } from "../../core/device/memory.ts";
import { placeRegion } from "../../core/device/regions.ts";
import { encodeBase64 } from "../../core/text/base64.ts";
import { writeByte, writeTo } from "../../core/text/form-encoder.ts";
import { deviceConfig } from "../../platform/fake/config.ts";

function makeDevice(): Device {
  return create(new Uint8Array(8192), deviceConfig)!;
}

/** What the memory holds in `[from..to)`. */
function textIn(device: Device, from: number, to: number): string {
  return Buffer.from((device.memory as Uint8Array).subarray(from, to)).toString();
}

/** These bytes, written to OUTPUT and encoded there. */
function encoded(device: Device, bytes: Uint8Array): string {
  const start = device.start[Region.OUTPUT]!;
  writeTo(device, Region.OUTPUT);
  for (const byte of bytes) writeByte(device, byte);
  encodeBase64(device, start);
  return textIn(device, start, device.writeAt);
}

describe("base64", () => {
  it.each([
    ["", ""],
    ["f", "Zg=="],
    ["fo", "Zm8="],
    ["foo", "Zm9v"],
    ["foob", "Zm9vYg=="],
    ["fooba", "Zm9vYmE="],
    ["foobar", "Zm9vYmFy"],
  ])("RFC 4648 §10: %j is %j", (text, expected) => {
    expect(encoded(makeDevice(), new TextEncoder().encode(text))).toBe(expected);
  });

  it("RFC 4648 §4, table 1: every character, at each place of four", () => {
    const device = makeDevice();
    for (let value = 0; value < 64; value++) {
      const [a, b] = [value, 63 - value];
      const bits = (a << 18) | (b << 12) | (a << 6) | b;
      const bytes = Uint8Array.of(bits >> 16, (bits >> 8) & 255, bits & 255);
      expect(encoded(device, bytes)).toBe(Buffer.from(bytes).toString("base64"));
    }
  });

  it.each([
    ["all of its room is taken", 4, "Zm9v"],
    ["a byte is missing", 3, "foo"],
  ])("where %s: %i bytes of room hold %j", (_, room, held) => {
    const device = makeDevice();
    const start = device.start[Region.OUTPUT]!;
    placeRegion(device, Region.OUTPUT, start, room);
    expect(encoded(device, new TextEncoder().encode("foo"))).toHaveLength(4);
    expect(textIn(device, start, start + room)).toBe(held);
    // Behind it nothing is written.
    expect(device.memory[start + room]).toBe(0);
  });
});
