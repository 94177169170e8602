import { describe, expect, it } from "vitest";
import { MemoryStorage } from "../../platform/fake/index.ts";
import type { Session } from "../../platform/session/session.ts";
import type { SignInError } from "../../platform/session/sign-in-error.ts";
import { SessionWorld, type Start } from "../session-model/world.ts";

import { outcomeOf, refuse } from "./session-bench.ts";

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
