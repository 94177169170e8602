// Runs the driver with the complete core in an environment.

import * as core from "../../core/complete.ts";
import type { Platform } from "../../platform/contracts.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import type {
  FakePlatformOptions,
  FakeResponse,
  SeenRequest,
} from "../../platform/testing/index.ts";
import { driverConfig } from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { code, Environment, tokens } from "./environment.ts";

export const ENDPOINTS = {
  ...noEndpoints,
  deviceAuthorization: "https://x.test/code",
  token: "https://x.test/token",
  revocation: "https://x.test/revoke",
  resources: ["https://x.test/api"],
};

export function driverOn(platform: Platform, more: Partial<DriverOptions> = {}): Driver {
  return new Driver({ core, platform, config: driverConfig, endpoints: ENDPOINTS, ...more });
}

/** A server whose user allows each request at once. `members` are added to the token response. */
export function signsIn(
  { http, ...more }: FakePlatformOptions = {},
  members: object = {},
  other: (url: string) => FakeResponse = () => ({}),
): Environment {
  const handler = ({ url }: SeenRequest): FakeResponse => {
    if (url.includes("/code")) return code();
    return url.includes("/t") ? tokens(members) : other(url);
  };
  return new Environment({ http: { handler, ...http }, ...more });
}

export interface SignedIn {
  readonly driver: Driver;
  readonly platform: Environment;
}

export function signedIn(options: Partial<DriverOptions> = {}, platform = signsIn()): SignedIn {
  const driver = driverOn(platform, options);
  driver.start();
  platform.wait(30);
  if (!driver.isSignedIn) throw new Error(core.State[driver.device.state]);
  return { driver, platform };
}

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
