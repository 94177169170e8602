// Tests the driver (platform/driver.ts): start and stop, too little memory, and which records it accepts.
// driver-faults.test.ts tests faults.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { State } from "../../core/index.ts";
import { missingCapacityOf } from "../../platform/driver/responses.ts";
import type { Driver } from "../../platform/driver.ts";
import { serverNames } from "../../platform/servers/address.ts";
import { driverConfig, fakePlatform, MemoryStorage } from "../../platform/testing/index.ts";
import { driverOn, ENDPOINTS, signedIn, signsIn } from "../environment/driver-port.ts";

it("a core of another release is refused, and the error names both", () => {
  for (const [release, output] of [
    [core.release + 1000, `${core.release + 1000}`],
    [undefined, "an older one"],
  ] as const) {
    const options = { core: { ...core, release } as typeof core };
    const words = `the core's release is ${output}, the driver's ${core.release}: take both of one`;
    expect(() => driverOn(fakePlatform(), options)).toThrow(words);
  }
});

describe("start and stop", () => {
  it("starts once", () => {
    const driver = driverOn(signsIn());
    driver.start();
    expect(() => driver.start()).toThrow("a driver starts once");
    driver.stop();
    expect(() => driver.start()).toThrow("a driver starts once");
  });

  it("after stop, calls have no effect", () => {
    const platform = signsIn();
    const driver = driverOn(platform);
    driver.start();
    platform.wait(60);
    driver.setStatus("ready");
    expect(platform.display.lines.join()).toContain("ready");
    driver.stop();
    const before = { state: driver.device.state, memory: driver.memory.slice() };
    driver.signOut();
    driver.cancel();
    driver.signIn();
    driver.setStatus("hello");
    platform.wait(60);
    expect(driver.device.state).toBe(before.state);
    expect(driver.memory).toEqual(before.memory);
  });
});

describe("options.ts: a driver's default memory", () => {
  /** Constant texts of the complete core and of this client take memory. Display and tokens share the rest. */
  const config = {
    ...driverConfig,
    clientId: "c".repeat(72),
    clientSecret: "s".repeat(40),
    scope: "https://auth.example/auth/video.readonly",
  };
  const tokens = { access_token: "a".repeat(64), refresh_token: "r".repeat(64) };

  it.each([
    [16, 2],
    [20, 4],
    [80, 8],
  ])("is enough for a display of %i x %i and for short tokens", (columns, rows) => {
    const { driver } = signedIn({ config }, signsIn({ columns, rows }, tokens));
    expect(driver.device.notSaved).toBe(0);
  });
});

describe("the error about a value that does not fit names the value and the memory that it needs", () => {
  const settle = (memoryBytes: number, bytes: number): Driver => {
    const tokens = { access_token: "t".repeat(bytes) };
    const platform = signsIn({ storage: new MemoryStorage({ capacity: 32_768 }) }, tokens);
    const driver = driverOn(platform, { memoryBytes });
    driver.start();
    platform.wait(60);
    return driver;
  };

  it("this memory is enough, for tokens of any length", () => {
    for (let bytes = 1300; bytes < 1700; bytes += 25) {
      const [, named, needed] =
        /^access_token of (\d+) bytes does not fit; it needs (\d+) bytes of memory$/.exec(
          missingCapacityOf(settle(4224, bytes).device),
        )!;
      expect(named).toBe(`${bytes}`);
      const driver = settle(Number(needed), bytes);
      expect([bytes, driver.isSignedIn, missingCapacityOf(driver.device)]).toEqual([
        bytes,
        true,
        "",
      ]);
    }
  });
});

describe("a record belongs to the server that issued its tokens", () => {
  const ORIGIN = "https://x.test";
  it.each([
    ["https://x.test/token", "https://x.test/token", ORIGIN],
    // Hosts are case-insensitive (RFC 3986 §6.2.2.1), paths are not.
    ["https://X.TEST/Token", "https://x.test/Token", ORIGIN],
    // Two tenants of one origin: the refresh token of one must not be sent to the other.
    ["https://x.test/other/token?tenant=b", "https://x.test/other/token?tenant=b", ORIGIN],
    ["https://x.test:444/token", "https://x.test:444/token", "https://x.test:444"],
  ])(
    "SPEC.md Records: the address of the token endpoint identifies the server if no issuer is set: %s",
    (token, server, formerServer) => {
      expect(serverNames(undefined, token)).toEqual({ server, formerServer });
    },
  );

  it("SPEC.md Records: if an issuer is set, it owns the record, with or without a final slash", () => {
    const names = ["https://issuer.test", "https://issuer.test/"] as const;
    for (const [server, formerServer] of [names, names.toReversed()]) {
      expect(serverNames(server, ENDPOINTS.token)).toEqual({ server, formerServer });
    }
  });

  it.each([
    ["https://x.test/token", State.REFRESHING],
    ["https://x.test/other/token", State.SIGNED_OUT],
  ])("starting with another device's record at %s", (token, state) => {
    const { server: _, ...config } = driverConfig;
    const before = signedIn({ config });
    before.driver.stop();
    const endpoints = { ...ENDPOINTS, token };
    const driver = driverOn(before.platform, { endpoints, config: { ...config, autoStart: 0 } });
    driver.start();
    before.platform.clock.advance(20);
    expect(driver.device.state).toBe(state);
  });
});
