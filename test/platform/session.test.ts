// A session over late adapters (platform/session): it never hangs in silence, tells what could not be done, and leaves
// nothing behind.

import { Readable } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import type { Platform } from "../../platform/contracts.ts";
import { MemoryStorage } from "../../platform/fake/index.ts";
import { driverLog } from "../../platform/log.ts";
import type { Session } from "../../platform/session/session.ts";
import { checkClient } from "../../platform/session/settings.ts";
import { SignInError } from "../../platform/session/sign-in-error.ts";
import { SessionWorld, type Start } from "../session-model/world.ts";

/** What comes of a promise in so many seconds of the world; undefined: nothing. */
async function outcomeOf<T>(
  world: SessionWorld,
  promise: Promise<T>,
  seconds = 600,
): Promise<{ value?: T; error?: unknown } | undefined> {
  let outcome: { value?: T; error?: unknown } | undefined;
  promise.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await world.until(() => outcome !== undefined, seconds);
  return outcome;
}

const refuse = (operation: "write" | "erase") => (asked: string) => asked === operation;

describe("signing in", () => {
  it("goes on behind a sign-out that was interrupted: the code is asked for once the tokens are revoked", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    world.http.faultFor = ({ url }) => (url.endsWith("/revoke") ? { kind: "hang" } : undefined);
    void session.signOut();
    await world.pass(5);
    world.http.faultFor = () => undefined;
    world.restart();
    world.server.allowsAfterPolls = 0;
    const again = world.start();
    await world.until(() => again.isSettled);
    expect(again.session).toBeDefined();
    expect(again.prompts).toHaveLength(1);
    expect(world.server.grants.map(({ isRevoked }) => isRevoked)).toEqual([true, false]);
  });

  it("with resumeOnly the interrupted sign-out is finished, and there is no session", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    world.http.faultFor = ({ url }) => (url.endsWith("/revoke") ? { kind: "hang" } : undefined);
    void session.signOut();
    await world.pass(5);
    world.http.faultFor = () => undefined;
    world.restart();
    const again = world.start({ resumeOnly: true });
    await world.until(() => again.isSettled);
    expect(again.error).toMatchObject({ code: "not_signed_in" });
    expect([world.server.live.length, world.kept]).toEqual([0, 0]);
  });

  it("with resumeOnly a code that an earlier start has asked for is not waited for", async () => {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = -1;
    const first = world.start();
    await world.until(() => first.prompts.length > 0);
    await world.pass(1);
    world.restart();
    const again = world.start({ resumeOnly: true });
    await world.until(() => again.isSettled, 20);
    expect(again.error).toMatchObject({ code: "not_signed_in" });
    expect(again.prompts).toEqual([]);
  });

  it("with a session that is kept there is one at once, before any request, also where nobody can be reached", async () => {
    const world = new SessionWorld();
    await world.signedIn();
    world.restart();
    world.http.faultFor = () => ({ kind: "refuse" });
    const again = world.start();
    await world.until(() => again.isSettled, 2);
    expect(again.session?.status).toBe("refreshing");
    expect(world.http.requests).toHaveLength(0);
    const token = again.session!.accessToken();
    await world.pass(60);
    expect(again.troubles[0]).toMatchObject({ code: "unreachable" });
    world.http.faultFor = () => undefined;
    const got = await outcomeOf(world, token);
    expect(world.server.isGood(got?.value ?? "")).toBe(true);
  });

  it("from a restart to a usable token there is one request", async () => {
    const world = new SessionWorld();
    await world.signedIn();
    world.restart();
    const again = await world.signedIn();
    await outcomeOf(world, again.accessToken());
    expect(world.http.requests.map(({ url }) => new URL(url).pathname)).toEqual(["/token"]);
  });

  it.each([new Error("callback"), "no Error", undefined])(
    "what onCode throws (%s) is what the promise rejects with, and nothing is left",
    async (thrown) => {
      for (const onCode of [
        () => {
          throw thrown;
        },
        () => Promise.reject(thrown),
      ]) {
        const world = new SessionWorld();
        const start = world.start({ onCode });
        await world.until(() => start.isSettled);
        expect([start.error, start.session]).toEqual([thrown, undefined]);
        expect([start.isDisposed, world.http.busy, world.clock.nextInMs()]).toEqual([
          true,
          false,
          -1,
        ]);
      }
    },
  );

  it("RFC 8628 section 3.3: a code that a start found is told of once the server has confirmed it", async () => {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = 3;
    const first = world.start();
    await world.until(() => first.prompts.length > 0);
    await world.pass(1);
    world.restart();
    world.http.faultFor = () => ({ kind: "refuse" });
    const again = world.start();
    await world.pass(60);
    expect(again.prompts).toEqual([]);
    world.http.faultFor = () => undefined;
    await world.until(() => again.isSettled);
    expect(again.prompts.map(({ userCode }) => userCode)).toEqual([first.prompts[0]!.userCode]);
    expect(again.session).toBeDefined();
  });

  it("given up: the code is forgotten before the promise rejects, and nothing is left", async () => {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = -1;
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const start = world.start({ signal: controller.signal });
    await world.until(() => start.prompts.length > 0);
    await world.pass(1);
    controller.abort();
    await world.until(() => start.isSettled, 3);
    expect(start.error).toMatchObject({ code: "aborted" });
    expect([world.kept, start.isDisposed, world.http.busy]).toEqual([0, true, false]);
    expect(removed.mock.calls.map(([name]) => name)).toEqual(["abort"]);
    // Nobody is asked anything anew.
    expect(world.http.requests.filter(({ url }) => url.endsWith("/code"))).toHaveLength(1);
  });

  it("given up while the records are read: they are none the worse for it", async () => {
    const world = new SessionWorld();
    world.storage = new MemoryStorage({ clock: world.clock, delayMs: 5000, capacity: 65_536 });
    const controller = new AbortController();
    const start = world.start({ signal: controller.signal });
    await world.pass(1);
    controller.abort();
    await world.pass(1);
    expect([start.isSettled, start.isDisposed]).toEqual([true, true]);
  });

  it("given up, and then a callback throws: the first of the two is why", async () => {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = -1;
    world.storage = new MemoryStorage({ clock: world.clock, delayMs: 3000, capacity: 65_536 });
    const controller = new AbortController();
    let refuse: (error: unknown) => void = () => {};
    const onCode = () =>
      new Promise((_, reject) => {
        refuse = reject;
      });
    const start = world.start({ signal: controller.signal, onCode });
    await world.until(() => start.prompts.length > 0);
    controller.abort();
    refuse("late");
    await world.until(() => start.isSettled, 20);
    expect(start.error).toMatchObject({ code: "aborted" });
  });

  it("given up before it began", async () => {
    const world = new SessionWorld();
    const start = world.start({ signal: AbortSignal.abort() });
    await world.until(() => start.isSettled, 1);
    expect(start.error).toMatchObject({ code: "aborted" });
    expect([start.isDisposed, world.http.requests.length]).toEqual([true, 0]);
  });

  it("storage that never answers is told of", async () => {
    const world = new SessionWorld();
    const silent = (platform: Platform): Platform => ({
      ...platform,
      storage: { ...platform.storage, capacity: 65_536, read: () => {} },
    });
    const start = world.start({}, silent);
    await world.pass(15);
    expect(start.troubles).toMatchObject([{ code: "storage_silent", remedy: "user" }]);
  });
});

