// Tests how the translation of each server changes the core's requests and the server's responses. The recorded
// conversations test more. test/platform/driver-faults.test.ts has faulty adapters.

import { describe, expect, it } from "vitest";
import type { HttpRequest } from "../../platform/contracts.ts";
import type { Filter } from "../../platform/exchange/filter.ts";
import { SERVERS, ServerError, serverOf } from "../../platform/servers/index.ts";
import { PATTERNS } from "../../platform/servers/profile.ts";
import { type Purpose, Translating, type Translation } from "../../platform/servers/translation.ts";
import { FakeHttp, type FakeResponse } from "../../platform/testing/index.ts";
import { bytesOf, FORM_TYPE } from "../../platform/text/text.ts";
import { recorder, through } from "../platform/raw-server.ts";

const GRANTS: Readonly<Record<Purpose, string>> = {
  code: "",
  poll: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code",
  refresh: "grant_type=refresh_token",
  revocation: "",
};

interface HttpResponse {
  status: number;
  /** The body as the server sends it. It contains spaces, so that it differs from any translation. */
  body: string;
}

/** The parameters of the servers that require some. */
const WORDS: Readonly<Record<string, Record<string, string>>> = {
  auth0: { domain: "a.example" },
  zitadel: { domain: "a.example" },
};

/** Sends a form through a translation. @returns the adapter below it, and the calls of the sink above it */
function send(by: Filter, url: string, form: string, response: FakeResponse) {
  const http = new FakeHttp({ script: [response], chunkBytes: 3, sizeLimitBytes: 100_000 });
  const { sink, reported } = recorder();
  const body = bytesOf(`##${form}##`);
  const request: HttpRequest = {
    ...{ method: "POST", url, contentType: FORM_TYPE, authorization: "Bearer t" },
    ...{ body, bodyFrom: 2, bodyTo: body.length - 2 },
  };
  through(http, [by], request, sink);
  return { http, reported };
}

/** Translates a request of a client with a secret, the scope "a b" and the access token `accessToken`. */
function exchange(
  name: string,
  purpose: Purpose,
  form: string,
  { status, body }: HttpResponse = { status: 200, body: "{}" },
  accessToken = "",
) {
  const { addresses, translate } = serverOf(name, WORDS[name] ?? {}, true);
  const client = { clientId: "id", clientSecret: "secret", scope: "a b" };
  const isToken = purpose === "poll" || purpose === "refresh";
  const url = addresses[isToken ? "token" : purpose === "code" ? "deviceAuthorization" : purpose];
  const fields = [GRANTS[purpose], form].filter((part) => part !== "").join("&");
  const by = translate!({ ...client, accessToken: () => accessToken });
  const { http, reported } = send(by, url, fields, { status, body });
  const pieces = reported.map(([event, text]) => (event === "body" ? text : ""));
  return { sent: http.requests, received: { status: reported[0]?.[1], body: pieces.join("") } };
}

const CODE = (code: number) => ({ error: { code } });

