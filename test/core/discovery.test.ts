// Discovery: which metadata is taken over, and which addresses are none for a secret. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field } from "../../core/complete.ts";
import { Bench } from "./bench.ts";
import { bytesOf, outcome } from "./session.ts";

const ISSUER = "https://issuer.example/tenant";
const METADATA = {
  issuer: ISSUER,
  device_authorization_endpoint: "https://issuer.example/device",
  token_endpoint: "https://issuer.example/token",
  revocation_endpoint: "https://issuer.example/revoke",
};

/** The error that discovery ends with. */
function discovered(metadata: unknown, issuer = ISSUER): { bench: Bench; number: number } {
  const answer = typeof metadata === "string" ? metadata : JSON.stringify(metadata);
  const bench = new Bench([{ status: 200, body: answer }], { autoStart: 0, memoryBytes: 12_288 });
  const bytes = bytesOf(issuer);
  expect(bench.core.discover(bench.device, bytes, 0, bytes.length)).toBe(1);
  bench.pass(0);
  expect(bench.sent[0]).toMatchObject({ endpoint: 3, isGet: 1, bearer: "", body: "" });
  return { bench, number: outcome(bench).error };
}

describe("device doc §4.1: discovery", () => {
  it("device doc §4.1 row discovery: the metadata's device_authorization_endpoint is taken over", () => {
    const { bench, number } = discovered({ extra: [1], ...METADATA });
    expect(number).toBe(0);
    expect(bench.text(Field.VALUE_B)).toBe(METADATA.device_authorization_endpoint);
    expect(bench.text(Field.VALUE_C)).toBe(METADATA.token_endpoint);
    expect(bench.text(Field.VALUE_D)).toBe(METADATA.revocation_endpoint);
  });

  it("device doc §4.1 row discovery: a server without revocation will do", () => {
    const { bench, number } = discovered({ ...METADATA, revocation_endpoint: undefined });
    expect(number).toBe(0);
    expect(bench.device.length[Field.VALUE_D]).toBe(-1);
  });

  it.each([
    `${ISSUER}/`,
    "https://issuer.example",
    "https://ISSUER.example/tenant",
    "https://evil.example/tenant",
    "",
    undefined,
  ])("device doc §4.1 row discovery: the issuer %j is not exactly the one asked for", (issuer) => {
    expect(discovered({ ...METADATA, issuer }).number).toBe(ErrorCode.MALFORMED_RESPONSE);
  });

  it.each(["device_authorization_endpoint", "token_endpoint"])(
    "device doc §4.1 row discovery: without %s it is refused",
    (member) => {
      expect(discovered({ ...METADATA, [member]: undefined }).number).not.toBe(0);
      expect(discovered({ ...METADATA, [member]: "" }).number).not.toBe(0);
    },
  );

  const bad = [
    "http://issuer.example/token",
    "http://127.0.0.1.evil.example/",
    "http://localhost.evil.example/",
    "http://localhost:80@evil.example/",
    "http://127.0.0.1@evil.example/",
    "https://user@evil.example/",
    "HTTP://issuer.example/",
    "ftp://issuer.example/",
    "//issuer.example/token",
    "/token",
    "https:/issuer.example",
    "https://issuer.example/a b",
    "https://issuer.example/\r\nX: y",
    "javascript:alert(1)",
  ];
  it.each(bad)("device doc §4.1 row discovery: %j is no address for a secret", (address) => {
    for (const member of [
      "device_authorization_endpoint",
      "token_endpoint",
      "revocation_endpoint",
    ]) {
      expect(discovered({ ...METADATA, [member]: address }).number).toBe(
        ErrorCode.MALFORMED_RESPONSE,
      );
    }
  });

  it.each([
    "http://127.0.0.1:8080/t",
    "http://localhost/t",
    "http://[::1]:1/t",
    "http://localhost",
  ])("device doc §4.1 row discovery: %s stays on the device itself and is accepted", (address) => {
    expect(discovered({ ...METADATA, token_endpoint: address }).number).toBe(0);
  });

  it.each(["", "{", "<html>", "[]", "null"])(
    "device doc §4.1 row discovery: %j is no document",
    (body) => {
      expect(discovered(body).number).not.toBe(0);
    },
  );

  it("device doc §4.1 row discovery: an address that does not fit is refused, not cut", () => {
    const token_endpoint = `https://issuer.example/${"x".repeat(9000)}`;
    expect(discovered({ ...METADATA, token_endpoint }).number).toBe(ErrorCode.VALUE_TOO_LONG);
  });

  it("device doc §4.1 row discovery: an issuer of more than 96 bytes is refused at once", () => {
    const bench = new Bench([], { autoStart: 0 });
    const bytes = bytesOf("x".repeat(97));
    expect(bench.core.discover(bench.device, bytes, 0, bytes.length)).toBe(0);
  });
});
