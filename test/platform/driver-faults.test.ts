// Design: the core hears first. Whatever adapters and callbacks throw or reject with, no event is lost, and the program hears
// of it. A fault at any moment of a life is the business of random lives (session-model/storm.ts); here is where it goes.

import { describe, expect, it } from "vitest";
import { Command, State } from "../../core/index.ts";
import type { HttpSink } from "../../platform/contracts.ts";
import type { Driver } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform } from "../../platform/fake/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { driverOn, signsIn } from "../world/driver-port.ts";
import { code, type World } from "../world/world.ts";

/** A world that answers late, as a real one does: 40 ms for HTTP, 3 ms for storage. */
const lateWorld = (): World => signsIn({ http: { latencyMs: 40 }, storageDelayMs: 3 });

const failing = {
  throws: (): never => {
    throw "broken";
  },
  rejects: () => Promise.reject("broken"),
};

describe.each(["throws", "rejects"] as const)(
  "contracts.ts: an adapter that %s each time has failed in what it was asked to do",
  (how) => {
    it.each([
      ["storage", "read", State.SIGNED_IN],
      ["storage", "write", State.SIGNED_IN],
      ["display", "show", State.SIGNED_IN],
      ["http", "send", State.REQUESTING],
    ] as const)("%s.%s", async (adapter, operation, end) => {
      const world = lateWorld();
      Object.assign(world[adapter], { [operation]: failing[how] });
      const errors: unknown[] = [];
      const driver = driverOn(world, { onError: (error) => void errors.push(error) });
      driver.start();
      await world.pass(200);
      const { state, inFlight } = driver.device;
      expect([state, inFlight, new Set(errors)]).toEqual([end, 0, new Set(["broken"])]);
    });
  },
);

describe("where what was thrown goes", () => {
  const throwsAt = (state: State, driver: () => Driver): (() => void) => {
    let throws = 1;
    return () => {
      if (driver().device.state === state && throws-- > 0) throw new Error("callback");
    };
  };

  it.each([
    ["without onError", undefined],
    [
      "where onError throws as well",
      () => {
        throw new Error("onError");
      },
    ],
  ])(
    "contracts.ts: out of no callback that was given to an adapter; %s the alarm throws it",
    (_, onError) => {
      const world = lateWorld();
      const onChange = throwsAt(State.PENDING, () => driver);
      const driver: Driver = driverOn(world, { onChange, ...(onError && { onError }) });
      const outOfAdapter: unknown[] = [];
      const { send } = world.http;
      world.http.send = (request, sink) =>
        send.call(world.http, request, {
          status: (status, retryAfter) => sink.status(status, retryAfter),
          body: (bytes, from, to) => sink.body(bytes, from, to),
          failed: (failure) => sink.failed(failure),
          end: () => {
            try {
              sink.end();
            } catch (error) {
              outOfAdapter.push(error);
            }
          },
        });
      driver.start();
      expect([world.wait(60), outOfAdapter]).toEqual([[new Error("callback")], []]);
      expect(driver.device.state).toBe(State.SIGNED_IN);
    },
  );

  it("is thrown to the program where the program has called, without onError", () => {
    const world = fakePlatform();
    const driver: Driver = driverOn(world, { onChange: throwsAt(State.SIGNED_OUT, () => driver) });
    driver.start();
    world.clock.advance(20);
    expect(() => driver.cancel()).toThrow("callback");
    expect(driver.device.state).toBe(State.SIGNED_OUT);
  });

  it("what `event` itself throws is the caller's", () => {
    const driver = driverOn(lateWorld());
    driver.start();
    expect(() =>
      driver.happen(() => {
        throw new Error("event");
      }),
    ).toThrow("event");
    driver.signOut();
    expect(driver.device.codeWanted).toBe(0);
  });
});

