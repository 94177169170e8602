// Signing in from a program on Node (platform/node/sign-in.ts), against the simulated service on a real socket.

import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { QrCode } from "../../platform/node/qr-code.ts";
import { type Session, SignInError, signIn } from "../../platform/node/sign-in.ts";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type Service,
  serve,
} from "../../targets/service/index.ts";
import { PATIENCE_MS } from "../patience.ts";
import { FIXTURE, VIDEO_READONLY } from "../service/harness.ts";

let service: Service;
let server: RunningServer;
let state: string;
const sessions: Session[] = [];

beforeEach(async () => {
  const options = { interval: 1, pollToleranceMs: 250 };
  service = createService({ ...nodeEnvironment(), fixture: FIXTURE, options });
  server = await serve(service);
  state = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-sign-in-"));
});
afterEach(async () => {
  for (const session of sessions.splice(0)) session.close();
  await server.close();
  fs.rmSync(state, { recursive: true, force: true });
});

const client = () => ({
  server: server.url,
  clientId: "living-room-tv",
  clientSecret: "tv-secret",
  scope: VIDEO_READONLY,
  state,
});

/** Signs in; `decide` is what the person does with the code. */
async function start(
  decide: (userCode: string) => void,
  more: Partial<Parameters<typeof signIn>[0]> = {},
): Promise<Session> {
  const onCode = ({ userCode }: { userCode: string }): void => decide(userCode);
  const session = await signIn({ ...client(), onCode, ...more });
  sessions.push(session);
  return session;
}

const allow = (userCode: string): void => void service.approve(userCode, "ada");
const list = (): string => `${server.url}/video/v3/liveBroadcasts?part=id&mine=true`;

/** Comes when `signIn` has been called, and before anything else can happen. */
function abortedBehindTheCall(): AbortSignal {
  const controller = new AbortController();
  queueMicrotask(() => controller.abort());
  return controller.signal;
}