describe("what could not be kept or erased is said", () => {
  it("storage that is full: session.isSaved, onTrouble with its reason, and once it is kept after all", async () => {
    const world = new SessionWorld();
    world.storage.failWhen = refuse("write");
    Object.assign(world.storage, { lastFailure: "no space left on the device" });
    const troubles: SignInError[] = [];
    const session = await world.signedIn({ onTrouble: (trouble) => troubles.push(trouble) });
    await world.pass(1);
    expect(session.isSaved).toBe(false);
    expect(troubles[0]).toMatchObject({ code: "not_saved", remedy: "user" });
    expect(troubles[0]!.message).toContain("no space left on the device");
    world.storage.failWhen = () => false;
    await world.pass(61);
    expect([session.isSaved, troubles.length]).toEqual([true, 1]);
    await session.close();
  });

  it("signOut: what was revoked, what was not, what is still stored", async () => {
    const cases: [spoil: (world: SessionWorld) => void, result: object][] = [
      [() => {}, { isRevoked: true, problem: "", isStored: false }],
      [
        (world) => {
          world.storage.failWhen = refuse("erase");
        },
        { isRevoked: true, problem: "", isStored: true },
      ],
      [
        (world) => {
          world.http.faultFor = () => ({ kind: "refuse" });
        },
        { isRevoked: false, problem: "unreachable", isStored: false },
      ],
      [
        (world) => {
          world.http.faultFor = () => ({ kind: "hang" });
        },
        { isRevoked: false, problem: "unreachable", isStored: false },
      ],
    ];
    for (const [spoil, result] of cases) {
      const world = new SessionWorld();
      const session = await world.signedIn();
      await world.pass(1);
      spoil(world);
      const out = await outcomeOf(world, session.signOut());
      expect(out?.value).toEqual(result);
      expect(world.kept > 0).toBe(out?.value?.isStored);
      expect(session.status).toBe("ended");
    }
  });

  it("signOut: storage that fails once, late, is asked again", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    await world.pass(1);
    let failures = 2;
    world.storage.failWhen = (operation) => operation === "erase" && failures-- > 0;
    const out = await outcomeOf(world, session.signOut());
    expect([out?.value?.isStored, world.kept]).toEqual([false, 0]);
  });

  it("signOut ends where storage never answers again, and says that something is stored", async () => {
    const world = new SessionWorld();
    const troubles: SignInError[] = [];
    const start = world.start({ onTrouble: (trouble) => troubles.push(trouble) });
    await world.until(() => start.isSettled);
    await world.pass(1);
    world.storage.cutNextWriteAt(5);
    const out = await outcomeOf(world, start.session!.signOut());
    expect(out?.value).toEqual({ isRevoked: false, problem: "storage_silent", isStored: true });
    expect(troubles.map(({ code }) => code)).toEqual(["storage_silent"]);
    expect(start.isDisposed).toBe(true);
  });

  it("signOut twice is one sign-out; after the end it is refused with why", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    const both = Promise.all([session.signOut(), session.signOut()]);
    const out = await outcomeOf(world, both);
    expect(out?.value?.[0]).toBe(out?.value?.[1]);
    // RFC 7009 §2.1: each of the two tokens, once.
    expect(world.http.requests.filter(({ url }) => url.endsWith("/revoke"))).toHaveLength(2);
    const closed = await (async () => {
      const other = new SessionWorld();
      const one = await other.signedIn();
      void one.close();
      return await outcomeOf(other, one.signOut());
    })();
    expect(closed?.error).toMatchObject({ code: "closed" });
  });
});

