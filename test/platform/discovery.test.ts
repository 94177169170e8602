// Tests where the device looks for a server's metadata, which metadata it accepts, and the messages about invalid
// metadata. Random metadata must never send secrets to a forbidden address.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { discoverServer, methodsIn } from "../../platform/servers/discovery.ts";
import { fakePlatform } from "../../platform/testing/index.ts";
import { isFullRun } from "../full-run.ts";

const HOST = "https://sso.example.com";
const metadataOf = (issuer: string, more: object = {}): object => ({
  issuer,
  device_authorization_endpoint: `${HOST}/device`,
  token_endpoint: `${HOST}/token`,
  ...more,
});

type Specifications = Readonly<Record<string, object | string | number>>;

/** Discovers a server with these documents by path. A number is the status of a response with a valid document. */
function discover(issuer: string, specification: Specifications, allowHttp = false) {
  const platform = fakePlatform({
    isAtOnce: true,
    http: {
      handler: ({ url }) => {
        const document = specification[url.replace(new URL(url).origin, "")] ?? 404;
        if (typeof document !== "number") return { body: document };
        return { status: document, body: metadataOf(issuer) };
      },
    },
  });
  const requested = () => platform.http.requests.map(({ url }) => url);
  return { found: discoverServer(platform.http, issuer, allowHttp), requested };
}

describe("RFC 8414 §3.1, §5: an issuer with a path", () => {
  it.each([
    "/realms/x/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server/realms/x",
    "/.well-known/openid-configuration/realms/x",
    "/realms/x/.well-known/oauth-authorization-server",
  ])("%s", async (path) => {
    const issuer = `${HOST}/realms/x`;
    const { found } = discover(issuer, { [path]: metadataOf(issuer) });
    expect((await found).endpoints).toMatchObject({
      deviceAuthorization: `${HOST}/device`,
      token: `${HOST}/token`,
      revocation: "",
    });
  });

  it("RFC 8259 §8.1: a byte order mark before the document is skipped", async () => {
    const document = `\ufeff${JSON.stringify(metadataOf(HOST))}`;
    const { found } = discover(HOST, { "/.well-known/openid-configuration": document });
    expect((await found).endpoints).toMatchObject({ token: `${HOST}/token` });
  });
});

describe("RFC 8414 §3.3: the document must name the requested issuer", () => {
  const path = "/.well-known/openid-configuration";

  it.each([
    [HOST, `${HOST}/`],
    [`${HOST}/`, HOST],
  ])("%s and %s are the same issuer, with the same document", async (requested, named) => {
    const { issuer, endpoints } = await discover(requested, { [path]: metadataOf(named) }).found;
    expect([issuer, endpoints.token]).toEqual([named, `${HOST}/token`]);
  });

  const token = (token_endpoint: unknown): object => metadataOf(HOST, { token_endpoint });
  const withoutCodes = metadataOf(HOST, { device_authorization_endpoint: undefined });
  it.each<[document: object | string, why: RegExp]>([
    [metadataOf("https://evil.example"), /is of another issuer, https:\/\/evil\.example/],
    [metadataOf(`${HOST}/{tenantid}/v2.0`), /is of another issuer, .*\{tenantid\}/],
    [{ token_endpoint: `${HOST}/t` }, /names no issuer/],
    [withoutCodes, /has no device_authorization_endpoint: the server does not say that it offers/],
    [token(null), /has no token_endpoint[;)]/],
    [token("http://sso.example.com/t"), /token_endpoint must be an https/],
    [token("/token"), /token_endpoint must be an https address/],
    [token([HOST]), /token_endpoint is no text/],
    [token("http://127.0.0.1:80/t"), /token_endpoint is on this machine/],
    [token(`${HOST}/t#x`), /token_endpoint must be an https address without user, fragment or/],
    ["<html>", /HTTP 200, but no JSON object/],
  ])("%j is not valid", async (document, why) => {
    const failed = discover(HOST, { [path]: document }).found;
    await expect(failed).rejects.toThrow(why);
    await expect(failed).rejects.toMatchObject({ isTransient: document === "<html>" });
    // The same applies if each place has this document: only HTML counts as temporary.
    const other = "/.well-known/oauth-authorization-server";
    const everywhere = discover(HOST, { [path]: document, [other]: document }).found;
    await expect(everywhere).rejects.toMatchObject({ isTransient: document === "<html>" });
  });
});

