// platform/driver.ts at moments that come seldom: within a command, while a call of an API is under way, over the wrap of
// the clock, and when a promise is rejected long after its answer.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Command, Endpoint, State } from "../../core/index.ts";
import type { HttpSink, Platform } from "../../platform/contracts.ts";
import { fakePlatform } from "../../platform/fake/index.ts";
import { CODE, driverOn } from "./driver-bench.ts";

const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe("what a program is told of time", () => {
  it.each([
    ["while a call of an API is under way", true],
    ["while the alarm is late: the machine slept", false],
  ])("an access token is none from its last second on, %s", (_, rings) => {
    const tokens = { access_token: "a", refresh_token: "r", token_type: "Bearer", expires_in: 20 };
    const platform = fakePlatform({
      http: {
        handler: ({ url }) => ({ status: 200, body: url.endsWith("/token") ? tokens : CODE }),
        faultFor: ({ url }) => (url.endsWith("/api") ? { kind: "hang" } : undefined),
      },
    });
    const { clock, timers } = platform;
    let sleptMs = 0;
    const driver = driverOn({
      ...platform,
      timers: {
        now: () => timers.now() + sleptMs,
        alarm: (ms, ring) => timers.alarm(ms, ring),
        cancel: () => timers.cancel(),
      },
    });
    driver.start();
    while (driver.device.state !== State.SIGNED_IN) clock.advanceToNext();
    driver.happen(() => {
      core.beginCall(driver.device);
      if (rings) core.sendCall(driver.device, Endpoint.RESOURCE, 1, null, 0, 0);
    });
    const pass = (seconds: number): void => {
      if (rings) clock.advance(seconds * 1000);
      else sleptMs += seconds * 1000;
    };
    pass(driver.device.accessLifeS - 1);
    expect([driver.device.state, driver.accessToken]).toEqual([State.SIGNED_IN, "a"]);
    pass(1);
    expect([driver.device.state, driver.accessToken]).toEqual([State.SIGNED_IN, ""]);
  });

  it.each([1000, 2 ** 32 - 1000])(
    "whole seconds since it was told last, from %i ms on",
    (startMs) => {
      let now = startMs;
      const timers = { now: () => now, alarm: () => {}, cancel: () => {} };
      const driver = driverOn({ ...fakePlatform(), timers });
      driver.start();
      const untold = [0, 999, 1000, 3500].map((elapsedMs) => {
        now = (startMs + elapsedMs) >>> 0;
        return driver.untoldS;
      });
      expect(untold).toEqual([0, 0, 1, 3]);
      driver.run();
      expect(driver.untoldS).toBe(0);
    },
  );
});

describe("a core that throws at an adapter's report", () => {
  const throwing = {
    ...core,
    storageDone: (): never => {
      throw new Error("assertion");
    },
  };

  it("within a command: the program has its turn when the core has come to rest, and once", () => {
    const commands = [Command.ERASE];
    const turns: string[] = [];
    const platform = fakePlatform();
    const timers = { now: () => 0, alarm: () => void turns.push("alarm"), cancel: () => {} };
    const storage: Platform["storage"] = {
      ...{ capacity: 8192, read: () => {}, write: () => {} },
      erase: (_slot, done) => {
        done(true);
        turns.push("erased");
      },
    };
    driverOn(
      { ...platform, timers, storage },
      {
        core: { ...throwing, tick: () => commands.shift() ?? Command.NONE },
        onChange: () => void turns.push("onChange"),
        onError: (error) => void turns.push((error as Error).message),
      },
    ).start();
    expect(turns).toEqual(["erased", "onChange", "assertion", "alarm"]);
  });

  it("later, where nobody hears of errors: an alarm at once throws it", () => {
    const alarms: number[] = [];
    const timers = { now: () => 0, alarm: (ms: number) => void alarms.push(ms), cancel: () => {} };
    let done: (ok: boolean) => void = () => {};
    const storage: Platform["storage"] = {
      ...{ capacity: 8192, read: () => {}, write: () => {} },
      erase: (_slot, told) => {
        done = told;
      },
    };
    const commands = [Command.ERASE];
    const tick = (): Command => commands.shift() ?? Command.NONE;
    const driver = driverOn(
      { ...fakePlatform(), timers, storage },
      { core: { ...throwing, tick, wakeIn: () => 7000 } },
    );
    driver.start();
    done(true);
    expect(alarms).toEqual([7000, 0]);
    expect(() => driver.run()).toThrow("assertion");
  });
});

it("a promise that is rejected after its answer's end is no fault of a later request", async () => {
  const platform = fakePlatform();
  const sends: { sink: HttpSink; reject: (reason: unknown) => void }[] = [];
  const send = (_: unknown, sink: HttpSink): unknown =>
    new Promise((_yes, reject) => sends.push({ sink, reject }));
  const errors: unknown[] = [];
  const driver = driverOn(
    { ...platform, http: { send: send as never, abort: () => {} } },
    { onError: (error) => errors.push(error) },
  );
  driver.start();
  const answer = (status: number, body: object): void => {
    const { sink } = sends.at(-1)!;
    const bytes = Buffer.from(JSON.stringify(body));
    sink.status(status, -1);
    sink.body(bytes, 0, bytes.length);
    sink.end();
    platform.clock.advance(6000);
  };
  platform.clock.advance(6000);
  answer(200, CODE);
  answer(400, { error: "authorization_pending" });
  // Sinks take turns: the third request has that of the first.
  expect([sends.length, driver.device.inFlight]).toEqual([3, 1]);
  sends[0]!.reject("closed");
  await settled();
  expect([errors, driver.device.inFlight]).toEqual([["closed"], 1]);
  sends[2]!.reject("broken");
  await settled();
  expect([errors, driver.device.inFlight]).toEqual([["closed", "broken"], 0]);
});