describe("an adapter that reports twice", () => {
  it("a storage operation that is reported again, however late, is no other one's answer", () => {
    const world = lateWorld();
    const { storage } = world;
    const dones: ((length: number) => void)[] = [];
    const writes: ((ok: boolean) => void)[] = [];
    const driver = driverOn({
      ...world,
      storage: {
        capacity: 4096,
        read: (_slot, _into, _from, _to, done) => void dones.push(done),
        write: (_slot, _bytes, _from, _to, done) => void writes.push(done),
        erase: storage.erase.bind(storage),
      },
    });
    driver.start();
    dones[0]!(0);
    expect(dones).toHaveLength(2);
    dones[0]!(0);
    expect(driver.device.state).toBe(State.STARTING);
    dones[1]!(0);
    expect(driver.device.state).toBe(State.REQUESTING);
    while (writes.length === 0) world.clock.advanceToNext();
    for (const done of dones) done(1);
    expect(driver.device.storageCommand).toBe(Command.STORE);
    writes[0]!(true);
    expect(driver.device.storageCommand).toBe(Command.NONE);
  });
});

const answers =
  (body: object) =>
  (sink: HttpSink): void => {
    const bytes = bytesOf(JSON.stringify(body));
    sink.status(200, -1);
    sink.body(bytes, 0, bytes.length);
    sink.end();
  };
const pending = answers({ error: "authorization_pending" });

/**
 * Twelve polls whose adapter reports each again, some polls later, while that one is under way.
 * @param result what the adapter's `send` gives
 * @returns how many of them the report of another has ended
 */
function endedByAnother(
  pollsLate: number,
  report: (sink: HttpSink) => void,
  result: unknown,
): number {
  const world = lateWorld();
  const sinks: HttpSink[] = [];
  const send = (_: unknown, sink: HttpSink): unknown => {
    sinks.push(sink);
    return result;
  };
  const driver = driverOn({ ...world, http: { send, abort: () => {} } });
  driver.start();
  while (sinks.length === 0) world.clock.advanceToNext();
  answers(code().body as object)(sinks[0]!);
  let ended = 0;
  for (let poll = 1; poll <= 12; poll++) {
    while (sinks.length === poll) world.clock.advanceToNext();
    if (poll > pollsLate) report(sinks[poll - pollsLate]!);
    ended += 1 - driver.device.inFlight;
    pending(sinks[poll]!);
  }
  return ended;
}

it.each([1, 2, 3, 4, 5, 6])(
  "contracts.ts: what an adapter reports again %i polls later ends one other at most, and none behind a promise",
  (pollsLate) => {
    const end = (sink: HttpSink): void => sink.end();
    const fail = (sink: HttpSink): void => sink.failed("timeout");
    for (const report of [pending, end, fail]) {
      const ended = endedByAnother(pollsLate, report, undefined);
      expect(ended).toBe(pollsLate % 2 === 0 ? 1 : 0);
      expect(endedByAnother(pollsLate, report, Promise.resolve())).toBe(0);
    }
  },
);

describe("what the driver leaves behind", () => {
  it("stop ends the request that is under way and takes the alarm back", () => {
    const world = lateWorld();
    const driver = driverOn(world);
    driver.start();
    while (!world.http.busy) world.clock.advanceToNext();
    driver.stop();
    expect([world.http.busy, world.http.aborts, world.timers.dueMs]).toEqual([false, 1, undefined]);
  });

  it("stop does both where the first of them throws", () => {
    const world = lateWorld();
    const errors: unknown[] = [];
    const timers = { ...world.timers, now: () => world.clock.now(), alarm: () => {} };
    const cancel = (): never => {
      throw new Error("cancel");
    };
    const driver = driverOn(
      { ...world, timers: { ...timers, cancel } },
      { onError: (error) => void errors.push(error) },
    );
    driver.start();
    driver.stop();
    expect([world.http.aborts, errors]).toEqual([1, [new Error("cancel")]]);
  });

  it("sleeps no longer than the program wants", () => {
    const world = lateWorld();
    let changes = 0;
    const driver = driverOn(world, {
      config: { ...driverConfig, autoStart: 0 },
      wakeInMs: () => 500,
      onChange: () => void changes++,
    });
    driver.start();
    world.clock.advance(10);
    const before = changes;
    world.clock.advance(5000);
    expect(changes - before).toBe(10);
  });
});
