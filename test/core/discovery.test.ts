// Discovery: which metadata is taken over, and which addresses are none for a secret. Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field } from "../../core/complete.ts";
import { bytesOf } from "../../platform/text.ts";
import { outcome, Port } from "../world/core-port.ts";
import { json } from "../world/world.ts";

const ISSUER = "https://issuer.example/tenant";
const HERE = "http://127.0.0.1:8080/tenant";
const METADATA = {
  issuer: ISSUER,
  device_authorization_endpoint: "https://issuer.example/device",
  token_endpoint: "https://issuer.example/token",
  revocation_endpoint: "https://issuer.example/revoke",
};

/** The error that discovery ends with. */
function discovered(metadata: unknown, issuer = ISSUER): { bench: Port; number: number } {
  const answer = typeof metadata === "string" ? metadata : JSON.stringify(metadata);
  const bench = new Port([{ status: 200, body: answer }], {
    autoStart: 0,
    memoryBytes: 12_288,
  });
  const bytes = bytesOf(issuer);
  expect(bench.core.discover(bench.device, bytes, 0, bytes.length)).toBe(1);
  bench.pass(0);
  expect(bench.sent[0]).toMatchObject({ endpoint: 3, method: "GET", authorization: "", text: "" });
  return { bench, number: outcome(bench).error };
}

describe("device doc §4.1: discovery", () => {
  it("device doc §4.1 row device_authorization_endpoint: the metadata's is taken over", () => {
    const { bench, number } = discovered({ extra: [1], ...METADATA });
    expect(number).toBe(0);
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
  ])(
    "device doc §4.1 row device_authorization_endpoint: the issuer %j is not exactly the one asked for",
    (issuer) => {
      expect(discovered({ ...METADATA, issuer }).number).toBe(ErrorCode.MALFORMED_RESPONSE);
    },
  );

  it.each(["device_authorization_endpoint", "token_endpoint"])(
    "device doc §4.1 row device_authorization_endpoint: without %s it is refused",
    (member) => {
      expect(discovered({ ...METADATA, [member]: undefined }).number).not.toBe(0);
      expect(discovered({ ...METADATA, [member]: "" }).number).not.toBe(0);
    },
  );

  const bad = [
    "http://issuer.example/token",
    "https://",
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
  it.each(bad)(
    "device doc §4.1 row device_authorization_endpoint: %j is no address for a secret",
    (address) => {
      for (const member of [
        "device_authorization_endpoint",
        "token_endpoint",
        "revocation_endpoint",
      ]) {
        expect(discovered({ ...METADATA, [member]: address }).number).toBe(
          ErrorCode.MALFORMED_RESPONSE,
        );
      }
    },
  );

  it.each([
    "http://127.0.0.1:8080/t",
    "http://localhost/t",
    "http://[::1]:1/t",
    "http://localhost",
  ])(
    "device doc §4.1 row device_authorization_endpoint: %s stays on the device itself: right for an issuer that is there too",
    (address) => {
      const here = { ...METADATA, issuer: HERE, token_endpoint: address };
      expect(discovered(here, HERE).number).toBe(0);
      // A server elsewhere would send the device to its own ports.
      const elsewhere = { ...METADATA, token_endpoint: address };
      expect(discovered(elsewhere).number).toBe(ErrorCode.MALFORMED_RESPONSE);
    },
  );

  it.each([
    "http://printer.lan",
    "HTTPS://issuer.example",
    "http://127.0.0.1.example/",
    "https:///tenant",
  ])("RFC 8414 §2: the issuer %s is not on the device: no address there is right", (issuer) => {
    const metadata = { ...METADATA, issuer, token_endpoint: "http://127.0.0.1:8080/" };
    expect(discovered(metadata, issuer).number).toBe(ErrorCode.MALFORMED_RESPONSE);
  });
});

describe("RFC 8414 §3.3: the issuer asked for", () => {
  it("is compared from its first byte on, whatever stands in front of it in the host's array", () => {
    const bench = new Port([], { autoStart: 0 });
    for (let byte = 0; byte < 256; byte++) {
      bench.answers = [json(200, METADATA)];
      const bytes = [byte, ...bytesOf(ISSUER)];
      expect(bench.core.discover(bench.device, bytes, 1, bytes.length)).toBe(1);
      bench.run();
      expect([byte, outcome(bench).error]).toEqual([byte, ErrorCode.NONE]);
    }
  });
});

describe("device doc §4.1: an address is judged by itself", () => {
  it.each([
    ["https://h", true],
    ["https://host.example/", true],
    ["https://http.example/token", true],
    ["https://host.example/!~", true],
    ["http://127.0.0.1", true],
    ["http://[::1]/", true],
    ["http://localhosts", false],
    ["https://host.example/\u007f", false],
    ["https://host.example/\u00e9", false],
    ["https://host.example/ ", false],
  ])(
    "device doc §4.1 row device_authorization_endpoint: %j is one for a secret: %j",
    (token_endpoint, isSecure) => {
      const { number } = discovered({ ...METADATA, issuer: HERE, token_endpoint }, HERE);
      expect(number).toBe(isSecure ? ErrorCode.NONE : ErrorCode.MALFORMED_RESPONSE);
    },
  );

  it("device doc §4.1 row device_authorization_endpoint: a revocation endpoint that is named must be an address", () => {
    const { number } = discovered({ ...METADATA, revocation_endpoint: "" });
    expect(number).toBe(ErrorCode.MALFORMED_RESPONSE);
  });
});
