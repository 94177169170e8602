// Several programs with one session (platform/node/shared-directory.ts), at a server that gives each refresh token once
// and ends the session where one comes back (RFC 9700 section 4.14.2): in one process, and in several.

import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  forget,
  type Session,
  type SignInError,
  type SignInOptions,
  signIn,
} from "../../platform/node/sign-in.ts";
import { StateLock } from "../../platform/node/state-lock.ts";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type Service,
  serve,
} from "../../targets/service/index.ts";
import { isFullRun } from "../full-run.ts";
import { FIXTURE, VIDEO_READONLY } from "../service/harness.ts";

let service: Service;
let server: RunningServer;
let root: string;
let state: string;
const sessions: Session[] = [];
const children: ChildProcess[] = [];

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-shared-"));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
beforeEach(async () => {
  const options = {
    ...{ interval: 1, pollToleranceMs: 250 },
    ...{ refreshTokenRotation: true, rotationGrace: 0 },
  };
  service = createService({ ...nodeEnvironment(), fixture: FIXTURE, options });
  server = await serve(service);
  state = fs.mkdtempSync(path.join(root, "state-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await server.close();
});

/** Each request is refused, so that each has the tokens renewed. */
const refused = (): Promise<Response> => Promise.resolve(new Response("", { status: 401 }));
const program = (): SignInOptions => ({
  server: server.url,
  ...{ clientId: "living-room-tv", clientSecret: "tv-secret", scope: VIDEO_READONLY },
  state,
  fetch: refused,
});

async function start(more: Partial<SignInOptions> = {}): Promise<Session> {
  const onCode = ({ userCode }: { userCode: string }): void =>
    void service.approve(userCode, "ada");
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

const isGood = async (token: string): Promise<boolean> => {
  const address = `${server.url}/video/v3/liveBroadcasts?part=id&mine=true`;
  return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status === 200;
};

const KEYS: readonly [string, Partial<SignInOptions>][] = [
  ["as they are", {}],
  ["sealed", { deviceKey: Uint8Array.from({ length: 32 }, (_, i) => i * 5) }],
];
const KILLS = 5;

describe.each(isFullRun ? KEYS : KEYS.slice(1))(
  "two sessions on one state, records %s",
  (_, key) => {
    it("renew in turn, and no refresh token is used twice", async () => {
      const daemon = await start(key);
      const other = await start({ ...key, resumeOnly: true });
      for (let round = 0; round < 4; round++) {
        expect(await isGood(await renew(daemon))).toBe(true);
        expect(await isGood(await renew(other))).toBe(true);
      }
      expect(service.counts().grants).toBe(1);
      expect([daemon.isSaved, other.isSaved]).toEqual([true, true]);
    });

    it("renew at the same moment", async () => {
      const all = [await start(key), await start(key), await start(key)];
      for (let round = 0; round < 4; round++) {
        await Promise.all(all.map(renew));
      }
      expect(await isGood(await renew(all[1]!))).toBe(true);
    });

    it("the one that signs out revokes the newest tokens; the other's session is over", async () => {
      const ends: string[] = [];
      const daemon = await start({ ...key, onEnd: ({ code }) => ends.push(code) });
      const other = await start(key);
      await renew(daemon);
      expect(await other.signOut()).toEqual({ isRevoked: true, problem: "", isStored: false });
      expect(service.counts().grants).toBe(0);
      await daemon.fetch("https://api.example.com/");
      await expect(daemon.accessToken()).rejects.toMatchObject({ code: "session_ended" });
      expect([daemon.status, ends]).toEqual(["ended", ["session_ended"]]);
      expect(fs.readdirSync(state).filter((name) => name !== "metadata.json")).toEqual([]);
    });

    it("both sign out: one has revoked, and the other does not say that it has", async () => {
      const [one, other] = [await start(key), await start(key)];
      const outcomes = await Promise.allSettled([one.signOut(), other.signOut()]);
      const revoked = outcomes.filter((outcome) => outcome.status === "fulfilled");
      expect(revoked.map(({ value }) => value.isRevoked)).toEqual([true]);
      const late = outcomes.find((outcome) => outcome.status === "rejected");
      expect(late?.reason).toMatchObject({ code: "session_ended" });
    });
  },
);

describe("two programs that sign in", () => {
  it("ask for one code; the second one says whom it waits for, and has the session, too", async () => {
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
        service.approve(codes[0]!, "ada");
      },
    });
    sessions.push(...(await Promise.all([first, second])));
    expect([codes.length, troubles]).toEqual([1, ["state_busy"]]);
    for (const session of sessions) expect(await isGood(await renew(session))).toBe(true);
  });

  it.skipIf(!isFullRun)("the second one has its code where the first one gives up", async () => {
    const controller = new AbortController();
    const first = signIn({ ...program(), signal: controller.signal });
    const second = start({ onTrouble: () => controller.abort() });
    await expect(first).rejects.toMatchObject({ code: "aborted" });
    expect((await second).status).toBe("signed-in");
  });

  it("one that is given up while it waits leaves the other alone", async () => {
    const codes: string[] = [];
    const first = signIn({ ...program(), onCode: ({ userCode }) => codes.push(userCode) });
    const second = signIn({ ...program(), signal: AbortSignal.timeout(300) });
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => codes.length).toBe(1);
    service.approve(codes[0]!, "ada");
    sessions.push(await first);
    expect(await isGood(await sessions[0]!.accessToken())).toBe(true);
  });

  it("one that is given up while it has read the other's code, and waits, is gone at once", async () => {
    const codes: string[] = [];
    const first = signIn({ ...program(), onCode: ({ userCode }) => codes.push(userCode) });
    await expect.poll(() => codes.length).toBe(1);
    const troubles: string[] = [];
    const onTrouble = ({ code }: SignInError): void => void troubles.push(code);
    // The first one has the lock and does not ask for it again: the second one asks when it would change what it read.
    const tries = vi.spyOn(StateLock.prototype, "tryTake");
    const controller = new AbortController();
    const second = signIn({ ...program(), onTrouble, signal: controller.signal });
    await expect.poll(() => tries.mock.calls.length).toBeGreaterThan(0);
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    tries.mockRestore();
    // It does not wait until it may erase what is not its own: after ten seconds that would be told as storage_silent.
    expect(troubles).toEqual([]);
    service.approve(codes[0]!, "ada");
    sessions.push(await first);
    expect(codes).toHaveLength(1);
  });

  it("forget waits for whoever renews, and what has been forgotten is not written again", async () => {
    const daemon = await start();
    const renewal = renew(daemon);
    await forget(state);
    await renewal.catch(() => {});
    await forget(state);
    await daemon.fetch("https://api.example.com/").catch(() => {});
    expect(daemon.status).toBe("ended");
    expect(fs.readdirSync(state)).toEqual([]);
  });
});

