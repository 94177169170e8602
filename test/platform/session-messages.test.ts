// Tests the exact messages of a session: failures, ends, retries and lifetimes. Random sessions compare the session's
// reports with the server's responses (session-model/received-responses.ts).

import { SignJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import { type Device, ErrorCode } from "../../core/index.ts";
import { MetadataError } from "../../platform/servers/profile.ts";
import type { SignInHandlers } from "../../platform/session/handlers.ts";
import { type Session, signInOn } from "../../platform/session/session.ts";
import {
  metadataErrorOf,
  type SignInError,
  signInErrorOf,
} from "../../platform/session/sign-in-error.ts";
import type { FakeResponse, SeenRequest } from "../../platform/testing/http.ts";
import { SETTINGS, SessionEnvironment, type Start } from "../environment/session-port.ts";
import { HOST } from "../session-model/server.ts";

/** An environment in which `change` modifies the server's responses to a path. */
function environmentWith(
  path: string,
  change: (response: FakeResponse) => FakeResponse,
): SessionEnvironment {
  const environment = new SessionEnvironment();
  environment.server.allowsAfterPolls = 0;
  environment.http.handler = (request: SeenRequest) => {
    const response = environment.server.handle(request);
    return request.url.endsWith(path) ? change(response) : response;
  };
  return environment;
}

const adding = (more: object) => (response: FakeResponse) => ({
  ...response,
  body: { ...(response.body as object), ...more },
});

async function started(
  environment: SessionEnvironment,
  handlers: SignInHandlers = {},
  more: Partial<typeof SETTINGS> & object = {},
): Promise<{ start: Start; session: Session }> {
  const start = environment.start(handlers, undefined, more);
  await environment.until(() => start.isSettled);
  if (start.session === undefined) throw start.error ?? new Error("no session");
  return { start, session: start.session };
}
/** An error's code, remedy, message and missing member, and the status of its response. */
const reported = ({ code, remedy, message, lacks, response }: SignInError): string =>
  [`${code} (${remedy})`, message.replace(/in \d+ s$/, "in N s"), lacks, response?.status]
    .filter((part) => part !== "" && part !== undefined)
    .join(" | ");

const CODE_AT = `${HOST}/code: HTTP`;
const TOKEN_AT = `${HOST}/token: HTTP`;
const DEVELOPER = "check the client and the server's settings";
const refusal = (status: number, error: string, more = {}) => ({
  status,
  body: { error, ...more },
});
const lacking = { body: { device_code: "a", user_code: "B" } };
const NO_URI = "there is no verification_uri in the response that can be used";

it.each<[name: string, path: string, response: FakeResponse, error: string]>([
  [
    "the user refuses",
    "/token",
    refusal(400, "access_denied"),
    `access_denied; sign in again; ${TOKEN_AT} 400 access_denied | 400`,
  ],
  [
    "the client is not known",
    "/code",
    refusal(401, "invalid_client", { error_description: "who?" }),
    `invalid_client; ${DEVELOPER}; ${CODE_AT} 401 invalid_client (who?) | 401`,
  ],
  [
    "the organization does not allow it",
    "/code",
    refusal(403, "org_internal"),
    `org_internal; ask the administrator of your organization; ${CODE_AT} 403 org_internal | 403`,
  ],
  [
    "a response that does not fit",
    "/code",
    { body: { ...lacking.body, verification_uri: HOST, device_code: "/".repeat(40_000) } },
    "memory_too_small; a request or a record does not fit; it needs 163860 bytes as memoryBytes",
  ],
  [
    "codes that nobody has confirmed",
    "/token",
    refusal(400, "expired_token"),
    `renewals_exhausted; sign in again; ${TOKEN_AT} 400 expired_token | 400`,
  ],
])(
  "a failed sign-in is described in one line, with the response: %s",
  async (_, path, response, error) => {
    const environment = environmentWith(path, () => response);
    const start = environment.start();
    await environment.until(() => start.isSettled);
    const [code = ""] = error.split(";");
    const who = error.includes("administrator") ? "administrator" : "developer";
    const remedy = error.includes("sign in again") ? "user" : who;
    const failure = start.error as SignInError;
    expect([failure.name, reported(failure)]).toEqual([
      "SignInError",
      `${code} (${remedy}) | signing in failed: ${error}`,
    ]);
    // The error that ends a sign-in must not be reported as trouble too.
    expect(start.troubles).toEqual([]);
  },
);

it.each<[handlers: SignInHandlers, error: string]>([
  [{ resumeOnly: true }, "not_signed_in (user) | not signed in; sign in first"],
  [{ signal: AbortSignal.abort() }, "aborted (nobody) | signing in was given up"],
])("no user interaction if the program has disabled it: %j", async (handlers, error) => {
  const environment = new SessionEnvironment();
  const start = environment.start(handlers);
  await environment.until(() => start.isSettled);
  expect([reported(start.error as SignInError), environment.http.requests]).toEqual([error, []]);
});

describe("response of an error", () => {
  const base = { url: `${HOST}/token`, error: "", errorDescription: "", failure: "", status: 200 };
  const device = {
    ...{ error: ErrorCode.RENEWALS_EXHAUSTED, errorField: 0, memoryNeeded: 0 },
    ...{ start: [], memory: new Uint8Array(200).fill(48) },
  } as unknown as Device;

  it.each([
    [{}, false],
    [{ status: 299 }, false],
    [{ status: 300 }, true],
    [{ status: 400, error: "access_denied" }, true],
    [{ status: 200, error: "denied" }, true],
    [{ status: 0, failure: "not reachable" }, true],
    // The user has not decided yet, so the server has given no reason.
    [{ status: 400, error: "authorization_pending" }, false],
    [{ status: 400, error: "slow_down" }, false],
  ])("%j: %j", (more, isNamed) => {
    const response = { ...base, ...more };
    const error = signInErrorOf(device, response);
    expect(error.response).toBe(isNamed ? response : undefined);
    expect(error.message.includes(HOST)).toBe(isNamed);
  });

  it("an error that nobody can fix: the message says to try again", () => {
    expect(reported(signInErrorOf(device))).toBe(
      "renewals_exhausted (nobody) | signing in failed: renewals_exhausted; try again",
    );
  });
});

it("an issuer's metadata: temporarily not available, or unusable", () => {
  const [away, unusable] = [true, false].map((isAway) => new MetadataError("no metadata", isAway));
  expect(reported(metadataErrorOf(away!))).toBe("unreachable (nobody) | no metadata; try again");
  expect(reported(metadataErrorOf(unusable!))).toBe(
    "no_metadata (developer) | no metadata; check the server's address",
  );
});

describe("each automatic retry is reported", () => {
  it.each<[response: FakeResponse | undefined, trouble: string]>([
    [lacking, `malformed_response (nobody) | ${CODE_AT} 200; ${NO_URI}; | verification_uri | 200`],
    [
      { status: 429, retryAfterSeconds: 90, body: "" },
      `rate_limit_exceeded (nobody) | ${CODE_AT} 429; | 429`,
    ],
    [undefined, `unreachable (nobody) | ${HOST}/code: not reachable; | 0`],
  ])("%j", async (response, trouble) => {
    const environment = environmentWith("/code", (given) => response ?? given);
    if (response === undefined) environment.http.faultFor = () => ({ kind: "refuse" });
    const start = environment.start();
    await environment.until(() => start.troubles.length > 1);
    expect(reported(start.troubles[0]!).replace(" trying again in N s", "")).toBe(trouble);
    const wait = response?.retryAfterSeconds ?? "\\d+";
    expect(start.troubles[0]!.message).toMatch(new RegExp(`; trying again in ${wait} s$`));
    expect(start.troubles).toHaveLength(2);
  });

  it("a server that refuses refreshes: the session reports who can fix it", async () => {
    const environment = new SessionEnvironment();
    const { start, session } = await started(environment);
    environment.http.handler = () => refusal(401, "invalid_client");
    await environment.until(() => start.troubles.length > 0, 4000);
    expect(reported(start.troubles[0]!)).toBe(
      `invalid_client (developer) | ${TOKEN_AT} 401 invalid_client; ${DEVELOPER}; trying again in N s | 401`,
    );
    // A call of accessToken() gets the error at once. It does not wait for a fix.
    await environment.pass(4000);
    const waiting = session.accessToken().then(expect.unreachable, ({ code }: SignInError) => code);
    expect([await waiting, start.ends]).toEqual(["invalid_client", []]);
  });

  it.each([
    [undefined, ""],
    ["", ""],
    ["disk full", " (disk full)"],
  ])("storage that fails, with its reason: %j", async (lastFailure, why) => {
    const environment = new SessionEnvironment();
    const { start, session } = await started(environment);
    await environment.pass(1);
    expect([start.troubles, session.isSaved]).toEqual([[], true]);
    if (lastFailure !== undefined) Object.assign(environment.storage, { lastFailure });
    environment.storage.failWhen = (operation) => operation === "write";
    environment.server.accessLifetimeS = 120;
    await environment.until(() => start.troubles.length > 0, 4000);
    expect(session.isSaved).toBe(false);
    expect(reported(start.troubles[0]!)).toBe(
      `not_saved (user) | the tokens could not be saved${why}; trying again in a minute; ` +
        "after a restart before that, the user may have to sign in again",
    );
    environment.storage.failWhen = (operation) => operation === "erase";
    await environment.pass(70);
    const erased = start.troubles.filter(({ code }) => code === "not_erased");
    expect(reported(erased[0]!)).toBe(
      `not_erased (user) | what should be gone could not be erased${why}; trying again in a minute`,
    );
    expect(erased).toHaveLength(1);
    environment.storage.failWhen = () => false;
    await environment.pass(180);
    expect(start.troubles.filter(({ code }) => code === "not_erased")).toEqual(erased);
  });
});

describe("why a session has ended", () => {
  const ended = async (session: Session): Promise<string> =>
    reported(await session.accessToken().then(expect.unreachable, (error: SignInError) => error));

  it("signed out and closed: the first reason counts", async () => {
    const environment = new SessionEnvironment();
    const { session } = await started(environment);
    void session.signOut();
    await environment.until(() => session.status === "ended");
    void session.close();
    expect(await ended(session)).toBe("signed_out (user) | signed out; sign in again");
    const closed = (await started(new SessionEnvironment())).session;
    for (let count = 0; count < 2; count++) {
      void closed.close();
      expect(await ended(closed)).toBe("closed (nobody) | the session was closed");
    }
  });

  it("ended by the server, also without a handler", async () => {
    const environment = new SessionEnvironment();
    const start = environment.start();
    await environment.until(() => start.isSettled);
    environment.server.grants[0]!.isRevoked = true;
    await environment.until(() => start.ends.length > 0, 4000);
    expect(reported(start.ends[0]!)).toBe(
      "session_ended (user) | signing in failed: session_ended; sign in again; " +
        `${TOKEN_AT} 400 invalid_grant | 400`,
    );
  });
});

describe("OpenID Connect Core 1.0 section 3.1.3.7: claims", () => {
  const idToken = (sub: string, more: object = {}): Promise<string> => {
    const nowS = Math.floor(Date.now() / 1000);
    const claims = { iss: HOST, sub, aud: "program", iat: nowS, exp: nowS + 300, ...more };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(SETTINGS.config.clientSecret));
  };

  it("are undefined without an ID token, and cannot be checked without an issuer", async () => {
    expect(await (await started(new SessionEnvironment())).session.claims()).toBeUndefined();
    const environment = environmentWith("/token", adding({ id_token: await idToken("ada") }));
    await expect((await started(environment)).session.claims()).rejects.toMatchObject({
      ...{ code: "no_metadata", remedy: "developer" },
      message: expect.stringContaining("where the issuer is known: name it as server"),
    });
  });

  it("request the issuer's keys with the program's fetch or the global one, only over https", async () => {
    const token = (await idToken("ada")).replace(/^[^.]+/, btoa('{"alg":"ES256"}'));
    const away = (): Promise<Response> => Promise.reject(new TypeError("away"));
    const requested: string[] = [];
    const noting = (by: string) => (): Promise<Response> => {
      requested.push(by);
      return away();
    };
    vi.spyOn(globalThis, "fetch").mockImplementation(noting("the global one"));
    for (const [issuer, fetch, code] of [
      [HOST, noting("the program's"), "unreachable"],
      [HOST, undefined, "unreachable"],
      ["http://login.example.com", undefined, "no_metadata"],
    ] as const) {
      const environment = environmentWith("/token", adding({ id_token: token }));
      const { session } = await started(environment, {}, { issuer, fetch } as object);
      await expect(session.claims()).rejects.toMatchObject({ code });
    }
    expect(requested).toEqual(["the program's", "the global one"]);
  });
});

