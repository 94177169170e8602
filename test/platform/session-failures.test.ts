import { describe, expect, it } from "vitest";
import { type Device, ErrorCode } from "../../core/index.ts";
import type { FakeAnswer } from "../../platform/fake/http.ts";
import { MetadataError } from "../../platform/metadata-error.ts";
import {
  metadataErrorOf,
  type SignInError,
  signInErrorOf,
  wrongOption,
} from "../../platform/session/sign-in-error.ts";
import { ENDPOINTS, HOST } from "../session-model/server.ts";
import { SessionWorld } from "../session-model/world.ts";

import { adding, started, told, worldWith } from "./session-bench.ts";

describe("why a sign-in has failed is said in one line, with what the server answered", () => {
  const refusal = (status: number, body: object | string) => () => ({ status, body });
  const maker = "check the client and the server's settings";
  it.each<[name: string, world: () => SessionWorld, error: unknown[]]>([
    [
      "the user refuses",
      () => worldWith("/token", refusal(400, { error: "access_denied" })),
      [
        ...["access_denied", "user"],
        `signing in failed: access_denied; sign in again; ${HOST}/token: HTTP 400 access_denied`,
        ...["", 400],
      ],
    ],
    [
      "the client is not known",
      () =>
        worldWith("/code", refusal(401, { error: "invalid_client", error_description: "who?" })),
      [
        ...["invalid_client", "maker"],
        `signing in failed: invalid_client; ${maker}; ${HOST}/code: HTTP 401 invalid_client (who?)`,
        ...["", 401],
      ],
    ],
    [
      "the organization does not allow it",
      () => worldWith("/code", refusal(403, { error: "org_internal" })),
      [
        ...["org_internal", "administrator"],
        "signing in failed: org_internal; ask the administrator of your organization; " +
          `${HOST}/code: HTTP 403 org_internal`,
        ...["", 403],
      ],
    ],
    [
      "a refusal that nobody knows",
      () => worldWith("/code", refusal(400, { error: "made_up" })),
      [
        ...["unknown_error", "maker"],
        `signing in failed: unknown_error; ${maker}; ${HOST}/code: HTTP 400 made_up`,
        ...["", 400],
      ],
    ],
    [
      "answers that lack what is needed",
      () => worldWith("/code", () => ({ body: { device_code: "a", user_code: "B" } })),
      [
        ...["useless_answers", "maker"],
        "signing in failed: useless_answers; there is no verification_uri in the answer that can be " +
          `used; ${maker}; ${HOST}/code: HTTP 200`,
        ...["verification_uri", undefined],
      ],
    ],
    [
      "an answer that there is no room for",
      () => worldWith("/code", adding({ device_code: "x".repeat(40_000) })),
      [
        ...["value_too_long", "maker"],
        "signing in failed: value_too_long; no room for device_code of 40000 bytes; " +
          "259872 bytes as memoryBytes would do",
        ...["", undefined],
      ],
    ],
    [
      "codes that nobody has taken",
      () => worldWith("/token", refusal(400, { error: "expired_token" })),
      [
        ...["renewals_exhausted", "user"],
        `signing in failed: renewals_exhausted; sign in again; ${HOST}/token: HTTP 400 expired_token`,
        ...["", 400],
      ],
    ],
  ])("%s", async (_, world, error) => {
    const made = world();
    const start = made.start();
    await made.until(() => start.isSettled);
    expect(told(start.error as SignInError)).toEqual(error);
    // What has ended it is told once.
    const isTriedAgain = error[0] === "useless_answers";
    expect(start.troubles.length > 0).toBe(isTriedAgain);
    expect((start.error as Error).name).toBe("SignInError");
  });

  it("with resumeOnly: that there is no session", async () => {
    const world = new SessionWorld();
    const start = world.start({ resumeOnly: true });
    await world.until(() => start.isSettled);
    expect(told(start.error as SignInError)).toEqual([
      ...["not_signed_in", "user", "not signed in; sign in first", "", undefined],
    ]);
    expect(world.http.requests).toEqual([]);
  });

  it("given up: that it was", async () => {
    const start = new SessionWorld().start({ signal: AbortSignal.abort() });
    await new Promise(setImmediate);
    expect(told(start.error as SignInError)).toEqual([
      ...["aborted", "nobody", "signing in was given up", "", undefined],
    ]);
  });
});

