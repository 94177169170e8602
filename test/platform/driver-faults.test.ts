// Whatever adapters and callbacks throw or reject with, the core loses no event. This file tests where each error goes.
// Random sessions inject faults at any time (session-model/faults.ts).

import { describe, expect, it } from "vitest";
import { Command, type Device, Endpoint, State } from "../../core/index.ts";
import type { HttpSink, Promised, Storage } from "../../platform/contracts.ts";
import type { Driver, DriverOptions } from "../../platform/driver.ts";
import { Listener } from "../../platform/exchange/filter.ts";
import { driverLog } from "../../platform/exchange/log.ts";
import { ResponseRecorder } from "../../platform/exchange/response-recorder.ts";
import { Translating } from "../../platform/servers/translation.ts";
import {
  SharedRequests,
  type SharedUser,
  sharedStorage,
} from "../../platform/session/shared-records.ts";
import { SealedStorage } from "../../platform/storage/sealed-storage.ts";
import { driverConfig, fakePlatform } from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { driverOn, ENDPOINTS, signsIn } from "../environment/driver-port.ts";
import { code, type Environment } from "../environment/environment.ts";

const lateEnvironment = (): Environment => signsIn({ http: { latencyMs: 40 }, storageDelayMs: 3 });

const breaks: Readonly<Record<string, () => Promised>> = {
  throws: () => {
    throw "broken";
  },
  rejects: () => Promise.reject("broken"),
  "rejects later": () => new Promise((_, reject) => setImmediate(reject, "broken")),
};

/** No other program uses the records, but the session learns that only asynchronously. */
const alone = {
  isCurrent: true,
  unwritable: () => "",
  enter: (then: () => void) => queueMicrotask(then),
};

/** Layers between the driver and an adapter. `receive` is called with their faults. */
type Stack = (
  environment: Environment,
  receive: (error: unknown) => void,
) => Partial<DriverOptions>;

const untranslated = { request: () => undefined };
const recorder = (): ResponseRecorder =>
  new ResponseRecorder(
    () => Endpoint.TOKEN,
    () => [],
    () => {},
  );
const REFRESHING = { endpoint: Endpoint.TOKEN, state: State.REFRESHING };
const user = (receive: (error: unknown) => void): SharedUser => ({
  device: () => ({ ...REFRESHING, notSaved: 0 }) as Device,
  onStale: () => expect.fail(),
  isLasting: () => false,
  report: ({ cause }) => receive(cause),
});
const aroundHttp: Readonly<Record<string, Stack>> = {
  "nothing between": () => ({}),
  "the log": () => ({ log: driverLog(() => {}) }),
  "a translation": () => ({ translate: () => new Translating(ENDPOINTS, untranslated) }),
  "the recorder": () => ({ filters: { recorder: recorder() } }),
  "the lock": (_, receive) => ({ filters: { lock: new SharedRequests(alone, user(receive)) } }),
  "all of them": (_, receive) => ({
    log: driverLog(() => {}),
    translate: () => new Translating(ENDPOINTS, untranslated),
    filters: { recorder: recorder(), lock: new SharedRequests(alone, user(receive)) },
  }),
};
const withStorage = (environment: Environment, storage: Storage): Partial<DriverOptions> => ({
  platform: { ...environment, storage },
});
const sealed = ({ storage, entropy }: Environment): Storage =>
  new SealedStorage({ storage, entropy, deviceKey: Uint8Array.from(KEY) });
const KEY = Array.from({ length: 32 }, (_, at) => at);
const aroundStorage: Readonly<Record<string, Stack>> = {
  "nothing between": () => ({}),
  "the log": () => ({ log: driverLog(() => {}) }),
  "the lock": (environment, receive) =>
    withStorage(environment, sharedStorage(environment.storage, alone, user(receive))),
  "the seal": (environment) => withStorage(environment, sealed(environment)),
  "all of them": (environment, receive) => ({
    log: driverLog(() => {}),
    ...withStorage(environment, sharedStorage(sealed(environment), alone, user(receive))),
  }),
};