describe("what a start knows from the previous one", () => {
  const requesting = (scope: string) => ({ config: { ...SETTINGS.config, scope } });
  const restarted = async () => {
    const environment = environmentWith("/token", adding({ scope: "video", id_token: "a.b.c" }));
    const { session } = await started(environment);
    const { tokenResponse } = session;
    environment.restart();
    return { environment, tokenResponse };
  };

  it("has user and granted scope without a request", async () => {
    const { environment, tokenResponse } = await restarted();
    environment.http.faultFor = () => ({ kind: "refuse" });
    const { session } = await started(environment);
    expect([session.scope, session.tokenResponse]).toEqual(["video", tokenResponse]);
    expect(tokenResponse).toHaveProperty("id_token");
  });

  it("does not use the cache for other tokens; signing out erases it", async () => {
    const { environment } = await restarted();
    const capacity = environment.capacity.clone();
    await Promise.all([(await started(environment)).session.signOut(), environment.pass(5)]);
    expect(environment.capacity.peek(0)).toHaveLength(0);
    environment.restart();
    environment.http.handler = environment.server.handle;
    await Promise.all([(await started(environment)).session.close(), environment.pass(5)]);
    environment.capacity = capacity;
    const { session } = await started(environment);
    expect(session.tokenResponse).toBeUndefined();
  });

  it("requires a new sign-in for a wider scope, and resumes the session for a narrower one", async () => {
    const { environment } = await restarted();
    const narrower = await started(environment, {}, requesting(""));
    expect(narrower.start.prompts).toEqual([]);
    await Promise.all([narrower.session.close(), environment.pass(5)]);
    const wider = environment.start({ resumeOnly: true }, undefined, requesting("video audio"));
    await environment.until(() => wider.isSettled);
    expect(wider.error).toMatchObject({ code: "insufficient_scope", remedy: "user" });
    expect((wider.error as SignInError).message).toContain('good for "video" alone');
    environment.http.handler = environment.server.handle;
    environment.server.moreMembers = () => ({});
    const anew = await started(environment, {}, requesting("video audio"));
    expect([anew.session.scope, anew.session.tokenResponse]).toEqual([
      "video audio",
      { token_type: "Bearer", expires_in: environment.server.accessLifetimeS },
    ]);
    expect(anew.start.prompts).toHaveLength(1);
    expect(environment.server.grants.map(({ isRevoked }) => isRevoked)).toEqual([true, false]);
    // The next start requests the same scope, so it needs no new sign-in.
    await Promise.all([anew.session.close(), environment.pass(5)]);
    expect((await started(environment, {}, requesting("video audio"))).start.prompts).toEqual([]);
  });

  it("without onCode, a session that needs a code rejects", async () => {
    const environment = new SessionEnvironment();
    const given = environment.start({ signal: AbortSignal.abort() });
    await environment.until(() => given.isSettled);
    const nobody = signInOn(given.platform, SETTINGS, {}, () => {});
    const refused = expect(nobody).rejects.toMatchObject({
      ...{ code: "wrong_option", remedy: "developer" },
      message: "nobody is signed in, and onCode is missing, which shows the code",
    });
    await environment.pass(5);
    await refused;
  });
});

