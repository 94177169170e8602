// A whole life on sealed storage with a hardware counter, and everything that somebody with the flash in hand could put
// back: each copy of each slot, of every step, alone and together, at every later step. What the device then holds is
// what it held, or nothing (platform/README.md, "Sealed storage").

import nacl from "tweetnacl";
import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Field, Region, State } from "../../core/index.ts";
import type { Storage } from "../../platform/contracts.ts";
import { Driver, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform, MemoryStorage } from "../../platform/fake/index.ts";
import { asciiOf } from "../../platform/text.ts";
import { Counter, DEVICE_KEY, get, put, seal } from "./sealing.ts";

const CAPACITY = 1000;

/** What a slot holds, and where the counter stood, after a storage operation had come to its end. */
interface Step {
  readonly slots: readonly [Uint8Array, Uint8Array];
  readonly count: number;
}

/** What counts of a device: its state, the refresh token in use, the code that it polls with. */
type Held = readonly [State, string, string];
const NOTHING: Held = [State.SIGNED_OUT, "", ""];

class Life {
  readonly steps: Step[] = [];
  readonly counter = new Counter();
  readonly flash = new MemoryStorage({ capacity: CAPACITY });
  #issued = 0;

  /** A device that starts on what is in the flash, and tells of each step. */
  powerOn(): { driver: Driver; pass(ms: number): void } {
    const sealed = seal(this.flash, { counter: this.counter });
    const noted = (done: (ok: boolean) => void) => (ok: boolean) => {
      this.note();
      done(ok);
    };
    const storage: Storage = {
      capacity: sealed.capacity,
      read: (...read) => sealed.read(...read),
      write: (slot, bytes, from, to, done) => sealed.write(slot, bytes, from, to, noted(done)),
      erase: (slot, done) => sealed.erase(slot, noted(done)),
    };
    return start(storage, (url) => (url.endsWith("/token") ? this.#tokens() : this.#code()));
  }

  note(): void {
    const slots = [this.flash.peek(0).slice(), this.flash.peek(1).slice()] as const;
    this.steps.push({ slots, count: this.counter.value });
  }

  #tokens(): object {
    const refresh = `refresh-${++this.#issued}`;
    return { access_token: "a", refresh_token: refresh, token_type: "Bearer", expires_in: 3600 };
  }

  #code(): object {
    const prompt = { user_code: "BCDF-GHJK", verification_uri: "https://x.test" };
    return { ...prompt, device_code: `code-${++this.#issued}`, expires_in: 300, interval: 5 };
  }
}

function start(
  storage: Storage,
  answer: (url: string) => object,
): { driver: Driver; pass(ms: number): void } {
  const platform = fakePlatform({
    http: { handler: ({ url }) => ({ status: 200, body: answer(url) }) },
  });
  const driver = new Driver({
    core,
    platform: { ...platform, storage },
    config: { ...driverConfig, autoStart: 0 },
    endpoints: {
      ...noEndpoints,
      deviceAuthorization: "https://x.test/code",
      token: "https://x.test/token",
      revocation: "https://x.test/revoke",
    },
  });
  driver.start();
  return { driver, pass: (ms) => platform.clock.advance(ms) };
}

/** Codes, tokens, rotations, restarts, and two sessions that the user ended. */
function live(life: Life): void {
  for (let session = 0; session < 2; session++) {
    const first = life.powerOn();
    first.driver.signIn();
    first.pass(10_000);
    expect(first.driver.device.state).toBe(State.SIGNED_IN);
    for (let hour = 0; hour < 2; hour++) first.pass(3_600_000);
    first.driver.stop();
    const again = life.powerOn();
    again.pass(3_600_000);
    expect(again.driver.device.state).toBe(State.SIGNED_IN);
    again.driver.signOut();
    again.pass(60_000);
    expect(again.driver.device.state).toBe(State.SIGNED_OUT);
    again.driver.stop();
  }
}

/** What a device holds that starts on these slots, where the counter stands there. */
function held(slots: readonly [Uint8Array, Uint8Array], count: number): Held {
  const flash = new MemoryStorage({ capacity: CAPACITY });
  flash.poke(0, slots[0]);
  flash.poke(1, slots[1]);
  const counter = new Counter();
  counter.value = count;
  const { driver, pass } = start(seal(flash, { counter }), () => ({}));
  const { device, memory } = driver;
  // A slot that does not open is tried again, at whole tenths of a second; nothing is answered as soon as that.
  while (device.state === State.STARTING) pass(100);
  const text = (region: number): string =>
    asciiOf(
      memory,
      device.start[region]!,
      device.start[region]! + Math.max(0, device.length[region]!),
    );
  const found: Held = [device.state, text(Region.REFRESH_TOKEN), text(Field.DEVICE_CODE)];
  driver.stop();
  return found;
}

