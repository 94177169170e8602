// A session over late adapters (platform/session): it never hangs in silence, tells what could not be done, and leaves
// nothing behind.

import { Readable } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import type { Platform } from "../../platform/contracts.ts";
import { MemoryStorage } from "../../platform/fake/index.ts";
import { checkClient } from "../../platform/session/settings.ts";
import { SignInError } from "../../platform/session/sign-in-error.ts";
import { SessionWorld } from "../session-model/world.ts";

import { outcomeOf } from "./session-bench.ts";

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

  it("RFC 8628 §3.3: a code that a start found is told of once the server has confirmed it", async () => {
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

describe("RFC 6750 §3.1: an answer of 401 has the token refreshed, whatever was sent", () => {
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