describe("how long a session lasts", () => {
  it("is told as of now, also while the device sleeps until there is something to do", async () => {
    const world = new SessionWorld();
    const answer = world.server.handle;
    world.http.handler = (request) => {
      const given = answer(request);
      const body = { ...(given.body as object), refresh_token_expires_in: 7200 };
      return request.url.endsWith("/token") ? { ...given, body } : given;
    };
    const session = await world.signedIn();
    const [access = 0, whole = 0] = [session.expiresInS, session.endsInS];
    await world.pass(600);
    expect([session.expiresInS, session.endsInS]).toEqual([access - 600, whole - 600]);
    for (let i = 0; i < 4; i++) world.clock.advance(250);
    expect(session.expiresInS).toBe(access - 601);
    // Asleep, the alarm rings late: what has gone by has gone by.
    world.clock.sleep(3_600_000);
    expect(session.expiresInS).toBeUndefined();
  });

  it("a token that has ended while the machine slept is refreshed at once, not when the alarm rings", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    const ended = await session.accessToken();
    // Time went on, the alarm did not.
    const { clock } = world;
    const awake = clock.now.bind(clock);
    clock.now = () => awake() + 3_600_000;
    const got = await outcomeOf(world, session.accessToken(), 5);
    expect(world.server.isGood(got?.value ?? "")).toBe(true);
    expect(got?.value).not.toBe(ended);
  });
});