it.each([
  [
    `${HOST}/.well-known/openid-configuration`,
    /before \/\.well-known\/: https:\/\/sso\.example\.com$/,
  ],
  ["/.well-known/openid-configuration", /^the issuer must be an https address/],
  [`${HOST}/x?y=z`, "without a query"],
  ["htps://sso.example.com", "must be an https address"],
  ["http://sso.example.com", "must be an https address: anybody on the way can read http"],
])("RFC 8414 §3: %s is no address of an issuer", async (issuer, why) => {
  const { found, requested } = discover(issuer, {});
  await expect(found).rejects.toThrow(why);
  expect(requested()).toEqual([]);
});

describe("the exact message for an invalid document", () => {
  const path = "/.well-known/openid-configuration";
  const other = "/.well-known/oauth-authorization-server";
  const none = `no metadata of ${HOST}`;

  it.each<[Specifications, string, boolean]>([
    [{}, `${none} (${HOST}${path}: HTTP 404; ${HOST}${other}: HTTP 404)`, false],
    [
      { [path]: 199, [other]: 300 },
      `${none} (${HOST}${path}: HTTP 199; ${HOST}${other}: HTTP 300)`,
      false,
    ],
    [
      { [path]: 500, [other]: 429 },
      `${none} (${HOST}${path}: HTTP 500; ${HOST}${other}: HTTP 429)`,
      true,
    ],
    [
      { [path]: 499, [other]: "[]" },
      `${none} (${HOST}${path}: HTTP 499; ${HOST}${other}: HTTP 200, but no JSON object)`,
      false,
    ],
    [
      { [path]: `"${"x".repeat(70_000)}"` },
      `${none} (${HOST}${path}: the response is too large; ${HOST}${other}: HTTP 404)`,
      false,
    ],
  ])("%#", async (specification, message, isTransient) => {
    const failed = discover(HOST, specification).found;
    await expect(failed).rejects.toMatchObject({ message, isTransient });
  });

  it("a long name of another issuer is cut, and unprintable characters are replaced by question marks", async () => {
    const named = `https://evil.test/\u0007${"x".repeat(400)}`;
    const failed = discover(HOST, { [path]: metadataOf(named) }).found;
    const output = `https://evil.test/?${"x".repeat(181)}`;
    await expect(failed).rejects.toThrow(`is of another issuer, ${output};`);
  });

  it("if nothing listens, there is one request, and the error contains the adapter's reason", async () => {
    const platform = fakePlatform({
      isAtOnce: true,
      http: { faultFor: () => ({ kind: "refuse" }) },
    });
    const send = platform.http.send.bind(platform.http);
    const failing = discoverServer({ send, abort: () => {}, lastFailure: "ENET" }, HOST);
    await expect(failing).rejects.toThrow(/: not reachable \(ENET\)\)$/);
    await expect(failing).rejects.toMatchObject({ isTransient: true });
    expect(platform.http.requests).toHaveLength(1);
    await expect(discoverServer(platform.http, HOST)).rejects.toThrow(/: not reachable\)$/);
  });

  it("with allowHttp, all other rules still apply", async () => {
    const issuer = "http://keycloak:8080";
    const at = (document: object | number) => discover(issuer, { [path]: document }, true).found;
    const document = {
      issuer,
      device_authorization_endpoint: `${issuer}/device`,
      token_endpoint: `${issuer}/token`,
    };
    const methods = { token_endpoint_auth_methods_supported: ["client_secret_post"] };
    const found = await at({ ...document, ...methods });
    expect(found.clientAuthenticationMethods).toEqual(["client_secret_post"]);
    expect(found.endpoints).toEqual({
      ...{ deviceAuthorization: `${issuer}/device`, token: `${issuer}/token`, revocation: "" },
      ...{ metadata: "", events: "", resources: [] },
    });
    expect((await at({ ...document, revocation_endpoint: null })).endpoints.revocation).toBe("");
    await expect(at({ ...document, token_endpoint: "ftp://x" })).rejects.toThrow(
      /must be an https/,
    );
    await expect(at(404)).rejects.toThrow(/HTTP 404/);
  });
});

