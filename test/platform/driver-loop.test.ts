// platform/driver.ts: in which order core, adapters and program get their turn, and where what they throw goes. Each case
// is one that a mutant of the driver once got through.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Command, Endpoint, State } from "../../core/index.ts";
import type { HttpRequest, HttpSink, Platform } from "../../platform/contracts.ts";
import type { Driver, DriverOptions } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { type FakePlatform, fakePlatform } from "../../platform/fake/index.ts";
import { CODE, driverOn, TOKENS } from "./driver-bench.ts";

function world(more: Parameters<typeof fakePlatform>[0] = {}): FakePlatform {
  return fakePlatform({
    http: {
      handler: ({ url }) => {
        if (url.endsWith("/api")) return { status: 200, body: "the body" };
        return { status: 200, body: url.endsWith("/token") ? TOKENS : CODE };
      },
    },
    ...more,
  });
}

function signedIn(platform = world(), more: Partial<DriverOptions> = {}): Driver {
  const driver = driverOn(platform, more);
  driver.start();
  platform.clock.advance(20_000);
  expect(driver.device.state).toBe(State.SIGNED_IN);
  return driver;
}

const messageOf = (error: unknown): string => (error as Error).message;
/** What a call throws, as text; "" for nothing. */
function thrownBy(call: () => void): string {
  try {
    call();
    return "";
  } catch (error) {
    return messageOf(error);
  }
}
const settled = (): Promise<void> => new Promise((done) => setImmediate(done));

describe("before the start and behind the end", () => {
  it("nothing is read, sent or shown before the start, and the clock is not asked", () => {
    const platform = world();
    const asked: string[] = [];
    const timers = {
      ...platform.timers,
      now: () => asked.push("now"),
      alarm: () => asked.push("alarm"),
      cancel: () => {},
    };
    const storage = { ...platform.storage, capacity: 8192, read: () => asked.push("read") };
    const driver = driverOn(
      { ...platform, timers, storage: storage as never },
      { onChange: () => void asked.push("onChange") },
    );
    driver.signIn();
    driver.run();
    driver.report(() => {});
    expect(asked).toEqual([]);
    driver.stop();
    expect(asked).toEqual([]);
  });

  it("the end comes once: the alarm is taken back and the request is ended, and no more", () => {
    const platform = world();
    const ends: string[] = [];
    const timers = { ...platform.timers, now: () => 0, alarm: () => {} };
    const driver = driverOn({
      ...platform,
      timers: { ...timers, cancel: () => void ends.push("cancel") },
      http: { send: () => {}, abort: () => void ends.push("abort") },
    });
    driver.start();
    driver.stop();
    driver.stop();
    expect(ends).toEqual(["cancel", "abort"]);
  });

  it("a callback that stops the driver is the last: no alarm is set behind it", () => {
    const platform = world({ isAtOnce: true });
    const alarms: number[] = [];
    const timers = { now: () => 0, alarm: (ms: number) => void alarms.push(ms), cancel: () => {} };
    const driver: Driver = driverOn({ ...platform, timers }, { onChange: () => driver.stop() });
    driver.start();
    expect(alarms).toEqual([]);
  });

  it("what is rejected behind the end is nobody's any more", async () => {
    const errors: unknown[] = [];
    let reject: (reason: unknown) => void = () => {};
    const platform = world();
    const display = {
      columns: 20,
      rows: 4,
      show: () => new Promise((_, no) => (reject = no)) as never,
    };
    const driver = driverOn({ ...platform, display }, { onError: (error) => errors.push(error) });
    driver.start();
    platform.clock.advance(5);
    driver.stop();
    reject(new Error("late"));
    await settled();
    expect(errors).toEqual([]);
    expect(thrownBy(() => driver.run())).toBe("");
  });
});

