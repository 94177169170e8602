// The driver (platform/driver.ts): what it begins and ends, what it does where there is too little room, and whose records it
// takes. Faults of adapters and callbacks are in driver-faults.test.ts.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Region, State } from "../../core/index.ts";
import { missingCapacityOf } from "../../platform/driver/response-misfit.ts";
import type { Driver } from "../../platform/driver.ts";
import { serverNames } from "../../platform/servers/address.ts";
import { driverConfig } from "../../platform/testing/config.ts";
import { fakePlatform, MemoryStorage } from "../../platform/testing/index.ts";
import { driverOn, ENDPOINTS, signedIn, signsIn } from "../environment/driver-port.ts";

it("a core of another release is refused, and both are named", () => {
  for (const [release, output] of [
    [core.release + 1000, `${core.release + 1000}`],
    [undefined, "an older one"],
  ] as const) {
    const options = { core: { ...core, release } as typeof core };
    const words = `the core's release is ${output}, the driver's ${core.release}: take both of one`;
    expect(() => driverOn(fakePlatform(), options)).toThrow(words);
  }
});

describe("a driver's life", () => {
  it("begins once", () => {
    const driver = driverOn(signsIn());
    driver.start();
    expect(() => driver.start()).toThrow("a driver starts once");
    driver.stop();
    expect(() => driver.start()).toThrow("a driver starts once");
  });

  it("ends with stop: what is asked of it later changes nothing", () => {
    const platform = signsIn();
    const driver = driverOn(platform);
    driver.start();
    platform.wait(60);
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

describe("options.ts: the memory that a driver takes where nothing is said", () => {
  /** The complete core's literals and this client leave the rest to the display and the tokens. */
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
  ])("is enough for a display of %i x %i, and short tokens that are kept", (columns, rows) => {
    const { driver } = signedIn({ config }, signsIn({ columns, rows }, tokens));
    expect(driver.device.notSaved).toBe(0);
  });
});

describe("what does not fit is named, with the memory that would do", () => {
  const settle = (memoryBytes: number, bytes = 1500): Driver => {
    const tokens = { access_token: "t".repeat(bytes) };
    const platform = signsIn({ storage: new MemoryStorage({ capacity: 32_768 }) }, tokens);
    const driver = driverOn(platform, { memoryBytes });
    driver.start();
    platform.wait(60);
    return driver;
  };

  it("an access token of 1500 bytes in 4096: and with the memory named it signs in", () => {
    const output = missingCapacityOf(settle(4096).device);
    const [, needed] =
      /^no room for access_token of 1500 bytes; (\d+) bytes of memory would do$/.exec(output)!;
    const driver = settle(Number(needed));
    expect([driver.isSignedIn, missingCapacityOf(driver.device)]).toEqual([true, ""]);
  });

  // The larger memory has the room for a code challenge (RFC 7636), too.
  it("access tokens of any length where a code challenge has no room: the memory named does", () => {
    let memoryBytes = 4400;
    const hasChallenge = (): boolean =>
      driverOn(fakePlatform(), { memoryBytes }).device.capacity[Region.CODE_VERIFIER]! > 0;
    while (hasChallenge()) memoryBytes -= 8;
    for (let bytes = 1300; bytes < 1700; bytes += 25) {
      const smallest = settle(memoryBytes, bytes).device;
      const [, needed] = /; (\d+) bytes of memory would do$/.exec(missingCapacityOf(smallest))!;
      const driver = settle(Number(needed), bytes);
      expect([bytes, driver.isSignedIn, missingCapacityOf(driver.device)]).toEqual([
        bytes,
        true,
        "",
      ]);
    }
  });
});

describe("a record belongs to the server that its tokens are of, by the name that the core is given", () => {
  const ORIGIN = "https://x.test";
  it.each([
    ["https://x.test/token", "https://x.test/token", ORIGIN],
    // Hosts are the same in both cases (RFC 3986 §6.2.2.1), paths are not.
    ["https://X.TEST/Token", "https://x.test/Token", ORIGIN],
    // Tenants of one origin: the refresh token of the one is not sent to the other.
    ["https://x.test/other/token?tenant=b", "https://x.test/other/token?tenant=b", ORIGIN],
    ["https://x.test:444/token", "https://x.test:444/token", "https://x.test:444"],
  ])(
    "SPEC.md Records: to the address of the token endpoint, where no issuer is named: %s",
    (token, server, formerServer) => {
      expect(serverNames(undefined, token)).toEqual({ server, formerServer });
    },
  );

  it("SPEC.md Records: to the issuer, where one is named, with a slash at its end or without", () => {
    const names = ["https://issuer.test", "https://issuer.test/"] as const;
    for (const [server, formerServer] of [names, names.toReversed()]) {
      expect(serverNames(server, ENDPOINTS.token)).toEqual({ server, formerServer });
    }
  });

  it.each([
    ["https://x.test/token", State.REFRESHING],
    ["https://x.test/other/token", State.SIGNED_OUT],
  ])("a device that starts on the records of another one's session at %s", (token, state) => {
    const { server: _, ...config } = driverConfig;
    const before = signedIn({ config });
    before.driver.stop();
    const endpoints = { ...ENDPOINTS, token };
    const driver = driverOn(before.platform, { endpoints, config: { ...config, autoStart: 0 } });
    driver.start();
    // The records have been read by then, and put in order; no request has been answered.
    before.platform.clock.advance(20);
    expect(driver.device.state).toBe(state);
  });
});
