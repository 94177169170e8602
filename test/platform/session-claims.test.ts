// Who has signed in, and for what: `session.claims` and `session.scope` at the simulated service, which is an OpenID
// provider. What other issuers may answer is in claims.test.ts.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Session, type SignInOptions, signIn } from "../../platform/node/sign-in.ts";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type Service,
  serve,
} from "../../targets/service/index.ts";
import { FIXTURE } from "../service/harness.ts";

let service: Service;
let server: RunningServer;
let state: string;
const sessions: Session[] = [];
const asked: string[] = [];

beforeEach(async () => {
  const options = { interval: 1, pollToleranceMs: 250 };
  service = createService({ ...nodeEnvironment(), fixture: FIXTURE, options });
  server = await serve(service);
  state = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-claims-"));
  asked.length = 0;
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await server.close();
  fs.rmSync(state, { recursive: true, force: true });
});

async function start(more: Partial<SignInOptions> = {}): Promise<Session> {
  const session = await signIn({
    ...{ server: server.url, clientId: "living-room-tv", clientSecret: "tv-secret", state },
    scope: "openid email",
    onCode: ({ userCode }) => void service.approve(userCode, "ada"),
    fetch: (input, init) => {
      asked.push(`${input}`);
      return fetch(input, init);
    },
    ...more,
  });
  sessions.push(session);
  return session;
}

it("says who has signed in, with the issuer's keys, and asks for them once", async () => {
  const session = await start();
  const claims = await session.claims();
  expect(claims).toMatchObject({ iss: server.url, aud: "living-room-tv" });
  expect(claims!.sub).toMatch(/^.+$/);
  const before = asked.length;
  expect(before).toBeGreaterThanOrEqual(2);
  expect(await session.claims()).toBe(claims);
  expect(asked).toHaveLength(before);
});

it("says what the tokens are for: as the server says, or as it was asked for", async () => {
  const session = await start();
  expect(session.scope).toBe("openid email");
  expect(session.tokenResponse).toMatchObject({ token_type: "Bearer" });
  expect(JSON.stringify(session.tokenResponse)).not.toContain(await session.accessToken());
});

it("has nothing to say where no ID token came", async () => {
  const session = await start({ scope: "https://auth.picogrant.test/auth/video.readonly" });
  expect(await session.claims()).toBeUndefined();
});

it("where the server is given by its addresses there is nobody to ask for keys", async () => {
  const addresses = {
    deviceAuthorization: `${server.url}/device/code`,
    token: `${server.url}/token`,
  };
  const session = await start({ server: addresses }).catch(() => undefined);
  if (session === undefined) throw new Error("the service's addresses have changed");
  await expect(session.claims()).rejects.toMatchObject({ code: "no_metadata", remedy: "maker" });
});
