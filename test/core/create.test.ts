// What `create` makes of the memory and of too many texts: every region where it belongs, nothing read or
// written beyond the end, nothing left of an earlier life.

import { describe, expect, it } from "vitest";
import { Literal, Region } from "../../core/device/memory.ts";
import type { Bytes } from "../../core/index.ts";
import * as grant from "../../core/index.ts";
import { isFullRun } from "../full-run.ts";
import { config, json } from "./bench.ts";
import { call, LIST, session } from "./session.ts";
import { makeCore } from "./subject.ts";

const MESSAGES = 24;

describe("create", () => {
  it("makes as many regions as there are texts and values, and no more", () => {
    const device = grant.create(new Uint8Array(4096), config)!;
    const { start, length, capacity } = device;
    for (const table of [start, length]) expect(table).toHaveLength(Literal.NEXT + MESSAGES);
    // Nothing is ever written to a text.
    expect(capacity).toHaveLength(Region.COUNT);
    for (const table of [start, length, capacity]) {
      expect(table.every((number) => Number.isInteger(number))).toBe(true);
    }
    const from = device.start[Literal.NEXT]!;
    const text = (device.memory as Uint8Array).slice(from, from + device.length[Literal.NEXT]!);
    expect(String.fromCharCode(...text)).toBe("Starting");
  });

  it("takes texts that are too many for a part of the last", () => {
    const messages = Array.from({ length: MESSAGES + 3 }, (_, text) => `${text}`).join("\n");
    const device = grant.create(new Uint8Array(4096), { ...config, messages })!;
    const last = Literal.NEXT + MESSAGES - 1;
    const from = device.start[last]!;
    const text = device.memory as Uint8Array;
    expect(device.start).toHaveLength(last + 1);
    expect(String.fromCharCode(...text.slice(from, from + device.length[last]!))).toBe("23242526");
  });

  it("is content with a request's smallest room, 256 bytes, to the byte", () => {
    let least = 4096;
    for (let size = 2500; size < 4500; size++) {
      const device = makeCore().create(new Uint8Array(size), config);
      if (device) least = Math.min(least, roomOf(device));
    }
    expect(least).toBe(256);
  });

  it("makes every property of the device: one that came later would be allocated (DESIGN.md, The host drives)", () => {
    const made = makeCore().create(new Uint8Array(8192), config)!;
    const bench = session([json(200, {})]);
    call(bench, LIST);
    bench.pass(3_700_000);
    bench.core.signOut(bench.device);
    bench.pass(60_000);
    expect(bench.sent.length).toBeGreaterThan(2);
    expect(Object.keys(bench.device).sort()).toEqual(Object.keys(made).sort());
    // Nor does one begin as what is no value of its kind.
    expect(Object.values(made)).not.toContain(undefined);
  });

  it("reads and writes no byte beyond a memory that is too small", () => {
    // The last texts refer to earlier ones, as a build's do.
    const messages = "word\n\t#^word\n\t#^".repeat(7);
    const basic = {
      clientAuthentication: grant.ClientAuthentication.CLIENT_SECRET_BASIC,
      clientSecret: "secret".repeat(400),
    };
    for (let size = 16; size < 3000; size += isFullRun ? 7 : 35) {
      expect(() => makeCore().create(watched(size), config)).not.toThrow();
      expect(() => makeCore().create(watched(size), { ...config, messages })).not.toThrow();
      expect(() => makeCore().create(watched(size), { ...config, ...basic })).not.toThrow();
    }
  });
});

function roomOf(device: grant.Device): number {
  return device.memory.length - device.start[grant.Region.OUTPUT]!;
}

/** Bytes that complain of a place that they do not have. */
function watched(size: number): Bytes {
  const check = (key: string | symbol): void => {
    // Names of properties come to NaN, which is neither.
    const place = typeof key === "string" ? Number(key) : 0;
    if (place < 0 || place >= size) throw new RangeError(`${String(key)} of ${size}`);
  };
  return new Proxy(new Uint8Array(size), {
    get(bytes, key) {
      check(key);
      return Reflect.get(bytes, key);
    },
    set(bytes, key, value) {
      check(key);
      return Reflect.set(bytes, key, value);
    },
  });
}
