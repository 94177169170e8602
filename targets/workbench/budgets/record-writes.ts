// Counts the record writes of a sign-in, with the driver on fake adapters. Writes wear out flash.

import * as core from "../../../core/complete.ts";
import { Driver, noEndpoints } from "../../../platform/driver.ts";
import { driverConfig, fakePlatform } from "../../../platform/testing/index.ts";

const INTERVAL_S = 5;
const CODE = {
  device_code: "device-code",
  user_code: "ABCD-EFGH",
  verification_uri: "https://x.test/device",
  expires_in: 1800,
  interval: INTERVAL_S,
};
const TOKENS = {
  access_token: "access",
  refresh_token: "refresh",
  expires_in: 3600,
  token_type: "Bearer",
};

interface RecordWrites {
  readonly inAll: number;
  readonly whilePending: number;
}

/** @param pendingPolls the number of polls before the user decides */
export function recordWrites(pendingPolls: number): RecordWrites {
  const writes: number[] = [];
  const platform = fakePlatform({
    http: {
      handler: ({ url }) => {
        if (url.endsWith("/code")) return { status: 200, body: CODE };
        writes.push(platform.storage.counts.writes);
        if (writes.length > pendingPolls) return { status: 200, body: TOKENS };
        return { status: 400, body: { error: "authorization_pending" } };
      },
    },
  });
  const endpoints = {
    ...noEndpoints,
    deviceAuthorization: "https://x.test/code",
    token: "https://x.test/token",
  };
  const driver = new Driver({ core, platform, config: driverConfig, endpoints });
  driver.start();
  platform.clock.advance(2 * pendingPolls * INTERVAL_S * 1000);
  if (!driver.isSignedIn) throw new Error(`no sign-in: ${core.State[driver.device.state]}`);
  const inAll = platform.storage.counts.writes;
  return { inAll, whilePending: writes.at(-1)! - writes[0]! };
}
