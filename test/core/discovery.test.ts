// Tests which metadata the core accepts in discovery, and which addresses it forbids.

import { expect, it } from "vitest";
import { ErrorCode, Field } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { outcome, Port } from "../environment/core-port.ts";
import { json } from "../environment/environment.ts";

const ISSUER = "https://issuer.example/tenant";
const HERE = "http://127.0.0.1:8080/tenant";
const METADATA = {
  issuer: ISSUER,
  device_authorization_endpoint: "https://issuer.example/device",
  token_endpoint: "https://issuer.example/token",
  revocation_endpoint: "https://issuer.example/revoke",
};

function discovered(metadata: object, issuer = ISSUER): { bench: Port; error: string } {
  const bench = new Port([json(200, metadata)], { autoStart: 0, memoryBytes: 12_288 });
  const bytes = bytesOf(issuer);
  expect(bench.core.discover(bench.device, bytes, 0, bytes.length)).toBe(1);
  bench.pass(0);
  expect(bench.sent[0]).toMatchObject({ endpoint: 3, method: "GET", authorization: "", text: "" });
  return { bench, error: ErrorCode[outcome(bench).error]! };
}

const ROW = "device doc §4.1 row device_authorization_endpoint";

it(`${ROW}: taken from the metadata`, () => {
  const { bench, error } = discovered({ extra: [1], ...METADATA });
  expect(error).toBe("NONE");
  expect(bench.text(Field.VALUE_B)).toBe(METADATA.device_authorization_endpoint);
  expect(bench.text(Field.VALUE_C)).toBe(METADATA.token_endpoint);
  expect(bench.text(Field.VALUE_D)).toBe(METADATA.revocation_endpoint);
});

it.each([
  `${ISSUER}/`,
  "https://issuer.example",
  "https://ISSUER.example/tenant",
  "https://evil.example/tenant",
  "",
  undefined,
])(`${ROW}: the issuer %j is not exactly the one asked for (RFC 8414 §3.3)`, (issuer) => {
  expect(discovered({ ...METADATA, issuer }).error).toBe("MALFORMED_RESPONSE");
});

/** Addresses that any issuer may name, that only an issuer on the device may name, and that none may name. */
const ADDRESSES: Readonly<Record<"anywhere" | "here" | "nowhere", readonly string[]>> = {
  anywhere: [
    ...["https://h", "https://host.example/", "https://http.example/token"],
    "https://host.example/!~",
  ],
  here: [
    ...["http://127.0.0.1:8080/t", "http://127.0.0.1", "http://localhost/t", "http://localhost"],
    ...["http://[::1]:1/t", "http://[::1]/"],
  ],
  nowhere: [
    ...["http://issuer.example/token", "https://", "http://127.0.0.1.evil.example/"],
    ...["http://localhost.evil.example/", "http://localhost:80@evil.example/"],
    ...["http://127.0.0.1@evil.example/", "https://user@evil.example/", "HTTP://issuer.example/"],
    ...["ftp://issuer.example/", "//issuer.example/token", "/token", "https:/issuer.example"],
    ...["https://issuer.example/a b", "https://issuer.example/\r\nX: y", "javascript:alert(1)"],
    ...["http://localhosts", "https://host.example/\u007f", "https://host.example/\u00e9"],
    ...["https://host.example/ ", ""],
  ],
};

it.each(
  Object.entries(ADDRESSES).flatMap(([where, all]) => all.map((one) => [one, where] as const)),
)(`${ROW}: %j is an address for a secret %s`, (address, where) => {
  const members = Object.keys(METADATA).filter((name) => name !== "issuer");
  for (const issuer of [ISSUER, HERE]) {
    // A server on another machine must not send the device to the device's own ports.
    const isValid = where === "anywhere" || (where === "here" && issuer === HERE);
    for (const member of members) {
      const { error } = discovered({ ...METADATA, issuer, [member]: address }, issuer);
      expect([member, issuer, error === "NONE"]).toEqual([member, issuer, isValid]);
    }
  }
});
