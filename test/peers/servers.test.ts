// Interoperability with other authorization servers, each with a public client and with confidential clients that
// authenticate in the body and with HTTP Basic: oidc-provider (OpenID certified, its own pages, rotating refresh tokens),
// Authlib (common in Python), and better-auth, which requires JSON and has no metadata.

import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test, vi } from "vitest";
import * as core from "../../core/complete.ts";
import manifest from "../../package.json" with { type: "json" };
import { rows } from "../../targets/command/conform/device-rows.ts";
import { isAuthlibMissing, startAuthlib } from "./authlib-server.ts";
import { startBetterAuth } from "./better-auth-server.ts";
import { startProvider } from "./oidc-provider-server.ts";
import { type ForeignServer, METHODS } from "./own-service.ts";
import { PeerDevice, play, SCENARIOS, type Scenario, SharedTime } from "./scenarios.ts";

/** Suppresses oidc-provider's messages, such as warnings about default pages, lifetimes and accounts. */
function mute(): void {
  for (const method of ["info", "warn"] as const) {
    const print = console[method];
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      if (!String(words[0]).includes("oidc-provider")) print(...words);
    });
  }
}

const WITHOUT_REFRESH: readonly Scenario[] = ["sign-in", "denial", "expiry"];

describe.each([
  ["oidc-provider 9", startProvider, SCENARIOS, false],
  ["Authlib", startAuthlib, SCENARIOS, isAuthlibMissing],
  ["better-auth 1.7", startBetterAuth, WITHOUT_REFRESH, false],
])("%s", (name, start, happenings, isMissing) => {
  let server: ForeignServer;
  let time: SharedTime;
  beforeAll(async () => {
    mute();
    if (!isMissing) server = await start();
  });
  afterAll(() => server?.close());
  beforeEach(() => {
    mute();
    // Replaces only the date, because sockets need the real timers.
    vi.useFakeTimers({ toFake: ["Date"] });
    time = new SharedTime((ms) => {
      vi.setSystemTime(ms);
      server.setTime?.(ms);
    });
    time.report();
  });
  afterEach(() => vi.useRealTimers());

  describe.skipIf(isMissing).each(METHODS)("%s", (method) => {
    test.each(happenings)("RFC 8628, RFC 6749, RFC 7009: %s", async (scenario) => {
      await play(server, method, scenario, time);
    });
  });

  test.skipIf(name !== "oidc-provider 9")(
    "if the response with a rotated token is lost, using the old token revokes the grant, and the user signs in again",
    async () => {
      const device = await PeerDevice.start(server, "none", time);
      const { device: state } = device.driver;
      try {
        await device.until("a code", () => state.state === core.State.PENDING);
        const code = JSON.parse(device.responses("/device/auth")[0]!.received);
        await server.approve(code.verification_uri, code.user_code);
        await device.until("tokens", () => state.state === core.State.SIGNED_IN);
        device.http.lose = true;
        await device.until("the end of the session", () => state.state === core.State.FAILED);
        const tried = device.responses("/token").slice(-2);
        expect(tried.map(({ status }) => status)).toEqual([200, 400]);
        expect(state.error).toBe(core.ErrorCode.SESSION_ENDED);
      } finally {
        device.close();
      }
    },
  );
});

// PEERS.md is measured only for a release. These tests compare the page's version and rows with the sources.

const page = readFileSync(new URL("../../targets/bundle/PEERS.md", import.meta.url), "utf8");
const lines = page.split("\n");

it("was measured for this version (measure again with npm run tool -- peers --write)", () => {
  expect(page).toContain(`picogrant ${manifest.version}, Node `);
});

it("lists every row of the bench; picogrant passes it, or a reason says why it was not tried", () => {
  const from = lines.findIndex((line) => line.startsWith("| row | section | picogrant |"));
  const reported = lines.slice(from + 2).filter((line) => line.startsWith("| "));
  const cells = reported.slice(0, -1).map((line) => line.split(" | "));
  expect(cells.map(([name]) => name)).toEqual(rows.map(({ name }) => `| ${name}`));
  const others = cells.filter(([, , picogrant]) => picogrant !== "passes");
  expect(others.map(([, , why]) => why)).toEqual(others.map(() => "--no-closure"));
});
