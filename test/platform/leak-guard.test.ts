// Tests that the target of a call never leads to another server, and that the access token goes only to the configured
// resource servers (RFC 6750 §5.3, RFC 9700 §4.9.1).

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ErrorCode } from "../../core/index.ts";
import type { HttpRequest } from "../../platform/contracts.ts";
import { Filter } from "../../platform/exchange/filter.ts";
import { type Allowed, leakGuard } from "../../platform/exchange/leak-guard.ts";
import { addressProblem, isLoopbackHost } from "../../platform/servers/address.ts";
import { namedAddressProblem } from "../../platform/servers/named-address.ts";
import { driverConfig } from "../../platform/testing/index.ts";
import { call, driverOn, ENDPOINTS, signedIn, signsIn } from "../environment/driver-port.ts";

const SECRET = "4/0AX4XfWh-a-secret-token";
const SECRETS = {
  access_token: `access${SECRET}`,
  refresh_token: `refresh${SECRET}`,
};

const callAt = (address: string, target: string): string[] => {
  const endpoints = { ...ENDPOINTS, resources: [address] };
  return call(signedIn({ endpoints }, signsIn({}, SECRETS)), target);
};

it("RFC 6750 §5.3: no target of a call changes the configured host, at any address", () => {
  const hostile = fc.constantFrom(
    ...[..."@:/?#\\.%[]&=;,!~", "evil.test", "127.0.0.1", "\t", "\r\n", " ", "é", "\0", "//"],
    ...["/../", "%40", "a", ":8443/", "@127.0.0.1:1/x", "\\@evil.test/"],
  );
  const target = fc.array(hostile, { maxLength: 12 }).map((parts) => parts.join(""));
  const address = fc.constantFrom(
    ...["", "/", "/v1", "?key=1", ":8443"].map((rest) => `https://api.example${rest}`),
    ...["http://127.0.0.1:80", "http://[::1]", "https://API.example:8443"],
  );
  let sent = 0;
  const property = fc.property(address, target, (to, rest) => {
    for (const url of callAt(to, rest)) {
      sent++;
      const requested = new URL(url);
      expect([requested.origin, requested.username + requested.password + requested.hash]).toEqual([
        ...[new URL(to).origin, ""],
      ]);
    }
  });
  fc.assert(property, { numRuns: 300 });
  expect(sent).toBeGreaterThan(100);
});

describe("the leak guard", () => {
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
    ["https://api.example.evil.test/", "the address is another server's"],
    ["https://api.example@evil.test/", "the address must be an https address without user"],
    ["https://api.example/\r\nX: 1", "the address must be an https address without user"],
    [`https://api.example/?token=${SECRET}`, "a secret is in the address"],
    [`https://api.example/?token=${encodeURIComponent(SECRET)}`, "a secret is in the address"],
  ])("%s: %s", (url, refusal) => {
    const why = leakGuard(url, allowed);
    if (refusal === "") expect(why).toBe("");
    else expect(why).toContain(refusal);
    expect(why).not.toContain(SECRET);
  });

  it("an accepted URL has the same origin for every parser (WHATWG URL)", () => {
    const part = fc.constantFrom(
      ...["https:", "http:", "//", "/", "\\", "@", ":", "?", "#", ".", "[::1]", "127.0.0.1"],
      ...["localhost", "api.example", "evil.test", "443", "\t", "%2f", "a"],
    );
    const url = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(""));
    const allowedAddress = fc.constantFrom(
      "https://api.example",
      "http://127.0.0.1",
      "http://[::1]:443/a",
    );
    let passed = 0;
    const property = fc.property(
      url,
      allowedAddress,
      fc.boolean(),
      (requested, address, joined) => {
        const whole = joined ? address + requested : requested;
        if (leakGuard(whole, { address, allowHttp: false, secrets: [] }) !== "") return;
        passed++;
        expect(new URL(whole).origin).toBe(new URL(address).origin);
        expect(new URL(whole).username).toBe("");
      },
    );
    fc.assert(property, { numRuns: 3000 });
    expect(passed).toBeGreaterThan(100);
  });
});