describe("the core hears first", () => {
  it("an adapter that calls back at once is heard before the program: never within a command", () => {
    const platform = world({ isAtOnce: true });
    let depth = 0;
    let changes = 0;
    const storage: Platform["storage"] = {
      capacity: 8192,
      read: (slot, into, from, to, done) => {
        depth++;
        platform.storage.read(slot, into, from, to, done);
        depth--;
      },
      write: (slot, bytes, from, to, done) => {
        depth++;
        platform.storage.write(slot, bytes, from, to, done);
        depth--;
      },
      erase: (slot, done) => platform.storage.erase(slot, done),
    };
    const driver = driverOn(
      { ...platform, storage },
      {
        onChange: () => {
          changes++;
          expect(depth).toBe(0);
        },
      },
    );
    driver.start();
    platform.clock.advance(20_000);
    expect(driver.device.state).toBe(State.SIGNED_IN);
    expect(changes).toBeGreaterThan(2);
  });

  it("what a core throws at an adapter's report goes to onError, and not to the adapter", () => {
    const errors: unknown[] = [];
    const platform = world();
    let throws = true;
    const broken = {
      ...core,
      storageDone: (...args: Parameters<typeof core.storageDone>) => {
        if (throws) {
          throws = false;
          throw new Error("assertion");
        }
        return core.storageDone(...args);
      },
    };
    const driver = driverOn(platform, {
      core: broken,
      onError: (error) => errors.push(messageOf(error)),
    });
    driver.start();
    expect(thrownBy(() => platform.clock.advance(600_000))).toBe("");
    expect(errors).toEqual(["assertion"]);
  });

  it("a core that does not come to rest is left for later, and said", () => {
    const errors: string[] = [];
    let shown = 0;
    const platform = world();
    const display = { columns: 20, rows: 4, show: () => void shown++ };
    const driver = driverOn(
      { ...platform, display },
      {
        core: { ...core, tick: () => Command.SHOW },
        onError: (error) => errors.push(messageOf(error)),
      },
    );
    driver.start();
    expect(errors).toEqual(["the core does not come to rest"]);
    expect(shown).toBe(258);
    driver.run();
    expect(errors).toHaveLength(2);
  });

  it("a command that the driver does not know is said, by its number", () => {
    const errors: string[] = [];
    const commands = [99, Command.NONE];
    const driver = driverOn(world(), {
      core: { ...core, tick: () => commands.shift() ?? Command.NONE },
      onError: (error) => errors.push(messageOf(error)),
    });
    driver.start();
    expect(errors).toEqual(["unknown command 99"]);
  });
});

describe("where what is thrown goes without onError", () => {
  const failing = (platform: FakePlatform): Platform => ({
    ...platform,
    display: {
      columns: 20,
      rows: 4,
      show: () => {
        throw new Error("show");
      },
    },
  });

  it("the first to whoever called, the second by the next alarm, at once", () => {
    const platform = world({ isAtOnce: true });
    const both = failing(platform);
    let changes = 0;
    const driver = driverOn(both, {
      onChange: () => {
        if (changes++ === 0) throw new Error("onChange");
      },
    });
    expect(thrownBy(() => driver.start())).toBe("show");
    expect(thrownBy(() => platform.clock.advance(0))).toBe("onChange");
  });

  it("one fault of a program's call is thrown there: no alarm at once is set for it", () => {
    const platform = world({ isAtOnce: true });
    const alarms: number[] = [];
    const timers = { now: () => 0, alarm: (ms: number) => void alarms.push(ms), cancel: () => {} };
    const driver = driverOn(
      { ...failing(platform), timers },
      { config: { ...driverConfig, autoStart: 0 } },
    );
    expect(thrownBy(() => driver.start())).toBe("show");
    expect(alarms.at(-1)).toBeGreaterThan(0);
  });

  it("a fault at an adapter's report is thrown by an alarm at once, never to the adapter", () => {
    const platform = world();
    const alarms: number[] = [];
    const reads: ((length: number) => void)[] = [];
    const storage = {
      ...platform.storage,
      capacity: 8192,
      read: (_s: number, _i: unknown, _f: number, _t: number, done: (length: number) => void) =>
        void reads.push(done),
    };
    const timers = { now: () => 0, alarm: (ms: number) => void alarms.push(ms), cancel: () => {} };
    let changes = 0;
    const driver = driverOn(
      { ...platform, timers, storage: storage as never },
      {
        onChange: () => {
          if (changes++ === 1) throw new Error("onChange");
        },
      },
    );
    driver.start();
    expect(thrownBy(() => reads.shift()!(0))).toBe("");
    expect(alarms.at(-1)).toBe(0);
    expect(thrownBy(() => driver.run())).toBe("onChange");
  });

  it("a program's call from within a command throws nothing of another's", () => {
    const within: string[] = [];
    // What the first of them throws is held while the second is carried out.
    const commands = [Command.SHOW, Command.SHOW];
    const driver: Driver = driverOn(
      {
        ...world(),
        display: {
          columns: 20,
          rows: 4,
          show: () => {
            within.push(thrownBy(() => driver.happen(() => {})));
            throw new Error("show");
          },
        },
      },
      { core: { ...core, tick: () => commands.shift() ?? Command.NONE } },
    );
    expect(thrownBy(() => driver.start())).toBe("show");
    expect(within).toEqual(["", ""]);
  });
});

