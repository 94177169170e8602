// Faults that random lives of devices found, each told by hand: what starts a wait, and what may not shorten or forget
// it; what an answer may not touch.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Command, State } from "../../core/index.ts";
import { Driver, noEndpoints } from "../../platform/driver.ts";
import { deviceConfig, driverConfig } from "../../platform/fake/config.ts";
import { fakePlatform } from "../../platform/fake/index.ts";

const CODE = {
  device_code: "pgd.abc",
  user_code: "BCDF-GHJK",
  verification_uri: "https://x.test/device",
  expires_in: 20,
  interval: 5,
};
const PENDING = { error: "authorization_pending" };

function tokens(more: object): object {
  return { access_token: "a", refresh_token: "r", token_type: "Bearer", ...more };
}

/** A core with a host that is nothing but these functions. */
class Bench {
  readonly device = core.create(new Uint8Array(4096), deviceConfig)!;
  sends = 0;
  stores = 0;
  storeResult = 1;

  /** Lets time pass and carries commands out until there are none. */
  pass(ms: number): void {
    let command = core.tick(this.device, ms);
    for (let count = 0; command !== Command.NONE; count++) {
      if (count > 100) throw new Error("the core does not come to rest");
      if (command === Command.SEND) this.sends++;
      else if (command === Command.STORE) {
        this.stores++;
        core.storageDone(this.device, this.storeResult);
      } else if (command === Command.LOAD) core.storageDone(this.device, 0);
      else if (command === Command.ERASE) core.storageDone(this.device, 1);
      command = core.tick(this.device, 0);
    }
  }

  /** Passes time in seconds until a request is out. */
  untilSent(): void {
    const before = this.sends;
    for (let s = 0; s < 100 && this.sends === before; s++) this.pass(1000);
    expect(this.sends).toBe(before + 1);
  }

  answer(status: number, members: object): void {
    const body = Buffer.from(JSON.stringify(members));
    const id = this.device.requestId;
    core.responseStart(this.device, id, status, -1);
    core.responseBody(this.device, id, body, 0, body.length);
    core.responseEnd(this.device, id);
    this.pass(0);
  }

  signIn(more: object): void {
    this.untilSent();
    this.answer(200, CODE);
    this.untilSent();
    this.answer(200, tokens(more));
    expect(core.wakeIn(this.device)).toBeGreaterThanOrEqual(0);
  }
}