it("nothing that is put back brings an older token, a spent code or a session back that the user ended", () => {
  const life = new Life();
  life.note();
  live(life);
  const { steps } = life;
  let tried = 0;
  let refused = 0;
  for (const [now, { slots, count }] of steps.entries()) {
    const honest = held(slots, count);
    const earlier = steps.slice(0, now + 1);
    const distinct = (slot: 0 | 1): Uint8Array[] => [
      ...new Map(earlier.map((step) => [step.slots[slot].join(), step.slots[slot]])).values(),
    ];
    for (const first of distinct(0)) {
      for (const second of distinct(1)) {
        const found = held([first, second], count);
        tried++;
        if (`${found}` === `${honest}`) continue;
        refused++;
        expect(found, `step ${now}, the counter at ${count}`).toEqual(NOTHING);
      }
    }
  }
  console.log(`${steps.length} steps, ${tried} pairs of slots, ${refused} of them refused`);
  expect(refused).toBeGreaterThan(400);
});

describe("records of an earlier program, which wrote with a counter but bound nothing", () => {
  /** As that program sealed: version 1, slot, place in the sequence, stamp, record. */
  function sealedThen(slot: number, sequence: number, stamp: number, record: string): Uint8Array {
    const label = Buffer.from("picogrant sealed storage 1");
    const length = Buffer.from([0, 0, 0, DEVICE_KEY.length]);
    const key = nacl.hash(Buffer.concat([label, length, DEVICE_KEY])).subarray(0, 32);
    const head = Buffer.alloc(10);
    head.set([1, slot]);
    head.writeUInt32BE(sequence, 2);
    head.writeUInt32BE(stamp, 6);
    const nonce = Uint8Array.from({ length: 24 }, (_, at) => at + stamp);
    const box = nacl.secretbox(Buffer.concat([head, Buffer.from(record)]), nonce, key);
    return Uint8Array.of(1, ...nonce, ...box);
  }

  function updated(
    count: number,
    ...boxes: readonly Uint8Array[]
  ): [string[], MemoryStorage, Counter] {
    const flash = new MemoryStorage({ capacity: CAPACITY });
    for (const [slot, box] of boxes.entries()) flash.poke(slot, box);
    const counter = new Counter();
    counter.value = count;
    const storage = seal(flash, { counter });
    return [[0, 1].map((slot) => `${get(storage, slot)}`), flash, counter];
  }

  it("are read, and what is written from then on is bound", () => {
    const [read, flash, counter] = updated(
      8,
      sealedThen(0, 7, 7, "code"),
      sealedThen(1, 8, 8, "token"),
    );
    expect(read).toEqual(["code", "token"]);
    const old = flash.peek(0).slice();
    const storage = seal(flash, { counter });
    expect(put(storage, 0, "newer")).toBe(true);
    expect([get(storage, 0), get(storage, 1)]).toEqual(["newer", "token"]);
    expect(put(storage, 1, "newest")).toBe(true);
    flash.poke(0, old);
    expect(get(seal(flash, { counter }), 0)).toBe(-1);
    expect(get(seal(flash, { counter }), 1)).toBe("newest");
  });

  it("are read whatever was written between them, too", () => {
    const boxes = [sealedThen(0, 5, 5, "code"), sealedThen(1, 8, 8, "token")] as const;
    expect(updated(8, ...boxes)[0]).toEqual(["code", "token"]);
  });

  it("are replaced where there is only one", () => {
    const [, flash, counter] = updated(5, sealedThen(0, 5, 5, "code"));
    const storage = seal(flash, { counter });
    expect([put(storage, 0, "token"), get(storage, 0)]).toEqual([true, "token"]);
    expect(get(seal(flash, { counter }), 0)).toBe("token");
  });

  it("of a session that lies beside the erasure of what was older", () => {
    expect(updated(9, sealedThen(0, 9, 9, ""), sealedThen(1, 8, 8, "token"))[0]).toEqual([
      "",
      "token",
    ]);
  });

  it("of a session that the user ended: put back beside its erasure it does not count", () => {
    const erased = sealedThen(0, 9, 9, "");
    expect(updated(9, erased, sealedThen(1, 7, 7, "token"))[0]).toEqual(["", "-1"]);
    expect(updated(9, sealedThen(0, 6, 6, "token"), sealedThen(1, 9, 9, ""))[0]).toEqual([
      "-1",
      "",
    ]);
  });
});