describe("storage that takes its time", () => {
  /** Each operation takes two seconds. */
  async function slow(): Promise<{ world: SessionWorld; session: Session; start: Start }> {
    const world = new SessionWorld();
    world.storage = new MemoryStorage({ clock: world.clock, delayMs: 2000, capacity: 65_536 });
    world.server.accessLifeS = 120;
    const start = world.start();
    await world.until(() => start.isSettled);
    await world.pass(10);
    return { world, session: start.session!, start };
  }

  it("signOut ends once everything is erased", async () => {
    const { world, session, start } = await slow();
    let kept: number | undefined;
    void session.signOut().then(() => {
      kept = world.kept;
    });
    await world.until(() => kept !== undefined, 60);
    expect([kept, start.isDisposed]).toEqual([0, true]);
  });

  it("close waits until new tokens are kept, and nobody gets them before", async () => {
    const { world, session, start } = await slow();
    const before = world.storage.counts.writes;
    await world.until(() => world.storage.counts.writes > before, 200);
    expect([session.status, session.isSaved]).toEqual(["signed-in", false]);
    const token = outcomeOf(world, session.accessToken(), 0);
    expect(await token).toBeUndefined();
    const closed = outcomeOf(world, session.close(), 0);
    expect([await closed, start.isDisposed]).toEqual([undefined, false]);
    await world.pass(3);
    expect(start.isDisposed).toBe(true);
    const { refreshToken } = world.server.grants[0]!;
    const kept = [0, 1].map((slot) => Buffer.from(world.storage.peek(slot)).toString("latin1"));
    expect(kept.join("")).toContain(refreshToken);
  });

  it("close does not wait longer for storage that never answers: ten seconds of silence are enough", async () => {
    const { world, session, start } = await slow();
    const before = world.storage.counts.writes;
    world.storage.cutNextWriteAt(5);
    await world.until(() => world.storage.counts.writes > before, 200);
    await world.pass(5);
    void session.close();
    expect([start.isDisposed, start.troubles]).toEqual([false, []]);
    await world.pass(6);
    expect(start.isDisposed).toBe(true);
    expect(start.troubles).toMatchObject([{ code: "storage_silent" }]);
  });
});

