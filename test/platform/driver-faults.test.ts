// Design: the core hears first. Whatever adapters and callbacks throw or reject with, no event is lost, and the program hears
// of it. A fault at any moment of a life is the business of random lives (session-model/storm.ts); here is where it goes.

import { describe, expect, it } from "vitest";
import { Command, Endpoint, State } from "../../core/index.ts";
import type { HttpSink, Promised, Storage } from "../../platform/contracts.ts";
import type { Driver, DriverOptions } from "../../platform/driver.ts";
import { AnswerEar } from "../../platform/exchange/answer-ear.ts";
import { Listener } from "../../platform/exchange/filter.ts";
import { driverLog } from "../../platform/exchange/log.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform } from "../../platform/fake/index.ts";
import { Translating } from "../../platform/servers/translation.ts";
import {
  Lock,
  type SharedState,
  type SharedUser,
  sharedStorage,
} from "../../platform/session/shared-state.ts";
import { SealedStorage } from "../../platform/storage/sealed-storage.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { driverOn, ENDPOINTS, signsIn } from "../world/driver-port.ts";
import { code, type World } from "../world/world.ts";

/** A world that answers late, as a real one does: 40 ms for HTTP, 3 ms for storage. */
const lateWorld = (): World => signsIn({ http: { latencyMs: 40 }, storageDelayMs: 3 });

const breaks: Readonly<Record<string, () => Promised>> = {
  throws: () => {
    throw "broken";
  },
  rejects: () => Promise.reject("broken"),
  "rejects later": () => new Promise((_, reject) => setImmediate(reject, "broken")),
};

/** Nobody else uses the records, and to find that out takes a while. */
const alone: SharedState = {
  ...{ begin() {}, leave() {}, isCurrent: true, isWaiting: false },
  open: () => expect.fail(),
  between: () => expect.fail(),
  enter: (then) => queueMicrotask(then),
};

/** What stands between the driver and an adapter, each with what it hears of faults. */
type Stack = (world: World, hear: (error: unknown) => void) => Partial<DriverOptions>;

const untranslated = { request: () => undefined, answer: () => undefined };
const ear = (): AnswerEar =>
  new AnswerEar(
    () => Endpoint.TOKEN,
    () => [],
    () => {},
  );
const user = (hear: (error: unknown) => void): SharedUser => ({
  onStale: () => expect.fail(),
  onBusy: () => expect.fail(),
  onFault: (error, giveUp) => {
    giveUp();
    hear(error);
  },
});
const aroundHttp: Readonly<Record<string, Stack>> = {
  "nothing between": () => ({}),
  "the log": () => ({ log: driverLog(() => {}) }),
  "a translation": () => ({ translate: () => new Translating(ENDPOINTS, untranslated) }),
  "the ear": () => ({ filters: { ear: ear() } }),
  "the lock": (_, hear) => ({ filters: { lock: new Lock(alone, user(hear)) } }),
  "all of them": (_, hear) => ({
    log: driverLog(() => {}),
    translate: () => new Translating(ENDPOINTS, untranslated),
    filters: { ear: ear(), lock: new Lock(alone, user(hear)) },
  }),
};
const withStorage = (world: World, storage: Storage): Partial<DriverOptions> => ({
  platform: { ...world, storage },
});
const sealed = ({ storage, entropy }: World): Storage =>
  new SealedStorage({ storage, entropy, deviceKey: Uint8Array.from(KEY) });
const KEY = Array.from({ length: 32 }, (_, at) => at);
const aroundStorage: Readonly<Record<string, Stack>> = {
  "nothing between": () => ({}),
  "the log": () => ({ log: driverLog(() => {}) }),
  "the lock": (world, hear) => withStorage(world, sharedStorage(world.storage, alone, user(hear))),
  "the seal": (world) => withStorage(world, sealed(world)),
  "all of them": (world, hear) => ({
    log: driverLog(() => {}),
    ...withStorage(world, sharedStorage(sealed(world), alone, user(hear))),
  }),
};

