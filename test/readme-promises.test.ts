// What the README promises a program on Node, each promise once and in one sign-in, so that `npm test` notices when
// one is broken. The programs themselves run in readme-example.test.ts, odd cases in test/platform.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Session, SignInError, signIn } from "../platform/node/sign-in.ts";
import {
  type SimulatedService,
  startSimulatedService,
} from "../targets/service/simulated-service.ts";

let service: SimulatedService;
let state: string;
let session: Session;
const asked: string[] = [];

const start = (more: object = {}): Promise<Session> =>
  signIn({
    ...{ server: service.url, clientId: "public-printer", scope: "openid", state },
    onCode: ({ userCode, verificationUri, qr }) => {
      asked.push(`${qr}\n${verificationUri} ${userCode}`);
      service.approve(userCode, "ada");
    },
    ...more,
  });

beforeAll(async () => {
  service = await startSimulatedService({ options: { interval: 1 } });
  state = mkdtempSync(path.join(tmpdir(), "picogrant-promises-"));
  session = await start();
});

afterAll(async () => {
  await session.close();
  await service.close();
  rmSync(state, { recursive: true, force: true });
});

/** The header of a request that a program makes; the first `refusals` are refused as expired. */
async function bearersOf(own: Session, refusals: number): Promise<(string | null)[]> {
  const bearers: (string | null)[] = [];
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    bearers.push(new Request(input, init).headers.get("authorization"));
    return Promise.resolve(new Response("", { status: bearers.length > refusals ? 200 : 401 }));
  };
  try {
    const answer = await own.fetch(`${service.url}/userinfo`);
    expect(answer.status).toBe(200);
  } finally {
    globalThis.fetch = real;
  }
  return bearers;
}

it("README: a code, an address and a picture of it are what the user gets", () => {
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/█|▄|▀/);
  expect(asked[0]).toContain(service.url);
});

it("README: session.fetch refreshes the access token by itself", async () => {
  const [first] = await bearersOf(session, 0);
  expect(first).toMatch(/^Bearer \S+$/);
  const [same, renewed] = await bearersOf(session, 1);
  expect(same).toBe(first);
  expect(renewed).toMatch(/^Bearer \S+$/);
  expect(renewed).not.toBe(first);
});

it("README: the next start finds the session in its directory and asks nobody", async () => {
  await session.close();
  session = await start();
  expect(session.status).not.toBe("ended");
  expect(await session.accessToken()).not.toBe("");
  expect(asked).toHaveLength(1);
});

it("README: a SignInError's code says why, and its remedy who can mend it", async () => {
  const wrong = start({ clientId: "nobody", state: path.join(state, "other") });
  const error = await wrong.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SignInError);
  expect(error).toMatchObject({ code: "invalid_client", remedy: "maker" });
});

it("README: session.signOut() revokes the tokens", async () => {
  const token = await session.accessToken();
  await session.signOut();
  expect(session.status).toBe("ended");
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${service.url}/video/v3/liveBroadcasts?part=id`, { headers })).status).toBe(
    401,
  );
});
