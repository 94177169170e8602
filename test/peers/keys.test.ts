// Tests signing keys (DPoP, RFC 9449; private_key_jwt, RFC 7523): whole sessions with oidc-provider, which requires
// nonces, and the errors that a faulty signer, server or clock causes.

import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { decodeJwt, EmbeddedJWK, importJWK, jwtVerify } from "jose";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import * as core from "../../core/complete.ts";
import type { Bytes, Signer } from "../../platform/contracts.ts";
import { ResponseRecorder } from "../../platform/exchange/response-recorder.ts";
import { fileSigner, openKeys } from "../../platform/node/keys.ts";
import { NodeEntropy } from "../../platform/node/platform.ts";
import { type Session, type SignInError, signIn } from "../../platform/node/sign-in.ts";
import { type FakeResponse, fakeSigner } from "../../platform/testing/index.ts";
import { driverOn, signsIn } from "../environment/driver-port.ts";
import { type ReceivedRequest, scripted } from "../environment/real-environment.ts";
import { temporaryFolder } from "../listening.ts";
import { KEYED, type ProviderRequest, startProvider } from "./oidc-provider-server.ts";

const JWT = { clientAuthentication: "private_key_jwt", clientId: KEYED } as const;
it.each([
  ["DPoP", { dpop: "require", clientId: "printer" }, "DPoP"] as const,
  ["DPoP by metadata, private_key_jwt", { dpop: "auto", ...JWT }, "DPoP"] as const,
  ["private_key_jwt", JWT, "Bearer"] as const,
])("%s: a whole session, and jose", async (_, more, scheme) => {
  for (const name of ["info", "warn"] as const) vi.spyOn(console, name).mockReturnValue();
  const state = temporaryFolder();
  const { publicJwk } = await fileSigner(state);
  const sent: ProviderRequest[] = [];
  const server = await startProvider([publicJwk], (request) => void sent.push(request));
  onTestFinished(() => server.close());
  const { issuer } = server;
  const lines: string[] = [];
  const isRefused = [true];
  const options = {
    ...{ server: issuer, scope: "openid offline_access", state, ...more },
    ...{ assertionAudience: "issuer" as const, log: (line: string) => void lines.push(line) },
    onCode: (prompt: { verificationUri: string; userCode: string }) =>
      server.approve(prompt.verificationUri, prompt.userCode),
    // An API that refuses the first token, so that the session refreshes it.
    fetch: ((...all) =>
      isRefused.pop()
        ? Promise.resolve(new Response("", { status: 401 }))
        : fetch(...all)) as typeof fetch,
  };
  const first = await signIn(options);
  const token = await first.accessToken();
  expect(await (await first.fetch(`${issuer}/me`)).json()).toEqual({ sub: "ada" });
  expect(first.tokenResponse).toMatchObject({ token_type: scheme });
  expect(await first.accessToken()).not.toBe(token);
  await first.close();
  const session = await signIn({ ...options, resumeOnly: true });
  expect((await session.fetch(`${issuer}/me`)).status).toBe(200);
  expect(await session.signOut()).toEqual({ isRevoked: true, problem: "", isStored: false });
  const seen: unknown[] = [];
  for (const { url, method, headers, form } of sent) {
    const isGrant = /^\/(token|token\/revocation|device\/auth)$/.test(url);
    if (scheme === "DPoP" && ["/token", "/me"].includes(url)) {
      const rules = { typ: "dpop+jwt", algorithms: ["ES256"] };
      const { payload } = await jwtVerify(`${headers.dpop}`, EmbeddedJWK, rules);
      const [, own] = /^DPoP (.*)$/.exec(headers.authorization ?? "") ?? [];
      const ath = own && createHash("sha256").update(own).digest("base64url");
      expect(payload).toMatchObject({ htm: method, htu: `${issuer}${url}`, ...(ath && { ath }) });
      seen.push(payload.jti);
    } else expect(headers.dpop).toBeUndefined();
    const { client_assertion: assertion, client_assertion_type: type } = form;
    expect(assertion !== undefined).toBe(isGrant && "clientAuthentication" in more);
    if (assertion === undefined) continue;
    const rules = { audience: issuer, issuer: KEYED, subject: KEYED };
    const key = await importJWK({ ...publicJwk }, "ES256");
    const { payload } = await jwtVerify(assertion, key, rules);
    expect(payload.exp! - payload.iat!).toBe(60);
    expect(type).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    seen.push(payload.jti);
  }
  expect(seen.length).toBeGreaterThan(4);
  expect(new Set(seen).size).toBe(seen.length);
  const file = path.join(state, "key.json");
  const { d } = JSON.parse(fs.readFileSync(file, "utf8")) as { d: string };
  expect([fs.statSync(file).mode & 0o777, d.length]).toEqual([0o600, 43]);
  expect(lines.join()).not.toMatch(RegExp(`${d}|eyJ`));
});