describe("which answer a failure names", () => {
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
    // The user has not decided: that is no reason of the server's.
    [{ status: 400, error: "authorization_pending" }, false],
    [{ status: 400, error: "slow_down" }, false],
  ])("%j: %j", (more, isNamed) => {
    const answer = { ...base, ...more };
    const error = signInErrorOf(device, answer);
    expect(error.answer).toBe(isNamed ? answer : undefined);
    expect(error.message.includes(HOST)).toBe(isNamed);
  });

  it("where nobody can mend it another try may go better", () => {
    expect(told(signInErrorOf(device))).toEqual([
      ...["renewals_exhausted", "nobody"],
      "signing in failed: renewals_exhausted; try again",
      ...["", undefined],
    ]);
  });
});

describe("errors before there is a device", () => {
  it("an issuer's metadata: away for now, or of no use", () => {
    expect(told(metadataErrorOf(new MetadataError("no metadata", true)))).toEqual([
      ...["unreachable", "nobody", "no metadata; try again", "", undefined],
    ]);
    expect(told(metadataErrorOf(new MetadataError("no metadata")))).toEqual([
      ...["no_metadata", "maker", "no metadata; check the server's address", "", undefined],
    ]);
  });

  it("an option, with what is behind it, if anything", () => {
    const cause = new Error("why");
    expect(wrongOption("state is missing", cause)).toMatchObject({
      ...{ code: "wrong_option", remedy: "maker", message: "state is missing", cause },
    });
    expect("cause" in wrongOption("state is missing")).toBe(false);
  });
});

describe("what is tried again by itself is told each time", () => {
  it.each<[name: string, answer: FakeAnswer | undefined, trouble: unknown[]]>([
    [
      "a server that fails",
      { status: 500, body: "oops" },
      ["unavailable", "nobody", `${HOST}/code: HTTP 500; trying again in N s`, "", 500],
    ],
    [
      "another page in its place",
      { body: "<html>" },
      [
        ...["malformed_response", "nobody"],
        `${HOST}/code: HTTP 200, and not what was asked for; trying again in N s`,
        ...["", 200],
      ],
    ],
    [
      "an answer that lacks something",
      { body: { device_code: "a", user_code: "B" } },
      [
        ...["malformed_response", "nobody"],
        `${HOST}/code: HTTP 200; there is no verification_uri in the answer that can be used; ` +
          "trying again in N s",
        ...["verification_uri", 200],
      ],
    ],
    [
      "nobody there",
      undefined,
      ["unreachable", "nobody", `${HOST}/code: not reachable; trying again in N s`, "", 0],
    ],
  ])("%s", async (_, answer, trouble) => {
    const world = worldWith("/code", (given) => answer ?? given);
    if (answer === undefined) world.http.faultFor = () => ({ kind: "refuse" });
    const start = world.start();
    await world.until(() => start.troubles.length > 1);
    expect(told(start.troubles[0]!)).toEqual(trouble);
    expect(start.troubles).toHaveLength(2);
  });

  it("when that will be", async () => {
    const world = worldWith("/code", () => ({ status: 429, retryAfterSeconds: 90, body: "" }));
    const start = world.start();
    await world.until(() => start.troubles.length > 0);
    expect(start.troubles[0]!.message).toBe(`${HOST}/code: HTTP 429; trying again in 90 s`);
  });

  it("a user who has not decided yet is no trouble, nor is being asked to slow down", async () => {
    const world = worldWith("/token", () => ({ status: 400, body: { error: "slow_down" } }));
    const start = world.start();
    await world.pass(60);
    expect([start.prompts.length, start.troubles]).toEqual([1, []]);
  });

  it("in a session: a server that refuses to refresh the tokens, and who can mend it", async () => {
    const world = new SessionWorld();
    const { start } = await started(world);
    const body = { error: "invalid_client" };
    world.http.handler = () => ({ status: 401, body });
    await world.until(() => start.troubles.length > 0, 4000);
    expect(told(start.troubles[0]!)).toEqual([
      ...["invalid_client", "maker"],
      `${HOST}/token: HTTP 401 invalid_client; check the client and the server's settings; ` +
        "trying again in N s",
      ...["", 401],
    ]);
    expect(start.ends).toEqual([]);
  });

  it.each([
    [undefined, ""],
    ["", ""],
    ["disk full", " (disk full)"],
  ])("storage that fails, in its words: %j", async (lastFailure, why) => {
    const world = new SessionWorld();
    const { start, session } = await started(world);
    await world.pass(1);
    expect([start.troubles, session.isSaved]).toEqual([[], true]);
    if (lastFailure !== undefined) Object.assign(world.storage, { lastFailure });
    world.storage.failWhen = (operation) => operation === "write";
    world.server.accessLifeS = 120;
    await world.until(() => start.troubles.length > 0, 4000);
    expect(session.isSaved).toBe(false);
    expect(told(start.troubles[0]!)).toEqual([
      ...["not_saved", "user"],
      `the tokens could not be saved${why}; trying again in a minute; after a restart before that, ` +
        "the user has to sign in again",
      ...["", undefined],
    ]);
    world.storage.failWhen = (operation) => operation === "erase";
    await world.pass(70);
    const erased = start.troubles.filter(({ code }) => code === "not_erased");
    expect(told(erased[0]!)).toEqual([
      ...["not_erased", "user"],
      `what should be gone could not be erased${why}; trying again in a minute`,
      ...["", undefined],
    ]);
    expect(erased).toHaveLength(1);
    world.storage.failWhen = () => false;
    await world.pass(180);
    expect(start.troubles.filter(({ code }) => code === "not_erased")).toEqual(erased);
  });
});