describe("the end", () => {
  it("signOut that is overtaken by close says that, and ends", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    world.http.faultFor = () => ({ kind: "hang" });
    const out = outcomeOf(world, session.signOut(), 30);
    await world.pass(1);
    // Nothing is lost with an answer to a revocation: it is not waited for.
    expect(await outcomeOf(world, session.close(), 2)).toBeDefined();
    expect((await out)?.error).toMatchObject({ code: "closed" });
  });

  it("after close nothing is revoked: the session is there again at the next start", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 120;
    const session = await world.signedIn();
    world.http.faultFor = () => ({ kind: "hang" });
    await world.until(() => world.http.busy, 130);
    // It waits for the answer to a refresh.
    void session.close();
    expect((await outcomeOf(world, session.signOut()))?.error).toMatchObject({ code: "closed" });
    world.http.faultFor = () => undefined;
    await world.pass(20);
    expect(world.http.requests.filter(({ url }) => url.endsWith("/revoke"))).toEqual([]);
    expect([world.server.live.length, world.kept > 0]).toEqual([1, true]);
  });

  it("close waits for a refresh that is under way: its refresh token is the only one that is good", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 120;
    const session = await world.signedIn();
    await world.until(() => session.status === "refreshing", 120);
    while (!world.http.busy) world.clock.advanceToNext();
    const closed = outcomeOf(world, session.close());
    expect(await closed).toBeDefined();
    const { refreshToken } = world.server.grants[0]!;
    const kept = [0, 1].map((slot) => Buffer.from(world.storage.peek(slot)).toString("latin1"));
    expect(kept.join("")).toContain(refreshToken);
    expect([world.http.busy, world.clock.nextInMs()]).toEqual([false, -1]);
  });

  it("close between two tries of a refresh waits for nothing", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 120;
    const session = await world.signedIn();
    world.http.faultFor = () => ({ kind: "refuse" });
    await world.until(() => session.status === "refreshing", 130);
    await world.pass(20);
    expect(world.http.busy).toBe(false);
    expect(await outcomeOf(world, session.close(), 1)).toBeDefined();
  });

  it("close ends in ten seconds where a refresh does not", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 120;
    const session = await world.signedIn();
    world.http.faultFor = () => ({ kind: "hang" });
    await world.until(() => world.http.busy, 130);
    const out = await outcomeOf(world, session.close(), 11);
    expect(out).toBeDefined();
    expect(world.http.busy).toBe(false);
  });

  it("onEnd is called once, where the server ends the session, and not after signOut or close", async () => {
    const world = new SessionWorld();
    const start = world.start();
    await world.until(() => start.isSettled);
    world.server.grants[0]!.isRevoked = true;
    const token = await start.session!.accessToken();
    expect(world.server.isGood(token)).toBe(false);
    await world.pass(3600);
    expect(start.ends).toMatchObject([{ code: "session_ended" }]);
    await expect(start.session!.accessToken()).rejects.toBe(start.ends[0]);
    for (const end of ["signOut", "close"] as const) {
      const other = new SessionWorld();
      const one = other.start();
      await other.until(() => one.isSettled);
      await outcomeOf(other, one.session![end]() as Promise<unknown>);
      await other.pass(60);
      expect([end, one.ends]).toEqual([end, []]);
    }
  });

  it("what onEnd or onTrouble throw in a session reaches onError", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 300;
    const errors: unknown[] = [];
    const start = world.start({
      onTrouble: () => Promise.reject("trouble"),
      onEnd: () => {
        throw new Error("end");
      },
      onError: (error) => errors.push(error),
    });
    await world.until(() => start.isSettled);
    world.http.faultFor = () => ({ kind: "refuse" });
    await world.until(() => start.troubles.length > 0, 300);
    world.http.faultFor = () => undefined;
    world.server.grants[0]!.isRevoked = true;
    await world.until(() => start.ends.length > 0, 400);
    await world.pass(1);
    expect(new Set(errors)).toEqual(new Set(["trouble", new Error("end")]));
  });

  it("an access token that is waited for leaves no listener behind, whichever way it comes", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 300;
    const session = await world.signedIn();
    world.http.faultFor = () => ({ kind: "refuse" });
    await world.until(() => session.status === "refreshing", 400);
    await world.pass(200);
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, "addEventListener");
    const removed = vi.spyOn(controller.signal, "removeEventListener");
    const token = session.accessToken(controller.signal);
    await world.pass(5);
    world.http.faultFor = () => undefined;
    expect((await outcomeOf(world, token))?.value).toMatch(/^access-token/);
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls).toEqual(added.mock.calls.map(([name, wake]) => [name, wake]));
  });

  it("whoever gives up waiting for an access token need not wait for anything", async () => {
    const world = new SessionWorld();
    world.server.accessLifeS = 300;
    const session = await world.signedIn();
    world.http.faultFor = () => ({ kind: "hang" });
    await world.until(() => session.status === "refreshing", 400);
    const controller = new AbortController();
    const token = outcomeOf(world, session.accessToken(controller.signal), 0);
    expect(await token).toBeUndefined();
    const given = session.accessToken(controller.signal);
    controller.abort("enough");
    await expect(given).rejects.toBe("enough");
  });

  it("a token that is refused late is not refreshed again: another one is in use by then", async () => {
    const world = new SessionWorld();
    const lines: string[] = [];
    const log = driverLog((line) => lines.push(line));
    const answers: ((answer: Response) => void)[] = [];
    const fetch = (): Promise<Response> =>
      new Promise((resolve) => {
        answers.push(resolve);
      });
    const start = world.start({}, undefined, { fetch: fetch as typeof globalThis.fetch, log });
    await world.until(() => start.isSettled);
    const ask = () => start.session!.fetch("https://api.example.com/");
    const both = Promise.all([ask(), ask()]);
    await world.pass(1);
    answers[0]!(new Response("", { status: 401 }));
    await world.pass(5);
    answers[1]!(new Response("", { status: 401 }));
    await world.pass(5);
    for (const answer of answers.slice(2)) answer(new Response(""));
    expect((await both).map(({ status }) => status)).toEqual([200, 200]);
    const refreshes = world.http.requests.filter(({ text }) => text.includes("refresh_token"));
    expect(refreshes).toHaveLength(1);
    expect(lines.join()).toContain("an API has refused the access token (401)");
  });

  it("a token that its record does not hold yet is not given out: refused ones are refreshed once for all", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    const real = globalThis.fetch;
    const tokens: string[] = [];
    globalThis.fetch = (_input, init) => {
      const [, token = ""] = (new Headers(init?.headers).get("authorization") ?? "").split(" ");
      tokens.push(token);
      const isGood = world.server.isGood(token);
      const status = isGood ? 200 : 401;
      return Promise.resolve(new Response("", { status }));
    };
    try {
      world.server.grants[0]!.accessToken = "another";
      const all = Promise.all([1, 2, 3].map(() => session.fetch("https://api.example.com/")));
      const out = await outcomeOf(world, all);
      expect(out?.value?.map(({ status }) => status)).toEqual([200, 200, 200]);
    } finally {
      globalThis.fetch = real;
    }
    expect(tokens).toHaveLength(6);
    expect(world.http.requests.filter(({ text }) => text.includes("refresh_token"))).toHaveLength(
      1,
    );
  });
});

