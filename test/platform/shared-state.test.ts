// Several programs with one session (platform/session/shared-state.ts): who sends and writes, and when; and what a session
// does where another program has changed the records meanwhile.

import { describe, expect, it } from "vitest";
import type { Http, HttpRequest, HttpSink, Platform, Storage } from "../../platform/contracts.ts";
import { MemoryStorage } from "../../platform/fake/index.ts";
import type { Session } from "../../platform/session/session.ts";
import {
  type SharedState,
  sharedHttp,
  sharedStorage,
} from "../../platform/session/shared-state.ts";
import type { SignInHandlers } from "../../platform/session/sign-in.ts";
import { SessionWorld, type Start } from "../session-model/world.ts";

/** The records' keeper, as a test wants it. */
class Keeper implements SharedState {
  isCurrent = true;
  isWaiting = false;
  /** Others have the records. */
  isTaken = false;
  readonly calls: string[] = [];
  readonly storage: () => Storage;
  #waiting: (() => void) | undefined;

  constructor(storage: () => Storage) {
    this.storage = storage;
  }

  begin(): void {
    this.calls.push("begin");
    this.isCurrent = true;
  }

  open = (): Storage => this.storage();

  enter(then: () => void, onBusy: (holder: string) => void): void {
    this.calls.push("enter");
    this.isWaiting = this.isTaken;
    this.#waiting = then;
    if (this.isTaken) onBusy("process 7");
    else then();
  }

  /** The others are done. */
  giveBack(): void {
    this.isTaken = false;
    this.isWaiting = false;
    this.#waiting?.();
  }

  onLeave: () => void = () => {};

  leave(): void {
    this.calls.push("leave");
    this.onLeave();
    this.isWaiting = false;
    this.#waiting = undefined;
  }
}

describe("requests and writes go out once nobody else can change the records", () => {
  const bare = (): { http: Http; storage: Storage; calls: unknown[][] } => {
    const calls: unknown[][] = [];
    const noting =
      (name: string) =>
      (...args: unknown[]): void =>
        void calls.push([name, ...args]);
    const http: Http = { send: noting("send"), abort: noting("abort") };
    const storage: Storage = {
      ...{ capacity: 77, read: noting("read"), write: noting("write"), erase: noting("erase") },
    };
    return { http, storage, calls };
  };
  const bytes = new Uint8Array(4);
  const done = (): void => {};
  const request = {} as HttpRequest;
  const sink = {} as HttpSink;
  const asking = (isCurrent: boolean, isTaken = false) => {
    const { http, storage, calls } = bare();
    const keeper = new Keeper(() => storage);
    Object.assign(keeper, { isCurrent, isTaken });
    const user = {
      onStale: () => void calls.push(["stale"]),
      onBusy: (holder: string) => void calls.push(["busy", holder]),
    };
    return {
      keeper,
      calls,
      http: sharedHttp(http, keeper, user),
      storage: sharedStorage(storage, keeper, user),
    };
  };

  it("a request, unless the device does not know the newest ones", () => {
    const { http, calls } = asking(true);
    http.send(request, sink);
    expect(calls).toEqual([["send", request, sink]]);
    const old = asking(false);
    old.http.send(request, sink);
    expect(old.calls).toEqual([["stale"]]);
  });

  it("a request that waits, and is given up, is not sent any more; the next one is", () => {
    const { http, calls, keeper } = asking(true, true);
    http.send(request, sink);
    http.abort();
    keeper.giveBack();
    expect(calls).toEqual([["busy", "process 7"], ["abort"]]);
    http.send(request, sink);
    expect(calls.at(-1)).toEqual(["send", request, sink]);
  });

  it("of two that wait the newer one is sent", () => {
    const { http, keeper, calls } = asking(true, true);
    const waiting: (() => void)[] = [];
    keeper.enter = (then) => void waiting.push(then);
    http.send({ ...request }, sink);
    http.send(request, sink);
    for (const then of waiting) then();
    expect(calls).toEqual([["send", request, sink]]);
    http.abort();
    http.send(request, sink);
    http.abort();
    http.send(request, sink);
    for (const then of waiting.splice(2)) then();
    expect(calls.filter(([name]) => name === "send")).toHaveLength(2);
  });

  it("records are read at once, and written and erased over what is known alone", () => {
    const { storage, calls, keeper } = asking(true);
    expect(storage.capacity).toBe(77);
    storage.read(1, bytes, 0, 4, done);
    expect(keeper.calls).toEqual([]);
    storage.write(0, bytes, 1, 3, done);
    storage.erase(1, done);
    expect(calls).toEqual([
      ["read", 1, bytes, 0, 4, done],
      ["write", 0, bytes, 1, 3, done],
      ["erase", 1, done],
    ]);
    const old = asking(false);
    old.storage.write(0, bytes, 0, 4, done);
    old.storage.erase(1, done);
    expect(old.calls).toEqual([["stale"], ["stale"]]);
  });

  it("why something has failed is handed on", () => {
    const { http, storage } = bare();
    const keeper = new Keeper(() => storage);
    const user = { onStale: () => {}, onBusy: () => {} };
    const [net, disk] = [sharedHttp(http, keeper, user), sharedStorage(storage, keeper, user)];
    expect([net.lastFailure, disk.lastFailure]).toEqual(["", ""]);
    Object.assign(http, { lastFailure: "away" });
    Object.assign(storage, { lastFailure: "full" });
    expect([net.lastFailure, disk.lastFailure]).toEqual(["away", "full"]);
  });
});