it.each<[string, Purpose, number, object, object | "untouched"]>([
  ["amazon", "poll", 400, { error: "invalid_code_pair" }, { error: "expired_token" }],
  ["amazon", "poll", 400, { error: "authorization_pending" }, "untouched"],
  ["facebook", "poll", 400, CODE(190), { error: "invalid_grant" }],
  ["facebook", "poll", 500, CODE(190), { error: "invalid_grant" }],
  ["facebook", "code", 400, CODE(101), { error: "invalid_client" }],
  ["facebook", "code", 400, CODE(100), { error: "invalid_request" }],
  ["facebook", "code", 503, CODE(1), "untouched"],
  [
    "salesforce",
    "code",
    200,
    { device_code: "D", expires_in: 60 },
    { expires_in: 60, device_code: "D" },
  ],
  ["salesforce", "code", 200, { device_code: "D" }, { expires_in: 600, device_code: "D" }],
  ["salesforce", "code", 400, { error: "invalid_client_id" }, "untouched"],
  ["trakt", "refresh", 400, { error: "invalid_grant" }, "untouched"],
  ["twitch", "poll", 200, { scope: ["a", "b"] }, { scope: "a b" }],
  ["twitch", "poll", 200, { scope: "a b", message: "m" }, "untouched"],
  [
    "twitch",
    "code",
    400,
    { message: "odd" },
    { error: "invalid_request", error_description: "odd" },
  ],
  ["twitch", "code", 500, { message: "invalid client" }, "untouched"],
  ["yandex", "poll", 400, { error: "authorization_pending" }, "untouched"],
  ["zoom", "refresh", 500, { reason: "Invalid Token!" }, "untouched"],
  ["zoom", "refresh", 400, { reason: "another" }, "untouched"],
  ["zoom", "poll", 400, { reason: "Invalid Token!" }, "untouched"],
])(
  "a response in the server's own format is translated, and others pass unchanged: %s, %s: %s %j is %j",
  (name, purpose, status, members, expected) => {
    const body = JSON.stringify(members, undefined, 1);
    const { received } = exchange(name, purpose, "", { status, body });
    if (expected === "untouched") {
      expect(received).toEqual({ status, body });
      return;
    }
    expect(JSON.parse(received.body)).toEqual(expected);
    // RFC 6749 §5.2: the core receives a 400 for every error, whatever status the server sends.
    expect(received.status).toBe("error" in expected ? 400 : status);
  },
);

it("an error has a name of RFC 6749 or RFC 8628, whatever the server calls it: at trakt, the status of a poll determines the error", () => {
  const { received } = exchange("trakt", "poll", "", { status: 403, body: "" });
  expect(received).toEqual({ status: 400, body: JSON.stringify({ error: "invalid_client" }) });
});

describe("a request uses the server's names", () => {
  it.each<[string, Purpose, string, object]>([
    // The server rejects a device authorization request with the secret, but token requests must have the secret.
    ["auth0", "code", "client_id=c&client_secret=s&scope=a", { client_id: "c", scope: "a" }],
    ["auth0", "refresh", "client_secret=s", { grant_type: "refresh_token", client_secret: "s" }],
    // A translation does not invent values that the core did not send.
    ["amazon", "poll", "", { grant_type: "device_code", user_code: "", device_code: "" }],
    ["facebook", "poll", "", { access_token: "id|secret", code: "" }],
    ["facebook", "revocation", "", { method: "delete", access_token: "" }],
  ])("%s, %s: %j", (name, purpose, form, fields) => {
    const { sent } = exchange(name, purpose, form, undefined, "at");
    expect(sent.map((request) => Object.fromEntries(request.form))).toEqual([fields]);
  });

  it.each([
    ["auth0", false],
    ["zitadel", true],
  ])("%s: a client with a secret sends its requests unchanged: %s", (name, hasSecret) => {
    expect(serverOf(name, WORDS[name]!, hasSecret).translate).toBeUndefined();
  });

  it("trakt: as JSON, without values that the core did not send", () => {
    const { sent } = exchange("trakt", "poll", "");
    const members = { code: "", client_id: "id", client_secret: "secret" };
    expect(sent.map(({ text }) => JSON.parse(text) as object)).toEqual([members]);
  });

  it.each(["twitch", "yandex", "zoom"])(
    "%s revokes with the access token; without one, it sends no request and reports success",
    (name) => {
      const { sent, received } = exchange(name, "revocation", "token=r");
      expect([sent, received]).toEqual([[], { status: 200, body: "" }]);
      expect(exchange(name, "revocation", "token=r", undefined, "at").sent).toHaveLength(1);
    },
  );
});

const output = (name: string, words: Record<string, string>, hasSecret = true) => {
  try {
    serverOf(name, words, hasSecret);
  } catch (error) {
    expect(error).toBeInstanceOf(ServerError);
    const { name: kind, path, problem, message } = error as ServerError;
    expect([kind, message]).toEqual(["ServerError", `${path} ${problem}`]);
    return { path, problem };
  }
  return undefined;
};