describe("an issuer whose addresses come from an earlier start", () => {
  const moved = { ...ENDPOINTS, deviceAuthorization: `${HOST}/moved/code` };

  it("is asked for those of today once a request has failed, and once alone", async () => {
    let asked = 0;
    const rediscover = () => Promise.resolve(asked++).then(() => moved);
    const world = new SessionWorld();
    const answer = world.server.handle;
    world.http.handler = (request) =>
      request.url.endsWith("/moved/code")
        ? answer({ ...request, url: ENDPOINTS.deviceAuthorization })
        : request.url.endsWith("/code")
          ? { status: 503, body: "" }
          : answer(request);
    const start = world.start({}, undefined, { rediscover });
    expect(await world.until(() => start.prompts.length > 0)).toBe(true);
    expect(asked).toBe(1);
    world.http.faultFor = () => ({ kind: "refuse" });
    await world.pass(60);
    expect(asked).toBe(1);
  });

  it("is not asked while all is well, or where it is storage that fails", async () => {
    let asked = 0;
    const rediscover = () => Promise.resolve(asked++).then(() => moved);
    const world = new SessionWorld();
    world.storage.failWhen = (operation) => operation === "write";
    const start = world.start({}, undefined, { rediscover });
    await world.until(() => start.troubles.length > 0 && start.isSettled);
    expect([start.troubles[0]!.code, asked]).toEqual(["not_saved", 0]);
  });

  it("that says nothing of use leaves them as they are", async () => {
    const world = new SessionWorld();
    world.http.faultFor = () => ({ kind: "refuse" });
    const rediscover = () => Promise.reject(new Error("away"));
    const start = world.start({}, undefined, { rediscover });
    await world.pass(20);
    world.http.faultFor = () => undefined;
    expect(await world.until(() => start.session !== undefined)).toBe(true);
  });

  it("that says it too late changes nothing any more", async () => {
    let say: (endpoints: typeof moved) => void = () => {};
    const rediscover = () =>
      new Promise<typeof moved>((resolve) => {
        say = resolve;
      });
    const world = new SessionWorld();
    world.http.faultFor = () => ({ kind: "refuse" });
    const controller = new AbortController();
    const start = world.start({ signal: controller.signal }, undefined, { rediscover });
    await world.pass(10);
    controller.abort();
    await world.until(() => start.isSettled);
    say({ ...moved, token: "no address at all" });
    await world.pass(2);
    expect(start.error).toMatchObject({ code: "aborted" });
  });
});
