// Where the driver sends requests and what it puts beside them: addresses as servers have them, headers
// of the host's own, nothing in the clear.

import { expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { State } from "../../core/index.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { type FakePlatform, fakePlatform } from "../../platform/fake/index.ts";

const CODE = {
  device_code: "device",
  user_code: "ABCD",
  verification_uri: "https://s.example/device",
  expires_in: 600,
  interval: 5,
};
const TOKENS = {
  access_token: "access",
  refresh_token: "refresh",
  token_type: "Bearer",
  expires_in: 3600,
};
const endpoints = {
  ...noEndpoints,
  deviceAuthorization: "https://s.example/code?p=b2c",
  token: "https://tokens.example:8443/t?p=b2c&q=1",
  revocation: "https://s.example/revoke?p=b2c",
};

/** A server that approves at once and answers everything else with 200. */
function device(options: Partial<DriverOptions> = {}): { driver: Driver; platform: FakePlatform } {
  const platform = fakePlatform({
    http: {
      handler: ({ url }) =>
        url.includes("/code") ? { body: CODE } : url.includes("/t") ? { body: TOKENS } : {},
    },
  });
  const driver = new Driver({ core, platform, config: driverConfig, endpoints, ...options });
  driver.start();
  platform.clock.advance(30_000);
  expect(driver.device.state).toBe(State.SIGNED_IN);
  return { driver, platform };
}

it("an address with a query of its own is asked as it is, and what follows is joined with &", () => {
  const { driver, platform } = device();
  driver.signOut();
  platform.clock.advance(1000);
  const [code, token, revocation] = platform.http.requests.map(({ url }) => url);
  expect([code, token]).toEqual([endpoints.deviceAuthorization, endpoints.token]);
  expect(revocation).toMatch(/^https:\/\/s\.example\/revoke\?p=b2c(&token=refresh)?$/);
});

it("RFC 7009: a server that revokes nothing is asked nothing, and the device is signed out at once", () => {
  const { driver, platform } = device({ endpoints: { ...endpoints, revocation: "" } });
  const { length } = platform.http.requests;
  driver.signOut();
  // The records are erased meanwhile.
  platform.clock.advance(20);
  expect(driver.device.state).toBe(State.SIGNED_OUT);
  platform.clock.advance(600_000);
  expect(platform.http.requests.length).toBe(length);
});

it.each([
  ["RFC 8628 §3.1", "deviceAuthorization", "http://s.example/code"],
  ["RFC 6749 §10.3, §10.4", "token", "http://localhost.example/token"],
  ["RFC 6749 §10.3, §10.4", "token", "http://localhost:80@s.example/token"],
  ["RFC 7009 §2", "revocation", "ftp://s.example/"],
  ["RFC 7009 §2", "revocation", "http://s.example/revoke"],
  ["RFC 8936", "events", "https://user@s.example/"],
])("%s: endpoints.%s %s is refused, with the member's name", (_, name, address) => {
  const wrong = { ...endpoints, [name]: address };
  expect(() => device({ endpoints: wrong })).toThrow(`endpoints.${name} must be`);
  const { driver } = device();
  expect(() => {
    driver.endpoints = wrong;
  }).toThrow(`endpoints.${name} must be`);
});

it.each([
  [["http://127.0.0.1.example/"], "endpoints.resources[0] must be an https address"],
  [["https://a.example/", "ftp://b.example/"], "endpoints.resources[1] must be an https address"],
  ["https://a.example/", "endpoints.resources must be a list of addresses, [] for none"],
  [undefined, "endpoints.resources must be a list of addresses, [] for none"],
])("RFC 6749 §10.3: resource servers at %j are refused", (resources, message) => {
  const wrong = { ...endpoints, resources: resources as string[] };
  expect(() => device({ endpoints: wrong })).toThrow(message);
});

it.each([
  [0, ["https://a.example"]],
  [1, []],
  [2, ["https://c.example"]],
  [3, []],
])("Endpoint.RESOURCE + %i is that of endpoints.resources: %j", (number, expected) => {
  const { driver, platform } = device({
    endpoints: { ...endpoints, resources: ["https://a.example", "", "https://c.example"] },
  });
  const { length } = platform.http.requests;
  core.beginCall(driver.device);
  expect(core.sendCall(driver.device, core.Endpoint.RESOURCE + number, 1, null, 0, 0)).toBe(1);
  driver.run();
  expect(platform.http.requests.slice(length).map(({ url }) => url)).toEqual(expected);
});

it("http is for this device itself, or where somebody says so", () => {
  for (const host of ["localhost:1", "127.0.0.1", "[::1]:8080"]) {
    device({ endpoints: { ...endpoints, token: `http://${host}/t` } });
  }
  device({ endpoints: { ...endpoints, token: "http://s.example/t" }, allowHttp: true });
  const user = { ...endpoints, token: "http://user@s.example/t" };
  expect(() => device({ endpoints: user, allowHttp: true })).toThrow("endpoints.token must be");
});

it("headers of the host's own: some for the authorization server, others for resource servers", () => {
  const headers = {
    grant: [["Client-Attestation", "eyJ.a.b"]],
    resource: [["X-Api-Key", "k"]],
  } as const;
  const { driver, platform } = device({
    headers,
    endpoints: { ...endpoints, resources: ["https://api.example/"], events: "https://e.example/t" },
  });
  for (const request of platform.http.requests) expect(request.headers).toEqual(headers.grant);
  core.beginCall(driver.device);
  core.sendCall(driver.device, core.Endpoint.RESOURCE, 1, null, 0, 0);
  driver.run();
  expect(platform.http.requests.at(-1)!.headers).toEqual(headers.resource);
  platform.clock.advance(1000);
  core.pollEvents(driver.device);
  driver.run();
  expect(platform.http.requests.at(-1)!.url).toBe("https://e.example/t");
  expect(platform.http.requests.at(-1)!.headers).toEqual([]);
});

it("RFC 9110 section 5.1: a header that is there twice, in whatever case, is refused", () => {
  const twice = [
    ["X-Api-Key", "S3cr3t"],
    ["x-api-key", "other"],
  ] as const;
  expect(() => device({ headers: { resource: twice } })).toThrow(
    "headers: x-api-key is there twice",
  );
  device({ headers: { grant: [twice[0]], resource: [twice[1]] } });
});