describe("an invalid name or parameter is reported together with the valid ones", () => {
  const names = SERVERS.map((known) => known.name).join(", ");
  it.each([
    ["", `must be one of: ${names}; or an issuer's address, or addresses`],
    ["gihtub", "is unknown; did you mean github?"],
    ["login.example.com", "is unknown; did you mean https://login.example.com?"],
  ])("the server %j", (name, problem) => {
    expect(output(name, {})).toEqual({ path: "server", problem });
  });

  it.each(SERVERS.map((profile) => [profile.name, profile] as const))("%s", (name, profile) => {
    const parameters = Object.entries(profile.parameters);
    const words = Object.fromEntries(parameters.map(([word]) => [word, "a1"]));
    const known = parameters.map(([word]) => word).join(", ") || "none";
    for (const word of ["toString", "nobody"]) {
      const problem = `is unknown; ${name} has: ${known}`;
      const path = `serverParameters.${word}`;
      expect(output(name, { ...words, [word]: "x" })).toEqual({ path, problem });
    }
    for (const [word, { description, default: standard }] of parameters) {
      const path = `serverParameters.${word}`;
      expect(description).toMatch(/^(the|where) [a-zA-Z]/);
      for (const wrong of ["\u0007 a", "a\u0007", "a".repeat(300)]) {
        const problem = `must be ${description}`;
        expect(output(name, { ...words, [word]: wrong })).toEqual({ path, problem });
      }
      const { [word]: _, ...others } = words;
      if (standard === undefined) {
        expect(output(name, others)).toEqual({ path, problem: `is missing: ${description}` });
      }
    }
  });

  it.each(SERVERS.map(({ name, secret, title }) => [name, secret, title] as const))(
    "%s: a client whose secret is %s",
    (name, secret, title) => {
      const { parameters } = SERVERS.find((known) => known.name === name)!;
      const words = Object.fromEntries(
        Object.entries(parameters).map(([word, one]) => [word, one.default ?? "a1"]),
      );
      const problem = `is missing: a client of ${title} has one`;
      const expected = secret === "required" ? { path: "clientSecret", problem } : undefined;
      expect(output(name, words, false)).toEqual(expected);
      expect(output(name, words, true)).toBeUndefined();
      if (secret !== "required") {
        expect(serverOf(name, words, false).clientAuthentication).toBe("none");
      }
      if (secret === "never") {
        expect(serverOf(name, words, true).clientAuthentication).toBe("none");
      }
    },
  );
});

describe("the userinfo address is on the same installation", () => {
  it.each([
    [{}, "https://api.github.com/user"],
    [{ host: "octo.ghe.com" }, "https://api.octo.ghe.com/user"],
    [{ host: "git.example.com" }, "https://git.example.com/api/v3/user"],
    [{ host: "github.com.example" }, "https://github.com.example/api/v3/user"],
    [{ host: "my-github.com" }, "https://my-github.com/api/v3/user"],
    [{ host: "octo.ghe.com.example" }, "https://octo.ghe.com.example/api/v3/user"],
  ])("GitHub at %j", (words, address) => {
    expect(serverOf("github", words as Record<string, string>, false).userInfo).toEqual({
      address,
    });
  });

  it("RFC 6750 §2.1: Yandex requires a scheme other than Bearer", () => {
    expect(serverOf("yandex", {}, true).userInfo?.scheme).toBe("OAuth");
  });
});

const { host: HOST, step: STEP } = PATTERNS;

