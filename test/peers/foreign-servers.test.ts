// Any server, any client: authorization servers that others wrote, run unchanged, and this project's own,
// each with a public client and with confidential ones that authenticate in the body and by HTTP Basic.

import { afterAll, afterEach, beforeAll, beforeEach, describe, test, vi } from "vitest";
import { startBetterAuth, startBetterAuthSessions } from "./better-auth-server.ts";
import { type ForeignServer, METHODS } from "./foreign-server.ts";
import { startProvider } from "./oidc-provider-server.ts";
import { startOwnService } from "./own-service-server.ts";
import { SharedTime } from "./peer-device.ts";
import { HAPPENINGS, type Happening, play } from "./scenarios.ts";

let time: SharedTime;
beforeEach(() => {
  // Only the date: sockets need the real timers.
  vi.useFakeTimers({ toFake: ["Date"] });
  time = new SharedTime((ms) => vi.setSystemTime(ms));
});
afterEach(() => vi.useRealTimers());

/** oidc-provider's notices that pages, lifetimes and accounts are the default ones. */
function mute(): void {
  for (const method of ["info", "warn"] as const) {
    const print = console[method];
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      if (!String(words[0]).includes("oidc-provider")) print(...words);
    });
  }
}

/** Without refresh tokens and revocation there is less to live through. */
const WITHOUT_REFRESH: readonly Happening[] = ["sign-in", "denial", "expiry"];

describe.each([
  ["oidc-provider 9", startProvider, HAPPENINGS],
  ["better-auth 1.7", startBetterAuth, HAPPENINGS],
  ["better-auth 1.7, sessions", startBetterAuthSessions, WITHOUT_REFRESH],
  ["the service of this project", startOwnService, HAPPENINGS],
])("%s", (_, start, happenings) => {
  let server: ForeignServer;
  beforeAll(async () => {
    mute();
    server = await start();
  });
  afterAll(async () => {
    await server.close();
    vi.restoreAllMocks();
  });

  describe.each(METHODS)("%s", (method) => {
    test.each(happenings)("RFC 8628, RFC 6749, RFC 7009: %s", async (happening) => {
      await play(server, method, happening, time);
    });
  });
});