describe("a session over records that others use, too", () => {
  /** A start of a program; its records are those of the world. */
  function sharing(
    world: SessionWorld,
    handlers: SignInHandlers = {},
  ): { start: Start; keeper: Keeper } {
    let own: Platform | undefined;
    const keeper = new Keeper(() => own!.storage);
    const keep = (platform: Platform): Platform => {
      own = platform;
      return platform;
    };
    return { start: world.start(handlers, keep, { shared: keeper }), keeper };
  }

  async function signedIn(handlers: SignInHandlers = {}) {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = 0;
    const { start, keeper } = sharing(world, handlers);
    await world.until(() => start.isSettled);
    await world.pass(1);
    return { world, start, keeper, session: start.session! };
  }

  it("lets others have them whenever nothing is under way", async () => {
    const { keeper } = await signedIn();
    expect(keeper.calls[0]).toBe("begin");
    expect(keeper.calls.at(-1)).toBe("leave");
    expect(keeper.calls).toContain("enter");
  });

  it("keeps them to itself from the code on until the tokens are kept, and whenever something is under way", async () => {
    const world = new SessionWorld();
    world.storage = new MemoryStorage({ clock: world.clock, delayMs: 2000, capacity: 65_536 });
    world.server.accessLifeS = 120;
    const { start, keeper } = sharing(world);
    let operations = 0;
    const storage = keeper.storage();
    const ending =
      (done: (result: never) => void) =>
      (result: unknown): void => {
        operations--;
        done(result as never);
      };
    const counting: Storage = {
      capacity: storage.capacity,
      read: (slot, into, from, to, done) => {
        operations++;
        storage.read(slot, into, from, to, ending(done));
      },
      write: (slot, bytes, from, to, done) => {
        operations++;
        storage.write(slot, bytes, from, to, ending(done));
      },
      erase: (slot, done) => {
        operations++;
        storage.erase(slot, ending(done));
      },
    };
    keeper.open = () => counting;
    const left: unknown[] = [];
    keeper.onLeave = () => {
      const isAsking = start.prompts.length > 0 && !start.isSettled;
      left.push([world.http.busy, operations, isAsking, session === undefined]);
    };
    let session: Session | undefined;
    // The one that has begun already has read with what was there.
    keeper.isCurrent = false;
    await world.until(() => start.isSettled);
    session = start.session!;
    await world.until(() => session?.status === "refreshing", 200);
    await world.until(() => session?.status === "signed-in" && session.isSaved, 60);
    void session.signOut();
    await world.until(() => session?.status === "ended", 60);
    const wrong = left.filter((one) => {
      const [isAsked, underWay, isAsking] = one as [boolean, number, boolean];
      return isAsked || underWay > 0 || isAsking;
    });
    expect(wrong).toEqual([]);
    expect(left.length).toBeGreaterThan(3);
  });

  it.each([
    ["is done", false],
    ["still has them", true],
  ])(
    "a refresh token that another has used up is no end, whether that one %s",
    async (_, isTaken) => {
      const { world, keeper, session, start } = await signedIn();
      const { handler } = world.http;
      let refusals = 0;
      world.http.handler = (request) => {
        if (request.form.get("grant_type") !== "refresh_token" || refusals++ > 0)
          return handler!(request);
        keeper.isCurrent = false;
        keeper.isTaken = isTaken;
        return { status: 400, body: { error: "invalid_grant" } };
      };
      await world.until(() => session.status === "refreshing", 4000);
      await world.pass(10);
      // Its successor is in the records.
      keeper.giveBack();
      await world.pass(10);
      expect([session.status, start.ends, refusals]).toEqual(["signed-in", [], 2]);
      expect(keeper.calls.filter((call) => call === "begin")).toHaveLength(2);
    },
  );

  it("keeps them while it asks for a code, also between two tries", async () => {
    const world = new SessionWorld();
    world.http.faultFor = () => ({ kind: "refuse" });
    const { keeper, start } = sharing(world);
    await world.pass(60);
    expect(start.troubles.length).toBeGreaterThan(2);
    expect(keeper.calls).not.toContain("leave");
  });

  it("a refusal that nobody else has a part in is the end", async () => {
    const { world, keeper, session } = await signedIn();
    world.server.grants[0]!.isRevoked = true;
    await world.until(() => session.status === "ended", 4000);
    expect(keeper.calls.filter((call) => call === "begin")).toHaveLength(1);
  });

  it("while a user is asked another may have signed in: the records are read again", async () => {
    const world = new SessionWorld();
    world.server.allowsAfterPolls = -1;
    const { start, keeper } = sharing(world);
    await world.until(() => start.prompts.length > 0);
    await world.pass(1);
    const begun = keeper.calls.filter((call) => call === "begin").length;
    keeper.isCurrent = false;
    await world.pass(10);
    expect(keeper.calls.filter((call) => call === "begin").length).toBe(begun + 1);
    // It is the code that is there already, and is not told of again.
    expect(start.prompts).toHaveLength(1);
  });

  it("says whom it waits for, once, and is given up at once then", async () => {
    const world = new SessionWorld();
    const controller = new AbortController();
    const { start, keeper } = sharing(world, { signal: controller.signal });
    keeper.isTaken = true;
    await world.until(() => start.troubles.length > 0, 30);
    expect(start.troubles).toMatchObject([
      {
        ...{ code: "state_busy", remedy: "user" },
        message: "process 7 is signing in with the same state, or asks the server; waiting for it",
      },
    ]);
    // Storage that others are at work on is not silent.
    await world.pass(15);
    expect(start.troubles.map(({ code }) => code)).not.toContain("storage_silent");
    controller.abort();
    await world.pass(1);
    expect([start.isSettled, start.isDisposed]).toEqual([true, true]);
    expect(keeper.calls.at(-1)).toBe("leave");
  });

  it("given up in the moment in which another has changed the records, it does not begin again", async () => {
    const world = new SessionWorld();
    const controller = new AbortController();
    const { start, keeper } = sharing(world, { signal: controller.signal });
    for (let step = 0; step < 100 && !world.http.busy; step++) world.clock.advance(1);
    keeper.isCurrent = false;
    controller.abort();
    expect([world.http.busy, start.isDisposed]).toEqual([false, true]);
    await world.pass(5);
    expect(keeper.calls.filter((call) => call === "begin")).toHaveLength(1);
    expect(start.error).toMatchObject({ code: "aborted" });
  });

  it.each(["waits for others", "is given up"])(
    "a write that others hold up: it %s",
    async (end) => {
      const world = new SessionWorld();
      const controller = new AbortController();
      const { start, keeper } = sharing(world, { signal: controller.signal });
      const { handler } = world.http;
      world.http.handler = (request) => {
        if (request.url.endsWith("/code")) keeper.isTaken = true;
        return handler!(request);
      };
      await world.until(() => start.troubles.length > 0);
      await world.pass(15);
      // It is not storage that is silent: others are at work there.
      expect(start.troubles.map(({ code }) => code)).not.toContain("storage_silent");
      if (end === "is given up") {
        controller.abort();
        await world.pass(1);
        expect([start.isSettled, start.isDisposed]).toEqual([true, true]);
      } else {
        keeper.giveBack();
        expect(await world.until(() => start.session !== undefined)).toBe(true);
      }
    },
  );

  it("takes the tokens that another has got meanwhile, and asks for none itself", async () => {
    const { world, keeper, session } = await signedIn();
    const asked = world.http.requests.length;
    keeper.isCurrent = false;
    await world.until(() => session.status === "refreshing", 4000);
    await world.pass(5);
    // It has begun again with the records as they are: they are its own here, and are renewed.
    expect(keeper.calls.filter((call) => call === "begin")).toHaveLength(2);
    expect(session.status).toBe("signed-in");
    expect(world.server.isGood(await session.accessToken())).toBe(true);
    expect(world.http.requests.length - asked).toBe(1);
  });

  it("is over where another has ended it: that is told once", async () => {
    const { world, keeper, session, start } = await signedIn();
    world.storage.poke(0, new Uint8Array(0));
    world.storage.poke(1, new Uint8Array(0));
    keeper.isCurrent = false;
    await world.until(() => session.status === "ended", 4000);
    expect(start.ends).toMatchObject([
      {
        ...{ code: "session_ended", remedy: "user" },
        message: "another program with the same state has ended the session; sign in again",
      },
    ]);
    // Nobody is asked for a code in the middle of a session.
    expect(world.http.requests.filter(({ url }) => url.endsWith("/code"))).toHaveLength(1);
  });

  it("signOut revokes the tokens that another has got meanwhile", async () => {
    const { world, keeper, session } = await signedIn();
    keeper.isCurrent = false;
    const out = session.signOut();
    await world.until(() => session.status === "ended", 60);
    expect(await out).toEqual({ isRevoked: true, problem: "", isStored: false });
    expect([world.kept, world.server.live.length]).toEqual([0, 0]);
  });

  it("signOut where another has signed out: it does not say that it has revoked anything", async () => {
    const { world, keeper, session, start } = await signedIn();
    world.storage.poke(0, new Uint8Array(0));
    world.storage.poke(1, new Uint8Array(0));
    keeper.isCurrent = false;
    const out = session.signOut().catch((error: unknown) => error);
    await world.until(() => session.status === "ended", 60);
    expect(await out).toMatchObject({
      ...{ code: "session_ended", remedy: "user" },
      message: "another program with the same state has ended the session; sign in again",
    });
    expect(start.ends).toEqual([]);
    expect(world.http.requests.filter(({ url }) => url.endsWith("/revoke"))).toEqual([]);
  });

  it("signOut that another has begun is gone on with", async () => {
    const { world, keeper, session } = await signedIn();
    // As another program leaves the records: it is revoking, and the server does not answer.
    const other = world.start({ resumeOnly: true });
    await world.until(() => other.isSettled);
    world.http.faultFor = () => ({ kind: "hang" });
    void other.session!.signOut();
    await world.pass(2);
    world.http.abort();
    world.http.faultFor = () => undefined;
    keeper.isCurrent = false;
    const out = session.signOut();
    await world.until(() => session.status === "ended", 60);
    expect(await out).toMatchObject({ isRevoked: true });
  });
});
