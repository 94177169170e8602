// Tests the driver's requests, the headers and addresses that a developer may set, and the messages about a wrong
// configuration, memory or storage.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Field, Region } from "../../core/index.ts";
import type { Header } from "../../platform/contracts.ts";
import { makeDevice } from "../../platform/driver/device.ts";
import { checkHeaders, headersProblems } from "../../platform/driver/headers.ts";
import { type Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { Keys } from "../../platform/exchange/keys.ts";
import { driverConfig, fakePlatform, MemoryStorage } from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { ENDPOINTS, signedIn } from "../environment/driver-port.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";
const BEARER = "Bearer access";

const GRANT: readonly Header[] = [["X-Grant", "g"]];
const RESOURCE: readonly Header[] = [["X-Api", "r"]];
const OWN_BODY = bytesOf("##own##");
const ISSUER = bytesOf("https://x.test");

function callWith(device: core.Device, isGet: 0 | 1, body: Uint8Array | null): void {
  core.beginCall(device);
  core.sendCall(device, core.Endpoint.RESOURCE, isGet, body, 2, 5);
}

/** Requests with their headers (RFC 6750, RFC 8936). Random sessions check more of the grant's requests. */
const ROWS: [string, (device: core.Device) => void, object, Partial<DriverOptions>?][] = [
  ["a request of the grant", () => {}, { method: "POST", contentType: FORM, headers: GRANT }],
  [
    "metadata",
    (device) => core.discover(device, ISSUER, 0, ISSUER.length),
    { method: "GET", contentType: "", authorization: "", headers: [], text: "" },
  ],
  [
    "a poll for events has the receiver's own authorization",
    (device) => core.pollEvents(device),
    { method: "POST", contentType: JSON_TYPE, authorization: "Bearer receiver", headers: [] },
    { eventsAuthorization: "Bearer receiver" },
  ],
  [
    "RFC 8936 §2.4: without one it carries none",
    (device) => core.pollEvents(device),
    { authorization: "" },
  ],
  [
    "a call that reads",
    (device) => callWith(device, 1, null),
    { method: "GET", contentType: "", authorization: BEARER, headers: RESOURCE, text: "" },
  ],
  [
    "the same with a body",
    (device) => callWith(device, 1, OWN_BODY),
    { method: "GET", contentType: JSON_TYPE, text: "own" },
  ],
  [
    "a call that writes",
    (device) => callWith(device, 0, OWN_BODY),
    { method: "POST", contentType: JSON_TYPE, authorization: BEARER, text: "own" },
  ],
  [
    "one that writes nothing",
    (device) => callWith(device, 0, null),
    { method: "POST", contentType: JSON_TYPE, headers: RESOURCE, text: "" },
  ],
];

it.each(ROWS)("the request: %s", (_, act, sent, more = {}) => {
  const endpoints = { ...ENDPOINTS, metadata: "https://x.test/m", events: "https://x.test/e" };
  const headers = { grant: GRANT, resource: RESOURCE };
  const { driver, platform } = signedIn({ endpoints, headers, ...more });
  driver.happen(() => act(driver.device));
  expect(platform.http.requests.at(-1)).toMatchObject(sent);
});

it("a poll for events keeps the receiver's own authorization if tokens are bound to a key", async () => {
  const publicJwk = { kty: "EC", crv: "P-256", x: "x", y: "y" } as const;
  const signer = { algorithm: "ES256", publicJwk, sign: () => new Uint8Array(64) } as const;
  const { entropy } = fakePlatform();
  const keys = new Keys({ signer, entropy, clientId: "device", dpop: "auto" });
  const filter = keys.exchange(() => ({ endpoint: core.Endpoint.EVENTS }));
  const sent = new Promise((resolve) => {
    filter.below = { send: resolve, abort() {} };
  });
  const body = { contentType: JSON_TYPE, body: [], bodyFrom: 0, bodyTo: 0 };
  const authorization = "Bearer receiver";
  filter.send({ method: "POST", url: "https://x.test/e", authorization, ...body });
  expect(await sent).toEqual({ method: "POST", url: "https://x.test/e", authorization, ...body });
});

describe("headers that a developer sets", () => {
  it.each([
    ...["Accept", "authorization", "CONNECTION", "Content-Length", "Content-Type", "Expect"],
    ...["Host", "Transfer-Encoding", "User-Agent", "X Own", ""],
  ])("%s is refused", (name) => {
    const why = /^[\w-]+$/.test(name) ? "host's to set" : "token of RFC 9110";
    for (const headers of [{ grant: [[name, "v"]] }, { resource: [[name, "v"]] }] as const) {
      expect(() => checkHeaders(headers as never)).toThrow(why);
    }
  });

  it("RFC 9110 §5.1: each name occurs once, regardless of case, and values are printable", () => {
    const grant = Object.entries({ "X-Api": "1", Y: "2", "x-api": "3", X: "a\r\nb", Z: "" });
    expect(headersProblems({ grant })).toEqual([
      { path: "headers.grant", message: "x-api is there twice" },
      { path: "headers.grant", message: "the value of X must be printable ASCII" },
    ]);
    for (const valid of [undefined, {}, { grant: GRANT }, { resource: RESOURCE }]) {
      checkHeaders(valid);
    }
  });
});

describe("wrong configuration, memory or storage", () => {
  const optionsFor = (more: Partial<DriverOptions> = {}): DriverOptions => ({
    core,
    platform: fakePlatform(),
    config: driverConfig,
    endpoints: { ...noEndpoints, token: "https://a.test" },
    ...more,
  });
  const made = (more: Partial<DriverOptions> = {}, bytes = 6144): Driver["device"] =>
    makeDevice(optionsFor(more), new Uint8Array(bytes));

  it("core/SPEC.md: the error names the member that is missing or out of range", () => {
    const config = { ...driverConfig, renewalsMax: -1 };
    expect(() => made({ config })).toThrow(
      /^the configuration: renewalsMax is missing or out of range$/,
    );
    const { configError: _, ...small } = core;
    expect(() => made({ config, core: small })).toThrow(/^6144 bytes of memory are too few/);
  });

  it("without entropy all devices choose the same random waits; with entropy each device has its own", () => {
    const seeds: number[] = [];
    const noting = {
      ...core,
      create: (memory: core.Bytes, config: core.Config) => {
        seeds.push(config.seed);
        return core.create(memory, config);
      },
    };
    const sure = (bytes: readonly number[]) => ({
      fill: (into: { [at: number]: number }, from: number, to: number) => {
        for (let at = from; at < to; at++) into[at] = bytes[at - from]!;
        return true;
      },
    });
    made({ core: noting, platform: fakePlatform({ entropy: { fill: () => false } }) });
    made({ core: noting, platform: fakePlatform({ entropy: sure([1, 2, 3, 255]) as never }) });
    // The seed has 26 bits, lowest byte first.
    expect(seeds).toEqual([0, 1 + 2 * 256 + 3 * 65_536 + 3 * 16_777_216]);
  });

  it("core/SPEC.md, Records: storage must have capacity for the longest record", () => {
    for (const bytes of [4096, 5000, 8192, 20_000]) {
      const taking = (size: number) => ({
        platform: { ...fakePlatform(), storage: new MemoryStorage({ capacity: size }) },
      });
      const { capacity } = made(taking(65_536), bytes);
      // The longest record has a pending code. The memory has the device code twice: in its region and in the record.
      const others: number[] = [Field.USER_CODE, Field.VERIFICATION_URI, Region.CODE_VERIFIER];
      others.push(Field.VERIFICATION_URI_COMPLETE);
      const fixed = others.reduce((sum, one) => sum + Math.max(0, capacity[one]!), 19 + 5 * 2);
      const output = capacity[Region.OUTPUT]!;
      const needed = Math.min((output + fixed) >> 1, output);
      expect(() => made(taking(needed - 1), bytes)).toThrow(`may write ${needed}: give`);
      expect(() => made(taking(needed), bytes)).not.toThrow();
    }
  });
});

it("text.ts: text becomes UTF-8, and a lone surrogate the replacement character, as with TextEncoder", () => {
  const bounds = [0x80, 0x800, 0xd800, 0xe000, 0x10000, 0x10ffff];
  for (const text of bounds
    .flatMap((code) => [code - 1, code])
    .map((code) => String.fromCodePoint(code)))
    expect(bytesOf(text)).toEqual(new TextEncoder().encode(text));
});