describe("contracts.ts: an adapter that fails at any point, with or without filters before it", () => {
  const start = async (stack: Stack, change: (environment: Environment) => void) => {
    const environment = lateEnvironment();
    change(environment);
    const errors: unknown[] = [];
    const receive = (error: unknown): void => void errors.push(error);
    const driver = driverOn(environment, { onError: receive, ...stack(environment, receive) });
    driver.start();
    await environment.pass(200);
    return { environment, driver, errors };
  };

  describe.each(Object.entries(breaks))("%s", (_, act) => {
    it.each(Object.entries(aroundHttp))("http.send; %s", async (_, stack) => {
      let requested = 0;
      const { driver, errors } = await start(stack, ({ http }) => {
        http.send = () => {
          requested++;
          return act();
        };
      });
      const { state, inFlight } = driver.device;
      expect([state, inFlight, new Set(errors)]).toEqual([
        State.REQUESTING,
        0,
        new Set(["broken"]),
      ]);
      expect(requested).toBe(errors.length);
      expect(requested).toBeGreaterThan(1);
    });

    it.each(Object.entries(aroundHttp))("http.abort; %s", async (_, stack) => {
      const { environment, driver, errors } = await start(stack, ({ http }) =>
        Object.assign(http, { send() {}, abort: act }),
      );
      await environment.until(() => driver.device.inFlight === 1);
      driver.cancel();
      await new Promise(setImmediate);
      const { state, inFlight } = driver.device;
      const broken = new Set(["broken"]);
      expect([state, inFlight, new Set(errors)]).toEqual([State.SIGNED_OUT, 0, broken]);
    });

    describe.each(Object.entries(aroundStorage))("storage; %s", (name, stack) => {
      it.each(["read", "write", "erase"] as const)("%s", async (operation) => {
        const { driver, environment, errors } = await start(stack, ({ storage }) =>
          Object.assign(storage, { [operation]: act }),
        );
        driver.signOut();
        await environment.pass(10);
        const { state, storageCommand, slotsUsed } = driver.device;
        expect([state, storageCommand]).toEqual([State.SIGNED_OUT, Command.NONE]);
        // The sealed storage reports the fault as a failure with its own message.
        const isReceived = errors.length > 0 && errors.every((error) => error === "broken");
        expect(isReceived).toBe(name !== "the seal" && name !== "all of them");
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

    it("entropy, also in sealed storage: a failed fill never counts as random bytes", async () => {
      const { driver, environment } = await start(
        (environment) => {
          const entropy = { fill: act as never };
          const { storage } = environment;
          const deviceKey = Uint8Array.from(KEY);
          return withStorage(environment, new SealedStorage({ storage, entropy, deviceKey }));
        },
        () => {},
      );
      expect([driver.device.state, driver.device.notSaved]).toEqual([State.SIGNED_IN, 1]);
      expect(environment.storage.counts.writes).toBe(0);
    });
  });

  it.each(["status", "body", "end"] as const)("a filter that throws at: %s", async (at) => {
    class Broken extends Listener {}
    Broken.prototype[at] = () => {
      throw "broken";
    };
    const { environment, driver, errors } = await start(
      () => ({ translate: () => new Broken() }),
      () => {},
    );
    const { state, inFlight } = driver.device;
    expect([state, inFlight, new Set(errors)]).toEqual([State.REQUESTING, 0, new Set(["broken"])]);
    expect([environment.http.busy, environment.http.requests.length]).toEqual([
      false,
      errors.length,
    ]);
  });

  it.each(Object.entries(aroundHttp))("reports the end twice: %s", async (_, stack) => {
    const { environment, driver, errors } = await start(stack, ({ http }) => {
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
    expect(environment.http.requests).toHaveLength(2);
  });

  it.each(Object.entries(aroundStorage))("reports two different results: %s", async (_, stack) => {
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
});

describe("exceptions of callbacks", () => {
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
  ])("contracts.ts: an adapter never gets them; %s the alarm throws them", (_, onError) => {
    const environment = lateEnvironment();
    const onChange = throwsAt(State.PENDING, () => driver);
    const driver: Driver = driverOn(environment, { onChange, ...(onError && { onError }) });
    const outOfAdapter: unknown[] = [];
    const { send } = environment.http;
    environment.http.send = (request, sink) =>
      send.call(environment.http, request, {
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
    expect([environment.wait(60), outOfAdapter]).toEqual([[new Error("callback")], []]);
    expect(driver.device.state).toBe(State.SIGNED_IN);
  });

  it("without onError, the program's next call throws them", () => {
    const environment = fakePlatform();
    const driver: Driver = driverOn(environment, {
      onChange: throwsAt(State.SIGNED_OUT, () => driver),
    });
    driver.start();
    environment.clock.advance(20);
    expect(() => driver.cancel()).toThrow("callback");
    expect(driver.device.state).toBe(State.SIGNED_OUT);
  });

  it("exceptions of `event` reach the caller", () => {
    const driver = driverOn(lateEnvironment());
    driver.start();
    expect(() =>
      driver.happen(() => {
        throw new Error("event");
      }),
    ).toThrow("event");
    driver.signOut();
    expect(driver.device.codeRequired).toBe(0);
  });
});

it("a repeated report of a storage operation does not end the next operation", () => {
  const environment = lateEnvironment();
  const { storage } = environment;
  const dones: ((length: number) => void)[] = [];
  const writes: ((ok: boolean) => void)[] = [];
  const driver = driverOn({
    ...environment,
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
  while (writes.length === 0) environment.clock.advanceToNext();
  for (const done of dones) done(1);
  expect(driver.device.storageCommand).toBe(Command.STORE);
  writes[0]!(true);
  expect(driver.device.storageCommand).toBe(Command.NONE);
});

const responses =
  (body: object) =>
  (sink: HttpSink): void => {
    const bytes = bytesOf(JSON.stringify(body));
    sink.status(200, -1);
    sink.body(bytes, 0, bytes.length);
    sink.end();
  };
const pending = responses({ error: "authorization_pending" });

/**
 * Makes twelve polls. The adapter reports each poll a second time, during a later poll. Returns the number of later
 * polls that such a second report has ended.
 */
function endedByAnother(
  pollsLate: number,
  report: (sink: HttpSink) => void,
  result: Promised,
): number {
  const environment = lateEnvironment();
  const sinks: HttpSink[] = [];
  const send = (_: unknown, sink: HttpSink): Promised => {
    sinks.push(sink);
    return result;
  };
  const driver = driverOn({ ...environment, http: { send, abort: () => {} } });
  driver.start();
  while (sinks.length === 0) environment.clock.advanceToNext();
  responses(code().body as object)(sinks[0]!);
  let ended = 0;
  for (let poll = 1; poll <= 12; poll++) {
    while (sinks.length === poll) environment.clock.advanceToNext();
    if (poll > pollsLate) report(sinks[poll - pollsLate]!);
    ended += 1 - driver.device.inFlight;
    pending(sinks[poll]!);
  }
  return ended;
}

it.each([1, 2, 3, 4, 5, 6])(
  "contracts.ts: a repeated report %i polls later ends at most one other poll",
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

describe("stop", () => {
  it("does both even if the first of them throws", () => {
    const environment = lateEnvironment();
    const errors: unknown[] = [];
    const timers = { ...environment.timers, now: () => environment.clock.now(), alarm: () => {} };
    const cancel = (): never => {
      throw new Error("cancel");
    };
    const driver = driverOn(
      { ...environment, timers: { ...timers, cancel } },
      { onError: (error) => void errors.push(error) },
    );
    driver.start();
    driver.stop();
    expect([environment.http.aborts, errors]).toEqual([1, [new Error("cancel")]]);
  });

  it("wakeInMs limits the sleep", () => {
    const environment = lateEnvironment();
    let changes = 0;
    const driver = driverOn(environment, {
      config: { ...driverConfig, autoStart: 0 },
      wakeInMs: () => 500,
      onChange: () => void changes++,
    });
    driver.start();
    environment.clock.advance(10);
    const before = changes;
    environment.clock.advance(5000);
    expect(changes - before).toBe(10);
  });
});
