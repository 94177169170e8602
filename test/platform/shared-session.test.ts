// Tests several programs with one session (platform/session/shared-records.ts): which program waits for which. The server
// ends the session if a refresh token is used twice (RFC 9700 section 4.14.2). Random sessions test refreshes, kills and
// ends (session-model/shared-run.ts).

import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  discard,
  type Session,
  type SignInError,
  type SignInOptions,
  signIn,
} from "../../platform/node/sign-in.ts";
import { StateLock } from "../../platform/node/state-lock.ts";
import { opened, type RealEnvironment } from "../environment/real-environment.ts";
import { VIDEO_READONLY } from "../service/harness.ts";

let environment: RealEnvironment;
let state: string;
const sessions: Session[] = [];

beforeEach(async () => {
  const rotates = { refreshTokenRotation: true, rotationGrace: 0 };
  environment = await opened("http", { pollToleranceMs: 250, ...rotates });
  state = path.join(environment.folder, "state");
});
afterEach(() => Promise.all(sessions.splice(0).map((session) => session.close())));

/** An API that refuses each request, so that the session refreshes its tokens. */
const refused = (): Promise<Response> => Promise.resolve(new Response("", { status: 401 }));
const program = (): SignInOptions => ({
  server: environment.url,
  ...{ clientId: "living-room-tv", clientSecret: "tv-secret", scope: VIDEO_READONLY },
  state,
  fetch: refused,
});

async function start(more: Partial<SignInOptions> = {}): Promise<Session> {
  const onCode = ({ userCode }: { userCode: string }): void =>
    void environment.service.approve(userCode, "ada");
  const session = await signIn({ ...program(), onCode, ...more });
  sessions.push(session);
  return session;
}

async function renew(session: Session): Promise<string> {
  const before = await session.accessToken();
  await session.fetch("https://api.example.com/");
  const after = await session.accessToken();
  expect(after).not.toBe(before);
  return after;
}

const isValid = async (token: string): Promise<boolean> => {
  const address = `${environment.url}/video/v3/liveBroadcasts?part=id&mine=true`;
  return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status === 200;
};

describe("two programs that sign in together", () => {
  it("request one code; the second program reports which process it waits for, and gets the session too", async () => {
    const codes: string[] = [];
    const troubles: string[] = [];
    const onCode = ({ userCode }: { userCode: string }): void => void codes.push(userCode);
    const first = signIn({ ...program(), onCode });
    const second = signIn({
      ...program(),
      onCode,
      onTrouble: ({ code, message }) => {
        troubles.push(code);
        expect(message).toContain(`process ${process.pid} `);
        environment.service.approve(codes[0]!, "ada");
      },
    });
    sessions.push(...(await Promise.all([first, second])));
    expect([codes.length, troubles]).toEqual([1, ["state_busy"]]);
    for (const session of sessions) expect(await isValid(await renew(session))).toBe(true);
  });

  it("aborting the second program while it waits takes effect at once", async () => {
    const codes: string[] = [];
    const first = signIn({ ...program(), onCode: ({ userCode }) => codes.push(userCode) });
    await expect.poll(() => codes.length).toBe(1);
    const troubles: string[] = [];
    const onTrouble = ({ code }: SignInError): void => void troubles.push(code);
    // The first program holds the lock. The second program tries to take the lock before it changes the records.
    const tries = vi.spyOn(StateLock.prototype, "tryTake");
    const controller = new AbortController();
    const onCode = (): void => {};
    const second = signIn({ ...program(), onCode, onTrouble, signal: controller.signal });
    await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(0);
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    tries.mockRestore();
    // If the second program waited to erase a foreign record, it would report storage_silent after ten seconds.
    expect(troubles).toEqual([]);
    environment.service.approve(codes[0]!, "ada");
    sessions.push(await first);
    expect(codes).toHaveLength(1);
  });

  it("a new sign-in replaces the session of both programs, and ends the old one", async () => {
    const daemon = await start();
    await (await start()).signOut();
    const anew = await start();
    await expect(renew(daemon)).rejects.toMatchObject({ code: "session_ended" });
    expect([daemon.status, anew.status]).toEqual(["ended", "signed-in"]);
    expect(await isValid(await anew.accessToken())).toBe(true);
  });

  it("discard waits for a refresh to complete, and nothing is written afterwards", async () => {
    const daemon = await start();
    const renewal = renew(daemon);
    await discard(state);
    await renewal.catch(() => {});
    await discard(state);
    await daemon.fetch("https://api.example.com/").catch(() => {});
    expect(daemon.status).toBe("ended");
    expect(fs.readdirSync(state)).toEqual([]);
  });
});

describe("a start uses the cached access token", () => {
  const KEY = Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1);
  const requested = (): number => environment.responses("/token").length;

  it.each([["in the clear", {}] as const, ["sealed", { deviceKey: KEY }] as const])(
    "ten starts, and twelve programs at once, use the same access token, %s",
    async (_, key) => {
      await (await start(key)).close();
      const before = requested();
      for (let count = 0; count < 10; count++) {
        const session = await start(key);
        expect(await isValid(await session.accessToken())).toBe(true);
        await session.close();
      }
      const all = await Promise.all(Array.from({ length: 12 }, () => start(key)));
      const tokens = await Promise.all(all.map((one) => one.accessToken()));
      expect([requested() - before, new Set(tokens).size]).toEqual([0, 1]);
      expect(all[0]!.expiresInS).toBeGreaterThan(3000);
      // One program refreshes, and the others use its token.
      await Promise.all(all.map((one) => one.fetch("https://api.example.com/")));
      const renewed = new Set(await Promise.all(all.map((one) => one.accessToken())));
      expect([requested() - before, renewed.size]).toEqual([1, 1]);
      const stored = fs.readFileSync(path.join(state, "token-cache"), "latin1");
      expect(stored.includes([...renewed][0]!)).toBe(!("deviceKey" in key));
    },
  );

  it.each([
    ["has expired", 3_600_000],
    ["has a minute left", 3_541_000],
    ["is from tomorrow, because the clock was set back", -86_400_000],
  ])("a token that %s is refreshed", async (_, laterMs) => {
    await (await start()).close();
    const before = requested();
    const now = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => now() + laterMs);
    expect(await isValid(await (await start()).accessToken())).toBe(true);
    expect(requested() - before).toBe(1);
  });
});
