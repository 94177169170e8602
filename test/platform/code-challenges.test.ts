// Tests how hosts in JavaScript compute a code challenge (PKCE, RFC 7636). Random sessions check when the device sends
// the challenge and its verifier (session-model/server.ts).

import { createHash, randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "../../platform/text/sha256.ts";
import { SessionEnvironment } from "../environment/session-port.ts";

it("RFC 7636 §4.1, §4.2, §4.4.1, §7.1: after one refusal the device sends a challenge, without a report", async () => {
  const environment = new SessionEnvironment();
  environment.server.needsChallenge = true;
  const start = environment.start();
  await environment.until(() => start.isSettled);
  const { violations, codes } = environment.server;
  expect([start.session?.status, start.troubles, violations]).toEqual(["signed-in", [], []]);
  expect(codes.map(({ challenge }) => challenge)).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
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

it("random messages of every length up to 300 bytes have the same hash as in node:crypto, and are not changed", () => {
  for (let count = 0; count < 700; count++) {
    const message = new Uint8Array(randomBytes(count % 301));
    const before = message.slice();
    expect(hex(sha256(message)), hex(before)).toBe(
      createHash("sha256").update(before).digest("hex"),
    );
    expect(message).toEqual(before);
  }
});