/** Servers of an API: what they were sent, and the tokens that they refuse. */
async function asked(
  world: SessionWorld,
  ask: (fetch: typeof globalThis.fetch) => Promise<Response>,
): Promise<{ status: number; bodies: string[]; refreshes: number }> {
  const session = await world.signedIn();
  const real = globalThis.fetch;
  const bodies: string[] = [];
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const [, token = ""] = (request.headers.get("authorization") ?? "").split(" ");
    bodies.push(await request.text());
    return new Response("", { status: world.server.isGood(token) ? 200 : 401 });
  };
  try {
    world.server.grants[0]!.accessToken = "another";
    const out = await outcomeOf(world, ask(session.fetch.bind(session) as typeof fetch));
    if (out?.value === undefined) throw out?.error;
    await world.pass(5);
    const refreshes = world.http.requests.filter(({ text }) => text.includes("refresh_token"));
    return { status: out.value.status, bodies, refreshes: refreshes.length };
  } finally {
    globalThis.fetch = real;
  }
}

describe("RFC 6750 section 3.1: an answer of 401 has the token refreshed, whatever was sent", () => {
  const url = "https://api.example.com/";
  async function* generated(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("text");
  }
  const used = { status: 401, bodies: ["text"], refreshes: 1 };
  const again = { status: 200, bodies: ["text", "text"], refreshes: 1 };
  const post = (body: unknown): RequestInit => ({ method: "POST", body: body as BodyInit });
  it.each<[what: string, body: () => unknown, result: object]>([
    ["a text", () => "text", again],
    ["bytes", () => new TextEncoder().encode("text"), again],
    ["a buffer", () => new TextEncoder().encode("text").buffer, again],
    ["a blob", () => new Blob(["text"]), again],
    ["a form", () => new URLSearchParams("text="), { ...again, bodies: ["text=", "text="] }],
    ["nothing", () => undefined, { ...again, bodies: ["", ""] }],
    ["a stream", () => new Blob(["text"]).stream(), used],
    ["a generator", generated, used],
    ["a stream of Node's", () => Readable.from([new TextEncoder().encode("text")]), used],
  ])("%s", async (_, body, result) => {
    expect(await asked(new SessionWorld(), (fetch) => fetch(url, post(body())))).toEqual(result);
  });

  it("a Request of a class that is not the global one any more, as web frameworks have it", async () => {
    const request = new Request(url, post("text"));
    const real = globalThis.Request;
    const ask = (fetch: typeof globalThis.fetch): Promise<Response> => {
      const answer = fetch(request);
      globalThis.Request = real;
      return answer;
    };
    globalThis.Request = class extends real {};
    try {
      expect(await asked(new SessionWorld(), ask)).toEqual(again);
    } finally {
      globalThis.Request = real;
    }
  });

  it("a Request: each of its copies is read once", async () => {
    const request = () => new Request(url, post("text"));
    expect(await asked(new SessionWorld(), (fetch) => fetch(request()))).toEqual(again);
    const beside = (fetch: typeof globalThis.fetch) =>
      fetch(new Request(url, { method: "POST", body: "other" }), { body: "text" });
    expect(await asked(new SessionWorld(), beside)).toEqual(again);
  });

  it("given up during the refresh it rejects with the signal's reason, and not with the 401", async () => {
    const world = new SessionWorld();
    const controller = new AbortController();
    const ask = async (fetch: typeof globalThis.fetch): Promise<Response> => {
      world.http.faultFor = () => {
        setImmediate(() => controller.abort("enough"));
        return { kind: "refuse" };
      };
      return await fetch(url, { signal: controller.signal });
    };
    await expect(asked(world, ask)).rejects.toBe("enough");
  });
});