it.each<[unknown, readonly string[]]>([
  [undefined, ["client_secret_basic"]],
  [[], []],
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [["a", 1], ["client_secret_basic"]],
  ["client_secret_post", ["client_secret_basic"]],
  [null, ["client_secret_basic"]],
])("RFC 8414 §2 token_endpoint_auth_methods_supported: %j", (methods, expected) => {
  expect(methodsIn({ token_endpoint_auth_methods_supported: methods })).toEqual(expected);
});

const piece = fc.constantFrom(
  ...["https:", "http:", "HTTPS:", "ftp:", "javascript:", "//", "/", "\\", "@", ":", "?", "#", "."],
  ...["%00", "sso.example", "evil.test", "localhost", "LOCALHOST", "127.0.0.1", "127.1", "[::1]"],
  ...["0x7f.1", "2130706433", "443", "8443", "u:p", " ", "\t", "\r\n", "\u0000", "é", "token"],
  ...["{tenant}", "xn--e1afmkfd"],
);
const hostile = fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(""));
const anyIssuer = fc.constantFrom(
  ...["https://sso.example", "https://sso.example/", "https://sso.example:8443/realms/x"],
  ...["http://127.0.0.1:8080", "http://localhost", "http://[::1]:81/x"],
);
const likely = fc.constantFrom(
  ...["https://sso.example/t", "https://other.example/t?a=1", "http://sso.example/t"],
  ...["http://127.0.0.1:80/t", "https://u@sso.example/t", "https://sso.example/t#x"],
  "http://localhost.evil.test/",
);
const valid = fc.constantFrom("https://sso.example/t", "https://other.example/t?a=1");
const value = fc.oneof(
  { weight: 24, arbitrary: valid },
  { weight: 4, arbitrary: likely },
  { weight: 3, arbitrary: hostile },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const members = ["device_authorization_endpoint", "token_endpoint", "revocation_endpoint"] as const;
const extra = fc.dictionary(
  fc.constantFrom("token_endpoint_auth_methods_supported", "__proto__", "constructor", "issuer "),
  fc.jsonValue(),
);
/** The document as text, also with duplicate members or truncated. */
const document = fc
  .record({
    issuer: fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: anyIssuer },
      { weight: 1, arbitrary: hostile },
    ),
    addresses: fc.tuple(value, value, fc.option(value, { nil: undefined })),
    extra,
    isTwice: fc.boolean(),
    breaks: fc.constantFrom(0, 0, 0, 0, 0, 3),
  })
  .map(({ issuer: named, addresses, extra: more, isTwice, breaks }) => (requested: string) => {
    const own = Object.fromEntries(members.map((name, at) => [name, addresses[at]]));
    const text = JSON.stringify({ ...more, ...own, issuer: named ?? requested });
    const first = isTwice
      ? `{"token_endpoint":"https://evil.test/","issuer":${JSON.stringify(requested)},`
      : "{";
    const whole = first + text.slice(1);
    return {
      text: whole.slice(0, whole.length - breaks),
      last: { ...own, issuer: named ?? requested } as Record<string, unknown>,
    };
  });

const OWN = ["localhost", "127.0.0.1", "[::1]"];

/** The rule for an address that gets secrets (specifications and core/SPEC.md), implemented with the URL class. */
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
  // A server on another machine must not send the device to the device's own ports.
  expect(OWN).toContain(new URL(by).hostname);
}

it("RFC 8414 §3.3: no metadata makes the device send secrets to a forbidden address", async () => {
  let taken = 0;
  let requested = 0;
  const property = fc.asyncProperty(anyIssuer, document, async (by, make) => {
    const { text, last } = make(by);
    const platform = fakePlatform({ http: { handler: () => ({ body: text }) }, isAtOnce: true });
    const found = await discoverServer(platform.http, by).catch(() => undefined);
    requested++;
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
  const numRuns = isFullRun ? 3000 : 150;
  await fc.assert(property, { numRuns });
  expect(requested).toBe(numRuns);
  expect(taken).toBeGreaterThan(numRuns / 20);
});
