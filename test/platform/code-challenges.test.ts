// Proof Key for Code Exchange (RFC 7636) on hosts in JavaScript: when there is a challenge, and of what it is made. That the
// verifier is its own is the business of random lives (session-model/server.ts).

import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { State } from "../../core/complete.ts";
import type { Driver, DriverOptions } from "../../platform/driver.ts";
import { type FakeAnswer, fakePlatform } from "../../platform/fake/index.ts";
import { sha256 } from "../../platform/sha256.ts";
import { driverOn } from "../world/driver-port.ts";
import { code, tokens } from "../world/world.ts";

const REFUSAL = { error: "invalid_request", error_description: "Missing: code_challenge" };

/** What a device sends to a server that answers requests for codes so. */
function deviceAt(
  answer: (fields: URLSearchParams) => FakeAnswer,
  more: Partial<DriverOptions> = {},
) {
  const codes: URLSearchParams[] = [];
  const verifiers: (string | null)[] = [];
  const platform = fakePlatform({
    http: {
      handler: ({ url, text }) => {
        const fields = new URLSearchParams(text);
        if (url.endsWith("/code")) codes.push(fields);
        if (fields.has("device_code")) verifiers.push(fields.get("code_verifier"));
        return url.endsWith("/code") ? answer(fields) : url.endsWith("/token") ? tokens() : {};
      },
    },
  });
  const states: string[] = [];
  const onChange = (): void => void states.push(State[driver.device.state]!);
  const driver: Driver = driverOn(platform, { memoryBytes: 8192, onChange, ...more });
  driver.start();
  platform.clock.advance(60_000);
  return { codes, verifiers, driver, platform, states };
}

const s256 = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");

it("RFC 7636 §4.1, §4.2, §7.1: where it is set, each code has a verifier of its own", () => {
  const device = deviceAt(() => code(), { pkce: "S256" });
  for (let round = 0; round < 5; round++) {
    device.driver.signOut();
    device.platform.clock.advance(2000);
    device.driver.signIn();
    device.platform.clock.advance(60_000);
    expect(device.states.at(-1)).toBe("SIGNED_IN");
  }
  const challenges = device.codes.map((fields) => fields.get("code_challenge"));
  expect(new Set(challenges).size).toBe(6);
  expect(new Set(device.codes.map((fields) => fields.get("code_challenge_method")))).toEqual(
    new Set(["S256"]),
  );
  for (const verifier of device.verifiers) expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(device.verifiers.map((verifier) => s256(verifier!))).toEqual(challenges);
});

it("RFC 7636 §4.4.1: one refusal that names it, and the device goes on with a challenge by itself", () => {
  const wanting = (fields: URLSearchParams): FakeAnswer =>
    fields.has("code_challenge") ? code() : { status: 400, body: REFUSAL };
  const device = deviceAt(wanting);
  // Nobody is told of a failure that is none.
  expect(device.states).not.toContain("FAILED");
  expect(device.states.at(-1)).toBe("SIGNED_IN");
  device.driver.signOut();
  device.platform.clock.advance(2000);
  device.driver.signIn();
  device.platform.clock.advance(3000);
  const asked = device.codes.map((fields) => fields.has("code_challenge"));
  expect(asked).toEqual([false, true, true]);
});

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));

it.each([
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
])("the examples of FIPS 180-4: %#", (text, digest) => {
  expect(hex(sha256(ascii(text)))).toBe(digest);
});

it("every length around the ends of blocks", () => {
  for (let length = 0; length < 200; length++) {
    const message = Uint8Array.from({ length }, (_, at) => (at * 37 + length) & 255);
    expect(hex(sha256(message)), String(length)).toBe(
      createHash("sha256").update(message).digest("hex"),
    );
  }
});

it("any bytes, of which none is changed", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
      const before = message.slice();
      expect(hex(sha256(message))).toBe(createHash("sha256").update(before).digest("hex"));
      expect(message).toEqual(before);
    }),
    { numRuns: 500 },
  );
});
