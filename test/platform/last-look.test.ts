// Where requests go, whatever somebody has put behind an address: a bearer token belongs to the servers that the maker
// has named (RFC 6750 §5.3, RFC 9700 §4.9.1), and no part of a call's target may become a part of the host.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ErrorCode, State } from "../../core/index.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { type FakePlatform, fakePlatform } from "../../platform/fake/index.ts";
import { type Allowed, lastLook } from "../../platform/last-look.ts";
import { bytesOf } from "../../platform/text.ts";

const SECRET = "4/0AX4XfWh-a-secret-token";
const TOKENS = {
  access_token: `access${SECRET}`,
  refresh_token: `refresh${SECRET}`,
  token_type: "Bearer",
  expires_in: 3600,
};
const CODE = {
  device_code: `device${SECRET}`,
  user_code: "ABCD",
  verification_uri: "https://s.example/device",
  expires_in: 600,
  interval: 5,
};
const endpoints = {
  ...noEndpoints,
  deviceAuthorization: "https://s.example/code",
  token: "https://s.example/token",
};

/** A device that has signed in. */
function device(options: Partial<DriverOptions> = {}): { driver: Driver; platform: FakePlatform } {
  const platform = fakePlatform({
    http: {
      handler: ({ url }) =>
        url.endsWith("/code") ? { body: CODE } : url.endsWith("/token") ? { body: TOKENS } : {},
    },
  });
  const driver = new Driver({ core, platform, config: driverConfig, endpoints, ...options });
  driver.start();
  platform.clock.advance(30_000);
  expect(driver.device.state).toBe(State.SIGNED_IN);
  return { driver, platform };
}

/** Calls the resource server; gives the addresses that were asked. */
function call(address: string, target: string): string[] {
  const { driver, platform } = device({ endpoints: { ...endpoints, resources: [address] } });
  const { length } = platform.http.requests;
  const bytes = bytesOf(target);
  core.beginCall(driver.device);
  core.addPath(driver.device, bytes, 0, bytes.length);
  core.sendCall(driver.device, core.Endpoint.RESOURCE, 1, null, 0, 0);
  driver.run();
  return platform.http.requests.slice(length).map(({ url }) => url);
}

