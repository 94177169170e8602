// What an issuer has said of itself is kept beside the tokens: a start with a session needs no network, and what was
// altered is asked for again.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noEndpoints } from "../../platform/driver.ts";
import { keptMetadata } from "../../platform/node/kept-metadata.ts";
import { forget, type Session, type SignInOptions, signIn } from "../../platform/node/sign-in.ts";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type Service,
  serve,
} from "../../targets/service/index.ts";
import { FIXTURE, VIDEO_READONLY } from "../service/harness.ts";

const ISSUER = "https://login.example.com";
const SERVER = {
  endpoints: {
    ...noEndpoints,
    deviceAuthorization: `${ISSUER}/code`,
    token: `${ISSUER}/token`,
    revocation: `${ISSUER}/revoke`,
  },
  clientAuthenticationMethods: ["client_secret_basic"],
};

let state: string;
beforeEach(() => {
  state = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-metadata-"));
});
afterEach(() => fs.rmSync(state, { recursive: true, force: true }));

describe("the file", () => {
  const file = (): string => path.join(state, "metadata.json");
  const key = Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 1);

  it("is read as it was written, by its owner alone, and for its issuer alone", () => {
    for (const deviceKey of [undefined, key]) {
      const kept = keptMetadata(state, { deviceKey });
      kept.write(ISSUER, SERVER);
      expect(kept.read(ISSUER)).toEqual(SERVER);
      expect(kept.read(`${ISSUER}/`)).toBeUndefined();
      expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
      expect(fs.readdirSync(state)).toEqual(["metadata.json"]);
    }
  });

  it("with a device key each altered byte has the issuer asked again", () => {
    const kept = keptMetadata(state, { deviceKey: key });
    kept.write(ISSUER, SERVER);
    const good = fs.readFileSync(file());
    for (let at = 0; at < good.length - 1; at++) {
      const altered = Uint8Array.from(good);
      altered[at]! ^= 1;
      fs.writeFileSync(file(), altered);
      expect(kept.read(ISSUER), `byte ${at}`).toBeUndefined();
    }
    fs.writeFileSync(file(), good);
    const other = Uint8Array.from(key, (byte) => byte ^ 1);
    expect(keptMetadata(state, { deviceKey: other }).read(ISSUER)).toBeUndefined();
    expect(keptMetadata(state, {}).read(ISSUER)).toBeUndefined();
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{\n"],
    ["a later version", JSON.stringify({ version: 2, issuer: ISSUER })],
    ["no addresses", JSON.stringify({ version: 1, issuer: ISSUER })],
    [
      "an address in the clear",
      JSON.stringify({
        ...{ version: 1, issuer: ISSUER, deviceAuthorization: "", revocation: "" },
        ...{ token: "http://192.0.2.1/token", clientAuthenticationMethods: [] },
      }),
    ],
  ])("that holds %s has the issuer asked again", (_, content) => {
    fs.writeFileSync(file(), `${content}\n\n`);
    expect(keptMetadata(state, {}).read(ISSUER)).toBeUndefined();
  });

  it("that cannot be written leaves nothing behind, and nobody is stopped by it", () => {
    const kept = keptMetadata(path.join(state, "nowhere"), {});
    kept.write(ISSUER, SERVER);
    expect(kept.read(ISSUER)).toBeUndefined();
  });
});

describe("a program that starts again", () => {
  let service: Service;
  let server: RunningServer;
  let asked: string[];
  let session: Session | undefined;

  beforeEach(async () => {
    const options = { interval: 1, pollToleranceMs: 250 };
    service = createService({ ...nodeEnvironment(), fixture: FIXTURE, options });
    server = await serve(service);
    asked = [];
    service.observe((event) => {
      if (event.type === "exchange") asked.push(event.path);
    });
  });
  afterEach(async () => {
    await session?.close();
    await server.close();
  });

  const start = async (more: Partial<SignInOptions> = {}): Promise<Session> => {
    session = await signIn({
      server: server.url,
      clientId: "living-room-tv",
      clientSecret: "tv-secret",
      scope: VIDEO_READONLY,
      state,
      onCode: ({ userCode }) => void service.approve(userCode, "ada"),
      ...more,
    });
    return session;
  };
  const isMetadata = (address: string): boolean => address.includes("/.well-known/");

  it("two requests until onCode at an issuer that was never seen, one at one that was", async () => {
    const atCode: number[] = [];
    const onCode = ({ userCode }: { userCode: string }): void => {
      // The answer is counted once it has been sent.
      atCode.push(asked.length);
      service.approve(userCode, "ada");
    };
    await (await start({ onCode })).signOut();
    expect(asked.slice(0, 2).map(isMetadata)).toEqual([true, false]);
    expect(atCode[0]).toBeLessThanOrEqual(2);
    asked.length = 0;
    await start({ onCode });
    expect(asked.some(isMetadata)).toBe(false);
    expect(atCode[1]).toBeLessThanOrEqual(1);
  });

  it("no request for the session, one for the token; none is needed where nobody can be reached", async () => {
    await (await start()).close();
    asked.length = 0;
    const again = await start();
    expect(again.status).not.toBe("ended");
    await again.accessToken();
    expect(asked).toHaveLength(1);
    await again.close();
    await server.close();
    const troubles: string[] = [];
    const offline = await start({
      resumeOnly: true,
      onTrouble: ({ code }) => troubles.push(code),
    });
    await expect(offline.accessToken(AbortSignal.timeout(300))).rejects.toThrow(/abort|timeout/i);
    expect(troubles[0]).toBe("unreachable");
    server = await serve(service);
  });

  it("a server that has moved is asked where it is once a request has failed", async () => {
    await (await start()).close();
    const kept = keptMetadata(state, {});
    const moved = kept.read(server.url)!;
    const endpoints = { ...moved.endpoints, token: `${server.url}/gone` };
    kept.write(server.url, { ...moved, endpoints });
    const again = await start();
    await again.accessToken();
    expect(asked.filter((address) => address === "/gone").length).toBeGreaterThan(0);
    expect(keptMetadata(state, {}).read(server.url)).toEqual(moved);
  });

  it("forget erases the session without a request", async () => {
    await (await start()).close();
    asked.length = 0;
    await forget(state);
    expect([asked, fs.readdirSync(state)]).toEqual([[], []]);
    await expect(start({ resumeOnly: true })).rejects.toMatchObject({ code: "not_signed_in" });
    // The server was not told.
    expect(service.counts().grants).toBe(1);
  });
});