const times = { expires_in: 60, interval: 1 };
const CODE = { device_code: "d", user_code: "A", verification_uri: "https://a.test/d", ...times };
const tokens = (type: string, name = "1"): FakeResponse => ({
  body: { access_token: `token-${name}`, token_type: type, refresh_token: `refresh-${name}` },
});
const error = (error: string, more: FakeResponse = {}, words = ""): FakeResponse => ({
  ...{ status: 400, body: { error, error_description: words }, ...more },
});
const settings = { clientId: "tv", entropy: new NodeEntropy() };

let server: Awaited<ReturnType<typeof scripted>>;
let state: string;
/** The responses of the token endpoint in order. The server repeats the last one. */
let responses: FakeResponse[];
let isEchoing: boolean;
const sessions: Session[] = [];

beforeEach(async () => {
  responses = [tokens("DPoP")];
  isEchoing = false;
  server = await scripted(({ path: at, form }) => {
    if (isEchoing) return error("invalid_client", {}, `${form.get("client_assertion")}`);
    if (at === "/code") return { body: CODE };
    return responses.length > 1 ? responses.shift() : responses[0];
  });
  state = path.join(temporaryFolder(), "state");
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await server.close();
});

/** Signs in with DPoP. @param end is aborted at the first trouble @returns the troubles, and the error of a failure */
async function signedIn(more: object = {}, end?: AbortController): Promise<SignInError[]> {
  const troubles: SignInError[] = [];
  const { origin } = server;
  const addresses = { deviceAuthorization: `${origin}/code`, token: `${origin}/token` };
  const onTrouble = (trouble: SignInError): void => {
    troubles.push(trouble);
    end?.abort();
  };
  const { signal } = end ?? {};
  const own = { clientId: "tv", dpop: "require", onTrouble, onCode() {}, signal } as const;
  await signIn({ server: addresses, state, ...own, ...more }).then(
    (session) => sessions.push(session),
    (reason) => troubles.push(reason),
  );
  return troubles;
}

const proofs = () =>
  server.requested
    .flatMap(({ headers }: ReceivedRequest) => headers.dpop ?? [])
    .map((jwt) => decodeJwt(`${jwt}`));

/** A signer that works this many times, and then calls another function. */
function failing(good: number, other: () => unknown): Signer {
  const signer = fakeSigner();
  let count = 0;
  return { ...signer, sign: (bytes) => (count++ < good ? signer.sign(bytes) : (other() as Bytes)) };
}
const thrown = (): never => {
  throw Object.assign(new Error("S3cr3t"), { code: "E_BUS" });
};

