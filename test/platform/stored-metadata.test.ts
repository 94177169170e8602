// The session stores an issuer's metadata beside the tokens, so that the next start needs no discovery
// (sign-in.test.ts). If the file is not valid, the session discovers the issuer again.

import { createHmac } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { noEndpoints } from "../../platform/driver.ts";
import { storedMetadata } from "../../platform/node/state-directory.ts";
import { resolveServer } from "../../platform/session/resolve-server.ts";
import { fakePlatform } from "../../platform/testing/index.ts";
import { listen, temporaryFolder } from "../listening.ts";

const ISSUER = "https://login.example.com";
const SERVER = {
  issuer: ISSUER,
  endpoints: {
    ...noEndpoints,
    deviceAuthorization: `${ISSUER}/code`,
    token: `${ISSUER}/token`,
    revocation: `${ISSUER}/revoke`,
  },
  clientAuthenticationMethods: ["client_secret_basic"],
  bindsTokens: false,
};

const WRITTEN = { version: 3, ...SERVER };
const { token: _token, ...withoutToken } = SERVER.endpoints;
const withAddresses = (more: object): object => ({
  ...WRITTEN,
  endpoints: { ...SERVER.endpoints, ...more },
});

let state: string;
beforeEach(() => {
  state = temporaryFolder();
});

describe("the file", () => {
  const file = (): string => path.join(state, "metadata.json");
  const key = Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 1);

  it("with a device key, any changed byte causes a new discovery", () => {
    const stored = storedMetadata(state, { deviceKey: key });
    stored.write(SERVER);
    const valid = fs.readFileSync(file());
    for (let at = 0; at < valid.length - 1; at++) {
      const altered = Uint8Array.from(valid);
      altered[at]! ^= 1;
      fs.writeFileSync(file(), altered);
      expect(stored.read(ISSUER), `byte ${at}`).toBeUndefined();
    }
    fs.writeFileSync(file(), valid);
    const other = Uint8Array.from(key, (byte) => byte ^ 1);
    expect(storedMetadata(state, { deviceKey: other }).read(ISSUER)).toBeUndefined();
    expect(storedMetadata(state, {}).read(ISSUER)).toBeUndefined();
  });

  it("only its owner can read it, and it is valid only for its issuer; a device key authenticates it", () => {
    for (const deviceKey of [undefined, key]) {
      const stored = storedMetadata(state, { deviceKey });
      stored.write(SERVER);
      expect(stored.read(ISSUER)).toEqual(SERVER);
      expect(stored.read(`${ISSUER}/`)).toEqual(SERVER);
      expect(stored.read(`${ISSUER}/x`)).toBeUndefined();
      expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
      expect(fs.readdirSync(state)).toEqual(["metadata.json"]);
      const text = JSON.stringify(WRITTEN);
      const proof = deviceKey
        ? createHmac("sha256", key).update(`picogrant metadata 1\n${text}`).digest("hex")
        : "";
      expect(fs.readFileSync(file(), "utf8")).toBe(`${text}\n${proof}\n`);
    }
  });

  it.each<[what: string, content: object | string]>([
    ["nothing", ""],
    ["no JSON", "{\n"],
    ["one line alone", JSON.stringify(WRITTEN)],
    ["data without a valid seal", `${JSON.stringify(WRITTEN)}\n00\n`],
    ["a later version", { ...WRITTEN, version: 4 }],
    ["another issuer's", { ...WRITTEN, issuer: "https://other.example.com" }],
    ["no address", { ...WRITTEN, endpoints: withoutToken }],
    ["no addresses", { ...WRITTEN, endpoints: undefined }],
    ["an empty address", withAddresses({ token: "" })],
    ["an address that is not text", withAddresses({ revocation: 7 })],
    ["a way of authentication that is not text", { ...WRITTEN, clientAuthenticationMethods: [7] }],
    ["an unencrypted address", withAddresses({ token: "http://192.0.2.1/token" })],
  ])("that contains %s causes a new discovery", (_, content) => {
    const text = typeof content === "string" ? content : `${JSON.stringify(content)}\n\n`;
    fs.writeFileSync(file(), text);
    expect(storedMetadata(state, {}).read(ISSUER)).toBeUndefined();
  });

  it("if it cannot be written, no file is left, and the sign-in continues", () => {
    const stored = storedMetadata(path.join(state, "nowhere"), {});
    stored.write(SERVER);
    expect(stored.read(ISSUER)).toBeUndefined();
    vi.spyOn(fs, "renameSync").mockImplementation(() => {
      throw new Error("EIO");
    });
    storedMetadata(state, {}).write(SERVER);
    expect(fs.readdirSync(state)).toEqual([]);
  });

  it("if others could have written it, there is a new discovery; modes that a mount has widened are corrected", () => {
    const stored = storedMetadata(state, {});
    stored.write(SERVER);
    fs.chmodSync(file(), 0o660);
    expect(stored.read(ISSUER)).toEqual(SERVER);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
    fs.chmodSync(file(), 0o666);
    expect(stored.read(ISSUER)).toBeUndefined();
    stored.write(SERVER);
    expect(stored.read(ISSUER)).toEqual(SERVER);
    if (process.getuid?.() !== 0) return;
    fs.chownSync(file(), 65_534, 65_534);
    expect(stored.read(ISSUER)).toBeUndefined();
  });

  it("it is not written through a symbolic link", () => {
    const target = path.join(state, "target");
    const real = fs.rmSync;
    vi.spyOn(fs, "rmSync").mockImplementationOnce((name, options) => {
      real(name, options);
      fs.symlinkSync(target, name);
    });
    storedMetadata(state, {}).write(SERVER);
    expect(fs.readdirSync(state)).toEqual([]);
  });
});

it("a new discovery uses its own connection, and closes it, also when it is aborted", async () => {
  const requesting = http.createServer((_, response) => {
    const endpoints = {
      token_endpoint: `${issuer}/t`,
      device_authorization_endpoint: `${issuer}/d`,
    };
    response.end(JSON.stringify({ issuer, ...endpoints }));
  });
  // The server keeps the connection open, so the client must close it.
  requesting.keepAliveTimeout = 0;
  const { origin: issuer } = await listen(requesting);
  const stored = storedMetadata(state, { http: { idleLimitMs: 3_600_000 } });
  const endpoints = { ...noEndpoints, token: `${issuer}/t`, deviceAuthorization: `${issuer}/d` };
  const revocation = `${issuer}/moved`;
  stored.write({ ...SERVER, issuer, endpoints: { ...endpoints, revocation } });
  const client = { clientId: "tv", server: { issuer } };
  const { rediscover } = await resolveServer(client, fakePlatform({}), { stored });
  const controller = new AbortController();
  expect(await rediscover!(controller.signal)).toEqual(endpoints);
  expect(stored.read(issuer)).toMatchObject({ endpoints });
  const connections = (): Promise<number> =>
    new Promise((done) => requesting.getConnections((_, count) => done(count)));
  requesting.removeAllListeners("request");
  void rediscover!(controller.signal);
  await expect.poll(connections).toBe(1);
  controller.abort();
  await expect.poll(connections).toBe(0);
  requesting.close();
});