describe("contracts.ts: an adapter that breaks in the middle of anything, behind whatever filters", () => {
  const start = async (stack: Stack, change: (world: World) => void) => {
    const world = lateWorld();
    change(world);
    const errors: unknown[] = [];
    const hear = (error: unknown): void => void errors.push(error);
    const driver = driverOn(world, { onError: hear, ...stack(world, hear) });
    driver.start();
    await world.pass(200);
    return { world, driver, errors };
  };

  describe.each(Object.entries(breaks))("%s", (_, act) => {
    it.each(Object.entries(aroundHttp))("http.send; %s", async (_, stack) => {
      let asked = 0;
      const { driver, errors } = await start(stack, ({ http }) => {
        http.send = () => {
          asked++;
          return act();
        };
      });
      const { state, inFlight } = driver.device;
      expect([state, inFlight, new Set(errors)]).toEqual([
        State.REQUESTING,
        0,
        new Set(["broken"]),
      ]);
      expect(asked).toBe(errors.length);
      expect(asked).toBeGreaterThan(1);
    });

    it.each(Object.entries(aroundHttp))("http.abort; %s", async (_, stack) => {
      const { world, driver, errors } = await start(stack, ({ http }) =>
        Object.assign(http, { send() {}, abort: act }),
      );
      await world.until(() => driver.device.inFlight === 1);
      driver.cancel();
      await new Promise(setImmediate);
      const { state, inFlight } = driver.device;
      const broken = new Set(["broken"]);
      expect([state, inFlight, new Set(errors)]).toEqual([State.SIGNED_OUT, 0, broken]);
    });

    describe.each(Object.entries(aroundStorage))("storage; %s", (name, stack) => {
      it.each(["read", "write", "erase"] as const)("%s", async (operation) => {
        const { driver, world, errors } = await start(stack, ({ storage }) =>
          Object.assign(storage, { [operation]: act }),
        );
        driver.signOut();
        await world.pass(10);
        const { state, storageCommand, slotsUsed } = driver.device;
        expect([state, storageCommand]).toEqual([State.SIGNED_OUT, Command.NONE]);
        // What the seal was told of it hands on as a failure, and says it in its own words.
        const isHeard = errors.length > 0 && errors.every((error) => error === "broken");
        expect(isHeard).toBe(name !== "the seal" && name !== "all of them");
        if (operation === "erase") expect(slotsUsed).toBeGreaterThan(0);
      });
    });

    it("display.show", async () => {
      const { driver, errors } = await start(aroundHttp["nothing between"]!, ({ display }) =>
        Object.assign(display, { show: act }),
      );
      expect([driver.device.state, new Set(errors)]).toEqual([
        State.SIGNED_IN,
        new Set(["broken"]),
      ]);
    });

    it("entropy, from the seal on: nothing is taken for random that is not", async () => {
      const { driver, world } = await start(
        (world) => {
          const entropy = { fill: act as never };
          const { storage } = world;
          const deviceKey = Uint8Array.from(KEY);
          return withStorage(world, new SealedStorage({ storage, entropy, deviceKey }));
        },
        () => {},
      );
      expect([driver.device.state, driver.device.notSaved]).toEqual([State.SIGNED_IN, 1]);
      expect(world.storage.counts.writes).toBe(0);
    });
  });

  it.each(["status", "body", "end"] as const)(
    "a filter that breaks at the answer's %s",
    async (at) => {
      class Broken extends Listener {}
      Broken.prototype[at] = () => {
        throw "broken";
      };
      const { world, driver, errors } = await start(
        () => ({ translate: () => new Broken() }),
        () => {},
      );
      const { state, inFlight } = driver.device;
      expect([state, inFlight, new Set(errors)]).toEqual([
        State.REQUESTING,
        0,
        new Set(["broken"]),
      ]);
      expect([world.http.busy, world.http.requests.length]).toEqual([false, errors.length]);
    },
  );

  it.each(Object.entries(aroundHttp))("ends twice, in whatever way: %s", async (_, stack) => {
    const { world, driver, errors } = await start(stack, ({ http }) => {
      const send = http.send.bind(http);
      http.send = (request, sink) => {
        const twice = (act: () => void): void => {
          act();
          sink.end();
          sink.failed("timeout");
          sink.status(500, -1);
          act();
        };
        send(request, {
          status: (...head) => sink.status(...head),
          body: (...piece) => sink.body(...piece),
          end: () => twice(() => sink.end()),
          failed: (failure) => twice(() => sink.failed(failure)),
        });
      };
    });
    expect([driver.device.state, driver.device.error, errors]).toEqual([State.SIGNED_IN, 0, []]);
    // A code and a poll, and none again.
    expect(world.http.requests).toHaveLength(2);
  });

  it.each(Object.entries(aroundStorage))("calls back twice, otherwise: %s", async (_, stack) => {
    const { driver, errors } = await start(stack, ({ storage }) => {
      const { read, write } = storage;
      storage.read = (slot, into, from, to, done) =>
        read.call(storage, slot, into, from, to, (length) => {
          done(length);
          done(-1);
        });
      storage.write = (slot, bytes, from, to, done) =>
        write.call(storage, slot, bytes, from, to, (ok) => {
          done(ok);
          done(!ok);
        });
    });
    const { state, notSaved, storageCommand } = driver.device;
    expect([state, notSaved, storageCommand, errors]).toEqual([State.SIGNED_IN, 0, 0, []]);
  });

  it.each(Object.entries(aroundHttp))("never ends, and is given up: %s", async (_, stack) => {
    const { world, driver } = await start(stack, ({ http }) => Object.assign(http, { send() {} }));
    expect(await world.until(() => driver.device.inFlight === 1)).toBe(true);
    const { aborts } = world.http;
    driver.cancel();
    expect([driver.device.inFlight, world.http.aborts]).toEqual([0, aborts + 1]);
  });
});

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
  result: Promised,
): number {
  const world = lateWorld();
  const sinks: HttpSink[] = [];
  const send = (_: unknown, sink: HttpSink): Promised => {
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