describe("a signer", () => {
  it.each<[string, () => unknown, RegExp]>([
    ["throws", thrown, /E_BUS/],
    ["rejects", async () => thrown(), /E_BUS/],
    [
      "returns 63 bytes",
      () => new Uint8Array(63),
      /not returned 64 bytes|not that of its publicJwk/,
    ],
    ["returns text", () => "S3cr3t..".repeat(8), /not returned 64 bytes|not that of its publicJwk/],
    ["returns nothing", () => undefined, /TypeError/],
  ])("%s: at the start, and later", async (_, other, words) => {
    const [refused] = await signedIn({ signer: failing(0, other) });
    expect(server.requested).toEqual([]);
    const [trouble] = await signedIn({ signer: failing(1, other) }, new AbortController());
    for (const one of [refused!, trouble!]) {
      expect(one).toMatchObject({ code: "signer_failed", remedy: "developer" });
      expect(one.message).toMatch(words);
      expect(one.message).not.toContain("S3cr3t");
    }
    expect(proofs()).toEqual([]);
    expect(await signedIn({ signer: failing(2, other) })).toEqual([]);
    const failed = { code: "signer_failed", message: expect.not.stringContaining("S3cr3t") };
    await expect(sessions[0]!.fetch(`${server.origin}/api`)).rejects.toMatchObject(failed);
  });

  it("hangs: it has failed after ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const signer = failing(0, () => new Promise(() => {}));
    const opened = openKeys({ ...settings, dpop: "auto", signer });
    const refused = expect(opened).rejects.toThrow("ETIMEDOUT");
    await vi.advanceTimersByTimeAsync(10_000);
    await refused;
    vi.useRealTimers();
  });

  it("has another key than it says, or there is no place for a key", async () => {
    const { publicJwk } = await fileSigner(temporaryFolder());
    const refusals = [
      await signedIn({ signer: { ...fakeSigner(), publicJwk } }),
      await signedIn({ state: undefined, storage: { load() {}, save() {}, erase() {} } }),
    ];
    fs.writeFileSync(path.join(state, "key.json"), "{}", { mode: 0o600 });
    refusals.push(await signedIn());
    expect(refusals.map(([refusal]) => refusal!.code)).toEqual([
      "signer_failed",
      "wrong_option",
      "state_unusable",
    ]);
  });
});

const NONCE_REQUIRED = {
  status: 401,
  headers: { "dpop-nonce": "n", "www-authenticate": 'Bearer, DPoP error="use_dpop_nonce"' },
};
const ofHour = { dateMs: Date.now() + 3_600_000 };
describe("a server", () => {
  it.each<[string, FakeResponse, RegExp]>([
    [
      "nonce of 10 KB",
      { nonce: "n".repeat(10_240) },
      /^unreachable administrator .*has 10240 char/,
    ],
    ["nonce with quotes", { nonce: '"' }, /^unreachable administrator .*without quotes/],
    ["clock that differs by an hour", ofHour, /^clock_wrong user .*by 3[56]\d\d s.*set the clock/],
  ])("with a %s: trouble, then success", async (_, more, words) => {
    responses.unshift(error(more === ofHour ? "invalid_dpop_proof" : "use_dpop_nonce", more));
    const [trouble] = await signedIn();
    expect(`${trouble!.code} ${trouble!.remedy} ${trouble!.message}`).toMatch(words);
    const [first, second] = proofs();
    expect(second!.iat! - first!.iat! > 3000).toBe(more === ofHour);
  });

  it.each(["n".repeat(10_240), '"', "one, another"])(
    "with an unusable nonce beside tokens: they are taken",
    async (nonce) => {
      responses = [{ ...tokens("DPoP"), nonce }];
      expect(await signedIn()).toEqual([]);
    },
  );

  it("that requires a nonce for ever gets two requests, and the token is not refreshed", async () => {
    const sent = vi.fn(async () => new Response("", NONCE_REQUIRED));
    expect(await signedIn({ fetch: sent })).toEqual([]);
    expect((await sessions[0]!.fetch(`${server.origin}/api`)).status).toBe(401);
    expect([sent.mock.calls.length, proofs().length]).toEqual([2, 1]);
  });

  it.each<[string, object]>([
    ["require", {}],
    ["off", { dpop: "off" }],
  ])("dpop %s: tokens of the other type are refused", async (name, more) => {
    responses = [tokens(name === "off" ? "DPoP" : "Bearer")];
    const expected = { code: "unsupported_token_type", remedy: "developer" };
    expect(await signedIn(more)).toMatchObject([expected]);
  });

  it("RFC 9449 §5, §7.1: that binds only some tokens: the scheme is that of the newest", async () => {
    responses = ["DPoP", "Bearer", "dpop"].map((type, at) => tokens(type, `${at}`));
    const keys = await openKeys({ ...settings, dpop: "auto", signer: fakeSigner() });
    const handler = ({ url }: { url: string }) =>
      url.includes("/code") ? { body: CODE } : url.includes("/t") ? responses.shift()! : {};
    const platform = signsIn({ isAtOnce: true, http: { handler } });
    const driver = driverOn(platform, { keys });
    driver.start();
    // Signatures take real time, in which the device must not time out.
    const until = (isSo: () => boolean) =>
      vi.waitUntil(() => platform.wait(0.5) && isSo(), { interval: 20, timeout: 60_000 });
    const sent: unknown[] = [];
    for (const name of ["token-0", "token-1", "token-2"]) {
      await until(() => driver.accessToken === name);
      const { length } = platform.http.requests;
      core.beginCall(driver.device);
      core.sendCall(driver.device, core.Endpoint.RESOURCE, 1, null, 0, 0);
      driver.run();
      await until(() => platform.http.requests.length > length);
      const { authorization, headers } = platform.http.requests.at(-1)!;
      sent.push(`${authorization} ${headers.length}`);
      driver.accessTokenRefused();
    }
    expect(sent).toEqual(["DPoP token-0 1", "Bearer token-1 0", "DPoP token-2 1"]);
  });

  it("that repeats an assertion in its error: no report contains it", async () => {
    isEchoing = true;
    const [refused] = await signedIn({ dpop: "off", clientAuthentication: "private_key_jwt" });
    expect(refused).toMatchObject({
      code: "invalid_client",
      response: { errorDescription: "***" },
    });
    expect(refused!.message).not.toContain("eyJ");
  });
});

