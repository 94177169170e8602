// What a session says of itself, word by word: how long it lasts, whose it is, its code and its end.

import { SignJWT } from "jose";
import { describe, expect, it, vi } from "vitest";
import type { Session } from "../../platform/session/session.ts";
import { type SignInHandlers, signInOn } from "../../platform/session/sign-in.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { ENDPOINTS, HOST } from "../session-model/server.ts";
import { SETTINGS, SessionWorld } from "../session-model/world.ts";

import { adding, started, told, worldWith } from "./session-bench.ts";

const SECRET = SETTINGS.config.clientSecret;

describe("a session says how long it lasts", () => {
  it("as the server has said, and nothing any more once it is over", async () => {
    const world = worldWith("/token", adding({ refresh_token_expires_in: 7200 }));
    const { session } = await started(world);
    expect(session.status).toBe("signed-in");
    expect(session.expiresInS).toBeGreaterThan(3500);
    expect(session.endsInS).toBeGreaterThan(7100);
    expect(session.endsInS).toBeLessThanOrEqual(7200);
    expect(session.isRenewable).toBe(true);
    world.http.faultFor = () => ({ kind: "refuse" });
    await world.until(() => session.status === "refreshing", 3600);
    expect([session.expiresInS, session.isRenewable]).toEqual([undefined, true]);
    expect(session.endsInS).toBeGreaterThan(3000);
    void session.close();
    expect(session.status as string).toBe("ended");
    expect([session.expiresInS, session.endsInS, session.isRenewable]).toEqual([
      undefined,
      undefined,
      false,
    ]);
  });

  it("nothing where the server has said nothing, or there is no refresh token", async () => {
    const world = worldWith("/token", adding({ expires_in: undefined }));
    world.server.givesRefreshToken = false;
    const { session } = await started(world);
    expect([session.expiresInS, session.endsInS, session.isRenewable]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const forever = worldWith("/token", adding({ refresh_token_expires_in: 50_000_000 }));
    expect((await started(forever)).session.endsInS).toBeUndefined();
    const empty = worldWith("/token", adding({ refresh_token: "" }));
    expect((await started(empty)).session.isRenewable).toBe(false);
  });
});

describe("while nobody has told the device of the time", () => {
  it.each([0, 1, 10_000])(
    "a token whose time is up since %i s is not said to be good",
    async (more) => {
      const world = new SessionWorld();
      world.server.allowsAfterPolls = 0;
      let aheadMs = 0;
      const start = world.start({}, (platform) => ({
        ...platform,
        timers: { ...platform.timers, now: () => platform.timers.now() + aheadMs },
      }));
      await world.until(() => start.isSettled);
      const left = start.session!.expiresInS!;
      aheadMs = (left - 1) * 1000;
      expect(start.session!.expiresInS).toBe(1);
      aheadMs = (left + more) * 1000;
      expect([start.session!.status, start.session!.expiresInS]).toEqual(["signed-in", undefined]);
    },
  );
});

describe("RFC 6749 §5.1: scope", () => {
  it("is the server's, or the one that was asked for where it names none", async () => {
    expect((await started(new SessionWorld())).session.scope).toBe("video");
    const named = worldWith("/token", adding({ scope: "video.read" }));
    expect((await started(named)).session.scope).toBe("video.read");
    const silent = worldWith("/token", adding({ scope: undefined }));
    expect((await started(silent)).session.scope).toBe("video");
  });

  it("is not known after a restart, until tokens have come", async () => {
    const world = new SessionWorld();
    await started(world);
    world.restart();
    const { session } = await started(world);
    expect([session.scope, session.tokenResponse]).toEqual([undefined, undefined]);
  });
});

describe("OpenID Connect Core 1.0 section 3.1.3.7: claims", () => {
  const idToken = (sub: string, more: object = {}): Promise<string> => {
    const nowS = Math.floor(Date.now() / 1000);
    const claims = { iss: HOST, sub, aud: "program", iat: nowS, exp: nowS + 300, ...more };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(SECRET));
  };

  it("are those of the newest ID token, which is looked at once, and of one person", async () => {
    const tokens = [await idToken("ada"), await idToken("ada", { n: 2 }), await idToken("eve")];
    let newest: string | undefined = tokens[0];
    const world = worldWith("/token", (answer) => adding({ id_token: newest })(answer));
    const { session } = await started(world, {}, { issuer: HOST } as object);
    const first = await session.claims();
    expect(first).toMatchObject({ sub: "ada" });
    expect(await session.claims()).toBe(first);
    const renew = async (token: string | undefined): Promise<void> => {
      newest = token;
      await world.until(() => session.status === "refreshing", 4000);
      await world.until(() => session.status === "signed-in", 60);
    };
    await renew(undefined);
    expect(await session.claims()).toBe(first);
    await renew(tokens[1]);
    expect(await session.claims()).toMatchObject({ sub: "ada", n: 2 });
    await renew(tokens[2]);
    await expect(session.claims()).rejects.toMatchObject({
      ...{ code: "wrong_id_token", remedy: "maker" },
      message: "the ID token names another person than before",
    });
  });

  it("are none without an ID token, and cannot be checked without an issuer", async () => {
    expect(await (await started(new SessionWorld())).session.claims()).toBeUndefined();
    const world = worldWith("/token", adding({ id_token: await idToken("ada") }));
    await expect((await started(world)).session.claims()).rejects.toMatchObject({
      ...{ code: "no_metadata", remedy: "maker" },
      message: "an ID token can be checked where server is an issuer: https://...",
    });
  });

  it("the issuer's keys are asked for by the program's fetch or the global one, over https alone", async () => {
    const token = (await idToken("ada")).replace(/^[^.]+/, btoa('{"alg":"ES256"}'));
    const away = (): Promise<Response> => Promise.reject(new TypeError("away"));
    const asked: string[] = [];
    const noting = (by: string) => (): Promise<Response> => {
      asked.push(by);
      return away();
    };
    const globally = vi.spyOn(globalThis, "fetch").mockImplementation(noting("the global one"));
    try {
      for (const [issuer, fetch, code] of [
        [HOST, noting("the program's"), "unreachable"],
        [HOST, undefined, "unreachable"],
        ["http://login.example.com", undefined, "no_metadata"],
      ] as const) {
        const world = worldWith("/token", adding({ id_token: token }));
        const { session } = await started(world, {}, { issuer, fetch } as object);
        await expect(session.claims()).rejects.toMatchObject({ code });
      }
    } finally {
      globally.mockRestore();
    }
    expect(asked).toEqual(["the program's", "the global one"]);
  });
});