describe("a program signs in", () => {
  it("calls an API, renews a token that is refused, comes back after a restart, and signs out", async () => {
    const session = await start(allow);
    expect(session.status).toBe("signed-in");
    expect((await session.fetch(list())).status).toBe(200);

    // RFC 6750 §3.1: a token that died early is renewed, and the request sent again.
    const before = await session.accessToken();
    const revoked = service.snapshot().grants[0]!;
    service.setOptions({ accessTokenLifetime: 3600 });
    expect(revoked.accessTokens).toHaveLength(1);
    const asked: number[] = [];
    service.observe((event) => {
      if (event.type === "exchange" && event.path.startsWith("/video")) asked.push(event.status);
    });
    const real = globalThis.fetch;
    let refuses = 1;
    globalThis.fetch = (input, init) =>
      refuses-- > 0 ? Promise.resolve(new Response("", { status: 401 })) : real(input, init);
    try {
      expect((await session.fetch(list())).status).toBe(200);
    } finally {
      globalThis.fetch = real;
    }
    expect(asked).toEqual([200]);
    expect(await session.accessToken()).not.toBe(before);
    session.close();

    const again = await start(() => expect.unreachable("nobody is asked again"));
    expect((await again.fetch(list())).status).toBe(200);
    await again.signOut();
    expect(again.status).toBe("ended");
    await expect(again.accessToken()).rejects.toMatchObject({ code: "signed_out" });
    expect(service.counts().grants).toBe(0);
  });

  it("takes a Request as the global fetch does: its method, headers, body and signal", async () => {
    const session = await start(allow);
    const real = globalThis.fetch;
    const seen: Request[] = [];
    let refuses = 0;
    globalThis.fetch = (input, init) => {
      seen.push(new Request(input, init));
      return Promise.resolve(new Response("", { status: refuses-- > 0 ? 401 : 200 }));
    };
    try {
      const headers = { "x-own": "kept", authorization: "Basic other" };
      const bearer = `Bearer ${await session.accessToken()}`;
      await session.fetch(new Request(list(), { method: "POST", headers, body: "text" }));
      expect(seen[0]!.method).toBe("POST");
      expect(seen[0]!.headers.get("x-own")).toBe("kept");
      expect(seen[0]!.headers.get("authorization")).toBe(bearer);
      expect(await seen[0]!.text()).toBe("text");
      // The Fetch standard: headers beside a Request stand in place of its own.
      await session.fetch(new Request(list(), { headers }), { headers: { "x-other": "1" } });
      expect(seen[1]!.headers.get("x-own")).toBeNull();
      expect(seen[1]!.headers.get("authorization")).toBe(bearer);
      // RFC 6750 section 3.1: sent again with a new token.
      refuses = 1;
      expect((await session.fetch(new Request(list(), { headers }))).status).toBe(200);
      expect(seen).toHaveLength(4);
      expect(seen[3]!.headers.get("x-own")).toBe("kept");
      refuses = 1;
      const used = new Request(list(), { method: "POST", body: "text" });
      expect((await session.fetch(used)).status).toBe(200);
      expect(await Promise.all(seen.slice(4).map((one) => one.text()))).toEqual(["text", "text"]);
    } finally {
      globalThis.fetch = real;
    }
  });

  it("only goes on with a session where it is told to, and says how long it lasts", async () => {
    const resume = () => start(() => expect.unreachable("nobody is asked"), { resumeOnly: true });
    await expect(resume()).rejects.toMatchObject({ code: "not_signed_in", remedy: "user" });
    const session = await start(allow);
    expect(session.isRenewable).toBe(true);
    expect(session.expiresInS).toBeGreaterThan(3000);
    expect(session.expiresInS).toBeLessThanOrEqual(3600);
    // RFC 6749 has no lifetime of a session; this one has none.
    expect(session.endsInS).toBeUndefined();
    session.close();
    const again = await resume();
    expect((await again.fetch(list())).status).toBe(200);
  });

  it("RFC 8628 §3.3.1: shows the code as a QR code of verification_uri_complete", async () => {
    let shown = "";
    await start(allow, {
      onCode: ({ userCode, verificationUriComplete, qr }) => {
        expect(verificationUriComplete).toContain(userCode);
        shown = `${qr}`;
        expect(shown).toBe(`${new QrCode(verificationUriComplete)}`);
        allow(userCode);
      },
    });
    expect(shown).toMatch(/^█+\n/);
  });

  it("is told who can mend it where the user refuses", async () => {
    const refused = start((userCode) => void service.deny(userCode));
    await expect(refused).rejects.toBeInstanceOf(SignInError);
    await expect(refused).rejects.toMatchObject({ code: "access_denied", remedy: "user" });
  });

  it("learns that the session was ended elsewhere, once, and nothing answers after that", async () => {
    const ends: string[] = [];
    const session = await start(allow, { onEnd: ({ code }) => ends.push(code) });
    service.revokeAllFor("ada");
    expect((await session.fetch(list())).status).toBe(401);
    expect(session.status).toBe("ended");
    await expect(session.fetch(list())).rejects.toMatchObject({ code: "session_ended" });
    expect(ends).toEqual(["session_ended"]);
  });

  it("gives up when it is told to, and gives the directory back", async () => {
    const controller = new AbortController();
    const given = start(() => controller.abort(), { signal: controller.signal });
    await expect(given).rejects.toMatchObject({ code: "aborted" });
    expect(fs.readdirSync(state)).not.toContain("lock");
  });

  it.each([
    ["before", () => AbortSignal.abort()],
    ["in the same moment", abortedBehindTheCall],
    ["while", () => AbortSignal.timeout(50)],
  ])("gives up %s the server is asked for its metadata", async (_when, signal) => {
    const silent = net.createServer(() => {});
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const { port } = silent.address() as net.AddressInfo;
    try {
      const given = signIn({
        ...client(),
        server: `http://127.0.0.1:${port}`,
        signal: signal(),
      });
      await expect(given).rejects.toMatchObject({ code: "aborted" });
      if (fs.existsSync(state)) expect(fs.readdirSync(state)).not.toContain("lock");
    } finally {
      silent.close();
    }
  });

  it("is told of a network that is away, and in a session gives up waiting when it is told to", async () => {
    const troubles: string[] = [];
    const session = await start(allow, { onTrouble: ({ message }) => troubles.push(message) });
    expect(troubles).toEqual([]);
    await server.close();
    const real = globalThis.fetch;
    globalThis.fetch = () => Promise.resolve(new Response("", { status: 401 }));
    const refused = session.fetch(list(), { signal: AbortSignal.timeout(100) });
    await refused.catch(() => {});
    globalThis.fetch = real;
    const signal = AbortSignal.timeout(1500);
    await expect(session.accessToken(signal)).rejects.toThrow(/abort|timeout/i);
    await expect(session.fetch(list(), { signal })).rejects.toThrow(/abort|timeout/i);
    expect(troubles[0]).toMatch(/\/token: not reachable \(ECONN[A-Z]+\); trying again in \d+ s$/);
    expect(session.status).toBe("refreshing");
    server = await serve(service);
  });

  it("keeps no token in the clear with a device key", async () => {
    const deviceKey = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
    await start(allow, { deviceKey });
    const { refreshToken } = service.snapshot().grants[0]!;
    const kept = fs
      .readdirSync(state)
      .map((name) => fs.readFileSync(path.join(state, name), "latin1"));
    expect(kept.join("")).not.toContain(refreshToken);
  });
});

