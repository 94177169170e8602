// Clients that others wrote, unchanged, at the service: oidc-agent (Debian package oidc-agent-cli) over TLS from the
// discovery on, simple-oauth2 and requests-oauthlib (python3-requests-oauthlib) with the tokens that the device grant brings.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isMissing, PYTHON, run } from "./programs.ts";
import { type Running, secureService, startService } from "./running-service.ts";

/** What its HTTP library does with Node's older names is not our affair. */
process.noDeprecation = true;
const { AuthorizationCode } = await import("simple-oauth2");

const OIDC_GEN = "/usr/bin/oidc-gen";
const REQUESTS_OAUTHLIB = "/usr/lib/python3/dist-packages/requests_oauthlib";

describe("oidc-agent: an account by the device grant, tokens for other programs, revoked with the account", () => {
  test.skipIf(isMissing(OIDC_GEN)).each([
    ["public-printer", ""],
    ["living-room-tv", "tv-secret"],
  ])("client %s", async (id, secret) => {
    const { service, url, ca } = await secureService();
    const home = mkdtempSync(path.join(tmpdir(), "picogrant-agent-"));
    const { stdout: said } = await run("/usr/bin/oidc-agent", [], "", { HOME: home });
    const env = {
      HOME: home,
      OIDC_ENCRYPTION_PW: "pw",
      OIDC_SOCK: /OIDC_SOCK=([^;]+)/.exec(said)![1]!,
    };
    onTestFinished(async () => {
      process.kill(Number(/OIDCD_PID=(\d+)/.exec(said)![1]));
      rmSync(home, { recursive: true, force: true });
    });
    const stop = service.observe((event) => {
      if (event.type !== "exchange" || event.status !== 428) return;
      stop();
      service.approve(service.pending().at(-1)!.userCode, "ada");
    });
    const common = ["--pw-env", "--no-url-call", "--prompt=none", "--confirm-yes"];
    const client = [
      `--client-id=${id}`,
      `--client-secret=${secret}`,
      `--issuer=${url}`,
      `--cp=${ca}`,
    ];
    const made = await run(
      OIDC_GEN,
      [...common, ...client, "--flow=device", "--scope=openid email", "lamp"],
      "",
      env,
    );
    expect(made.stdout + made.stderr).toContain("Everything setup correctly!");
    const tokens: string[] = [];
    // "force new": each of them is the answer to a refresh.
    for (let count = 0; count < 2; count++)
      tokens.push((await run("/usr/bin/oidc-token", ["-f", "lamp"], "", env)).stdout.trim());
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^pga\./);
    expect(service.counts().grants).toBe(1);
    await run(OIDC_GEN, [...common, "-d", "lamp"], "", env);
    expect(service.counts().grants).toBe(0);
  });
});

/** The first tokens of a living room's TV. */
async function firstTokens({ url, service }: Running): Promise<Record<string, string>> {
  const post = async (where: string, fields: Record<string, string>) => {
    const response = await fetch(url + where, {
      method: "POST",
      body: new URLSearchParams(fields),
    });
    return (await response.json()) as Record<string, string>;
  };
  const codes = await post("/device/code", { client_id: "living-room-tv", scope: "email" });
  expect(service.approve(codes.user_code!, "ada")).toBe("granted");
  return post("/token", {
    client_id: "living-room-tv",
    client_secret: "tv-secret",
    device_code: codes.device_code!,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
  });
}

test("simple-oauth2: refreshes, and revokes the access token and then the refresh token (RFC 7009 §2.2)", async () => {
  const running = await startService({ revocation: "rfc7009", refreshTokenRotation: true });
  onTestFinished(() => running.server.close());
  // It forgets the refresh token where a refresh brings no new one.
  const client = new AuthorizationCode({
    client: { id: "living-room-tv", secret: "tv-secret" },
    auth: { tokenHost: running.url, tokenPath: "/token", revokePath: "/revoke" },
  });
  const first = client.createToken(await firstTokens(running));
  const second = await first.refresh();
  expect(second.token.access_token).not.toBe(first.token.access_token);
  await second.revokeAll();
  expect(running.service.counts().grants).toBe(0);
  await expect(second.refresh()).rejects.toThrow("400");
});

const SCRIPT = `
import json, os, sys
from requests_oauthlib import OAuth2Session
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
url, tokens = sys.argv[1], json.loads(sys.argv[2])
kept = []
# Its time is over: the library refreshes by itself.
tokens["expires_at"] = 1
extra = {"client_id": "living-room-tv", "client_secret": "tv-secret"}
session = OAuth2Session("living-room-tv", token=tokens, auto_refresh_url=url + "/token",
                        auto_refresh_kwargs=extra, token_updater=kept.append)
answer = session.get(url + "/userinfo")
print(json.dumps({"status": answer.status_code, "renewed": kept[0]["access_token"]}))
`;

test.skipIf(isMissing(REQUESTS_OAUTHLIB))(
  "requests-oauthlib: an access token that is over is refreshed before the call",
  async () => {
    const running = await startService();
    onTestFinished(() => running.server.close());
    const tokens = await firstTokens(running);
    const { stdout } = await run(PYTHON, ["-c", SCRIPT, running.url, JSON.stringify(tokens)]);
    const { renewed } = JSON.parse(stdout);
    expect(renewed).toMatch(/^pga\./);
    expect(renewed).not.toBe(tokens.access_token);
  },
);