describe("no secret where one does not expect it", () => {
  it("console.log of a session, however deep, prints none", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    const seen = inspect(session, { depth: 20, showHidden: true });
    const secrets = ["client-secret-of-the-program", "access-token", "refresh-token", "Basic "];
    const basic = Buffer.from("program:client-secret-of-the-program").toString("base64");
    for (const secret of [...secrets, basic]) expect(seen).not.toContain(secret);
    // As numbers, byte by byte.
    const { refreshToken } = world.server.grants[0]!;
    expect(seen.replace(/\s+/g, "")).not.toContain([...Buffer.from(refreshToken)].join(","));
    expect(JSON.stringify(session)).not.toContain("token");
  });

  it("tokenResponse is what the server said, without the two tokens", async () => {
    const world = new SessionWorld();
    const session = await world.signedIn();
    expect(session.tokenResponse).toEqual({
      ...{ token_type: "Bearer", expires_in: 3600, scope: "video" },
    });
  });
});

describe("RFC 6749 appendix A: what cannot be sent is refused before anything is", () => {
  it.each([
    [{ clientId: "" }, /^clientId /],
    [{ clientId: "caf\u00e9" }, /^clientId /],
    [{ clientId: "a\n" }, /^clientId /],
    [{ clientId: "a".repeat(257) }, /^clientId /],
    [{ clientId: 7 as never }, /^clientId /],
    [{ clientId: "a", clientSecret: "\u20ac" }, /^clientSecret /],
    [{ clientId: "a", memoryBytes: 100 }, /^memoryBytes /],
    [{ clientId: "a", memoryBytes: 5000.5 }, /^memoryBytes /],
    [{ clientId: "a", deviceParameters: { scope: "b" } }, /^deviceParameters\.scope /],
    [{ clientId: "a", tokenParameters: { grant_type: "b" } }, /^tokenParameters\.grant_type /],
  ])("%j", (client, message) => {
    expect(() => checkClient(client)).toThrow(SignInError);
    expect(() => checkClient(client)).toThrow(message);
  });

  it("everything else is taken", () => {
    checkClient({
      clientId: "~ !",
      clientSecret: "",
      memoryBytes: 4096,
      tokenParameters: { a: "b" },
    });
  });
});
