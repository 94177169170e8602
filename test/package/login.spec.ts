// Runs `picogrant login`, `token` and `logout` of the installed package.

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type SimulatedService,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import { temporaryFolder } from "../listening.ts";
import { startProvider } from "../peers/oidc-provider-server.ts";
import type { Ended } from "../program.ts";
import { events, run, start } from "./install.ts";

const SECRET = { PICOGRANT_CLIENT_SECRET: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

const folder = temporaryFolder();

let service: SimulatedService;
let state: string;
let count = 0;

beforeEach(async () => {
  service = await startSimulatedService({ options: { verificationUriComplete: true } });
  state = path.join(folder, `state-${count++}`);
});
afterEach(() => service.close());

function decideEach(decide: (userCode: string) => void): void {
  service.observe((event) => {
    if (event.type !== "attempt" || event.state !== "pending") return;
    setImmediate(() => {
      for (const { userCode } of service.pending()) decide(userCode);
    });
  });
}
const allowEach = (): void => decideEach((userCode) => void service.approve(userCode, "ada"));

const loginArgs = (...more: string[]): string[] => [
  ...["login", "--server", service.url, "--client-id", "living-room-tv"],
  ...["--scope", SCOPE, "--state", state, ...more],
];

function signIn(...more: string[]): Promise<Ended> {
  allowEach();
  return run(loginArgs(...more), SECRET);
}

async function call(token: string): Promise<number> {
  const address = `${service.url}/video/v3/liveBroadcasts?part=id&mine=true`;
  return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status;
}

describe("picogrant login", () => {
  it("signs in; token prints a valid one; a second login needs no user interaction; logout revokes", async () => {
    const { code, stdout, stderr } = await signIn("--json");
    expect(code).toBe(0);
    const [shown, signedIn, ...others] = events(stdout);
    expect(shown).toMatchObject({
      event: "code",
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${service.url}/device`,
      expires_in: 1800,
    });
    expect(signedIn).toMatchObject({
      event: "signed_in",
      server: service.url,
      client_id: "living-room-tv",
      renews: true,
      resumed: false,
    });
    expect(signedIn!.expires_in).toBeGreaterThan(3000);
    expect(others).toEqual([]);
    expect(stderr).toContain(shown!.user_code);
    const modes = readdirSync(state).map((name) => statSync(path.join(state, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));

    const { stdout: printed } = await run(["token", "--state", state], SECRET);
    expect(printed).toMatch(/^\S+\n$/);
    expect(await call(printed.trim())).toBe(200);
    expect(stdout + stderr).not.toContain(printed.trim());

    const again = await signIn("--json");
    expect(events(again.stdout)).toMatchObject([{ event: "signed_in", resumed: true }]);

    const out = await run(["logout", "--state", state, "--json"], SECRET);
    expect(events(out.stdout)).toEqual([
      { event: "signed_out", server: service.url, revoked: true, stored: false },
    ]);
    expect(await call(printed.trim())).toBe(401);
    for (const name of ["token", "logout"]) {
      const late = await run([name, "--state", state], SECRET);
      expect(late).toMatchObject({ code: 4, stdout: "" });
    }
  });

  it("logs requests and responses with PICOGRANT_DEBUG, and no secret", async () => {
    const { stdout } = await signIn("--json");
    const debug = { ...SECRET, PICOGRANT_DEBUG: "1" };
    const token = await run(["token", "--state", state, "--fresh"], debug);
    expect(token.stdout).toMatch(/^\S+\n$/);
    const lines = token.stderr.trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^picogrant: \d+\.\d{3} s {2}[ -~]{1,160}$/);
    expect(token.stderr).toMatch(/request 1 TOKEN POST http:\S+\/token, \d+ bytes/);
    expect(token.stderr).toMatch(/response 1 TOKEN 200, \d+ bytes, \d+ ms/);
    const { user_code: userCode } = events(stdout)[0] as { user_code: string };
    for (const secret of [token.stdout.trim(), "tv-secret", userCode]) {
      expect(token.stderr).not.toContain(secret);
    }
    expect((await run(["token", "--state", state, "--fresh"], SECRET)).stderr).toBe("");
  });
});

it("picogrant login at oidc-provider reports the user's name from the ID token", async () => {
  const provider = await startProvider();
  onTestFinished(() => provider.close());
  const { id, secret } = provider.clients.client_secret_basic;
  const args = ["login", "--server", provider.issuer, "--client-id", id, "--state", state];
  const running = start([...args, "--scope", provider.scope, "--json"], {
    PICOGRANT_CLIENT_SECRET: secret,
  });
  await expect.poll(() => events(running.stdout).length).toBe(1);
  const [shown] = events(running.stdout);
  await provider.approve(`${shown!.verification_uri}`, `${shown!.user_code}`);
  const { code, stdout, stderr } = await running.end;
  expect(stderr).toMatch(/Signed in at \S+ as ada\./);
  expect(code).toBe(0);
  expect(events(stdout).at(-1)).toMatchObject({ event: "signed_in", who: "ada", renews: true });
  const out = await run(["logout", "--state", state], { PICOGRANT_CLIENT_SECRET: secret });
  expect(out.stdout).toMatch(/^Signed out at \S+: the tokens are revoked and deleted\.\n$/);
});
