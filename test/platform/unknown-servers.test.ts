// Tests sign-ins at authorization servers that use the freedom of RFC 6749 and RFC 8628, and at some that violate these
// RFCs. A sign-in succeeds where a tolerant client would. Otherwise the program gets the server's response.

import { describe, expect, it } from "vitest";
import { SignInError } from "../../platform/session/sign-in-error.ts";
import type { FakeResponse, SeenRequest } from "../../platform/testing/http.ts";
import { SessionEnvironment, type Start } from "../environment/session-port.ts";
import { ENDPOINTS, HOST } from "../session-model/server.ts";

const CODE = {
  device_code: "dc",
  user_code: "ABCD-EFGH",
  verification_uri: `${HOST}/device`,
  expires_in: 600,
  interval: 5,
};
const TOKENS = {
  access_token: "at",
  token_type: "Bearer",
  expires_in: 3600,
  refresh_token: "rt",
};
const PENDING = { status: 400, body: { error: "authorization_pending" } };

/** How a server differs from the usual responses above. */
interface Server {
  /** Members of the device authorization response; undefined removes one. */
  code?: object;
  codeResponse?: FakeResponse;
  /** The response to each of the first two polls. */
  poll?: FakeResponse;
  tokens?: object;
  tokenResponse?: FakeResponse;
}

const endpoints = {
  ...ENDPOINTS,
  deviceAuthorization: `${HOST}/code?tenant=a`,
  token: `${HOST}/token?tenant=a&x=`,
};

interface Outcome extends Start {
  readonly requests: readonly SeenRequest[];
}

async function signInAt(server: Server, limitS = 120): Promise<Outcome> {
  let polls = 0;
  const environment = new SessionEnvironment();
  environment.http.handler = ({ url }) => {
    if (url === endpoints.deviceAuthorization) {
      return server.codeResponse ?? { body: { ...CODE, ...server.code } };
    }
    if (polls++ < 2) return server.poll ?? PENDING;
    return server.tokenResponse ?? { body: { ...TOKENS, ...server.tokens } };
  };
  const start = environment.start({}, undefined, { endpoints });
  await environment.until(() => start.isSettled, limitS);
  return Object.assign(start, { requests: environment.http.requests });
}

async function completes(server: Server, limitS?: number): Promise<Outcome> {
  const outcome = await signInAt(server, limitS);
  expect(outcome.error).toBeUndefined();
  expect(await outcome.session!.accessToken()).not.toBe("");
  return outcome;
}

describe("RFC 8628 §3.2, RFC 6749 §3.2: codes and addresses of all kinds are shown unchanged", () => {
  const address = (length: number): string => `${HOST}/${"v".repeat(600)}`.slice(0, length);
  it.each<[string, object]>([
    ["a code of 80 characters", { user_code: "A".repeat(80) }],
    ["in lower case", { user_code: "abcd-efgh" }],
    ["with spaces", { user_code: "ABC DEF GHI" }],
    ["an address of 512", { verification_uri: address(512) }],
    ["on another origin", { verification_uri: "https://example.org:8443/go?a=b#c" }],
    ["no lifetime", { expires_in: undefined }],
    ["a lifetime of ten years", { expires_in: 315_360_000 }],
    ["a device code with all kinds of characters", { device_code: "a`#&%+ =/\u00e9" }],
    ["a device code that is a signed document", { device_code: `e.${"d".repeat(4000)}.s` }],
    ["unknown members", { message: "\u00fc\n", nested: { user_code: "WRONG" } }],
  ])("%s", async (_, code) => {
    const { prompts, requests } = await completes({ code });
    const sent = { ...CODE, ...code };
    expect(prompts).toHaveLength(1);
    expect(prompts[0]!.userCode).toBe(sent.user_code);
    expect(prompts[0]!.verificationUri).toBe(sent.verification_uri);
    expect(prompts[0]!.expiresInS).toBe(
      Math.min(Math.floor(Number(sent.expires_in ?? 600)), 86_400),
    );
    const polled = requests.filter(({ form }) => form.has("device_code"));
    expect(polled[0]!.form.get("device_code")).toBe(sent.device_code);
    // RFC 6749 §3.2: the client keeps the query of an endpoint.
    expect(polled[0]!.url).toBe(endpoints.token);
  });

  it.each([
    ["login.example.com/device", "https://login.example.com/device"],
    ["login.example.com", "https://login.example.com"],
    ["login.example.com/http:", "https://login.example.com/http:"],
    ["HTTPS://login.example.com/device", "HTTPS://login.example.com/device"],
    ["http://login.example.com/device", "http://login.example.com/device"],
  ])("the address %s reaches the program as %s", async (verification_uri, given) => {
    const { prompts } = await completes({ code: { verification_uri } });
    expect(prompts[0]!.verificationUri).toBe(given);
  });

  // These are not complete addresses, so they count as missing.
  it.each([null, "", undefined, "login.example.com/device?code=AB"])(
    "RFC 8628 §3.3.1: verification_uri_complete %j counts as missing",
    async (none) => {
      const { prompts } = await completes({ code: { verification_uri_complete: none } });
      expect(prompts[0]!.verificationUriComplete).toBe("");
    },
  );
});

