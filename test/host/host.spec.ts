// Tests the C host, as released and under sanitizers and valgrind, with the simulated service over HTTPS and HTTP.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { EmbeddedJWK, jwtVerify } from "jose";
import { describe, expect, it, onTestFinished } from "vitest";
import { programOf } from "../../targets/workbench/host/build.ts";
import { code, tokens } from "../environment/environment.ts";
import { endpointsAt, opened, scripted } from "../environment/real-environment.ts";
import { listening } from "../listening.ts";
import { KEYED, startProvider } from "../peers/oidc-provider-server.ts";
import { HostProcess, STRICT } from "./host-process.ts";
import { runWholeLife } from "./host-run.ts";

const release = [programOf("release")];
const sanitized = [programOf("sanitize")];
const valgrind = [
  "valgrind",
  "--quiet",
  "--error-exitcode=99",
  "--leak-check=full",
  "--errors-for-leak-kinds=definite,possible",
];

describe("§1 a complete run on the C host: sign in, poll, restart, refresh, call, sign out", () => {
  it.each([
    ["over HTTPS, as released", "https", release],
    ["over HTTPS, under address and undefined-behaviour sanitizers", "https", sanitized],
    ["over HTTP, on QuickJS, under valgrind", "http", [...valgrind, programOf("quickjs")]],
  ] as const)("%s", async (name, protocol, command) => {
    const figures = await runWholeLife(await opened(protocol), {
      command,
      env: STRICT,
      calls: true,
    });
    const { limit = 0, peak = 0, residentPeakKiB } = figures;
    expect(peak).toBeLessThanOrEqual(limit);
    console.log(`${name}: engine peak ${peak} B, resident ${residentPeakKiB} KiB`);
  });
});

it("RFC 8628 §3.2: a response without a required member fails, and the error names the member", async () => {
  const environment = await opened("http", { provoke: { code: "id-token-alone" } });
  const host = new HostProcess([...release, "--page", environment.page()]);
  const lack = "there is no device_code in the response that can be used";
  await host.printed(`trying again: MALFORMED_RESPONSE\n${lack}`);
  await host.state("FAILED");
  expect(host.messages).toContain(`(UNUSABLE_RESPONSES)\n${lack}`);
  expect(await host.quit()).toBe(0);
});

it("4,096 bytes, the default memory, suffice for an access token of 1,024 bytes", async () => {
  const received = tokens({ access_token: "t".repeat(1024), refresh_token: "r".repeat(255) });
  const { origin } = await scripted(({ path }) =>
    path === "/token" ? received : code({ interval: 1 }),
  );
  const host = new HostProcess([...release, "--page", (await opened()).page(endpointsAt(origin))]);
  await host.printed("state: SIGNED_IN");
  expect(await host.quit()).toBe(0);
});

it("the log names a value that does not fit, and the memory that is needed", async () => {
  const own = await opened();
  const { origin } = await scripted(({ path }) =>
    path === "/token" ? tokens({ access_token: "t".repeat(6000) }) : code({ interval: 1 }),
  );
  const host = new HostProcess([...sanitized, "--page", own.page(endpointsAt(origin))]);
  await host.printed("(VALUE_TOO_LONG)");
  await host.printed("access_token of 6000 bytes does not fit; ");
  const needed = Number(/; it needs (\d+) bytes of memory/.exec(host.messages)?.[1]);
  expect(host.messages).not.toContain("tttt");
  expect(await host.quit()).toBe(0);

  const enough = own.page({ ...endpointsAt(origin), limits: { memoryBytes: needed } });
  const larger = new HostProcess([...sanitized, "--page", enough]);
  await larger.printed("state: SIGNED_IN");
  expect(await larger.quit()).toBe(0);
});