describe("core/SPEC.md, Records: another client in the same directory", () => {
  /** What lies there, byte by byte. */
  const kept = (): string[] =>
    fs
      .readdirSync(state)
      .sort()
      .map((name) => `${name} ${fs.readFileSync(path.join(state, name), "latin1")}`);

  it("is told so in one line, and takes, changes, revokes nothing", async () => {
    const session = await start(allow);
    const before = kept();
    const asked = service.counts();
    const intruding = signIn({
      ...client(),
      ...{ clientId: "kitchen-radio", clientSecret: "" },
      onCode: () => expect.unreachable("nobody is asked"),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await expect(intruding).rejects.toMatchObject({ code: "state_unusable", remedy: "user" });
    const line = new RegExp(
      `^${state}: keeps .*living-room-tv at ${server.url}; give each .*[^\\n]$`,
    );
    await expect(intruding).rejects.toThrow(line);
    expect(kept()).toEqual(before);
    expect(service.counts()).toEqual(asked);
    expect((await session.fetch(list())).status).toBe(200);
    session.close();
    const again = await start(() => expect.unreachable("nobody is asked again"));
    expect((await again.fetch(list())).status).toBe(200);
  });

  it("is not the same client whose program was updated, and names its server otherwise", async () => {
    (await start(allow)).close();
    const addresses = {
      deviceAuthorization: `${server.url}/device/code`,
      token: `${server.url}/token`,
      revocation: `${server.url}/revoke`,
    };
    const updated = await start(allow, { server: addresses });
    expect((await updated.fetch(list())).status).toBe(200);
  });

  it("takes its place once nothing is kept there: signed out, or never signed in", async () => {
    const wrong = start(allow, { clientId: "nobody-knows" });
    await expect(wrong).rejects.toMatchObject({ code: "invalid_client" });
    const session = await start(allow);
    await session.signOut();
    const controller = new AbortController();
    const troubles: string[] = [];
    const other = signIn({
      ...client(),
      ...{ clientId: "kitchen-radio", clientSecret: "" },
      server: { deviceAuthorization: "http://127.0.0.1:9/d", token: "http://127.0.0.1:9/t" },
      signal: controller.signal,
      // It has asked, and so has the place.
      onTrouble: ({ code }) => {
        troubles.push(code);
        controller.abort();
      },
    });
    await expect(other).rejects.toMatchObject({ code: "aborted" });
    expect(troubles).toEqual(["unreachable"]);
  });
});

describe("what is wrong is said at once", () => {
  it.each([
    [
      "nobody there",
      "http://127.0.0.1:9",
      "unreachable",
      "nobody",
      /not reachable \(ECONNREFUSED\)/,
    ],
    ["no metadata", "/nothing", "no_metadata", "maker", /HTTP 404/],
  ])("an issuer: %s", async (_, issuer, code, remedy, message) => {
    const address = issuer.startsWith("/") ? server.url + issuer : issuer;
    const failing = signIn({ ...client(), server: address });
    await expect(failing).rejects.toBeInstanceOf(SignInError);
    await expect(failing).rejects.toMatchObject({ code, remedy });
    await expect(failing).rejects.toThrow(message);
  });
});
