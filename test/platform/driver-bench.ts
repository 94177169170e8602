// What the driver's tests begin with: a server that gives a code and tokens, a driver for it, and what it does in time.

import * as core from "../../core/complete.ts";
import { State } from "../../core/index.ts";
import type { Platform } from "../../platform/contracts.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import {
  type FakeAnswer,
  type FakePlatform,
  type FakePlatformOptions,
  fakePlatform,
} from "../../platform/fake/index.ts";
import { bytesOf } from "../../platform/text.ts";

export const CODE = {
  device_code: "d",
  user_code: "BCDF-GHJK",
  verification_uri: "https://x.test",
  expires_in: 300,
  interval: 5,
};

export const TOKENS = {
  access_token: "a",
  refresh_token: "r",
  token_type: "Bearer",
  expires_in: 3600,
};

export const ENDPOINTS = {
  ...noEndpoints,
  deviceAuthorization: "https://x.test/code",
  token: "https://x.test/token",
  revocation: "https://x.test/revoke",
  resources: ["https://x.test/api"],
};

/** A driver of the complete core for that server. */
export function driverOn(platform: Platform, more: Partial<DriverOptions> = {}): Driver {
  return new Driver({ core, platform, config: driverConfig, endpoints: ENDPOINTS, ...more });
}

/** A platform whose server approves at once. @param other what it answers at other addresses */
export function signsIn(
  { http, ...more }: FakePlatformOptions = {},
  tokens: object = TOKENS,
  other: (url: string) => FakeAnswer = () => ({}),
): FakePlatform {
  const handler = ({ url }: { readonly url: string }): FakeAnswer => {
    if (url.includes("/code")) return { body: CODE };
    return url.includes("/t") ? { body: tokens } : other(url);
  };
  return fakePlatform({ http: { handler, ...http }, ...more });
}

/** A device that has signed in. */
export interface SignedIn {
  readonly driver: Driver;
  readonly platform: FakePlatform;
}

export function signedIn(options: Partial<DriverOptions> = {}, platform = signsIn()): SignedIn {
  const driver = driverOn(platform, options);
  driver.start();
  platform.clock.advance(30_000);
  if (driver.device.state !== State.SIGNED_IN) throw new Error(State[driver.device.state]);
  return { driver, platform };
}

/** Calls a resource server; gives the addresses that were asked. */
export function call({ driver, platform }: SignedIn, target = "", resource = 0): string[] {
  const { length } = platform.http.requests;
  const bytes = bytesOf(target);
  core.beginCall(driver.device);
  core.addPath(driver.device, bytes, 0, bytes.length);
  core.sendCall(driver.device, core.Endpoint.RESOURCE + resource, 1, null, 0, 0);
  driver.run();
  platform.clock.advance(1000);
  return platform.http.requests.slice(length).map(({ url }) => url);
}

/** Lets time pass; what is thrown reaches the alarm, as it reaches a platform's timer. */
export function pass(platform: FakePlatform, seconds: number): unknown[] {
  const thrown: unknown[] = [];
  for (let i = 0; i < seconds; i++) {
    try {
      platform.clock.advance(1000);
    } catch (error) {
      thrown.push(error);
    }
  }
  return thrown;
}
