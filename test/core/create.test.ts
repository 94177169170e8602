// What `create` makes of the memory and of too many texts: every region where it belongs, nothing read or
// written beyond the end, nothing left of an earlier life.

import { describe, expect, it } from "vitest";
import * as complete from "../../core/complete.ts";
import { Field, Literal, Region } from "../../core/device/memory.ts";
import { type RegionLife, regionLives } from "../../core/device/regions.ts";
import { State } from "../../core/device/states.ts";
import type { Bytes } from "../../core/index.ts";
import * as grant from "../../core/index.ts";
import { isFullRun } from "../full-run.ts";
import { Bench, code, config, json, tokens } from "./bench.ts";
import { call, LIST, session } from "./session.ts";
import { isSources, makeCore } from "./subject.ts";

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

describe("how create divides the memory", () => {
  const create = (size: number, settings: object = {}) =>
    complete.create(new Uint8Array(size), { ...config, ...settings });
  /** The smallest memory that is enough. */
  function smallest(settings: object = {}): number {
    let [less, enough] = [200, 8192];
    while (enough - less > 1) {
      const size = (less + enough) >> 1;
      if (create(size, settings)) enough = size;
      else less = size;
    }
    // The tokens' shares grow by 36 of 64 bytes at once, so that a little less may do where more does not.
    for (enough -= 128; !create(enough, settings); ) enough++;
    return enough;
  }

  it("says no to too little memory, and writes no byte beyond it", () => {
    const needed = smallest();
    expect(needed).toBeLessThanOrEqual(4096);
    // The tokens take their shares 36 bytes at a time: within that, a byte less may leave more for OUTPUT.
    for (let size = 200; size < needed - 36; size += 101) {
      const memory: number[] = Array(size).fill(1);
      expect(complete.create(memory, config)).toBeNull();
      expect(memory).toHaveLength(size);
    }
    expect(create(needed - 1)).toBeNull();
    expect(create(needed)).not.toBeNull();
  });

  it("with just enough memory signs in, and no region reaches into another's time", () => {
    const memoryBytes = smallest();
    const bench = new Bench(
      [
        code({ device_code: "d".repeat(9), user_code: "U", verification_url: "https://x" }),
        tokens({ access_token: "a", refresh_token: "r" }),
        tokens({ access_token: "b", refresh_token: "s" }),
        json(200, {}),
      ],
      { memoryBytes, autoStart: 0 },
    );
    bench.core.signIn(bench.device);
    bench.run(0);
    bench.until(3);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    bench.core.signOut(bench.device);
    bench.run(0);
    expect(bench.sent[3]!.target).toBe("?token=s");
    expect(bench.device.state).toBe(State.SIGNED_OUT);
  });

  it.each([
    [4096, 20, 4],
    [5000, 16, 2],
    [8192, 16, 2],
    [8192, 20, 4],
    [8192, 80, 8],
    [65_536, 40, 8],
  ])(
    "%i bytes, %i x %i: regions lie one behind the other, but for those that say otherwise",
    (memoryBytes, columns, rows) => {
      const { device } = new Bench([], { autoStart: 0, memoryBytes, columns, rows });
      const { capacity, start } = device;
      const isApart = ({ place }: RegionLife): boolean => !place || place.startsWith("takes turns");
      const own = regionLives()
        .filter(isApart)
        .map(({ region }) => extentOf(device, region))
        .sort((a, b) => a.from - b.from || a.to - b.to);
      for (const [i, { to }] of own.entries()) {
        expect(to).toBeLessThanOrEqual(own[i + 1]?.from ?? memoryBytes);
      }
      expect(own.at(-1)).toMatchObject({ region: Region.OUTPUT, to: memoryBytes });
      expect(capacity[Region.FRAME]).toBe(columns * rows);
      expect(capacity[Region.STATUS]).toBe(columns * (rows - 1));
      expect(capacity[Field.USER_CODE]).toBe(columns);
      const isLong = memoryBytes >= 24_576;
      expect(capacity[Field.VERIFICATION_URI]).toBe(isLong ? 512 : 128);
      expect(capacity[Field.VERIFICATION_URI_COMPLETE]).toBe(isLong ? 768 : 176);
      expect(capacity[Field.SCOPE]).toBe(160);
      // Both places of refresh tokens are as large, and a code lies in either.
      for (const field of [Field.RECEIVED_REFRESH_TOKEN, Field.DEVICE_CODE]) {
        expect(capacity[field]).toBe(capacity[Region.REFRESH_TOKEN]);
      }
      // A target lies on what is shown of a code. The grant alone makes no calls.
      const isPlaced = capacity[Region.CALL]! >= 0;
      if (isSources) expect(isPlaced).toBe(true);
      if (isPlaced) expect(start[Region.CALL]).toBe(start[Field.USER_CODE]);
      const { to } = extentOf(device, Field.VERIFICATION_URI_COMPLETE);
      expect(extentOf(device, Region.CALL).to).toBeLessThanOrEqual(to);
    },
  );

  it("more memory is more room for tokens, by nine and five 32ths", () => {
    const small = create(8192)!;
    const large = create(8192 + 6400)!;
    const grown = (field: number): number => large.capacity[field]! - small.capacity[field]!;
    expect(grown(Field.ACCESS_TOKEN)).toBe(1800);
    expect(grown(Field.DEVICE_CODE)).toBe(1000);
    expect(grown(Field.RECEIVED_REFRESH_TOKEN)).toBe(1000);
  });

  it("starts with a device that has nothing", () => {
    const memory = new Uint8Array(8192).fill(255);
    const device = complete.create(memory, config)!;
    expect(device).toMatchObject({
      ...{ state: State.STARTING, event: 0, moves: 0, error: 0, errorField: 0 },
      ...{ codeShown: 0, notSaved: 0, hasNextPage: 0, callState: 0, callError: 0 },
      ...{ codeLifeS: 0, refreshLifeS: 100_000_000, callStatus: 0 },
    });
    const given: number[] = [
      ...[Field.NONE, Region.CLIENT, Region.DEVICE_AUTHORIZATION],
      Region.TOKEN_PARAMETERS,
    ];
    for (const [region, length] of Array.from(device.length).slice(0, Region.COUNT).entries()) {
      if (!given.includes(region)) expect(length).toBe(-1);
    }
  });
});

/** From the first byte of a region to the one behind it and behind the byte that says that a value is too long. */
function extentOf(
  device: complete.Device,
  region: number,
): { region: number; from: number; to: number } {
  const room = device.capacity[region]!;
  const from = device.start[region]!;
  if (room < 0) return { region, from, to: from + Math.max(device.length[region]!, 0) };
  // What is kept in OUTPUT is kept in its parts.
  return { region, from, to: from + room + (region === Region.OUTPUT ? 0 : 1) };
}

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