it.each([
  ["has changed", {}, /another key.*restore it .* or sign in again/],
  ["is no longer used", { dpop: "off" }, /a key, which .* set dpop as before, or sign in again/],
])("a session whose key %s ends with a reason", async (_, more, words) => {
  expect(await signedIn()).toEqual([]);
  await sessions.pop()!.close();
  fs.rmSync(path.join(state, "key.json"));
  responses = [error("invalid_grant"), tokens("DPoP", "2")];
  const onEnd = vi.fn();
  expect(await signedIn({ resumeOnly: true, onEnd, ...more })).toEqual([]);
  const message = expect.stringMatching(words);
  const changed = { code: "key_changed", remedy: "user", message };
  await expect(sessions.pop()!.accessToken()).rejects.toMatchObject(changed);
  expect(onEnd).toHaveBeenCalledWith(expect.objectContaining(changed));
  expect([await signedIn(), await sessions[0]!.accessToken()]).toEqual([[], "token-2"]);
});

it("an HTTP adapter that does not report nonces: the error says so, and no token is requested", async () => {
  const keys = await openKeys({ ...settings, dpop: "require", signer: fakeSigner() });
  const platform = signsIn({ http: { handler: () => ({ body: CODE, nonce: null }) } });
  const recorder = new ResponseRecorder(
    () => 0,
    () => [],
    () => {},
  );
  driverOn(platform, { keys, filters: { recorder } }).start();
  await platform.pass(5);
  expect(recorder.newest?.failure).toMatch(/the HTTP adapter does not report DPoP-Nonce and Date/);
  expect(platform.http.requests.every(({ url }) => url.endsWith("/code"))).toBe(true);
});

it("an assertion is removed from messages after any number of proofs", async () => {
  const signer = fakeSigner();
  const keys = await openKeys({ ...settings, dpop: "auto", audience: "https://as.test", signer });
  const assertion = new URLSearchParams(await keys.assertion("https://as.test/token")).get(
    "client_assertion",
  );
  for (let at = 0; at < 9; at++) await keys.proof("GET", "https://a.test/", "token");
  expect(keys.sent).toContain(assertion);
});

it("RFC 9449 §4.2, §8.2: the newest nonce of each origin, at most 16; no query in htu", async () => {
  const keys = await openKeys({ ...settings, dpop: "auto", signer: fakeSigner() });
  const proof = async (url: string, token = "") =>
    decodeJwt((await keys.proof("GET", url, token))[1]);
  for (let at = 0; at < 17; at++) keys.received(`https://a${at}.test/x`, `n${at}`);
  for (const nonce of ["newer", ""]) keys.received("https://a5.test/y", nonce);
  const hosts = ["a0.test", "a1.test", "a5.test", "a16.test"];
  const found = hosts.map(async (host) => (await proof(`https://${host}/`)).nonce);
  expect(await Promise.all(found)).toEqual([undefined, "n1", "newer", "n16"]);
  // The example of §7.1.
  const made = await proof("https://a.test/t?x=1#y", "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU");
  const ath = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo";
  expect(made).toMatchObject({ htm: "GET", htu: "https://a.test/t", ath });
  // `htu` must contain the host as the Host header names it.
  const { htu, nonce } = await proof("https://A16.test:443?x");
  expect([htu, nonce]).toEqual(["https://a16.test/", "n16"]);
});
