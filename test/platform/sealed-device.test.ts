// What a whole device does whose sealed records somebody has worked on: the table in platform/README.md,
// "Sealed storage", seen from the device. It never goes on with what was altered, and never stands still.

import { describe, expect, it } from "vitest";
import { Region, State } from "../../core/index.ts";
import type { Driver } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform, ManualClock, type MemoryStorage } from "../../platform/fake/index.ts";
import type { SealedStorageOptions } from "../../platform/sealed-storage.ts";
import { asciiOf } from "../../platform/text.ts";
import { CODE, driverOn } from "./driver-bench.ts";
import { DEVICE_KEY, seal } from "./sealing.ts";

/** A service that issues a new refresh token each time, and a device of it with sealed records. */
class World {
  issued = 0;
  readonly clock = new ManualClock();

  powerOn(flash: MemoryStorage | undefined, more: Partial<SealedStorageOptions> = {}): Sealed {
    const platform = fakePlatform({
      clock: this.clock,
      ...(flash && { storage: flash }),
      http: {
        handler: ({ url }) => ({
          status: 200,
          body: url.endsWith("/token") ? this.#tokens() : CODE,
        }),
      },
    });
    const driver = driverOn(
      { ...platform, storage: seal(platform.storage, more) },
      { config: { ...driverConfig, autoStart: 0 } },
    );
    driver.start();
    // The records are read, however often that takes.
    while (driver.device.state === State.STARTING) this.clock.advance(1);
    return { driver, flash: platform.storage, pass: (ms) => platform.clock.advance(ms) };
  }

  #tokens(): object {
    const refresh = `refresh-${++this.issued}`;
    return { access_token: "a", refresh_token: refresh, token_type: "Bearer", expires_in: 3600 };
  }
}

interface Sealed {
  driver: Driver;
  flash: MemoryStorage;
  pass(ms: number): void;
}

function signIn({ driver, pass }: Sealed): void {
  driver.signIn();
  pass(10_000);
  expect(driver.device.state).toBe(State.SIGNED_IN);
}

/** What the device has read back: its state, and the token in use. */
function found({ driver }: Sealed): [State, string] {
  const { device, memory } = driver;
  const start = device.start[Region.REFRESH_TOKEN]!;
  const length = Math.max(0, device.length[Region.REFRESH_TOKEN]!);
  return [device.state, asciiOf(memory, start, start + length)];
}

const SIGNED_OUT = [State.SIGNED_OUT, ""];

describe("a device whose sealed records were worked on", () => {
  it("left alone: goes on with its token", () => {
    const world = new World();
    const before = world.powerOn(undefined);
    signIn(before);
    const after = world.powerOn(before.flash.clone());
    expect(found(after)).toEqual([State.REFRESHING, "refresh-1"]);
  });

  it("its newest record altered: nothing is left, since the code before the token is gone", () => {
    const world = new World();
    const before = world.powerOn(undefined);
    signIn(before);
    const flash = before.flash.clone();
    const record = flash.peek(1);
    record[record.length - 1]! ^= 1;
    flash.poke(1, record);
    const after = world.powerOn(flash);
    expect(found(after)).toEqual(SIGNED_OUT);
  });

  it("both records altered, or the slots swapped: signed out, and a new sign-in works and lasts", () => {
    const world = new World();
    const before = world.powerOn(undefined);
    signIn(before);
    const swapped = before.flash.clone();
    swapped.poke(0, before.flash.peek(1));
    swapped.poke(1, before.flash.peek(0));
    const after = world.powerOn(swapped);
    expect(found(after)).toEqual(SIGNED_OUT);
    signIn(after);
    expect(found(world.powerOn(after.flash.clone()))[0]).toBe(State.REFRESHING);
  });

  it("the records of another device: signed out", () => {
    const world = new World();
    const before = world.powerOn(undefined);
    signIn(before);
    const deviceKey = DEVICE_KEY.map((byte) => byte ^ 1);
    expect(found(world.powerOn(before.flash.clone(), { deviceKey }))).toEqual(SIGNED_OUT);
  });

  it("an older copy put back is taken for the newest: against that the storage below has to stand", () => {
    const world = new World();
    const before = world.powerOn(undefined);
    signIn(before);
    const copy = before.flash.clone();
    before.pass(3600 * 1000);
    expect(found(before)).toEqual([State.SIGNED_IN, "refresh-2"]);
    expect(found(world.powerOn(copy))).toEqual([State.REFRESHING, "refresh-1"]);
  });
});
