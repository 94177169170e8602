// SPEC Configuration: create refuses one that is incomplete or out of range, and configError names the member. And
// devices made from one load of the core have nothing in common.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { ConfigMember, State } from "../../core/complete.ts";
import { Message } from "../../core/device/errors.ts";
import * as grant from "../../core/index.ts";
import { Bench, code, config, publicState, tokens } from "./bench.ts";

const create = (settings: object) => core.create(new Uint8Array(8192), { ...config, ...settings });
const wrong = (settings: object) => core.configError({ ...config, ...settings });
const numbers: Record<string, [number, number, number]> = {
  clientAuthentication: [ConfigMember.CLIENT_AUTHENTICATION, 0, 3],
  columns: [ConfigMember.COLUMNS, 16, 80],
  rows: [ConfigMember.ROWS, 2, 8],
  seed: [ConfigMember.SEED, 0, 67_108_863],
  autoStart: [ConfigMember.AUTO_START, 0, 1],
  renewalsMax: [ConfigMember.RENEWALS_MAX, 0, 1000],
};
const texts: Record<string, number> = {
  clientId: ConfigMember.CLIENT_ID,
  clientSecret: ConfigMember.CLIENT_SECRET,
  server: ConfigMember.SERVER,
  scope: ConfigMember.SCOPE,
  deviceParameters: ConfigMember.DEVICE_PARAMETERS,
  tokenParameters: ConfigMember.TOKEN_PARAMETERS,
  messages: ConfigMember.MESSAGES,
};

describe("SPEC Configuration: what is incomplete or out of range is refused by name", () => {
  it("has a number for every member", () => {
    const named = [...Object.keys({ ...texts, ...numbers }), "startSpreadMs"];
    const whole = { ...config, startSpreadMs: 0 };
    expect(named.sort()).toEqual(Object.keys(whole).sort());
  });

  it.each(Object.entries(numbers))("%s", (name, [member, least, most]) => {
    for (const value of [least, most]) {
      expect(wrong({ [name]: value })).toBe(ConfigMember.NONE);
      expect(create({ [name]: value })).not.toBeNull();
    }
    for (const value of [least - 1, most + 1, least + 0.5, Number.NaN, undefined, null, "1", {}]) {
      expect(wrong({ [name]: value })).toBe(member);
      expect(create({ [name]: value })).toBeNull();
    }
  });

  it("startSpreadMs, which may be left out", () => {
    for (const startSpreadMs of [undefined, 0, 5000, 60_000]) {
      expect(wrong({ startSpreadMs })).toBe(ConfigMember.NONE);
    }
    for (const startSpreadMs of [-1, 60_001, 0.5, Number.NaN, null, "1", {}]) {
      expect(wrong({ startSpreadMs })).toBe(ConfigMember.START_SPREAD_MS);
      expect(create({ startSpreadMs })).toBeNull();
    }
  });

  it.each([
    [0, 0, 0],
    [60_000, 10_000, 59_999],
    [undefined, 1000, 4999],
  ])("startSpreadMs %j: starts are spread from 0 to it", (startSpreadMs, least, most) => {
    const settings = startSpreadMs === undefined ? {} : { startSpreadMs };
    const firsts = Array.from({ length: 200 }, (_, seed) => {
      const bench = new Bench(["hang"], { seed: seed * 331, ...settings });
      for (let s = 0; bench.sent.length < 1 && s < 70; s++) bench.pass(1000);
      return bench.sent[0]!.atMs;
    });
    expect(Math.max(...firsts)).toBeLessThanOrEqual(most);
    expect(Math.max(...firsts)).toBeGreaterThanOrEqual(most - least);
    expect(Math.min(...firsts)).toBeLessThanOrEqual(least);
    // A program asks for another code at once, too.
    if (most > 0) return;
    const bench = new Bench([code({ expires_in: 3, interval: 90 })], settings as object);
    bench.until(2);
    expect(bench.sent[1]!.atMs).toBeLessThan(4000);
  });

  it.each(Object.entries(texts))("%s", (name, member) => {
    expect(wrong({ [name]: "" })).toBe(ConfigMember.NONE);
    for (const value of [undefined, null, 1, {}]) {
      expect(wrong({ [name]: value })).toBe(member);
      expect(create({ [name]: value })).toBeNull();
    }
  });

  it("formerServer, which may be left out", () => {
    for (const formerServer of [undefined, "", "https://issuer.example"]) {
      expect(wrong({ formerServer })).toBe(ConfigMember.NONE);
    }
    for (const formerServer of [1, true, {}, ["https://issuer.example"]]) {
      expect(wrong({ formerServer })).toBe(ConfigMember.FORMER_SERVER);
      expect(create({ formerServer })).toBeNull();
    }
  });

  it("parameters that would run into those before them", () => {
    expect(wrong({ deviceParameters: "access_type=offline" })).toBe(ConfigMember.DEVICE_PARAMETERS);
    expect(wrong({ tokenParameters: "resource=x" })).toBe(ConfigMember.TOKEN_PARAMETERS);
    expect(wrong({ deviceParameters: "&a=b", tokenParameters: "&c=d" })).toBe(ConfigMember.NONE);
  });

  it("texts in another language have a line for every text: with too few a state would show nothing", () => {
    const texts = (lines: number): string => Array(lines).fill("text").join("\n");
    for (const lines of [1, 2, 22, Message.COUNT - 1]) {
      expect(core.configError({ ...config, messages: texts(lines) })).toBe(ConfigMember.MESSAGES);
      expect(core.create(new Uint8Array(8192), { ...config, messages: texts(lines) })).toBeNull();
    }
    // A file of texts may end with a line feed.
    for (const messages of ["", texts(Message.COUNT), `${texts(Message.COUNT)}\n`]) {
      expect(core.configError({ ...config, messages })).toBe(ConfigMember.NONE);
    }
  });

  it("and where nothing is wrong with it, the memory is too small", () => {
    expect(core.create(new Uint8Array(300), config)).toBeNull();
    expect(core.configError(config)).toBe(ConfigMember.NONE);
    expect(grant.configError({ ...config, rows: 9 })).toBe(ConfigMember.ROWS);
  });
});

describe("SPEC The loop: devices from one load of the core", () => {
  it("in different states never touch each other's", () => {
    const life = (seed: number): Bench => new Bench([code(), tokens()], { seed });
    const alone = life(1);
    alone.until(2);
    alone.pass(4000);
    const [first, second] = [life(1), life(2)];
    // In turns: what one does in its time changes nothing of the other's.
    for (let step = 0; first.sent.length < 2; step++) {
      const before = publicState(second);
      first.pass(1000);
      expect(publicState(second)).toEqual(before);
      if (step % 3 === 0) second.pass(500);
    }
    second.core.signOut(second.device);
    second.pass(10_000);
    first.pass(alone.nowMs - first.nowMs);
    expect(publicState(first)).toEqual(publicState(alone));
    expect(first.memory).toEqual(alone.memory);
    expect(second.device.state).not.toBe(State.SIGNED_IN);
  });
});
