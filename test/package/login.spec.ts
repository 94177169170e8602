// `picogrant login`, `token` and `logout` of the installed package, at the simulated service and at another server.

import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type SimulatedService,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import { startProvider } from "../peers/oidc-provider-server.ts";
import { type Ended, events, run, start } from "./install.ts";

const SECRET = { PICOGRANT_CLIENT_SECRET: "tv-secret" };
const SCOPE = "https://auth.picogrant.test/auth/video.readonly";

const folder = mkdtempSync(path.join(tmpdir(), "picogrant-login-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
  it("signs in; token prints a valid one; a second login needs no user; logout revokes", async () => {
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

  it("RFC 6749 section 6: token refreshes an expired access token", async () => {
    service.setOptions({ accessTokenLifetime: 2 });
    await signIn();
    const first = (await run(["token", "--state", state], SECRET)).stdout;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    service.setOptions({ accessTokenLifetime: 3600 });
    const args = ["token", "--state", state, "--json"];
    const { stdout } = await run(args, SECRET);
    const { access_token: second, expires_in: expiresIn } = JSON.parse(stdout);
    expect(second).not.toBe(first.trim());
    expect(await call(second)).toBe(200);
    expect(expiresIn).toBeGreaterThan(3000);
    // A valid one is not refreshed, unless a server has rejected it.
    expect(JSON.parse((await run(args, SECRET)).stdout).access_token).toBe(second);
    const third = JSON.parse((await run([...args, "--fresh"], SECRET)).stdout).access_token;
    expect(third).not.toBe(second);
    expect(await call(third)).toBe(200);
  });

  it("--timeout: a script does not wait for the user for ever, and leaves no files", async () => {
    const { code, stdout, stderr } = await run(loginArgs("--json", "--timeout", "1"), SECRET);
    expect(code).toBe(1);
    expect(events(stdout).at(-1)).toMatchObject({ event: "error", code: "aborted" });
    expect(stderr).toContain("nobody has allowed it within 1 s; try again");
    expect(readdirSync(state)).toEqual([]);
  });

  it("a second login waits for the first one, says so, and gets its session; giving up has no effect on the first", async () => {
    const first = start(loginArgs("--json"), SECRET);
    await expect.poll(() => first.stdout).toContain('"code"');
    const second = start(loginArgs("--json"), SECRET);
    const third = run(loginArgs("--json", "--timeout", "1"), SECRET);
    await expect.poll(() => second.stdout).toContain("state_busy");
    expect((await third).code).toBe(1);
    for (const { userCode } of service.pending()) service.approve(userCode, "ada");
    expect((await first.end).code).toBe(0);
    const { code, stdout } = await second.end;
    expect(code).toBe(0);
    expect(events(stdout).at(-1)).toMatchObject({ event: "signed_in", resumed: true });
    const { stdout: token } = await run(["token", "--state", state], SECRET);
    expect(await call(token.trim())).toBe(200);
  });

  it("PICOGRANT_DEBUG logs requests and responses, and no secret", async () => {
    const { stdout } = await signIn("--json");
    const debug = { ...SECRET, PICOGRANT_DEBUG: "1" };
    const token = await run(["token", "--state", state, "--fresh"], debug);
    expect(token.stdout).toMatch(/^\S+\n$/);
    const lines = token.stderr.trimEnd().split("\n");
    for (const line of lines) expect(line).toMatch(/^picogrant: \d+\.\d{3} s {2}[ -~]{1,160}$/);
    expect(token.stderr).toMatch(/request 1 TOKEN POST http:\S+\/token, \d+ bytes/);
    expect(token.stderr).toMatch(/answer 1 TOKEN 200, \d+ bytes, \d+ ms/);
    const { user_code: userCode } = events(stdout)[0] as { user_code: string };
    for (const secret of [token.stdout.trim(), "tv-secret", userCode]) {
      expect(token.stderr).not.toContain(secret);
    }
    expect((await run(["token", "--state", state, "--fresh"], SECRET)).stderr).toBe("");
  });

  it("scripts that request tokens at the same time wait for each other", async () => {
    await signIn();
    const args = ["token", "--state", state, "--fresh"];
    const all = await Promise.all([1, 2, 3].map(() => run(args, SECRET)));
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
    for (const { stdout } of all) expect(await call(stdout.trim())).toBe(200);
  });

  it("messages for users: no colours and no moving cursor in a pipe, no token, no secret", async () => {
    const { code, stdout, stderr } = await signIn();
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      /^Open {3}http:\S+\/device\nEnter {2}[A-Z-]{9}\nor open http:\S+\nWaiting /,
    );
    expect(stdout).toMatch(/Signed in at \S+\.\nThe access token is good for \d+ \w+, and renewed/);
    for (const never of ["\x1b", "\r", "tv-secret"]) expect(stdout).not.toContain(never);
  });

  it("other users cannot read the files; none has the client's secret", async () => {
    await signIn();
    expect(statSync(state).mode & 0o777).toBe(0o700);
    const files = readdirSync(state);
    expect(files).toContain("login.json");
    expect(files).not.toContain("lock");
    for (const name of files) {
      const file = path.join(state, name);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, "latin1")).not.toContain("tv-secret");
    }
  });

  it("--key-file seals the tokens", async () => {
    const key = path.join(folder, "key");
    writeFileSync(
      key,
      Buffer.alloc(32, 7).map((byte, at) => byte + at),
      { mode: 0o644 },
    );
    expect((await run(loginArgs("--key-file", key), SECRET)).stderr).toMatch(
      /^picogrant login: the key \S+ is open to other users; run chmod 600 on it\n$/,
    );
    chmodSync(key, 0o600);
    // The server's metadata are public, and lie unencrypted beside the tokens.
    const stored = (): string =>
      readdirSync(state)
        .filter((name) => name !== "metadata.json")
        .map((name) => readFileSync(path.join(state, name), "latin1"))
        .join("");
    await signIn();
    const open = (await run(["token", "--state", state], SECRET)).stdout.trim();
    expect(stored()).toContain(open);
    // The code that led to the tokens is gone.
    expect(stored()).not.toContain(`${service.url}/device`);
    await run(["logout", "--state", state], SECRET);
    await signIn("--key-file", key);
    const sealed = (await run(["token", "--state", state], SECRET)).stdout.trim();
    expect(await call(sealed)).toBe(200);
    expect(stored()).not.toContain(sealed);
    expect(stored()).not.toContain(`${service.url}/device`);
  });

  it("RFC 8628 section 3.5: access_denied is one line and exit code 1, and no files stay", async () => {
    decideEach((userCode) => void service.deny(userCode));
    const { code, stdout, stderr } = await run(loginArgs("--json"), SECRET);
    expect(code).toBe(1);
    expect(events(stdout).at(-1)).toMatchObject({ event: "error", code: "access_denied" });
    expect(stderr).toMatch(/^picogrant login: signing in failed: access_denied; [^\n]+$/m);
    expect(readdirSync(state)).toEqual([]);
  });
});

describe("picogrant login at oidc-provider", () => {
  it("reports the user's name from the ID token", async () => {
    const provider = await startProvider();
    try {
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
      expect(out.stdout).toMatch(/^Signed out at \S+: the tokens are revoked and forgotten\.\n$/);
    } finally {
      await provider.close();
    }
  });
});