it.each<[string, FakeResponse, RegExp]>([
  [
    "a page of HTML with 500",
    { status: 500, body: "<html>" },
    /^unavailable nobody .*HTTP 500; trying again in \d+ s$/,
  ],
  ["with 404", { status: 404, body: "<html>" }, /HTTP 404; /],
  [
    "with 200",
    { status: 200, body: "<html>" },
    /^malformed_response nobody .*HTTP 200, and not the requested response; /,
  ],
  ["a redirect to a login page", { status: 302, body: "" }, /HTTP 302; /],
  ["nothing at all", { status: 200 }, /HTTP 200; there is no access_token in the response /],
  ["429 without a word", { status: 429, body: "Too many" }, /HTTP 429; /],
  [
    "temporarily_unavailable",
    { status: 503, body: { error: "temporarily_unavailable", error_description: "Back\nsoon" } },
    /HTTP 503 temporarily_unavailable \(Back\?soon\); /,
  ],
])("a temporary error is reported, and the sign-in continues: %s", async (_, poll, reported) => {
  const { troubles } = await completes({ poll });
  expect(troubles).toHaveLength(2);
  for (const { code, remedy, message } of troubles) {
    expect(`${code} ${remedy} ${message}`).toMatch(reported);
  }
  // The query may contain secrets, so the message does not show it.
  expect(troubles[0]!.message).toMatch(/^https:\/\/login\.example\.com\/token: /);
});

it.each<[string, object, number | undefined]>([
  ["a lifetime with a fraction", { expires_in: 3599.75 }, 3599],
  ["no lifetime", { expires_in: undefined }, undefined],
  ["null", { expires_in: null }, undefined],
  ["of ten years", { expires_in: 315_360_000 }, undefined],
  ["of 0 seconds, which counts as unknown", { expires_in: 0 }, undefined],
  ["of 40 seconds", { expires_in: 40 }, 40],
  ["of -1", { expires_in: -1 }, undefined],
  ["a signed access token of 4 KB", { access_token: `e.${"a".repeat(4096)}.s` }, 3600],
  ["an id_token of 8 KB", { id_token: "i".repeat(8192) }, 3600],
])("RFC 6749 §5.1: tokens of all kinds: %s", async (_, tokens, lifetimeS) => {
  const { session } = await completes({ tokens });
  expect(session!.isRenewable).toBe(true);
  if (lifetimeS === undefined) expect(session!.expiresInS).toBeUndefined();
  else expect(session!.expiresInS).toBeCloseTo(lifetimeS, -1);
});

describe("a server's refusal reaches the program with its description", () => {
  it.each<[string, Server, string, RegExp]>([
    [
      "an unknown error",
      {
        codeResponse: {
          status: 400,
          body: { error: "tenant_suspended", error_description: "Ask s\u00e4les\u202e\n" },
        },
      },
      "unknown_error",
      /code: HTTP 400 tenant_suspended \(Ask s\u00e4les\?\?\)$/,
    ],
    [
      "a denial with 200",
      { poll: { status: 200, body: { error: "access_denied" } } },
      "access_denied",
      /token: HTTP 200 access_denied$/,
    ],
    [
      "a code that is too wide",
      { code: { user_code: "A".repeat(81) } },
      "value_too_long",
      /user_code of 81 bytes does not fit; the limit is 80 bytes$/,
    ],
  ])("%s", async (_, server, code, message) => {
    const { error } = await signInAt(server);
    expect(error).toBeInstanceOf(SignInError);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toMatch(message);
  });

  it.each<[string, Server, RegExp]>([
    [
      "a code without an address",
      { code: { verification_uri: undefined, verification_uri_complete: `${HOST}/go?c=1` } },
      /there is no verification_uri in the response that can be used; .*\/code: HTTP 200$/,
    ],
    [
      "with one that is relative",
      { code: { verification_uri: "/device" } },
      /there is no verification_uri in the response that can be used; /,
    ],
    [
      "without a device_code",
      { code: { device_code: undefined } },
      /there is no device_code in the response that can be used; /,
    ],
    [
      "an ID token alone",
      { tokenResponse: { body: { id_token: "e30.e30.e30", token_type: "Bearer" } } },
      /there is no access_token in the response that can be used; .*\/token: HTTP 200$/,
    ],
  ])("%s ends the sign-in, and the message names the member", async (_, server, message) => {
    const { error, troubles } = await signInAt(server, 600);
    expect(error).toMatchObject({ code: "unusable_responses", remedy: "developer" });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain("e30");
    expect(message.source).toContain(`no ${(error as SignInError).lacks} in`);
    // The messages of earlier reports also name the missing member, and nothing else.
    for (const trouble of troubles)
      expect(trouble.message).toMatch(/HTTP 200; there is no [a-z_]+ in /);
    expect(troubles.length).toBeGreaterThan(3);
  });

  it("a byte order mark before a response is skipped", async () => {
    const marked = (body: object): FakeResponse => ({ body: `\ufeff${JSON.stringify(body)}` });
    const { session, error } = await signInAt({
      codeResponse: marked(CODE),
      poll: { status: 400, body: '\ufeff{"error":"slow_down"}' },
      tokenResponse: marked({ ...TOKENS, scope: "a" }),
    });
    expect([error, session?.scope]).toEqual([undefined, "a"]);
    const refused = { status: 400, body: '\ufeff{"error":"x","error_description":"y"}' };
    const other = await signInAt({ codeResponse: refused });
    expect((other.error as Error).message).toMatch(/HTTP 400 x \(y\)$/);
  });

  it("an error about a successful response contains none of its values, which may be tokens", async () => {
    const body = { ...TOKENS, token_type: "mac", error_description: "secret" };
    const { error } = await signInAt({ tokenResponse: { body } });
    expect((error as Error).message).not.toMatch(/secret|at\b/);
    expect((error as SignInError).response).toBeUndefined();
  });
});