describe("what a program is given", () => {
  it("the access token while it can be used, and none before, behind, or while it is refreshed", () => {
    const platform = world();
    const driver = driverOn(platform);
    driver.start();
    expect(driver.accessToken).toBe("");
    platform.clock.advance(20_000);
    expect(driver.accessToken).toBe("a");
    platform.http.faultFor = () => ({ kind: "hang" });
    driver.accessTokenRefused();
    expect([driver.device.state, driver.accessToken]).toEqual([State.REFRESHING, ""]);
    driver.signOut();
    expect(driver.accessToken).toBe("");
  });

  it("its line below the words of the core (core/SPEC.md, setStatus)", () => {
    const platform = world();
    const driver = signedIn(platform);
    driver.setStatus("3 videos");
    platform.clock.advance(1000);
    expect(platform.display.lines.join("\n")).toContain("3 videos");
  });

  it("the pieces of an API's answer, and what it throws at them is kept", () => {
    const platform = world();
    let text = "";
    const errors: string[] = [];
    const driver = signedIn(platform, {
      memoryBytes: 8192,
      onError: (error) => errors.push(messageOf(error)),
      onApiBody: (bytes, from, to) => {
        for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
        throw new Error("the program's");
      },
    });
    driver.happen(() => {
      core.beginCall(driver.device);
      expect(core.sendCall(driver.device, Endpoint.RESOURCE, 1, null, 0, 0)).toBe(1);
    });
    platform.clock.advance(5000);
    expect(text).toBe("the body");
    expect(new Set(errors)).toEqual(new Set(["the program's"]));
    expect(driver.device.callStatus).toBe(200);
  });

  it("a translation: the client as it is configured, and the access token of now", () => {
    const platform = world();
    let client: Parameters<NonNullable<DriverOptions["translate"]>>[1] | undefined;
    signedIn(platform, {
      translate: (http, given) => {
        client = given;
        return http;
      },
    });
    const { accessToken, ...rest } = client!;
    expect(rest).toEqual({ clientId: "tv", clientSecret: "s", scope: "video" });
    expect(accessToken()).toBe("a");
  });
});

describe("contracts.ts: what an adapter was asked for when it threw counts as failed", () => {
  it("SPEC.md Records: a record that could not be read a few times is found all the same", () => {
    const platform = world();
    signedIn(platform).stop();
    let failures = 3;
    const storage: Platform["storage"] = {
      capacity: 8192,
      read: (slot, into, from, to, done) => {
        if (failures-- > 0) throw new Error("busy");
        platform.storage.read(slot, into, from, to, done);
      },
      write: platform.storage.write.bind(platform.storage),
      erase: platform.storage.erase.bind(platform.storage),
    };
    const driver = driverOn({ ...platform, storage }, { onError: () => {} });
    const before = platform.http.requests.length;
    driver.start();
    platform.clock.advance(60_000);
    expect(driver.device.state).toBe(State.SIGNED_IN);
    const asked = platform.http.requests.slice(before).map(({ url }) => url);
    expect(asked).toEqual(["https://x.test/token"]);
  });

  it("a request whose promise is rejected when the next is under way ends that one not", async () => {
    const platform = world();
    const sends: { sink: HttpSink; reject: (reason: unknown) => void }[] = [];
    const http = {
      send: (_: HttpRequest, sink: HttpSink) =>
        new Promise((_yes, reject) => sends.push({ sink, reject })) as never,
      abort: () => {},
    };
    const errors: string[] = [];
    const driver = driverOn({ ...platform, http }, { onError: (e) => errors.push(messageOf(e)) });
    driver.start();
    platform.clock.advance(10_000);
    expect(sends).toHaveLength(1);
    driver.signIn();
    platform.clock.advance(10_000);
    expect(sends).toHaveLength(2);
    sends[0]!.reject(new Error("aborted"));
    await settled();
    expect(driver.device.inFlight).toBe(1);
    expect(errors).toEqual(["aborted"]);
    sends[1]!.reject(new Error("broken"));
    await settled();
    expect(driver.device.inFlight).toBe(0);
  });

  it("RFC 8417: an event that could not be verified counts as not verified", () => {
    const told: number[] = [];
    const errors: string[] = [];
    const noting = {
      ...core,
      eventVerified: (_: core.Device, _id: number, isTrue: number) => void told.push(isTrue),
    };
    for (const verify of [
      () => true,
      () => false,
      () => "yes" as never,
      undefined,
      () => {
        throw new Error("no key");
      },
    ]) {
      const commands = [Command.VERIFY, Command.NONE];
      const driver = driverOn(world(), {
        core: { ...noting, tick: () => commands.shift() ?? Command.NONE } as never,
        onError: (error) => errors.push(messageOf(error)),
        ...(verify && { verifyEvent: verify }),
      });
      driver.start();
      driver.stop();
    }
    expect(told).toEqual([1, 0, 0, 0, 0]);
    expect(errors).toEqual(["no key"]);
  });

  it("a small core, which verifies nothing, is asked for nothing of the kind", () => {
    const { eventVerified: _, ...small } = core;
    const errors: unknown[] = [];
    for (const verifyEvent of [
      () => true,
      () => {
        throw new Error("no key");
      },
    ]) {
      const commands = [Command.VERIFY, Command.NONE];
      driverOn(world(), {
        core: { ...small, tick: () => commands.shift() ?? Command.NONE },
        onError: (error) => errors.push(messageOf(error)),
        verifyEvent,
      }).start();
    }
    expect(errors).toEqual(["no key"]);
  });
});
