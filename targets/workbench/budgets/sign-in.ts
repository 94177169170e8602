// What a sign-in asks of storage and network, on the driver with fake adapters: what a poll costs flash and server.

import * as core from "../../../core/complete.ts";
import { Driver, noEndpoints } from "../../../platform/driver.ts";
import { driverConfig } from "../../../platform/fake/config.ts";
import { fakePlatform } from "../../../platform/fake/index.ts";

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

interface SignInFigure {
  readonly requests: number;
  readonly recordWrites: number;
  readonly writesWhilePending: number;
  /** Polls that came before the server's interval was over. */
  readonly earlyPolls: number;
}

/** @param pendingPolls so many find that the user has not decided yet */
export function measureSignIn(pendingPolls: number): SignInFigure {
  const writes: number[] = [];
  const polledMs: number[] = [];
  const { http, ...platform } = fakePlatform({
    http: {
      handler: ({ url, atMs }) => {
        if (url.endsWith("/code")) return { status: 200, body: CODE };
        polledMs.push(atMs);
        writes.push(platform.storage.counts.writes);
        if (polledMs.length > pendingPolls) return { status: 200, body: TOKENS };
        return { status: 400, body: { error: "authorization_pending" } };
      },
    },
  });
  const endpoints = {
    ...noEndpoints,
    deviceAuthorization: "https://x.test/code",
    token: "https://x.test/token",
  };
  const driver = new Driver({
    core,
    platform: { http, ...platform },
    config: driverConfig,
    endpoints,
  });
  driver.start();
  platform.clock.advance(2 * pendingPolls * INTERVAL_S * 1000);
  if (!driver.isSignedIn) throw new Error(`no sign-in: ${core.State[driver.device.state]}`);
  return {
    requests: http.requests.length,
    recordWrites: platform.storage.counts.writes,
    writesWhilePending: writes.at(-1)! - writes[0]!,
    earlyPolls: polledMs.filter((ms, at) => at > 0 && ms - polledMs[at - 1]! < INTERVAL_S * 1000)
      .length,
  };
}
