// Tests where the C host sends requests. An access token goes only to the configured resource servers (RFC 6750 section
// 5.3, RFC 9700 section 4.9.1). The leak guard (targets/host/portable/leak-guard.c) compares connection and request
// with the settings.

import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Endpoint } from "../../core/index.ts";
import { programOf } from "../../targets/workbench/host/build.ts";

const program = programOf("sanitize", "leak-guard");
const SECRET = "4/0AX4XfWh-a-secret-token";

const hex = (text: string): string => Buffer.from(text, "latin1").toString("hex") || "-";
const text = (word: string): string => Buffer.from(word, "hex").toString("latin1");

function responses(lines: readonly string[]): string[] {
  const input = lines.map((line) => `${line}\n`).join("");
  const { stdout, stderr, status } = spawnSync(program, { input, encoding: "latin1" });
  expect(status, stderr).toBe(0);
  return stdout.split("\n").slice(0, -1);
}

interface PlannedRequest {
  readonly address: string;
  readonly target?: string;
  /** The endpoint's address in the settings. Default: the address of the request. */
  readonly allowed?: string;
  readonly endpoint?: number;
  readonly authorization?: string;
  readonly allowHttp?: boolean;
}

function lineOf({ address, allowed = address, target = "", ...requested }: PlannedRequest): string {
  const { endpoint = Endpoint.RESOURCE, authorization = "Bearer ", allowHttp = false } = requested;
  const words = [endpoint, hex(allowed), allowHttp ? 1 : 0, hex(authorization), hex(address)];
  return [...words, hex(target), hex(SECRET)].join(" ");
}

/** For each request, the server and the request line, or undefined if it was not sent. */
function sent(
  requests: readonly PlannedRequest[],
): ({ origin: string; line: string; host: string } | undefined)[] {
  return responses(requests.map(lineOf)).map((response) => {
    if (response === "-") return undefined;
    const [, secure, host = "", port = "", request = ""] = response.split(" ");
    const name = text(host).includes(":") ? `[${text(host)}]` : text(host);
    const { origin } = new URL(`${secure === "1" ? "https" : "http"}://${name}:${port}`);
    const [line = "", ...head] = text(request).split("\r\n");
    return { origin, line, host: head.find((one) => one.startsWith("Host: "))!.slice(6) };
  });
}

const goes = (requested: PlannedRequest): boolean => sent([requested])[0] !== undefined;

const API = "https://api.example/v1";