describe("options and settings", () => {
  it("parameters, headers and texts with similar names reach their places", async () => {
    const { origin, requested } = await scripted(() => code({ interval: 1 }));
    const page = (await opened()).page({
      ...endpointsAt(origin),
      deviceParameters: {},
      tokenParameters: { a: "&a=", A: "2", aa: "3" },
      headers: {
        grant: { "X-A": "X-B: 1", "X-B": "", "X-AB": "X-A: 3" },
        resource: { "X-C": "1" },
      },
      messages: { requesting: "F\u00fcr \u00c4" },
    });
    const host = new HostProcess([...sanitized, "--page", page], STRICT);
    await host.until("a poll", () => requested.length > 1);
    for (const { headers } of requested) {
      expect(headers).toMatchObject({ "x-a": "X-B: 1", "x-b": "", "x-ab": "X-A: 3" });
      expect(headers).not.toHaveProperty("x-c");
    }
    expect(requested[0]!.form.has("aa")).toBe(false);
    expect(Object.fromEntries(requested[1]!.form)).toMatchObject({ a: "&a=", A: "2", aa: "3" });
    expect(Buffer.from(host.display, "latin1").toString()).toContain("F\u00fcr \u00c4");
    expect(await host.quit()).toBe(0);
  });

  it.each([
    [["--frobnicate"], "--frobnicate: no option"],
    [["--page"], "--page: no option, or its value is missing"],
    [["--page", "x", "--heap-limit", "much"], "much: no option, or its value"],
    [["--page", "x", "more"], "more: no option"],
    [["--page", "x", "--page", "y", "--page", "z"], "z: no option"],
    [[], "--page: name a settings page"],
  ])("%j on the command line: one line, exit code 2", async (args, complaint) => {
    const host = new HostProcess([...sanitized, ...args], STRICT);
    expect(await host.exit()).toBe(2);
    expect(host.messages).toMatch(/^picogrant-host: [^\n]+\n$/);
    expect(host.messages).toContain(complaint);
    expect(host.display).toBe("");
  });

  it("--help: usage on standard output, exit code 0", async () => {
    const host = new HostProcess([programOf("sanitize"), "--help"], STRICT);
    expect(await host.exit()).toBe(0);
    expect(host.messages).toBe("");
    expect(host.display).toContain("usage: picogrant-host --page");
  });

  it("too small a heap is an error, not a crash (QuickJS, below 70,000)", async () => {
    const page = (await opened("http")).page();
    for (let bytes = 1000; bytes < 70_000; bytes += 5_750) {
      const command = [programOf("quickjs"), "--heap-limit", String(bytes), "--page", page];
      const host = new HostProcess(command, STRICT);
      expect(await host.exit(), host.messages).toBe(2);
      expect(host.messages).toContain("--heap-limit: too little heap");
    }
  });
});

