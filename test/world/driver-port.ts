// The driver in a world: on its adapters, with the complete core, for a server that gives a code and tokens.

import * as core from "../../core/complete.ts";
import type { Platform } from "../../platform/contracts.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import type { FakeAnswer, FakePlatformOptions, SeenRequest } from "../../platform/fake/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { code, tokens, World } from "./world.ts";

export const ENDPOINTS = {
  ...noEndpoints,
  deviceAuthorization: "https://x.test/code",
  token: "https://x.test/token",
  revocation: "https://x.test/revoke",
  resources: ["https://x.test/api"],
};

/** A driver for that server. */
export function driverOn(platform: Platform, more: Partial<DriverOptions> = {}): Driver {
  return new Driver({ core, platform, config: driverConfig, endpoints: ENDPOINTS, ...more });
}

/**
 * A world whose server approves at once.
 * @param members of its answer with tokens
 * @param other what it answers at other addresses
 */
export function signsIn(
  { http, ...more }: FakePlatformOptions = {},
  members: object = {},
  other: (url: string) => FakeAnswer = () => ({}),
): World {
  const handler = ({ url }: SeenRequest): FakeAnswer => {
    if (url.includes("/code")) return code();
    return url.includes("/t") ? tokens(members) : other(url);
  };
  return new World({ http: { handler, ...http }, ...more });
}

/** A device that has signed in. */
export interface SignedIn {
  readonly driver: Driver;
  readonly platform: World;
}

export function signedIn(options: Partial<DriverOptions> = {}, platform = signsIn()): SignedIn {
  const driver = driverOn(platform, options);
  driver.start();
  platform.wait(30);
  if (!driver.isSignedIn) throw new Error(core.State[driver.device.state]);
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
  platform.wait(1);
  return platform.http.requests.slice(length).map(({ url }) => url);
}
