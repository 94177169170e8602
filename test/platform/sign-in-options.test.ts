// signIn rejects wrong options at once, with one kind of error, before it creates or requests anything.

import fs from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { checkOptions } from "../../platform/node/options.ts";
import { SignInError, type SignInOptions, signIn } from "../../platform/node/sign-in.ts";

const state = path.join(os.tmpdir(), `picogrant-never-made-${process.pid}`);
const valid = { server: "github", clientId: "id", state };

const PEM = "-----BEGIN CERTIFICATE-----";

const PLACE = { load: () => {}, save: () => {}, erase: () => {} };

describe("signIn refuses", () => {
  it.each<[wrong: object, message: RegExp]>([
    [{ clientID: "id" }, /^there is no option clientID; did you mean clientId\?$/],
    [{ client_id: "id" }, /did you mean clientId\?$/],
    [{ onCod: () => {} }, /did you mean onCode\?$/],
    [{ onCodes: () => {} }, /did you mean onCode\?$/],
    [{ scopf: "a" }, /did you mean scope\?$/],
    [{ colour: "red" }, /^there is no option colour$/],
    [{ http: { cas: "x" } }, /^there is no option http\.cas; did you mean http\.ca\?$/],
    [
      { http: { proxy: "http://127.0.0.1:3128" } },
      /^there is no option http\.proxy; a proxy is an http\.agent, or HTTPS_PROXY with NODE_USE_ENV_PROXY=1$/,
    ],
    [
      { http: { ca: "/etc/ssl/ca.pem" } },
      /^http\.ca must be the text of PEM certificates, and no /,
    ],
    [{ http: { ca: [PEM, "ca.pem"] } }, /^http\.ca must be the text/],
    [{ http: { userAgent: "\u263a" } }, /^http\.userAgent must be Latin-1 characters$/],
    [{ http: { userAgent: "a\r\nB: c" } }, /^http\.userAgent must be/],
    [{ state: undefined }, /^state is missing: a directory of the program's own for the tokens$/],
    [{ state: "" }, /^state is missing: /],
    [{ state: 7 }, /^state is missing: /],
    [{ storage: PLACE }, /^storage stands in place of state: give one of them$/],
    [{ state: undefined, storage: { ...PLACE, load: 1 } }, /^storage\.load is no function$/],
    [{ state: undefined, storage: { ...PLACE, save: 1 } }, /^storage\.save is no function$/],
    [{ state: undefined, storage: { ...PLACE, erase: 1 } }, /^storage\.erase is no function$/],
    [{ state: undefined, storage: null }, /^storage\.load is no function$/],
    [
      { server: undefined },
      /^server is missing: a profile's name, an issuer's address, or addresses$/,
    ],
    [{ log: "print" }, /^log must be a function$/],
    [{ onCode: "print" }, /^onCode must be a function$/],
    [{ onEnd: "print" }, /^onEnd must be a function$/],
    [{ onError: null }, /^onError must be a function$/],
    [{ onTrouble: {} }, /^onTrouble must be a function$/],
    [{ deviceKey: new Uint8Array(15) }, /^deviceKey must be 16 random bytes or more$/],
    [{ deviceKey: new Uint16Array(16) }, /^deviceKey must be 16 random bytes or more$/],
    [
      { deviceKey: new Uint8Array(32).fill(7) },
      /^deviceKey must be random bytes: all of these are alike$/,
    ],
    [{ deviceKey: "secret" }, /^deviceKey must be 16 random bytes or more$/],
  ])("%j", async (wrong, message) => {
    const refused = signIn({ ...valid, ...wrong } as SignInOptions);
    await expect(refused).rejects.toBeInstanceOf(SignInError);
    await expect(refused).rejects.toMatchObject({ code: "wrong_option", remedy: "developer" });
    await expect(refused).rejects.toThrow(message);
    expect(fs.existsSync(state)).toBe(false);
  });

  it.each<object>([
    { deviceKey: Uint8Array.from({ length: 16 }, (_, i) => i) },
    { deviceKey: new Uint8Array(16).fill(0, 0, 15).fill(1, 15) },
    { state: undefined, storage: PLACE },
    { onCode: undefined, onEnd: () => {}, http: {} },
    { http: { ca: PEM, timeLimitMs: 1, userAgent: "caf\u00e9/1" } },
    { http: { ca: [PEM, Buffer.from(PEM)] } },
    { http: { ca: Buffer.from(PEM) } },
    { deviceKey: runInNewContext("Uint8Array.from({ length: 32 }, (_, i) => i)") },
    { clientSecret: "a", scope: "a", resources: [], allowHttp: false, resumeOnly: true },
  ])("and takes %j", (more) => {
    checkOptions({ ...valid, ...more } as SignInOptions);
  });

  it.each<[wrong: object, code: string, message: RegExp]>([
    [{ server: "gitbub" }, "wrong_option", /^server is unknown; did you mean github\?$/],
    [
      { server: "login.example.com" },
      "wrong_option",
      /^server is unknown; did you mean https:\/\/login\.example\.com\?$/,
    ],
    [{ server: "nobody" }, "wrong_option", /^server must be one of: google, .* or addresses$/],
    [
      { http: { agent: new https.Agent({ minVersion: "TLSv1" }) } },
      "wrong_option",
      /^http\.agent must check what picogrant checks: leave out its minVersion$/,
    ],
    [{ server: { name: "keycloak", host: "x" } }, "wrong_option", /^server\.realm /],
    [{ clientId: "caf\u00e9" }, "wrong_option", /^clientId /],
    [
      { server: { token: "http://192.0.2.1/t", deviceAuthorization: "x" } },
      "wrong_option",
      /https/,
    ],
    [{ server: { token: "https://192.0.2.1/t" } }, "wrong_option", /an issuer, or both addresses/],
    [
      { server: { issuer: "https://192.0.2.1", endpoint: {} } },
      "wrong_option",
      /server\.endpoints\?/,
    ],
    [
      { server: { endpoints: { revokation: "x" } } },
      "wrong_option",
      /server\.endpoints\.revocation\?/,
    ],
    [{ headers: { grant: [["Host", "x"]] } }, "wrong_option", /^headers: Host /],
    [{ state: "/etc/passwd" }, "state_unusable", /not a directory/],
  ])("%j, as one kind of error", async (wrong, code, message) => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-options-"));
    try {
      const refused = signIn({ ...valid, state: directory, ...wrong } as SignInOptions);
      await expect(refused).rejects.toBeInstanceOf(SignInError);
      await expect(refused).rejects.toMatchObject({ code });
      await expect(refused).rejects.toThrow(message);
    } finally {
      fs.rmSync(directory, { recursive: true });
    }
  });
});