describe("the code", () => {
  it.each([
    ["HTTPS://login.example.com/device", "HTTPS://login.example.com/device"],
    ["http://login.example.com/device", "http://login.example.com/device"],
    ["login.example.com/http:", "https://login.example.com/http:"],
  ])("RFC 8628 §3.2, §3.3.1: %s can be linked to", async (given, verificationUri) => {
    const complete = `${given}?code=AB`;
    const isWhole = given === verificationUri;
    const world = worldWith(
      "/code",
      adding({ user_code: "AB", verification_uri: given, verification_uri_complete: complete }),
    );
    world.server.allowsAfterPolls = -1;
    const start = world.start();
    await world.until(() => start.prompts.length > 0);
    await world.pass(30);
    expect(start.prompts).toMatchObject([
      // The core takes whole addresses alone for this one.
      { userCode: "AB", verificationUri, verificationUriComplete: isWhole ? complete : "" },
    ]);
    expect(start.prompts[0]!.expiresInS).toBeGreaterThan(590);
  });

  it("each new one is told of", async () => {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = -1;
    world.server.codeLifeS = 30;
    const start = world.start();
    await world.until(() => start.prompts.length > 1);
    expect(start.prompts.map(({ userCode }) => userCode)).toEqual(["CODE-0000", "CODE-0001"]);
    expect(start.prompts[0]!.verificationUriComplete).toBe("");
  });
});