describe("requests only go where the settings allow", () => {
  it.each<[string, boolean, PlannedRequest]>([
    ["its own address", true, { address: API }],
    ["a target after it", true, { address: API, target: "/x?y=1" }],
    ["an address of the same origin", true, { address: "https://api.example/v2", allowed: API }],
    ["no endpoint", false, { address: API, endpoint: 6 }],
    ["plain http to this device", true, { address: "http://127.0.0.1:80/" }],
    ["plain http to this device", true, { address: "http://[::1]:81/" }],
    ["plain http to another machine", false, { address: "http://api.example/" }],
    ["the same with allowHttp", true, { address: "http://api.example/", allowHttp: true }],
    [
      "http to a name that begins like this device",
      false,
      { address: "http://127.0.0.1.evil.test/" },
    ],
    ["a bearer to the token endpoint", false, { address: API, endpoint: Endpoint.TOKEN }],
    [
      "a bearer to the metadata",
      false,
      { address: API, endpoint: Endpoint.METADATA, authorization: "Bearer " },
    ],
    [
      "the client's credentials to the token endpoint",
      true,
      { address: API, endpoint: Endpoint.TOKEN, authorization: "Basic " },
    ],
    ["the client's credentials to a resource", false, { address: API, authorization: "Basic " }],
    ["nothing to the metadata", true, { address: API, endpoint: 3, authorization: "" }],
    ["a secret in the target", false, { address: API, target: `?t=${SECRET}` }],
    ["the same, encoded", false, { address: API, target: `?t=${encodeURIComponent(SECRET)}&x` }],
    [
      "the same, completely encoded",
      false,
      { address: API, target: `/${hex(SECRET).replace(/../g, "%$&")}` },
    ],
    ["most of a secret", true, { address: API, target: `?t=${SECRET.slice(1)}` }],
    ["a percent sign at the end", true, { address: API, target: "?t=4%2" }],
  ])("%s: %s", (_, isValid, requested) => {
    expect(goes(requested)).toBe(isValid);
  });

  it("a very short secret may occur as a word of a path", () => {
    const words = [Endpoint.RESOURCE, hex(API), 0, hex("Bearer "), hex(API), hex("/devices")];
    expect(responses([[...words, hex("devices")].join(" ")])[0]).toMatch(/^sent /);
  });

  it("any target and any address: each request has the allowed origin for every parser", () => {
    const part = fc.constantFrom(
      ...["https://", "http://", "/", "\\", "@", ":", "?", "#", ".", "[", "]", "%40", "\r\n", " "],
      ...["[::1]", "127.0.0.1", "localhost", "api.example", "API.example", "evil.test", "443", "a"],
    );
    const some = (maxLength: number) =>
      fc.array(part, { maxLength }).map((parts) => parts.join(""));
    const base = fc.constantFrom(
      ...["https://api.example", "https://api.example:8443/v1", "http://127.0.0.1:80?a=1"],
      ...["http://[::1]:443/", "http://localhost"],
    );
    const requested = fc
      .tuple(base, fc.boolean(), some(5), some(6), fc.boolean())
      .map(([allowed, isBehind, rest, target, allowHttp]) => {
        return { allowed, address: isBehind ? allowed + rest : rest, target, allowHttp };
      });
    const property = fc.property(fc.array(requested, { minLength: 200, maxLength: 400 }), (all) => {
      for (const [at, found] of sent(all).entries()) {
        if (!found) continue;
        gone++;
        const { origin } = new URL(all[at]!.allowed);
        expect(found.origin).toBe(origin);
        expect(new URL(`${origin.split("/")[0]}//${found.host}`).origin).toBe(origin);
        const target = /^GET (\/[!-~]*) HTTP\/1\.1$/.exec(found.line)?.[1] ?? "";
        expect(new URL(origin + target).origin).toBe(origin);
      }
    });
    let gone = 0;
    fc.assert(property, { numRuns: 20 });
    expect(gone).toBeGreaterThan(500);
  });
});

describe("the leak guard alone: connection, Host line and settings must name the same server", () => {
  const may = (secure: boolean, host: string, port: number, authority: string, allowed: string) => {
    const words = ["look", Endpoint.RESOURCE, hex(allowed), 1, hex("Bearer ")];
    return responses([[...words, secure ? 1 : 0, hex(host), port, hex(authority)].join(" ")])[0];
  };

  it.each<[boolean, string, number, string, string]>([
    [true, "api.example", 443, "api.example", "https://api.example"],
    [true, "api.example", 443, "api.example:443", "https://api.example:443/v1"],
    [false, "::1", 8080, "[::1]:8080", "http://[::1]:8080?a=1"],
  ])("%s %s %s, Host: %s, allowed %s", (...row) => {
    expect(may(...row)).toBe("may");
  });

  it.each<[string, [boolean, string, number, string, string]]>([
    ["another host", [true, "evil.test", 443, "api.example", "https://api.example"]],
    ["another port", [true, "api.example", 8443, "api.example", "https://api.example"]],
    ["another port in the Host line", [true, "api.example", 443, "api.example:1", API]],
    ["another Host line", [true, "api.example", 443, "evil.test", "https://api.example"]],
    ["no TLS", [false, "api.example", 443, "api.example:443", "https://api.example:443"]],
    ["TLS for an http address", [true, "a.test", 80, "a.test:80", "http://a.test:80"]],
    [
      "a part of the host",
      [true, "api.example", 443, "api.example", "https://api.example.evil.test"],
    ],
    ["the host of a user", [true, "api.example", 443, "api.example@evil.test", API]],
    ["a user in the settings", [true, "u", 443, "u", "https://u@evil.test"]],
    ["a backslash", [true, "a.test", 443, "a.test", "https://a.test\\@evil.test"]],
    ["nothing", [true, "", 443, "", "https://"]],
    ["a bracket too few", [false, "::1", 80, "[::1", "http://[::1"]],
    ["an empty port", [true, "a.test", 443, "a.test:", "https://a.test:"]],
  ])("not %s", (_, row) => {
    expect(may(...row)).toBe("-");
  });
});