it.each<[end: "close" | "signOut", fails: string[], report?: RegExp]>([
  ["close", []],
  ["close", ["write"], /^the tokens could not be saved; the user has to sign in again$/],
  ["signOut", ["write"]],
  ["signOut", ["erase"], /could not be erased; the next start tries again$/],
  ["signOut", ["write", "erase"], /could not be erased; the next start may resume the session;/],
])("%s with unsaved tokens, while storage fails to %j", async (end, fails, report) => {
  const environment = new SessionEnvironment();
  environment.server.allowsAfterPolls = 0;
  environment.storage.failWhen = (operation) => operation === "write";
  const { start, session } = await started(environment);
  await environment.until(() => start.troubles.length > 0);
  expect(start.troubles.splice(0).map(({ code }) => code)).toEqual(["not_saved"]);
  environment.storage.failWhen = (operation) => fails.includes(operation);
  await Promise.all([session[end](), environment.pass(5)]);
  const reports = start.troubles.map(({ message }) => message);
  expect(reports).toEqual(report ? [expect.stringMatching(report)] : []);
});

it("signOut reports a token cache that could not be erased", async () => {
  const environment = new SessionEnvironment();
  const { start, session } = await started(environment);
  environment.capacity.failWhen = (operation) => operation === "erase";
  const [{ isStored }] = await Promise.all([session.signOut(), environment.pass(5)]);
  expect([isStored, start.troubles.map(reported)]).toEqual([
    true,
    [expect.stringMatching(/^not_erased .* the next start tries again$/)],
  ]);
});

