// What the driver's tests begin with: the answers of a server that gives a code and tokens, and a driver for it.

import * as core from "../../core/complete.ts";
import type { Platform } from "../../platform/contracts.ts";
import { Driver, type DriverOptions, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";

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

const ENDPOINTS = {
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