describe("storage", () => {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { encoding: "utf8", env: STRICT, maxBuffer: 1 << 25 });

  it("SPEC.md, Records: if a call on the file of records fails, the result is the old or the new state", () => {
    const folder = mkdtempSync("/dev/shm/picogrant-");
    try {
      const lines = run(programOf("sanitize", "record-faults"), folder).trim().split("\n");
      console.log(lines.join("\n"));
      expect(lines.map((line) => line.split(" ")[0])).toEqual(["first", "replace", "sign-out"]);
      for (const line of lines) {
        const [calls, failed, refused, old, fresh] = [...line.matchAll(/\d+/g)].map(Number);
        expect(calls).toBeGreaterThan(90);
        expect(failed).toBeGreaterThan(calls!);
        expect(old! + fresh!).toBe(calls);
        for (const count of [refused, old, fresh]) expect(count).toBeGreaterThan(0);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("RFC 9449, RFC 7523 §3 keys instead of secrets", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" });
  const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" });

  async function withKey(...service: Parameters<typeof opened>) {
    const own = await opened(...service);
    own.keys = { privateKeyJwt: "issuer" };
    const file = join(own.folder, "state", "key.pem");
    mkdirSync(join(own.folder, "state"), { mode: 0o700 });
    writeFileSync(file, pem(privateKey), { mode: 0o600 });
    const start = (changes: Record<string, unknown>) =>
      new HostProcess([programOf("keys"), "--page", own.page(changes)], STRICT);
    return { own, file, start };
  }

  const API = "https://api.example";
  const LONG = "n".repeat(256);

  it.each([
    ["POST", "https://as.example:8443/token?tenant=1", "", "", "", "https://as.example:8443/token"],
    ["GET", API, "/v1/list?part=id", "access-token", LONG, `${API}/v1/list`],
    ["GET", `${API}/v1`, "?a=1", "t", "n", `${API}/v1`],
    ["GET", API, "?a=1", "t", "n", `${API}/`],
    ["GET", `${API}/v1?key="`, "&a=1", "t", "", `${API}/v1`],
  ])("§4.2 %s %s%s: jose accepts the proof", async (method, address, target, token, nonce, htu) => {
    const { file } = await withKey();
    const run = (size: number, signer: string): string[] => {
      const args = [file, method, address, target, token, nonce, "1700000000", `${size}`, signer];
      const options = { env: STRICT };
      const { stdout, stderr, status } = spawnSync(programOf("keys", "keys"), args, options);
      expect(status, String(stderr)).toBe(0);
      return String(stdout).trimEnd().split("\n");
    };
    const [proof = "", assertion = ""] = run(2000, "valid");
    const currentDate = new Date(1_700_000_010_000);
    const { payload, protectedHeader } = await jwtVerify(proof.replace("DPoP: ", ""), EmbeddedJWK, {
      typ: "dpop+jwt",
      currentDate,
    });
    expect(protectedHeader.jwk).toEqual(jwk);
    const ath = createHash("sha256").update(token).digest("base64url");
    const more = { ...(token && { ath }), ...(nonce && { nonce }) };
    const jti = expect.stringMatching(/^[\w-]{22}$/);
    expect(payload).toEqual({ htm: method, htu, iat: 1_700_000_000, jti, ...more });
    const fields = new URLSearchParams(assertion);
    expect(fields.get("client_assertion_type")).toMatch(/:jwt-bearer$/);
    const verified = await jwtVerify(fields.get("client_assertion")!, publicKey, {
      ...{ issuer: 'a "client"', subject: 'a "client"', audience: address, currentDate },
    });
    expect(verified.payload).toMatchObject({ iat: 1_700_000_000, exp: 1_700_000_060, jti });
    // Proof and assertion are written completely or not at all, and only with a signature of 64 bytes.
    expect(run(Math.max(proof.length + 3, assertion.length + 1), "valid")).not.toContain("-");
    expect(run(proof.length + 2, "valid")[0]).toBe("-");
    expect(run(assertion.length, "valid")[1]).toBe("-");
    for (const signer of ["failed", "short"]) expect(run(2000, signer)).toEqual(["-", "-"]);
  });

  // The run with calls sets the service's clock ahead, but not the `Date` of its responses. Proofs remain valid,
  // because they have nonces. Assertions have no nonces, so the run with assertions makes no calls.
  it.each([
    ["https", undefined, true],
    ["http", [jwk], false],
  ] as const)("a complete run with the simulated service (%s)", async (protocol, jwks, calls) => {
    const service = { dpop: "required", dpopNonces: true } as const;
    const { own } = await withKey(protocol, service, { secret: undefined, jwks: jwks as never });
    own.keys = { privateKeyJwt: jwks && "token_endpoint" };
    await runWholeLife(own, { command: [programOf("keys")], env: STRICT, calls });
  });

  it("signs in, refreshes, calls and signs out at oidc-provider, which requires nonces", async () => {
    const server = await startProvider([jwk], undefined, 3);
    onTestFinished(() => server.close());
    const { own, start } = await withKey();
    const { issuer, scope } = server;
    const host = start({
      ...{ clientId: KEYED, issuer, scope },
      endpoints: {
        deviceAuthorization: `${issuer}/device/auth`,
        token: `${issuer}/token`,
        revocation: `${issuer}/token/revocation`,
        // The host appends the call's path, so the path becomes a part of the query.
        resources: [`${issuer}/me?of=`],
      },
    });
    await host.state("PENDING");
    const code = (): string => /[A-Z]{4}-[A-Z]{4}/.exec(host.frame.join(" "))?.[0] ?? "";
    await host.until("a code", () => code() !== "");
    await server.approve(`${issuer}/device`, code());
    await host.state("SIGNED_IN");
    host.press("a");
    await host.printed("api: status 200, error 0");
    // The token expires. The device must refresh it, and call again.
    await new Promise((resolve) => setTimeout(resolve, 4000));
    host.press("a");
    await host.printed("api: status 200, error 0", 2);
    host.press("o");
    await host.state("SIGNED_OUT");
    host.press("l");
    await host.until("the revocation", () => /REVOCATION responded 200/.test(host.messages));
    expect(host.messages).not.toContain("eyJ");
    expect(await host.quit()).toBe(0);
    expect(own.events).toEqual([]);
  });

  it.each<[string, string, string, number, string, number?]>([
    ["a nonce of 10 KB is dropped", "n".repeat(10_240), "use_dpop_nonce", 0, "(UNKNOWN_ERROR)"],
    ["§11.1 a clock an hour wrong", "", "invalid_dpop_proof", 3600, "the clock is wrong"],
    ["a clock an hour wrong", "", "invalid_client", -3600, "the clock is wrong"],
    ["a late assertion, refused as a grant", "", "invalid_grant", 3600, "the clock is wrong"],
    ["the clock is blamed 3 times", "", "invalid_client", 3600, "(INVALID_CLIENT)", 4],
  ])("%s", async (_, nonce, error, aheadS, message, count = 1) => {
    let polls = 0;
    const server = http.createServer((request, response) => {
      request.resume();
      const isPoll = request.url === "/token";
      if (isPoll) polls++;
      if (nonce) response.setHeader("DPoP-Nonce", nonce);
      // The Date of the first response is right. Otherwise the device would correct its clock before the first poll.
      const at = Date.now() + polls * aheadS * 1000;
      response.setHeader("Date", new Date(at).toUTCString());
      response.writeHead(isPoll ? 400 : 200);
      response.end(JSON.stringify(isPoll ? { error } : code({ interval: 1 }).body));
    });
    const base = `http://127.0.0.1:${await listening(server)}`;
    const { start } = await withKey();
    const host = start(endpointsAt(base));
    await host.until(message, () => host.messages.includes(message));
    // If the device repeated the request, it would do so at once.
    expect(polls).toBe(count);
    expect(await host.quit()).toBe(0);
  });

  it("§5 a session whose key was replaced ends with that reason, and the user can sign in again", async () => {
    const { own, file, start } = await withKey("http", { dpop: "required" }, { secret: undefined });
    own.keys = {};
    const signIn = async (host: HostProcess) => {
      await host.state("PENDING");
      expect(own.service.approve(own.pendingCode, "ada")).toBe("granted");
      await host.state("SIGNED_IN");
    };
    const host = start({});
    await signIn(host);
    expect(await host.quit()).toBe(0);
    writeFileSync(file, pem(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey));
    const resumed = start({});
    await resumed.printed(
      "the session has ended: the tokens are bound to another key: restore it ",
    );
    await resumed.showsReason("keyChanged");
    resumed.press("s");
    await signIn(resumed);
    expect(await resumed.quit()).toBe(0);
    const last = start({});
    await last.state("SIGNED_IN");
    expect(await last.quit()).toBe(0);
  });

  it("a key that others can read, and a key of another kind, are refused", async () => {
    const { file, start } = await withKey();
    chmodSync(file, 0o640);
    const readable = start({});
    expect(await readable.exit()).toBe(2);
    expect(readable.messages).toContain("key.pem: others can read the key in it; run chmod 600");
    chmodSync(file, 0o600);
    writeFileSync(file, "no key");
    const other = start({});
    expect(await other.exit()).toBe(2);
    expect(other.messages).toContain("key.pem: holds no private key on the curve P-256 in PEM");
  });
});