it.each(["/code", "/token"])(
  "a server that repeats secrets in its error at %s: no report contains a secret",
  async (path) => {
    const environment = environmentWith(path, (response) => response);
    const { handler } = environment.http;
    environment.http.handler = (request) => {
      const { authorization } = request;
      // The secrets in plain and in encoded form.
      const words = `${authorization} ${decodeURIComponent(request.text)} ${request.text}`;
      // Let polls succeed, so that there are tokens to refresh.
      const isRefused = request.url.endsWith(path) && !request.form.has("device_code");
      const body = { error: "server_error", error_description: words };
      return isRefused
        ? { status: 400, body }
        : (handler as (of: SeenRequest) => FakeResponse)(request);
    };
    const start = environment.start();
    await environment.until(() => start.troubles.length > 0 || start.error !== undefined, 4000);
    const output = JSON.stringify([start.troubles, start.error, start.troubles.map(String)]);
    expect(output).toContain("***");
    expect(output).not.toMatch(
      /client-secret-of|device-code-\d|refresh-token-\d|Basic [A-Za-z0-9+/]/,
    );
  },
);

it("exceptions of handlers are unhandled rejections if onError is missing or throws", async () => {
  const unheard: unknown[] = [];
  const before = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  process.on("unhandledRejection", (reason) => unheard.push(reason));
  try {
    for (const handlers of [
      { onEnd: () => Promise.reject("end") },
      {
        onEnd: () => Promise.reject("quiet"),
        onError: () => {
          throw "onError";
        },
      },
    ]) {
      const environment = new SessionEnvironment();
      environment.server.allowsAfterPolls = 0;
      const { session } = await started(environment, handlers);
      environment.server.grants[0]!.isRevoked = true;
      await environment.until(() => session.status === "ended", 4000);
      await environment.pass(2);
    }
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  }
  expect(unheard).toEqual(["end", "onError"]);
});