describe("waits (RFC 8628 §3.5)", () => {
  it("§3.5 the interval counts from the end of a slow answer, not from its request", () => {
    const polls: number[] = [];
    const platform = fakePlatform({
      http: {
        handler: (request) => {
          const isPoll = request.url.endsWith("/token");
          if (isPoll) polls.push(platform.clock.elapsedMs);
          return { status: isPoll ? 400 : 200, body: isPoll ? PENDING : CODE, delayMs: 4000 };
        },
      },
    });
    const driver = new Driver({
      core,
      platform,
      config: driverConfig,
      endpoints: {
        ...noEndpoints,
        deviceAuthorization: "https://x.test/code",
        token: "https://x.test/token",
      },
    });
    driver.start();
    platform.clock.advance(30_000);
    expect(polls.length).toBeGreaterThan(1);
    expect(polls[1]! - polls[0]!).toBeGreaterThanOrEqual(4000 + 5000);
  });

  it("a code that ends while its poll is under way lets the host sleep until the answer", () => {
    const bench = new Bench();
    bench.untilSent();
    bench.answer(200, CODE);
    bench.untilSent();
    bench.pass(21_000);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.device.codeShown).toBe(0);
    expect(core.wakeIn(bench.device)).toBeGreaterThan(0);
  });

  it("an access token that is dead on arrival does not bring refresh after refresh at once", () => {
    const bench = new Bench();
    bench.signIn({ expires_in: 0 });
    const before = bench.sends;
    for (let s = 0; s < 3600; s++) bench.pass(1000);
    expect(bench.sends).toBe(before);
  });

  it("an access token that lives for two seconds is refreshed when they are over, not before", () => {
    const bench = new Bench();
    bench.signIn({ expires_in: 2 });
    const before = bench.sends;
    for (let ms = 0; ms < 1500; ms += 100) bench.pass(100);
    expect(bench.sends).toBe(before);
    bench.untilSent();
  });

  it("tokens that storage refused are offered to it again every minute, by a host that sleeps", () => {
    const bench = new Bench();
    bench.storeResult = 0;
    bench.signIn({ expires_in: 3600 });
    expect(bench.device.notSaved).toBe(1);
    const { sends, stores } = bench;
    for (let minute = 1; minute <= 3; minute++) {
      bench.pass(1000);
      expect(bench.stores).toBe(stores + (minute - 1) * 3);
      expect(core.wakeIn(bench.device)).toBe(59_000);
      bench.pass(59_000);
      expect(bench.stores).toBe(stores + minute * 3);
    }
    bench.storeResult = 1;
    bench.pass(60_000);
    expect(bench.device.notSaved).toBe(0);
    bench.pass(600_000);
    expect(bench.stores).toBe(stores + 10);
    expect(bench.sends).toBe(sends);
  });

  it("tokens that storage refused are offered at a refresh too: it may come before the minute", () => {
    const bench = new Bench();
    bench.storeResult = 0;
    bench.signIn({ expires_in: 60 });
    bench.storeResult = 1;
    const { stores } = bench;
    bench.untilSent();
    expect(bench.stores).toBe(stores);
    bench.answer(200, { access_token: "b", token_type: "Bearer", expires_in: 60 });
    expect(bench.stores).toBe(stores + 1);
    expect(bench.device.notSaved).toBe(0);
  });

  it("a storage that does not answer lets the host sleep, and is offered nothing more", () => {
    const bench = new Bench();
    bench.storeResult = 0;
    bench.signIn({ expires_in: 3600 });
    expect(core.tick(bench.device, 60_000)).toBe(Command.STORE);
    expect(core.tick(bench.device, 120_000)).not.toBe(Command.STORE);
    bench.pass(0);
    expect(core.wakeIn(bench.device)).toBeGreaterThan(1000);
  });
});

describe("revocation (RFC 7009)", () => {
  it("§2.2 what an answer says of tokens does not replace the one that is still to be revoked", () => {
    const bench = new Bench();
    bench.untilSent();
    bench.answer(200, CODE);
    bench.untilSent();
    bench.answer(200, { access_token: "only-one", token_type: "Bearer", expires_in: 3600 });
    core.signOut(bench.device);
    bench.pass(0);
    bench.answer(503, { access_token: "other" });
    bench.untilSent();
    const { memory, target, targetLength } = bench.device;
    const bytes = (memory as Uint8Array).slice(target, target + targetLength);
    expect(String.fromCharCode(...bytes)).toBe("?token=only-one");
  });

  it("a token that is dead already is not revoked again and again without a wait", () => {
    const bench = new Bench();
    bench.signIn({ expires_in: 3600 });
    const before = bench.sends;
    core.signOut(bench.device);
    bench.pass(0);
    for (let tries = 1; tries <= 4; tries++) {
      expect(bench.sends).toBe(before + tries);
      bench.answer(400, { error: "invalid_token" });
      if (tries === 4) break;
      expect(bench.sends).toBe(before + tries);
      expect(core.wakeIn(bench.device)).toBeGreaterThanOrEqual(1000);
      bench.untilSent();
    }
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    bench.pass(100_000);
    expect(bench.sends).toBe(before + 4);
  });
});

describe("types of values (SPEC.md, The loop)", () => {
  it("RFC 6749 §5.1 numbers and strings stand for each other, digit by digit", () => {
    const bench = new Bench();
    bench.untilSent();
    bench.answer(200, { ...CODE, user_code: 123456, expires_in: "300", interval: "7" });
    expect(bench.device.codeLifeS).toBe(300);
    expect(bench.device.intervalMs).toBe(7000);
    const { memory, start, length } = bench.device;
    const text = (region: number): string =>
      String.fromCharCode(
        ...(memory as Uint8Array).slice(start[region]!, start[region]! + length[region]!),
      );
    expect(text(core.Field.USER_CODE)).toBe("123456");
    bench.untilSent();
    bench.answer(200, { access_token: 7001, token_type: "Bearer", expires_in: "3600" });
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(text(core.Field.ACCESS_TOKEN)).toBe("7001");
  });
});