describe("the end says why", () => {
  it("signed out, or closed by the program", async () => {
    const out = (await started(new SessionWorld())).session;
    const world = new SessionWorld();
    const { session } = await started(world);
    void session.signOut();
    await world.until(() => session.status === "ended");
    const error = await session.accessToken().catch((thrown: unknown) => thrown);
    expect(told(error as SignInError)).toEqual([
      ...["signed_out", "user", "signed out; sign in again", "", undefined],
    ]);
    void out.close();
    const closed = await out.accessToken().catch((thrown: unknown) => thrown);
    expect(told(closed as SignInError)).toEqual([
      ...["closed", "nobody", "the session was closed", "", undefined],
    ]);
    // The first end is the one that counts.
    void out.close();
    expect(await out.accessToken().catch((thrown: unknown) => thrown)).toBe(closed);
  });

  it("signOut at a server that revokes nothing", async () => {
    const world = new SessionWorld();
    const endpoints = { ...ENDPOINTS, revocation: "" };
    const { session } = await started(world, {}, { endpoints });
    const out = session.signOut();
    await world.until(() => session.status === "ended");
    expect(await out).toEqual({
      ...{ isRevoked: false, problem: "no_revocation_endpoint", isStored: false },
    });
  });

  it("signOut at a server that refuses to revoke: that is its result, and no trouble beside it", async () => {
    const world = worldWith("/revoke", () => ({ status: 400, body: { error: "invalid_client" } }));
    const { session, start } = await started(world);
    const out = session.signOut();
    await world.until(() => session.status === "ended");
    expect(await out).toEqual({ isRevoked: false, problem: "invalid_client", isStored: false });
    expect(start.troubles).toEqual([]);
  });

  it("a server that ends it, also where nobody listens to that", async () => {
    const world = new SessionWorld();
    const start = world.start();
    await world.until(() => start.isSettled);
    world.server.grants[0]!.isRevoked = true;
    await world.until(() => start.ends.length > 0, 4000);
    expect(told(start.ends[0]!)).toEqual([
      ...["session_ended", "user"],
      `signing in failed: session_ended; sign in again; ${HOST}/token: HTTP 400 invalid_grant`,
      ...["", 400],
    ]);
  });

  it("no server is asked for its tokens' sake once the session is over", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 120;
    const { session } = await started(world);
    void session.close();
    await world.pass(200);
    expect(world.http.requests.filter(({ text }) => text.includes("refresh_token"))).toEqual([]);
  });
});

describe("a program that listens to nothing", () => {
  /** The platform of a world, free for a program without a single handler. */
  async function silent(handlers: SignInHandlers) {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = 0;
    const given = world.start({ signal: AbortSignal.abort() });
    await world.until(() => given.isSettled);
    let session: Session | undefined;
    let disposed = 0;
    const dispose = (): void => void disposed++;
    const promise = signInOn(given.platform, SETTINGS, handlers, dispose);
    void promise.then((made) => {
      session = made;
    });
    world.http.faultFor = () => ({ kind: "refuse" });
    await world.pass(10);
    world.http.faultFor = () => undefined;
    await world.until(() => session !== undefined);
    return { world, session: session!, disposed: () => disposed };
  }

  it("gives everything back once", async () => {
    const { world, session, disposed } = await silent({});
    void session.close();
    await world.pass(20);
    expect(disposed()).toBe(1);
  });

  it("signs in, and its session ends, without an error of the session's own", async () => {
    const errors: unknown[] = [];
    const { world, session } = await silent({ onError: (error) => errors.push(error) });
    world.server.grants[0]!.isRevoked = true;
    await world.until(() => session.status === "ended", 4000);
    await world.pass(2);
    expect(errors).toEqual([]);
  });

  it("what its handlers throw in a session is an unhandled rejection where onError is missing, or throws", async () => {
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
        const { world, session } = await silent(handlers);
        world.server.grants[0]!.isRevoked = true;
        await world.until(() => session.status === "ended", 4000);
        await world.pass(2);
      }
    } finally {
      process.removeAllListeners("unhandledRejection");
      for (const listener of before) process.on("unhandledRejection", listener);
    }
    expect(unheard).toEqual(["end", "onError"]);
  });
});

describe("before anything is asked", () => {
  it.each([
    [["https://a.example", "ftp://b.example"], false, "resources[1] must be an https address"],
    [["http://a.example"], false, "resources[0] must be an https address: anybody"],
    [["http://a.example"], true, ""],
    [[], false, ""],
  ])("resources %j, allowHttp %j", (resources, allowHttp, problem) => {
    const world = new SessionWorld();
    const start = () => world.start({}, undefined, { resources, allowHttp });
    if (problem === "") start();
    else expect(start).toThrow(problem);
  });

  it("allowHttp is not meant where nobody has said it", () => {
    const start = () =>
      new SessionWorld().start({}, undefined, { resources: ["http://a.example"] });
    expect(start).toThrow(TypeError);
  });
});
