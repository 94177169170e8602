// The checks of an image in JavaScript (targets/image/FORMAT.md), against images that another
// program made byte by byte: every refusal by its name, every byte flipped, every length cut.

import { createPublicKey, verify } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkImage } from "../../targets/image/check.ts";
import { IMAGE_BYTES_MAX, NO_BORDER, REFUSALS } from "../../targets/image/format.ts";
import { makeImage } from "../../targets/image/make.ts";
import { keyIdOf, keys, makeImage as makeOracle, PRODUCT, strangerKeys } from "./image-builder.ts";
import { COUNTER, FAULTS, pairsOfFaults, refusalsOfFlip, rowsOf } from "./image-cases.ts";

const OWN = { engine: "quickjs", abi: "2025-04-26-le64", kind: 2 } as const;
const requirements = {
  keys: [keys.publicKey],
  product: PRODUCT,
  border: NO_BORDER,
  targets: [
    { engine: "quickjs", abi: OWN.abi },
    { engine: "quickjs", abi: "2025-04-26-le32" },
  ],
  counterMin: COUNTER,
};

function check(bytes: Uint8Array, changes: object = {}): string {
  const result = checkImage(new Uint8Array(bytes), { ...requirements, ...changes });
  return typeof result === "string" ? result : "ok";
}

const good = makeOracle({ ...OWN, config: Buffer.from("{}") });

describe("FORMAT.md: order of the checks", () => {
  it.each(rowsOf(FAULTS))("%s: %s", (_name, expected, one) => {
    const { parts, behind = 0, keys: trusted, oldestKey } = one;
    const image = makeOracle({ ...OWN, ...parts });
    const changes = {
      ...(trusted && { keys: trusted }),
      ...(oldestKey && { oldestKey: keyIdOf(oldestKey) }),
    };
    expect(check(Buffer.concat([image, Buffer.alloc(behind)]), changes)).toBe(expected);
  });

  it("every two faults at once: the first check decides", () => {
    const pairs = pairsOfFaults();
    expect(pairs.length).toBe(66);
    for (const { name, parts, expected, behind = 0 } of pairs) {
      const image = makeOracle({ ...OWN, ...parts });
      expect(check(Buffer.concat([image, Buffer.alloc(behind)])), name).toBe(expected);
    }
  });

  it("every refusal has a case", () => {
    const seen = new Set(FAULTS.map(({ expected }) => expected));
    expect([...seen].filter((name) => name !== "ok").sort()).toEqual([...REFUSALS].sort());
  });

  it("every byte flipped, one bit or all, is refused by the check that comes first", () => {
    for (let at = 0; at < good.length; at++) {
      for (const bits of [1, 0x80, 0xff]) {
        const flipped = Buffer.from(good);
        flipped[at]! ^= bits;
        expect(refusalsOfFlip(at, good.length), `byte ${at}`).toContain(check(flipped));
      }
    }
  });

  it("every length cut is truncated", () => {
    for (let length = 0; length < good.length; length++) {
      expect(check(good.subarray(0, length)), `${length} bytes`).toBe("truncated");
    }
  });

  it("a loader's own limit is held, to the byte", () => {
    expect(check(good, { limit: good.length })).toBe("ok");
    expect(check(good, { limit: good.length - 1 })).toBe("length-wrong");
    expect(check(good, { limit: 2 * IMAGE_BYTES_MAX })).toBe("ok");
  });

  it("one of several trusted keys is enough; without any, all are foreign", () => {
    expect(check(good, { keys: [strangerKeys.publicKey, keys.publicKey] })).toBe("ok");
    expect(check(good, { keys: [strangerKeys.publicKey] })).toBe("foreign-key");
    expect(check(good, { keys: [] })).toBe("foreign-key");
  });

  it("what is handed on are the very bytes that were checked", () => {
    const bytes = new Uint8Array(good);
    const image = checkImage(bytes, requirements);
    if (typeof image === "string") throw new Error(image);
    expect(image.payload.buffer).toBe(bytes.buffer);
    expect(Buffer.from(image.payload).toString()).toBe("payload");
    expect(Buffer.from(image.configuration).toString()).toBe("{}");
    expect(image).toMatchObject({ product: PRODUCT, release: "1.0.0", counter: COUNTER, kind: 2 });
  });
});

describe("make.ts", () => {
  const text = (width: number) => fc.stringMatching(new RegExp(`^[!-~]{1,${width}}$`));

  it("makes byte for byte what the independent builder makes", () => {
    const content = fc.record({
      product: text(32),
      release: text(32),
      border: fc.uint8Array({ minLength: 8, maxLength: 8 }),
      counter: fc.nat(0xffffffff),
      payload: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      configuration: fc.uint8Array({ maxLength: 300 }),
    });
    const property = fc.property(content, (parts) => {
      const made = makeImage({ ...parts, engine: OWN.engine, abi: OWN.abi }, keys.secretKey);
      const { configuration: config, ...rest } = parts;
      expect(Buffer.from(made).equals(makeOracle({ ...OWN, ...rest, config }))).toBe(true);
    });
    fc.assert(property, { numRuns: 60 });
  });

  it.each([
    ["an empty payload", { payload: new Uint8Array(0) }, "payload is empty"],
    ["a text with a space", { release: "1 0" }, "release must be"],
    ["a product without a name", { product: "" }, "product must be"],
    ["a border that is none", { border: new Uint8Array(7) }, "the border has"],
    ["a text that is too long", { engine: "e".repeat(17) }, "engine must be"],
    ["a counter of 33 bits", { counter: 2 ** 32 }, "security counter"],
    ["half a counter", { counter: 0.5 }, "security counter"],
    ["an image beyond the limit", { payload: new Uint8Array(IMAGE_BYTES_MAX) }, "is the most"],
  ])("refuses %s", (_name, changes, message) => {
    const target = { engine: OWN.engine, abi: OWN.abi, product: PRODUCT, border: NO_BORDER };
    const content = { ...target, release: "1", counter: 1, payload: good };
    const whole = { ...content, configuration: new Uint8Array(0), ...changes };
    expect(() => makeImage(whole, keys.secretKey)).toThrow(message);
  });
});

describe("the signature", () => {
  it("is plain Ed25519 (RFC 8032) over all bytes before it: OpenSSL agrees", () => {
    const prefix = Buffer.from("302a300506032b6570032100", "hex");
    const der = Buffer.concat([prefix, keys.publicKey]);
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    expect(verify(null, good.subarray(0, -64), key, good.subarray(-64))).toBe(true);
  });
});