const long = (length: number): string => "a".repeat(length);
const PORT = "sso.example.com:";
it.each<[does: string, pattern: RegExp, words: readonly string[]]>([
  ["accepts", HOST, ["a", "sso.example.com", `${PORT}8443`, long(253)]],
  ["refuses", HOST, [`${PORT}123456`, PORT, "a b", ".a", "a.", "a/b", "a@b", " a", "a\n", ""]],
  ["refuses", HOST, [long(254)]],
  ["accepts", STEP, ["a", "a_b-c.d", long(64)]],
  ["refuses", STEP, ["_a", "a_", "a/b", "a:1", "..", " a", "", long(65)]],
])(
  "RFC 3986 §3.2: a parameter never ends the part of the address that it is in: it %s for %s: %j",
  (does, pattern, words) => {
    expect(words.filter((word) => pattern.test(word))).toEqual(does === "accepts" ? words : []);
  },
);

describe("the common part of translations", () => {
  const ADDRESSES = {
    deviceAuthorization: "https://s.example/code",
    token: "https://s.example/token",
    revocation: "https://s.example/revoke",
  };
  const upper: Translation = {
    request: (_, fields) => ({ fields: { ...fields, extra: "a b&ü" } }),
    response: (purpose, { a, ...others }, status) =>
      a === undefined ? undefined : { status: status + 1, members: { purpose, a, ...others } },
  };
  /** The calls of the sink as words: status and wait, pieces of the body, and the end or failure. */
  const common = (url: string, form: string, response: FakeResponse, translation = upper) => {
    const { http, reported } = send(new Translating(ADDRESSES, translation), url, form, response);
    const words = reported.map(([event, ...values]) =>
      event === "end" ? event : values.slice(0, 2).join(" "),
    );
    return { words, http };
  };

  it.each([
    ["https://s.example/code", "scope=a", "code"],
    ["https://s.example/token", "grant_type=urn%3Aietf&device_code=d", "poll"],
    ["https://s.example/token", "grant_type=refresh_token", "refresh"],
    ["https://s.example/revoke", "token=t", "revocation"],
  ])("%s %s is a %s", (url, body, purpose) => {
    const { words, http } = common(url, body, { body: { a: "ü" }, retryAfterSeconds: 7 });
    expect(words[0]).toBe("201 7");
    const text = Buffer.from(words.slice(1, -1).join(""), "latin1").toString("utf8");
    expect(JSON.parse(text)).toEqual({ purpose, a: "ü" });
    expect(words.at(-1)).toBe("end");
    const sent = Object.fromEntries(http.requests[0]!.form);
    expect(sent).toEqual({ ...Object.fromEntries(new URLSearchParams(body)), extra: "a b&ü" });
    expect(http.requests[0]!.authorization).toBe("Bearer t");
  });

  it("an API call passes unchanged, piece by piece", () => {
    const { words, http } = common("https://api.example/", "x=1", { body: "abcdef" });
    expect(words).toEqual(["200 -1", "abc", "def", "end"]);
    expect(http.requests[0]!.text).toBe("x=1");
  });

  it("a page of HTML, an empty body and an array pass with their status", () => {
    for (const body of ["<html>", "", "[1]"]) {
      const { words } = common(ADDRESSES.token, "", { status: 502, body });
      expect([words[0], words.slice(1, -1).join(""), words.at(-1)]).toEqual([
        "502 -1",
        body,
        "end",
      ]);
      // The translation passes no empty part of the body.
      expect(words).not.toContain("");
    }
  });

  it("a response of 64 KiB is accepted, and a longer one is aborted", () => {
    const of = (length: number) => common(ADDRESSES.token, "", { body: "x".repeat(length) });
    expect(of(65_536).words.map(({ length }) => length)).toEqual([6, 65_536, 3]);
    const { words, http } = of(65_537);
    expect([words, http.aborts]).toEqual([["too-large"], 1]);
  });

  it("if no request is needed, the core receives a success", () => {
    const nothing: Translation = { ...upper, request: () => "nothing" };
    const { words, http } = common(ADDRESSES.revocation, "token=t", {}, nothing);
    expect(words).toEqual(["200 -1", "end"]);
    expect(http.requests.length).toBe(0);
  });
});
