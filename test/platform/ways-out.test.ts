// SPEC.md, Errors: a device is never stuck. Each answer that can be provoked, and silence, again and again in the place
// of every refresh: a person has a way out of it by the keys, and what passes costs no session.

import { describe, expect, it } from "vitest";
import { ClientAuthentication, State } from "../../core/complete.ts";
import type { Driver } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import { type FakeAnswer, MemoryStorage } from "../../platform/fake/index.ts";
import { PROVOKED_ANSWERS } from "../../targets/service/provoked.ts";
import { isFullRun } from "../full-run.ts";
import { ENDPOINTS, signedIn, signsIn } from "../world/driver-port.ts";
import { code, tokens } from "../world/world.ts";

/** The session is the user's to renew: a new code, whatever else. */
const ENDS = new Set([
  ...["interaction_required", "login_required", "consent_required", "account_selection_required"],
  ...["mfa_required", "ux_not_allowed", "bad_token", "interrupted_user", "invalid_grant"],
  "invalid_token",
]);

interface Bench {
  driver: Driver;
  clock: { advance(ms: number): void };
  /** The server is well again. */
  mend(): void;
}

/** A device with a session whose every refresh meets this. */
function refreshing(meets: string): Bench {
  let isBroken = true;
  const { status, headers, body } = PROVOKED_ANSWERS[meets] ?? { status: 0 };
  const broken: FakeAnswer = { status, ...(headers && { headers }), ...(body && { body }) };
  const handler = ({ url, text }: { url: string; text: string }): FakeAnswer => {
    const isRefresh = text.includes("refresh_token") && url !== ENDPOINTS.revocation;
    if (isRefresh && isBroken) return broken;
    return url === ENDPOINTS.deviceAuthorization ? code() : tokens();
  };
  const faultFor = (request: { text: string }) =>
    meets === "silent" && isBroken && !/device_code|scope=/.test(request.text)
      ? ({ kind: "hang" } as const)
      : undefined;
  const storage = new MemoryStorage({ capacity: 8192 });
  const config = { ...driverConfig, clientAuthentication: ClientAuthentication.NONE };
  const { driver, platform } = signedIn(
    { config, memoryBytes: 8192 },
    signsIn({ http: { handler, faultFor }, storage }),
  );
  // Until the token is refreshed, and what that meets is known: a server that is silent takes its time.
  platform.clock.advance(3_600_000 + 60_000);
  return {
    driver,
    clock: platform.clock,
    mend: () => {
      isBroken = false;
    },
  };
}

const PRESS = {
  "sign-in": (driver: Driver) => driver.signIn(),
  cancel: (driver: Driver) => driver.cancel(),
  "sign-out": (driver: Driver) => driver.signOut(),
};
type Key = keyof typeof PRESS;
const stateOf = ({ driver }: Bench): string => State[driver.device.state]!;

describe.each([...Object.keys(PROVOKED_ANSWERS), "silent"])("each refresh meets %s", (meets) => {
  it("the session is kept until the server is well, or is the user's to renew", () => {
    const bench = refreshing(meets);
    expect(stateOf(bench)).toBe(ENDS.has(meets) ? "FAILED" : "REFRESHING");
    if (ENDS.has(meets)) return;
    bench.mend();
    // REFUSED_BACKOFF_MAX_MS, and what the server asks for.
    bench.clock.advance(4_096_000 * 2);
    expect(stateOf(bench)).toBe("SIGNED_IN");
  });
});

/** By an unknown name, by the client's, by a status that never passes. */
const REFUSALS = ["unknown", "invalid_client", "405"];

/** Keys, pressed one after the other as an impatient person does, until the device is where it should be. */
const WAYS_OUT: readonly { meets: string; keys: readonly Key[]; ends: string }[] = [
  ...REFUSALS.flatMap((meets) => [
    // Tried once more at once; then the tokens are given up for a new code.
    { meets, keys: ["sign-in"] as const, ends: "PENDING" },
    { meets, keys: ["cancel"] as const, ends: "SIGNED_OUT" },
    { meets, keys: ["sign-out"] as const, ends: "SIGNED_OUT" },
  ]),
  { meets: "503", keys: ["sign-out"], ends: "SIGNED_OUT" },
  // Nobody revokes the tokens there: the person need not wait for that.
  { meets: "silent", keys: ["sign-out", "cancel"], ends: "SIGNED_OUT" },
];

describe.each(WAYS_OUT)(
  "$meets: $keys leads to $ends, whenever that is",
  ({ meets, keys, ends }) => {
    // A day of refusals by an unknown name ends the session: the ways lead out of that as well.
    it.each(isFullRun ? [0, 1, 12, 23, 26, 24 * 30] : [0, 23, 26])(
      "%i hours after the first refusal",
      (hours) => {
        const bench = refreshing(meets);
        bench.clock.advance(hours * 3_600_000);
        const isOver = meets === "unknown" && hours > 24;
        expect(stateOf(bench)).toBe(isOver ? "FAILED" : "REFRESHING");
        for (let press = 0; press < 4 && stateOf(bench) !== ends; press++) {
          PRESS[keys[press % keys.length]!](bench.driver);
          bench.clock.advance(500);
        }
        expect(stateOf(bench)).toBe(ends);
      },
    );
  },
);
