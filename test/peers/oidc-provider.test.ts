// The device, unchanged, against oidc-provider 9 over real HTTP: discovery, code, polling, refresh with
// rotation, an API call, revocation; and what this server does differently from the documents' one.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as sources from "../../core/complete.ts";
import { CallState, ErrorCode, Field, State } from "../../core/complete.ts";
import type { DriverConfig } from "../../platform/driver.ts";
import { coreOf } from "../lives/core-of.ts";
import { shippedBundle } from "../lives/load-core.ts";
import type { ForeignServer } from "./foreign-server.ts";
import { ACCESS_LIFE_S, CODE_LIFE_S, PeerBrowser, startProvider } from "./oidc-provider-server.ts";
import { PeerDevice, SharedTime } from "./peer-device.ts";

let provider: ForeignServer;
let time: SharedTime;
let device: PeerDevice;
let bundle: string;

beforeAll(async () => {
  bundle = await shippedBundle();
  mute();
  provider = await startProvider();
});
beforeEach(() => {
  mute();
  // Only the date: sockets need the real timers.
  vi.useFakeTimers({ toFake: ["Date"] });
  time = new SharedTime((ms) => vi.setSystemTime(ms));
});
afterEach(() => {
  device.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => provider.close());

/** Its notices that pages, lifetimes and accounts are the default ones are not for this log. */
function mute(): void {
  for (const method of ["info", "warn"] as const) {
    const print = console[method];
    vi.spyOn(console, method).mockImplementation((...words: unknown[]) => {
      if (!String(words[0]).includes("oidc-provider")) print(...words);
    });
  }
}

type MakeCore = () => typeof sources;
const fromSources: MakeCore = () => sources;
const fromBundle: MakeCore = () => coreOf(bundle) as typeof sources;

async function start(make: MakeCore, config: Partial<DriverConfig> = {}): Promise<void> {
  device = await PeerDevice.start(make, time, provider.issuer, config);
}

function text(field: number): string {
  const { memory, start, length } = device.driver.device;
  const from = start[field]!;
  const size = Math.max(0, length[field]!);
  const bytes = Uint8Array.from({ length: size }, (_, i) => memory[from + i]!);
  return new TextDecoder().decode(bytes);
}

const state = (): number => device.driver.device.state;

/** Until the code is on the display; what the user would type in and where. */
async function shownCode(): Promise<[string, string]> {
  await device.until("a code", () => state() === State.PENDING);
  expect(device.display.text).toContain(text(Field.USER_CODE));
  return [text(Field.VERIFICATION_URI), text(Field.USER_CODE)];
}

async function signedIn(): Promise<void> {
  const [address, userCode] = await shownCode();
  const polls = device.answers("/token").length;
  await device.until("two polls", () => device.answers("/token").length === polls + 2);
  await new PeerBrowser().approve(address, userCode);
  await device.until("tokens", () => state() === State.SIGNED_IN);
}

const errors = (path: string): (string | undefined)[] =>
  device.answers(path).map(({ answer }) => (answer ? JSON.parse(answer).error : undefined));

/** Asks the provider itself whether a refresh token is alive. */
async function refreshes(token: string): Promise<number> {
  const body = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: token,
    client_id: "printer",
  });
  return (await fetch(`${provider.issuer}/token`, { method: "POST", body })).status;
}