describe("RFC 6750 §5.3: the target of a call stays behind the host that was configured", () => {
  it.each(["@127.0.0.1:1/x", ":1@evil.test/", ".evil.test/", ":8443/", "x", "\\@evil.test/"])(
    "%j behind an address that ends with its host",
    (target) => {
      for (const address of [
        "https://api.example",
        "https://API.example:8443",
        "http://[::1]:80",
      ]) {
        const sent = call(address, target);
        expect(sent.map((url) => new URL(url).origin)).toEqual([new URL(address).origin]);
        expect(sent.map((url) => new URL(url).username)).toEqual([""]);
      }
    },
  );

  it("any target behind any address", () => {
    const hostile = fc.constantFrom(
      ..."@:/?#\\.%[]&=;,!~",
      "evil.test",
      "127.0.0.1",
      "\t",
      "\r\n",
      " ",
      "é",
      "\0",
      "//",
      "/../",
      "%40",
      "a",
    );
    const target = fc.array(hostile, { maxLength: 12 }).map((parts) => parts.join(""));
    const address = fc.constantFrom(
      "https://api.example",
      "https://api.example/",
      "https://api.example/v1",
      "https://api.example?key=1",
      "https://api.example:8443",
      "http://127.0.0.1:80",
      "http://[::1]",
    );
    const property = fc.property(address, target, (to, rest) => {
      for (const url of call(to, rest)) {
        const asked = new URL(url);
        expect([asked.origin, asked.username, asked.password, asked.hash]).toEqual([
          new URL(to).origin,
          "",
          "",
          "",
        ]);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});

describe("the last look", () => {
  const allowed: Allowed = {
    address: "https://api.example/v1",
    allowHttp: false,
    secrets: [SECRET],
  };

  it.each([
    ["https://api.example/v1", ""],
    ["https://api.example/v2?x=1", ""],
    ["https://API.example/", ""],
    [
      "http://api.example/v1",
      "the address must be an https address: anybody on the way can read http",
    ],
    ["https://api.example:8443/", "the address is another server's"],
    ["https://api.example.evil.test/", "the address is another server's"],
    ["https://evil.test/api.example", "the address is another server's"],
    ["http://127.0.0.1/", "the address is another server's"],
    ["https://api.example@evil.test/", "the address must be an https address without user"],
    ["https://api.example\\@evil.test/", "the address must be an https address without user"],
    ["https://api.example/\r\nX: 1", "the address must be an https address without user"],
    ["ftp://api.example/", "the address must be an https address without user"],
    [`https://api.example/?token=${SECRET}`, "a secret is in the address"],
    [`https://api.example/?token=${encodeURIComponent(SECRET)}`, "a secret is in the address"],
  ])("%s: %s", (url, refusal) => {
    const why = lastLook(url, allowed);
    if (refusal === "") expect(why).toBe("");
    else expect(why).toContain(refusal);
    expect(why).not.toContain(SECRET);
  });

  it("what passes has the same origin for everybody who reads it (WHATWG URL)", () => {
    const part = fc.constantFrom(
      "https:",
      "http:",
      "//",
      "/",
      "\\",
      "@",
      ":",
      "?",
      "#",
      ".",
      "[::1]",
      "127.0.0.1",
      "localhost",
      "api.example",
      "evil.test",
      "443",
      "\t",
      "%2f",
      "a",
    );
    const url = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(""));
    const allowedAddress = fc.constantFrom(
      "https://api.example",
      "http://127.0.0.1",
      "http://[::1]:443/a",
    );
    let passed = 0;
    const property = fc.property(url, allowedAddress, fc.boolean(), (asked, address, joined) => {
      const whole = joined ? address + asked : asked;
      if (lastLook(whole, { address, allowHttp: false, secrets: [] }) !== "") return;
      passed++;
      expect(new URL(whole).origin).toBe(new URL(address).origin);
      expect(new URL(whole).username).toBe("");
    });
    fc.assert(property, { numRuns: 3000 });
    expect(passed).toBeGreaterThan(100);
  });
});

describe("no way of the driver leads around it", () => {
  it("a translation that sends the grant's request elsewhere", () => {
    const platform = fakePlatform({ http: { handler: () => ({ body: CODE }) } });
    const driver = new Driver({
      core,
      platform,
      config: driverConfig,
      endpoints,
      translate: (http) => ({
        send: (request, sink) => http.send({ ...request, url: "https://evil.test/" }, sink),
        abort: () => http.abort(),
      }),
    });
    driver.start();
    platform.clock.advance(60_000);
    expect(platform.http.requests).toEqual([]);
    expect(driver.device.error).toBe(ErrorCode.UNREACHABLE);
  });

  it("endpoints that are changed behind the driver's back", () => {
    const own = { ...endpoints };
    const { driver, platform } = device({ endpoints: own });
    own.revocation = "http://evil.test/";
    own.token = "http://evil.test/";
    driver.signOut();
    platform.clock.advance(600_000);
    expect(platform.http.requests.filter(({ url }) => url.includes("evil.test"))).toEqual([]);
  });

  it("a program that puts the token into a call's address (RFC 6750 §2.3, §5.3)", () => {
    const sent = call("https://api.example", `?access_token=${TOKENS.access_token}`);
    expect(sent).toEqual([]);
  });

  it("but the documents' own revocation has its token in the query, and goes out", () => {
    const { driver, platform } = device({
      endpoints: { ...endpoints, revocation: "https://s.example/revoke" },
      config: { ...driverConfig, clientAuthentication: core.ClientAuthentication.DOCUMENTS },
    });
    driver.signOut();
    platform.clock.advance(1000);
    const asked = platform.http.requests.at(-1)!.url;
    expect(new URL(asked).searchParams.get("token")).toBe(TOKENS.refresh_token);
  });

  it("a refused call ends at once", () => {
    const { driver } = device({ endpoints: { ...endpoints, resources: ["https://api.example"] } });
    const bytes = bytesOf(`?t=${TOKENS.access_token}`);
    core.beginCall(driver.device);
    core.addPath(driver.device, bytes, 0, bytes.length);
    core.sendCall(driver.device, core.Endpoint.RESOURCE, 1, null, 0, 0);
    driver.run();
    expect([driver.device.callState, driver.device.callError]).toEqual([
      core.CallState.DONE,
      ErrorCode.UNREACHABLE,
    ]);
  });
});