describe("processes with one session", () => {
  let renewing: string;

  beforeAll(() => {
    renewing = path.join(root, "renewing.mjs");
    const source = fileURLToPath(new URL("../../platform/node/sign-in.ts", import.meta.url));
    const contents = `import { signIn } from ${JSON.stringify(source)};
      const { times, ...options } = JSON.parse(process.argv[2]);
      const fetch = async () => new Response("", { status: 401 });
      const session = await signIn({ ...options, resumeOnly: true, fetch });
      process.stdout.write("goes on\\n");
      for (let left = times; left > 0; left--) await session.fetch("https://api.example.com/");
      process.stdout.write(await session.accessToken());
      await session.close();`;
    buildSync({
      stdin: { contents, resolveDir: root, loader: "ts" },
      ...{ outfile: renewing, bundle: true, platform: "node", format: "esm" },
    });
  });

  /** @returns when it has the session, and what it has said at its end */
  function run(times: number): {
    child: ChildProcess;
    begun: Promise<void>;
    end: Promise<string>;
  } {
    const { fetch: _, ...options } = program();
    const child = spawn(process.execPath, [renewing, JSON.stringify({ ...options, times })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    children.push(child);
    let said = "";
    const begun = new Promise<void>((resolve, reject) => {
      child.stdout!.on("data", (data: Buffer) => {
        said += data.toString();
        resolve();
      });
      child.once("close", () => reject(new Error("it never had the session")));
    });
    begun.catch(() => {});
    return {
      ...{ child, begun },
      end: new Promise((resolve) => child.once("close", () => resolve(said))),
    };
  }

  it("renew at the same time as a program that stays, and all have tokens that are good", async () => {
    const daemon = await start();
    const others = [run(6), run(6), run(6)];
    const warnings: string[] = [];
    const warn = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", warn);
    for (let round = 0; round < 12; round++) await renew(daemon);
    process.off("warning", warn);
    expect(warnings).toEqual([]);
    for (const { end } of others) expect(await end).toMatch(/^goes on\n\S{20,}$/);
    expect(service.counts().grants).toBe(1);
    expect(await isGood(await renew(daemon))).toBe(true);
    expect(fs.readdirSync(state).filter((name) => name.startsWith("lock"))).toEqual([]);
  });

  it.skipIf(!isFullRun)(
    "killed at any moment, they keep no other out, and the session goes on",
    async () => {
      // An answer that a killed process has taken with it is asked for again.
      service.setOptions({ rotationGrace: 600 });
      const daemon = await start();
      for (let round = 0; round < KILLS; round++) {
        const { child, begun, end } = run(1000);
        await begun;
        await new Promise((done) => setTimeout(done, round * 61));
        await renew(daemon);
        child.kill("SIGKILL");
        await end;
        expect(await isGood(await renew(daemon))).toBe(true);
      }
    },
  );
});
