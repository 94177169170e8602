// Older major versions of oidc-provider, which others still run: installed when first wanted (the gate has the network
// for it), and taken through the same life as today's.

import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { METHODS } from "./foreign-server.ts";
import { isThere, startProvider } from "./oidc-provider-server.ts";
import { SharedTime } from "./peer-device.ts";
import { HAPPENINGS, play } from "./scenarios.ts";

let time: SharedTime;
beforeEach(() => {
  // Only the date: sockets need the real timers.
  vi.useFakeTimers({ toFake: ["Date"] });
  time = new SharedTime((ms) => vi.setSystemTime(ms));
});
afterEach(() => vi.useRealTimers());

/** `npm run tool -- test-peers` and the gate install what is not there; other runs need no network. */
const mayInstall = process.env.CI === "true" || process.env.PICOGRANT_INSTALL === "1";

describe.each(([8, 7] as const).filter((major) => mayInstall || isThere(major)))(
  "oidc-provider %i",
  (major) => {
    test.each(METHODS)("RFC 8628, RFC 6749, RFC 7009: %s", async (method) => {
      for (const name of ["info", "warn"] as const) vi.spyOn(console, name).mockReturnValue();
      const server = await startProvider(major);
      try {
        for (const happening of HAPPENINGS) await play(server, method, happening, time);
      } finally {
        await server.close();
        vi.restoreAllMocks();
      }
    });
  },
);

test("versions that are not installed are left out, and said so", (context) => {
  if (!mayInstall && !(isThere(8) && isThere(7))) context.skip("npm run tool -- test-peers");
});