class Elsewhere extends Filter {
  override send(request: HttpRequest): void {
    super.send({ ...request, url: "https://evil.test/" });
  }
}

describe("the driver stops what the leak guard refuses", () => {
  it("a translation that sends a request of the grant to another server", () => {
    const platform = signsIn();
    const driver = driverOn(platform, {
      translate: () => new Elsewhere(),
    });
    driver.start();
    platform.clock.advance(60_000);
    expect(platform.http.requests).toEqual([]);
    expect(driver.device.error).toBe(ErrorCode.UNREACHABLE);
  });

  it("endpoints that change later", () => {
    const endpoints = { ...ENDPOINTS };
    const { driver, platform } = signedIn({ endpoints });
    endpoints.revocation = "http://evil.test/";
    endpoints.token = "http://evil.test/";
    driver.signOut();
    platform.clock.advance(600_000);
    expect(platform.http.requests.filter(({ url }) => url.includes("evil.test"))).toEqual([]);
  });

  it("a token in a call's address (RFC 6750 §2.3, §5.3): the request fails at once", () => {
    const device = signedIn({}, signsIn({}, SECRETS));
    expect(call(device, `?access_token=${SECRETS.access_token}`)).toEqual([]);
    const { callState, callError } = device.driver.device;
    expect([callState, callError]).toEqual([core.CallState.DONE, ErrorCode.UNREACHABLE]);
  });

  it("an exception: the revocation of the device authorization specification has the token in its query", () => {
    const clientAuthentication = core.ClientAuthentication.SPECIFICATION;
    const config = { ...driverConfig, clientAuthentication };
    const { driver, platform } = signedIn({ config }, signsIn({}, SECRETS));
    driver.signOut();
    platform.clock.advance(1000);
    const requested = platform.http.requests.at(-1)!.url;
    expect(new URL(requested).searchParams.get("token")).toBe(SECRETS.refresh_token);
  });
});

describe("configured addresses", () => {
  it("keep their own query unchanged, and further parameters follow after &", () => {
    const endpoints = {
      ...ENDPOINTS,
      ...{ deviceAuthorization: "https://s.example/code?p=b2c" },
      ...{ token: "https://tokens.example:8443/t?p=b2c&q=1" },
      ...{ revocation: "https://s.example/revoke?p=b2c" },
    };
    const { driver, platform } = signedIn({ endpoints });
    driver.signOut();
    platform.clock.advance(1000);
    const [code, token, revocation] = platform.http.requests.map(({ url }) => url);
    expect([code, token]).toEqual([endpoints.deviceAuthorization, endpoints.token]);
    expect(revocation).toMatch(/^https:\/\/s\.example\/revoke\?p=b2c(&token=refresh)?$/);
  });

  const list = "resources must be a list of addresses, [] for none";
  it.each<[rule: string, address: object, message: string]>([
    [
      "RFC 8628 §3.1",
      { deviceAuthorization: "http://s.example/code" },
      "deviceAuthorization must be",
    ],
    ["RFC 6749 §10.3", { token: "http://localhost.example/token" }, "token must be an https"],
    ["RFC 6749 §10.4", { token: "http://localhost:80@s.example/token" }, "token must be an https"],
    ["RFC 7009 §2", { revocation: "ftp://s.example/" }, "revocation must be an https"],
    ["RFC 8936", { events: "https://user@s.example/" }, "events must be an https"],
    [
      "RFC 6749 §10.3",
      { resources: ["http://127.0.0.1.example/"] },
      "resources[0] must be an https",
    ],
    [
      "RFC 6749 §10.3",
      { resources: ["https://a.example/", "ftp://b.example/"] },
      "resources[1] must be",
    ],
    ["no list", { resources: "https://a.example/" }, list],
    ["nothing", { resources: undefined }, list],
  ])("%s: %j is refused, and the error names the member", (_, address, message) => {
    const wrong = { ...ENDPOINTS, ...address } as typeof ENDPOINTS;
    expect(() => signedIn({ endpoints: wrong })).toThrow(`endpoints.${message}`);
    const { driver } = signedIn();
    expect(() => {
      driver.endpoints = wrong;
    }).toThrow(`endpoints.${message}`);
  });

  it.each([
    [0, ["https://a.example"]],
    [1, []],
    [2, ["https://c.example"]],
    [3, []],
  ])("Endpoint.RESOURCE + %i has the address of endpoints.resources: %j", (number, expected) => {
    const resources = ["https://a.example", "", "https://c.example"];
    expect(call(signedIn({ endpoints: { ...ENDPOINTS, resources } }), "", number)).toEqual(
      expected,
    );
  });

  it("use http only for this device itself, unless allowHttp is set", () => {
    const at = (token: string, allowHttp = false) =>
      signedIn({ endpoints: { ...ENDPOINTS, token }, allowHttp });
    for (const host of ["localhost:1", "127.0.0.1", "[::1]:8080"]) at(`http://${host}/t`);
    at("http://s.example/t", true);
    expect(() => at("http://user@s.example/t", true)).toThrow("endpoints.token must be");
  });
});

