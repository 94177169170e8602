// Tests signIn on Node, option by option, with a server that sends scripted responses, and keepSignedIn with the
// simulated service.

import { getEventListeners } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StateDirectoryError } from "../../platform/node/platform.ts";
import { QrCode } from "../../platform/node/qr-code.ts";
import {
  keepSignedIn,
  type PersistentSession,
  type Session,
  SignInError,
  type SignInOptions,
  signIn,
} from "../../platform/node/sign-in.ts";
import {
  type SimulatedService,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import { type ReceivedRequest, scripted } from "../environment/real-environment.ts";
import { temporaryFolder } from "../listening.ts";

const CODE = { device_code: "d", user_code: "ABCD", verification_uri: "https://a.example/d" };
const TOKENS = { access_token: "token-1", token_type: "Bearer", refresh_token: "refresh-token-1" };

let server: Awaited<ReturnType<typeof scripted>>;
let origin: string;
let root: string;
let state: string;
/** The body for each path, or a status without a body. */
let responses: Record<string, object | number>;
let requested: ReceivedRequest[];
const sessions: Session[] = [];

beforeEach(async () => {
  responses = { "/code": { ...CODE, expires_in: 60, interval: 1 }, "/token": TOKENS };
  server = await scripted(({ path }) => {
    const response = responses[path] ?? 404;
    return typeof response === "number" ? { status: response } : { body: response };
  });
  ({ requested, origin } = server);
  root = temporaryFolder();
  state = path.join(root, "state");
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});

const options = (more: Partial<SignInOptions> = {}): SignInOptions => ({
  server: { deviceAuthorization: `${origin}/code`, token: `${origin}/token` },
  clientId: "tv",
  state,
  onCode: () => {},
  ...more,
});

const metadata = () => ({
  issuer: origin,
  device_authorization_endpoint: `${origin}/code`,
  token_endpoint: `${origin}/token`,
});
const METADATA = "/.well-known/oauth-authorization-server";

/** Signs in until a code is shown, then aborts. */
async function untilCode(more: Partial<SignInOptions> = {}): Promise<void> {
  const controller = new AbortController();
  const onCode = (): void => controller.abort();
  const given = signIn(options({ signal: controller.signal, onCode, ...more }));
  await expect(given).rejects.toMatchObject({ code: "aborted" });
}

it("writes a log if the option is set", async () => {
  const lines: string[] = [];
  await untilCode({ log: (line) => void lines.push(line) });
  expect(lines).toContainEqual(expect.stringMatching(/^\d+\.\d{3} s {2}state REQUESTING$/));
});

it("sends the User-Agent of http, or else picogrant", async () => {
  await untilCode({ http: { userAgent: "own" } });
  await untilCode();
  expect(requested.map(({ headers }) => headers["user-agent"])).toEqual(["own", "picogrant"]);
});

it("leaves an empty directory when it is aborted, or none if it is aborted before it starts", async () => {
  const given = signIn(options({ signal: AbortSignal.abort() }));
  await expect(given).rejects.toMatchObject({ code: "aborted" });
  expect([fs.existsSync(state), requested]).toEqual([false, []]);
  await untilCode();
  expect(fs.readdirSync(state)).toEqual([]);
});

it("reports an unusable directory, with the fault as cause", async () => {
  fs.writeFileSync(state, "");
  const refused = signIn(options());
  const cause = expect.any(StateDirectoryError);
  await expect(refused).rejects.toMatchObject({ code: "state_unusable", cause });
  await expect(refused).rejects.toThrow("not a directory");
});

it("has one abort listener, during discovery and while it waits for the user", async () => {
  responses[METADATA] = metadata();
  const { signal } = new AbortController();
  const listening: number[] = [];
  const onCode = (): void => void listening.push(getEventListeners(signal, "abort").length);
  const signing = signIn(options({ server: origin, signal, onCode }));
  await expect.poll(() => requested.length).toBeGreaterThan(0);
  sessions.push(await signing);
  expect(listening).toEqual([1]);
});

it("stores the tokens in the program's storage, and uses its fetch", async () => {
  let stored: string | undefined;
  const storage = {
    load: () => stored,
    save: (value: string) => (stored = value),
    erase: () => (stored = undefined),
  };
  const seen: string[] = [];
  const own: typeof fetch = (input) => {
    seen.push(`${input}`);
    return Promise.resolve(new Response("own"));
  };
  const more = { state: undefined, storage, fetch: own };
  const nobody = signIn(options({ ...more, resumeOnly: true }));
  await expect(nobody).rejects.toMatchObject({ code: "not_signed_in" });
  const session = await signIn(options(more));
  sessions.push(session);
  const response = await session.fetch("https://a.example/x");
  expect([await response.text(), seen]).toEqual(["own", ["https://a.example/x"]]);
  await session.close();
  expect(stored).toMatch(/./);
  sessions.push(await signIn(options({ ...more, resumeOnly: true })));
});

it("stores metadata, so that a start with a session only requests a token, and works offline", async () => {
  const issuer = { server: origin };
  const metadataPath = "/.well-known/openid-configuration";
  responses[metadataPath] = metadata();
  const paths = (): (string | undefined)[] => requested.splice(0).map(({ path }) => path);
  await (await signIn(options(issuer))).signOut();
  expect(paths().slice(0, 2)).toEqual([metadataPath, "/code"]);
  await (await signIn(options(issuer))).close();
  expect(paths()[0]).toBe("/code");
  fs.rmSync(path.join(state, "token-cache"));
  const again = await signIn(options({ ...issuer, resumeOnly: true }));
  await again.accessToken();
  await again.close();
  expect(paths()).toEqual(["/token"]);
  fs.rmSync(path.join(state, "token-cache"));
  await server.close();
  const troubles: string[] = [];
  const onTrouble = ({ code }: SignInError): void => void troubles.push(code);
  const offline = await signIn(options({ ...issuer, resumeOnly: true, onTrouble }));
  sessions.push(offline);
  await expect(offline.accessToken(AbortSignal.timeout(300))).rejects.toThrow(/abort|timeout/i);
  expect(troubles[0]).toBe("unreachable");
});

it("requests stored metadata again after a failure, until they arrive, so that moved endpoints are found", async () => {
  responses[METADATA] = metadata();
  await (await signIn(options({ server: origin }))).signOut();
  responses["/code2"] = responses["/code"]!;
  responses["/code"] = 405;
  responses[METADATA] = 503;
  await expect(signIn(options({ server: origin }))).rejects.toThrow(/405/);
  responses[METADATA] = { ...metadata(), device_authorization_endpoint: `${origin}/code2` };
  await expect(signIn(options({ server: origin }))).rejects.toThrow(/405/);
  await expect
    .poll(() => fs.readFileSync(path.join(state, "metadata.json"), "utf8"))
    .toMatch(/code2/);
  sessions.push(await signIn(options({ server: origin })));
});

function abortedAfterTheCall(): AbortSignal {
  const controller = new AbortController();
  queueMicrotask(() => controller.abort());
  return controller.signal;
}

it.each([
  ["before", () => AbortSignal.abort()],
  ["in the same turn as", abortedAfterTheCall],
  ["while", () => AbortSignal.timeout(50)],
])("aborts %s the metadata request", async (_when, signal) => {
  const silent = await scripted(() => undefined);
  const given = signIn(options({ server: silent.origin, signal: signal() }));
  await expect(given).rejects.toMatchObject({ code: "aborted" });
  expect(fs.existsSync(state) ? fs.readdirSync(state) : []).toEqual([]);
});

it("refuses an issuer without metadata", async () => {
  const failing = signIn(options({ server: `${origin}/nothing` }));
  await expect(failing).rejects.toBeInstanceOf(SignInError);
  await expect(failing).rejects.toMatchObject({ code: "no_metadata", remedy: "developer" });
  await expect(failing).rejects.toThrow(/HTTP 404/);
});

it.each([
  ["not_signed_in", { resumeOnly: true }],
  ["wrong_option", { onCode: undefined }],
])("sends no request without a session and without user interaction: %s", async (code, more) => {
  const { length } = requested;
  await expect(signIn(options({ server: origin, ...more }))).rejects.toMatchObject({ code });
  expect(requested).toHaveLength(length);
});

it("RFC 8628 §3.3.1: shows the code as a QR code of verification_uri_complete", async () => {
  const verification_uri_complete = "https://a.example/d?code=ABCD";
  responses["/code"] = { ...CODE, expires_in: 60, interval: 1, verification_uri_complete };
  const shown: string[] = [];
  const onCode = ({ qr }: { qr: unknown }): void => void shown.push(`${qr}`);
  sessions.push(await signIn(options({ onCode })));
  expect(shown).toEqual([`${new QrCode(verification_uri_complete)}`]);
  expect(shown[0]).toMatch(/^█+\n/);
});

it("core/SPEC.md, Records: another client in the same directory gets a one-line error and changes nothing", async () => {
  const deviceKey = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
  const stored = (): string[] =>
    fs
      .readdirSync(state)
      .sort()
      .map((name) => `${name} ${fs.readFileSync(path.join(state, name), "latin1")}`);
  responses[METADATA] = metadata();
  sessions.push(await signIn(options({ server: origin, deviceKey })));
  const before = stored();
  expect(before.join("")).not.toContain(TOKENS.refresh_token);
  const { length } = requested;
  const intruding = signIn(options({ clientId: "radio", server: origin, deviceKey }));
  await expect(intruding).rejects.toMatchObject({ code: "state_unusable", remedy: "user" });
  const line = new RegExp(`^${state}: keeps .*tv at ${origin}; give each .*[^\\n]$`);
  await expect(intruding).rejects.toThrow(line);
  expect([stored(), requested.length]).toEqual([before, length]);
  // A newer program may name the same server differently. After signing out, any client may use the directory.
  await sessions.pop()!.close();
  const updated = await signIn(options({ deviceKey }));
  await updated.signOut();
  sessions.push(await signIn(options({ clientId: "radio" })));
});

describe("keepSignedIn", () => {
  let service: SimulatedService;
  let folder: string;
  let shown: number;
  /** The API sends these responses before it accepts the token. */
  let refusals: Response[];
  let api: typeof fetch;
  let standing: PersistentSession;

  beforeEach(async () => {
    service = await startSimulatedService({ approve: "ada", interval: 0 });
    folder = temporaryFolder();
    shown = 0;
    refusals = [];
    api = async () => refusals.shift() ?? new Response("done");
    standing = keepSignedIn({
      server: service.url,
      clientId: "public-printer",
      scope: "openid",
      state: folder,
      fetch: (...request) => api(...request),
      onCode: () => {
        shown++;
      },
    });
  });
  afterEach(async () => {
    await standing.close();
    await service.close();
  });
  const request = async (init?: RequestInit): Promise<string> =>
    (await standing.fetch("https://api.example/", init)).text();
  const refused = (status: number, header = ""): Response =>
    new Response("no", { status, headers: { "www-authenticate": header } });
  const WIDER = 'Bearer error="insufficient_scope", scope="openid email"';

  it("signs in at the first use, once for all callers, and resumes later without user interaction", async () => {
    expect(shown).toBe(0);
    expect(await Promise.all([request(), request()])).toEqual(["done", "done"]);
    await standing.close();
    standing = keepSignedIn({
      ...{ server: service.url, clientId: "public-printer", scope: "openid", state: folder },
      onCode: () => shown++,
    });
    await (await standing.session()).close();
    expect((await standing.session()).status).not.toMatch(/ended|closed/);
    expect(shown).toBe(1);
  });

  it("signs in again after a revocation, and repeats the request", async () => {
    expect(await request()).toBe("done");
    service.revokeAllFor("ada");
    refusals = [refused(401)];
    expect(await request()).toBe("done");
    expect(shown).toBe(2);
  });

  it.each([
    ["a wider scope (RFC 6750 §3.1)", 403, WIDER],
    [
      "another sign-in (RFC 9470)",
      401,
      'Bearer error="insufficient_user_authentication", max_age="0"',
    ],
  ])("signs in again for %s, once", async (_, status, header) => {
    expect(await request()).toBe("done");
    refusals = [refused(status, header)];
    expect(await request()).toBe("done");
    expect(shown).toBe(2);
    refusals = [refused(status, header), refused(status, header)];
    expect(await request()).toBe("no");
    const scope = (await standing.session()).scope!.split(" ");
    expect(scope.includes("email")).toBe(status === 403);
  });

  it("repeats no request that may have been processed before it failed", async () => {
    let requests = 0;
    api = async () => {
      requests++;
      await (await standing.session()).close();
      throw new Error("reset");
    };
    await expect(request({ method: "POST" })).rejects.toThrow("reset");
    expect(requests).toBe(1);
  });

  it("requests the scopes that the API names, besides the earlier ones", async () => {
    await standing.session("email");
    await standing.session("openid");
    expect((await standing.session("email openid")).scope?.split(" ").sort()).toEqual([
      "email",
      "openid",
    ]);
    expect(shown).toBe(1);
  });

  it("returns the response if the body cannot be repeated, or if a 403 names no scope", async () => {
    expect(await request()).toBe("done");
    refusals = [refused(403, WIDER), refused(403)];
    const body = new Blob(["x"]).stream();
    expect(await request({ method: "POST", body, duplex: "half" } as RequestInit)).toBe("no");
    expect(await request()).toBe("no");
    const odd = WIDER.replace("email", "r\u00e9po");
    refusals = [refused(403, odd), refused(403, odd)];
    expect(await request()).toBe("no");
    expect(shown).toBe(1);
  });

  it("rejects if a sign-in fails, and signs in at the next call; close prevents that", async () => {
    service.observe(({ type }) => {
      if (type === "attempt") for (const { userCode } of service.pending()) service.deny(userCode);
    });
    await expect(request()).rejects.toMatchObject({ code: "access_denied" });
    await expect(request()).rejects.toMatchObject({ code: "access_denied" });
    expect(shown).toBe(2);
    const waiting = standing.session();
    await standing.close();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
    await expect(request()).rejects.toMatchObject({ code: "closed" });
  });
});
