// A session's end: signed out, closed, or ended by the server; nothing is left behind, and what is said of it is true.

import { describe, expect, it, vi } from "vitest";
import { driverLog } from "../../platform/log.ts";
import { SessionWorld } from "../session-model/world.ts";

import { outcomeOf } from "./session-bench.ts";

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