// The driver, `signIn`, the simulator and the service use one list (platform/servers/address.ts). RFC 8252 §8.3:
// requests to these hosts do not cross a network.
const LOCAL = ["localhost", "127.0.0.1", "[::1]"];
/** A system may route some of these addresses to itself, but the C host and the core accept only the names above. */
const OTHERS = [
  ...["127.0.0.2", "127.1", "0.0.0.0", "[::]", "[::ffff:127.0.0.1]", "2130706433", ""],
  ...["localhost.example.com", "127.0.0.1.example.com", "my-localhost", "localhost@a.example"],
  "127.0.0.1:80@a.example",
];

describe("RFC 8252 §8.3: http is only for this machine itself", () => {
  it.each([...LOCAL, ...OTHERS])("%j", (host) => {
    const expected = LOCAL.includes(host);
    expect(isLoopbackHost(host)).toBe(expected);
    for (const address of [`http://${host}`, `http://${host}:8080/token`, `http://${host}/?a=b`]) {
      expect(addressProblem(address) === "", address).toBe(expected);
    }
  });

  // The opposite check is stricter: metadata of another machine must name no address that a system may route to itself.
  it.each([
    ...["localhost", "LOCALHOST", "a.localhost", "localhost.", "127.0.0.1", "127.0.0.2", "127.1"],
    ...["0x7f000001", "0x7f.1", "0177.0.0.1", "2130706433", "0.0.0.0", "0", "[::1]", "[::]"],
    ...["[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
  ])("a server on another machine must not send the device to http on %s", (host) => {
    const address = `http://${host}:8080/t`;
    expect(namedAddressProblem(address, "https://a.example", true)).toBe("is on this machine");
    expect(namedAddressProblem(address, "http://127.0.0.1:1", true)).toBe("");
    expect(new URL(address).hostname).toMatch(
      /localhost\.?$|^127\.|^0\.0\.0\.0$|^\[::1?\]$|^\[::(ffff:)?7f00:1\]$/,
    );
  });

  it.each([
    ...["localhost.example.com", "my-localhost", "126.0.0.1", "128.0.0.1", "1.127.0.0", "0x7e.1"],
    ...["[::2]", "[fe80::1]", "[::ffff:128.0.0.1]", "[1::]", "3232235777"],
  ])("http to %s goes to another machine", (host) => {
    expect(namedAddressProblem(`http://${host}/t`, "https://a.example", true)).toBe("");
  });

  it("::1 without brackets is also local", () => expect(isLoopbackHost("::1")).toBe(true));
});