describe("oidc-provider 9", () => {
  test.each([
    ["the sources", fromSources],
    ["the bundle", fromBundle],
  ] as const)("signs in, uses the token, refreshes with rotation, revokes: %s", async (_, make) => {
    await start(make);
    await signedIn();
    // No interval in its answer: RFC 8628 §3.2 says five seconds.
    expect(device.answers("/device/auth")[0]!.answer).not.toContain("interval");
    expect(errors("/token").slice(0, 2)).toEqual([
      "authorization_pending",
      "authorization_pending",
    ]);
    expect(device.display.text).toContain("Signed in");
    const first = JSON.parse(device.http.heard.at(-1)!.answer);
    expect(text(Field.ACCESS_TOKEN)).toBe(first.access_token);

    const { core, device: state } = device.driver;
    expect(core.beginCall!(state)).toBe(1);
    expect(core.sendCall!(state, 5, 1, null, 0, 0)).toBe(1);
    device.driver.run();
    await device.until("the API's answer", () => state.callState === CallState.DONE);
    expect(state.callStatus).toBe(200);
    expect(JSON.parse(device.body)).toEqual({ sub: "ada" });

    const polls = device.answers("/token").length;
    const signedInMs = time.clock.elapsedMs;
    await device.until("a refresh", () => device.answers("/token").length === polls + 1);
    await device.until("its answer", () => text(Field.ACCESS_TOKEN) !== first.access_token);
    expect(time.clock.elapsedMs - signedInMs).toBeLessThan(ACCESS_LIFE_S * 1000);
    const second = JSON.parse(device.http.heard.at(-1)!.answer);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    await device.until("another", () => device.answers("/token").length === polls + 2);
    expect(device.http.heard.at(-1)!.fields.get("refresh_token")).toBe(second.refresh_token);
    await device.until("its answer", () => !device.http.busy);
    const third = JSON.parse(device.http.heard.at(-1)!.answer);

    device.driver.signOut();
    await device.until("signed out", () => state.state === State.SIGNED_OUT);
    // RFC 7009 §2.1: in the body, at the first try; the refresh token, then the access token.
    const revocations = device.answers("/token/revocation");
    expect(revocations.map(({ path, status }) => [path, status])).toEqual([
      ["/token/revocation", 200],
      ["/token/revocation", 200],
    ]);
    expect(await refreshes(third.refresh_token)).toBe(400);
  });

  test("deny: access_denied ends the attempt, and a new one can be begun", async () => {
    await start(fromBundle);
    const [address, userCode] = await shownCode();
    await new PeerBrowser().deny(address, userCode);
    await device.until("the refusal", () => state() === State.FAILED);
    expect(errors("/token").at(-1)).toBe("access_denied");
    expect(device.answers("/token").at(-1)!.status).toBe(400);
    expect(device.driver.device.error).toBe(ErrorCode.ACCESS_DENIED);
    expect(device.display.text).toContain("Access refused");
    device.driver.signIn();
    await signedIn();
  });

  test("expiry by the device's own clock: a new code by itself, which works", async () => {
    await start(fromBundle);
    const [, userCode] = await shownCode();
    const codeMs = time.clock.elapsedMs;
    await device.until("a second code", () => device.answers("/device/auth").length === 2);
    expect(time.clock.elapsedMs - codeMs).toBeGreaterThanOrEqual(CODE_LIFE_S * 1000);
    await device.until("it is there", () => text(Field.USER_CODE) !== userCode);
    await signedIn();
  });

  test("expiry by the server's clock, which runs ahead: its refusal brings a new code", async () => {
    await start(fromBundle);
    await shownCode();
    time.aheadMs = (CODE_LIFE_S + 1) * 1000;
    time.tell();
    await device.until("a second code", () => device.answers("/device/auth").length === 2);
    expect(time.clock.elapsedMs).toBeLessThan(CODE_LIFE_S * 1000);
    expect(["expired_token", "invalid_grant"]).toContain(errors("/token").at(-1));
  });

  test("a rotated token whose answer was lost: the replay revokes the grant, the user is asked", async () => {
    await start(fromBundle);
    await signedIn();
    device.http.lose = true;
    await device.until("the end of the session", () => state() === State.FAILED);
    const tried = device.answers("/token").slice(-2);
    expect(tried.map(({ status }) => status)).toEqual([200, 400]);
    expect(device.driver.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(device.display.text).toContain("Sign in again");
  });

  test.each([
    ["client_secret_post", sources.ClientAuthentication.CLIENT_SECRET_POST, "client_secret_post"],
    [
      "client_secret_basic",
      sources.ClientAuthentication.CLIENT_SECRET_BASIC,
      "client_secret_basic",
    ],
  ] as const)(
    "RFC 8628 §3.1: a confidential client authenticates at the device endpoint too: %s",
    async (_, clientAuthentication, method) => {
      const { id: clientId, secret: clientSecret } = provider.clients[method];
      const confidential = { clientId, clientSecret };
      await start(fromBundle, {
        ...confidential,
        clientAuthentication: sources.ClientAuthentication.NONE,
      });
      await device.until("the refusal", () => state() === State.FAILED);
      expect(device.answers("/device/auth")[0]!.status).toBe(401);
      expect(device.driver.device.error).toBe(ErrorCode.INVALID_CLIENT);
      device.close();
      await start(fromBundle, { ...confidential, clientAuthentication });
      await signedIn();
      expect(device.answers("/device/auth")[0]!.status).toBe(200);
    },
  );
});
