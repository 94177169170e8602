// Any metadata a server could send: what a device or `picogrant login` takes out of them is where secrets will go. Judged
// by the URL class and by what RFC 8414 says, not by the functions that did it.

import fc from "fast-check";
import { expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { discoverServer } from "../../platform/discovery.ts";
import { fakePlatform } from "../../platform/fake/index.ts";
import { isFullRun } from "../full-run.ts";

const piece = fc.constantFrom(
  ...[
    "https:",
    "http:",
    "HTTPS:",
    "ftp:",
    "javascript:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "?",
    "#",
    ".",
    "%00",
  ],
  ...[
    "sso.example",
    "evil.test",
    "localhost",
    "LOCALHOST",
    "127.0.0.1",
    "127.1",
    "[::1]",
    "0x7f.1",
    "2130706433",
  ],
  ...["443", "8443", "u:p", " ", "\t", "\r\n", "\u0000", "é", "token", "{tenant}", "xn--e1afmkfd"],
);
const hostile = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(""));
const issuer = fc.constantFrom(
  ...["https://sso.example", "https://sso.example/", "https://sso.example:8443/realms/x"],
  ...["http://127.0.0.1:8080", "http://localhost", "http://[::1]:81/x"],
);
const likely = fc.constantFrom(
  ...["https://sso.example/t", "https://other.example/t?a=1", "http://sso.example/t"],
  ...[
    "http://127.0.0.1:80/t",
    "https://u@sso.example/t",
    "https://sso.example/t#x",
    "http://localhost.evil.test/",
  ],
);
const good = fc.constantFrom("https://sso.example/t", "https://other.example/t?a=1");
const value = fc.oneof(
  { weight: 24, arbitrary: good },
  { weight: 4, arbitrary: likely },
  { weight: 3, arbitrary: hostile },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const members = ["device_authorization_endpoint", "token_endpoint", "revocation_endpoint"] as const;
const extra = fc.dictionary(
  fc.constantFrom("token_endpoint_auth_methods_supported", "__proto__", "constructor", "issuer "),
  fc.jsonValue(),
);
/** As text: with members twice, broken off, or behind a mark of the order of bytes. */
const document = fc
  .record({
    issuer: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: issuer },
      { weight: 1, arbitrary: hostile },
    ),
    addresses: fc.tuple(value, value, fc.option(value, { nil: undefined })),
    extra,
    isTwice: fc.boolean(),
    breaks: fc.constantFrom(0, 0, 0, 0, 0, 3),
  })
  .map(({ issuer: named, addresses, extra: more, isTwice, breaks }) => (asked: string) => {
    const own = Object.fromEntries(members.map((name, at) => [name, addresses[at]]));
    const text = JSON.stringify({ ...more, ...own, issuer: named ?? asked });
    const first = isTwice
      ? `{"token_endpoint":"https://evil.test/","issuer":${JSON.stringify(asked)},`
      : "{";
    const whole = first + text.slice(1);
    return {
      text: whole.slice(0, whole.length - breaks),
      last: { ...own, issuer: named ?? asked } as Record<string, unknown>,
    };
  });

const OWN = ["localhost", "127.0.0.1", "[::1]"];

/** What the documents and core/SPEC.md want of an address that secrets go to. */
function expectRight(address: string, by: string): void {
  const url = new URL(address);
  expect(address).toMatch(/^[!-~]+$/);
  expect([url.username, url.password, url.hash, address.includes("#")]).toEqual([
    "",
    "",
    "",
    false,
  ]);
  if (url.protocol === "https:") return;
  expect(url.protocol).toBe("http:");
  expect(OWN).toContain(url.hostname);
  // A server elsewhere does not send the device to its own ports.
  expect(OWN).toContain(new URL(by).hostname);
}

it("RFC 8414 §3.3: whatever they say, secrets go nowhere that a device may not be sent to", async () => {
  let taken = 0;
  let asked = 0;
  const property = fc.asyncProperty(issuer, document, async (by, make) => {
    const { text, last } = make(by);
    const platform = fakePlatform({ http: { handler: () => ({ body: text }) }, isAtOnce: true });
    const found = await discoverServer(core, platform, by).catch(() => undefined);
    asked++;
    for (const { url } of platform.http.requests)
      expect(new URL(url).origin).toBe(new URL(by).origin);
    if (found === undefined) return;
    taken++;
    const { deviceAuthorization, token, revocation } = found.endpoints;
    expect([by, `${by}/`, by.replace(/\/$/, "")]).toContain(last.issuer);
    expect(deviceAuthorization).toBe(last.device_authorization_endpoint);
    expect(token).toBe(last.token_endpoint);
    if (revocation !== "") expect(revocation).toBe(last.revocation_endpoint);
    for (const address of [deviceAuthorization, token, revocation]) {
      if (address !== "") expectRight(address, by);
    }
  });
  const numRuns = isFullRun ? 3000 : 300;
  await fc.assert(property, { numRuns });
  expect(asked).toBe(numRuns);
  expect(taken).toBeGreaterThan(numRuns / 20);
});
