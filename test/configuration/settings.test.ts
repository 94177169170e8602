// Tests wrong settings for signIn and in device.json. Each error names the path, what is allowed, and the type of the
// value. All errors of a call are reported together, and no wrong setting is ignored.

import fs from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { type Config, ConfigMember, configError } from "../../core/index.ts";
import { parseDeviceConfig } from "../../platform/configuration/device-config.ts";
import type { Schema } from "../../platform/configuration/schema-check.ts";
import table from "../../platform/configuration/settings.json";
import { parseOptions } from "../../platform/node/options.ts";
import {
  accountDirectory,
  discard,
  keepSignedIn,
  SignInError,
  type SignInOptions,
  signIn,
} from "../../platform/node/sign-in.ts";
import { deviceConfig, fakePlatform } from "../../platform/testing/index.ts";
import { readySettings } from "../../targets/command/login/settings.ts";
import { makePage } from "../../targets/command/page-format.ts";
import { temporaryFolder } from "../listening.ts";

const state = path.join(os.tmpdir(), `picogrant-never-made-${process.pid}`);
const valid = { server: "github", clientId: "id", state };
async function problemsOf(options: object): Promise<string[]> {
  const lines: string[] = [];
  const refused = new Error("refused");
  try {
    await parseOptions(options as SignInOptions, (problems) => {
      lines.push(...problems.map(({ path, message }) => `${path} ${message}`));
      return refused;
    });
  } catch (error) {
    expect(error).toBe(refused);
  }
  return lines;
}

const settings = table.settings as readonly (Record<"name", string> & {
  readonly [at in "value" | "signIn" | "device"]?: Schema & { readonly path?: string };
} & { readonly core?: string })[];

const cycle: Record<string, unknown> = {};
cycle.cycle = cycle;
const proxy = (handler: ProxyHandler<object>): object => new Proxy({ a: "b" }, handler);
const fail = (): never => {
  throw new TypeError("S3cr3t");
};
const revoked = Proxy.revocable({}, {});
revoked.revoke();

/** Values that no setting takes: they cannot be read, or their members would not be used. */
const ODD: readonly unknown[] = [
  ...[cycle, revoked.proxy, proxy({ get: fail }), proxy({ ownKeys: fail })],
  Object.defineProperty({}, "token", { enumerable: true, get: fail }),
  Object.defineProperty({}, Symbol.toStringTag, { get: fail }),
  ...[{ [Symbol.toStringTag]: "AbortSignal" }, { [Symbol.toStringTag]: "Uint8Array", length: 20 }],
  ...[Object.create({ a: "b" }), new (class Own {})(), new String("github"), new Date(), [cycle]],
  ...[new Proxy([], { get: (list, name) => (name === "length" ? 2 ** 31 : list[name as never]) })],
];

/** A value of each type, and how the message names the type. JSON does not have the last ones. */
const VALUES: readonly (readonly [value: unknown, name: string])[] = [
  [null, "null"],
  [true, "true or false"],
  [7.5, "a number"],
  [7, "a number"],
  ["\u0000S3cr3t", "a text of 7 characters"],
  [[], "a list"],
  [[7], "a list"],
  [{ unknown: 1 }, "an object"],
  [() => {}, "a function"],
  [new URLSearchParams({ a: "b" }), "URLSearchParams"],
  [new Uint8Array(2), "Uint8Array"],
  [Symbol("S3cr3t"), "symbol"],
  [7n, "bigint"],
  ...ODD.map((value): [unknown, string] => [value, "an odd value"]),
];
const JSON_VALUES = VALUES.slice(0, 8);

const TAKES: Readonly<Record<string, readonly string[]>> = {
  integer: ["a number"],
  boolean: ["true or false"],
  function: ["a function"],
  array: ["a list"],
  object: ["an object"],
  instance: ["an object"],
};

const withValue = (base: object, at: string, value: unknown): Record<string, unknown> => {
  const copy: Record<string, unknown> = { ...base };
  const [first = "", ...rest] = at.split(".");
  const inner = (copy[first] ?? {}) as object;
  copy[first] = rest.length === 0 ? value : withValue(inner, rest.join("."), value);
  return copy;
};

const rowsOf = (entrance: "signIn" | "device"): [at: string, takes: readonly string[]][] =>
  settings.flatMap((setting) => {
    const own = setting[entrance];
    const types = [{ ...setting.value, ...own }.type ?? []].flat();
    const takes = types.flatMap((type) => TAKES[type] ?? []);
    return own === undefined ? [] : [[own.path ?? setting.name, takes]];
  });

describe("a value of a wrong type is refused with its path", () => {
  it.each(rowsOf("signIn"))("signIn: %s", async (at, takes) => {
    for (const [value, name] of VALUES) {
      const problems = await problemsOf(withValue(valid, at, value));
      const own = problems.filter((problem) => problem.startsWith(at));
      if (!takes.includes(name)) expect([name, own.length > 0]).toEqual([name, true]);
      expect(problems.join()).not.toContain("S3cr3t");
    }
  });

  const whole = { clientId: "tv", scope: "a", server: "github", storage: { directory: "/d" } };
  it.each(rowsOf("device"))("device.json: %s", (at, takes) => {
    for (const [value, name] of JSON_VALUES) {
      const text = JSON.stringify(withValue(whole, at, value));
      if (takes.includes(name)) continue;
      expect(() => parseDeviceConfig(text)).toThrow(`${at}`);
      expect(() => makePage(text, { authorities: [] })).toThrow(`${at}`);
    }
  });
});

const PEM = "-----BEGIN CERTIFICATE-----";
const PLACE = { load: () => {}, save: () => {}, erase: () => {} };
const ADDRESSES = { deviceAuthorization: "https://a.test/d", token: "https://a.test/t" };
const ASCII = "clientId must be 1 to 256 printable ASCII characters";
const MEMORY = "memoryBytes must be an integer from 4096 to 458752, in bytes";
const OWN_PARAMETERS = [
  ...["client_id", "client_secret", "code_challenge", "code_challenge_method"],
  ...["code_verifier", "device_code", "grant_type", "refresh_token", "scope"],
];

describe("signIn refuses wrong settings before it creates or requests anything", () => {
  it.each<[wrong: object, message: string]>([
    [{ clientID: "id" }, "clientID is unknown; did you mean clientId?"],
    [{ colour: undefined }, "colour is unknown; known here: clientId, "],
    [{ http: { cas: "x" } }, "http.cas is unknown; did you mean ca?"],
    [{ http: { proxy: "http://127.0.0.1:3128" } }, "http.proxy is unknown; a proxy is an http.ag"],
    [{ http: { ca: "/etc/ssl/ca.pem" } }, "http.ca must be the text of PEM certificates, not a f"],
    [{ http: { ca: [PEM, "ca.pem"] } }, "http.ca[1] must be the text of PEM certificates"],
    [{ http: { ca: Buffer.from("ca.pem") } }, "http.ca must be the text of PEM certificates"],
    [{ http: { userAgent: "\u263a" } }, "http.userAgent must be printable Latin-1 characters"],
    [{ http: { agent: new https.Agent({ minVersion: "TLSv1" }) } }, "http.agent must check what"],
    [{ http: { timeLimitMs: 0 } }, "http.timeLimitMs must be an integer from 1 to 2147483647"],
    [{ state: undefined }, "state is missing: a directory of the program's own for the tokens"],
    [{ state: "" }, "state must be the name of a directory (given: a text of 0 characters)"],
    [{ storage: PLACE }, "storage stands in place of state: give one of them"],
    [{ state: undefined, storage: { ...PLACE, load: 1 } }, "storage.load must be a function"],
    [{ server: undefined }, "server is missing"],
    [{ server: { token: "https://a.test/t" } }, "server.deviceAuthorization is missing"],
    [{ server: { deviceAuthorization: "https://a.test/d" } }, "server.token is missing"],
    [
      { server: { ...ADDRESSES, revokation: "x" } },
      "server.revokation is unknown; did you mean rev",
    ],
    [
      { server: { issuer: "https://a.test", endpoint: {} } },
      "server.endpoint is unknown; did you m",
    ],
    [{ server: { endpoints: { revokation: "x" } } }, "server.endpoints.revokation is unknown"],
    [
      { server: { endpoints: { token: "https://a.test/t" } } },
      "server is incomplete: give a profile",
    ],
    [
      { server: { ...ADDRESSES, token: "http://a.test/t" } },
      "server.token must be an https address",
    ],
    [
      { server: { issuer: "127.0.0.1", endpoints: ADDRESSES } },
      "server.issuer must be an https add",
    ],
    [{ server: "http://a.test" }, "server must be an https address"],
    [{ deviceKey: new Uint8Array(15) }, "deviceKey must be 16 or more random bytes (given: 15 by"],
    [
      { deviceKey: new Uint8Array(32).fill(7) },
      "deviceKey must be random: all of its bytes are eq",
    ],
    [{ clientId: "a\u007f" }, `${ASCII} (given: a text of 2 characters)`],
    [{ clientSecret: "a\n" }, "clientSecret must be printable ASCII characters"],
    [{ memoryBytes: 4095 }, `${MEMORY} (given: 4095)`],
    [{ bodies: "xml" }, "bodies must be form or json (given: a text of 3 characters)"],
    [{ bodies: "JSON" }, "did you mean json?"],
    [
      { clientAuthentication: "basic" },
      "must be none, client_secret_post, client_secret_basic, private_key_jwt or specification",
    ],
    [{ deviceParameters: new URLSearchParams({ a: "b" }) }, "an object (given: URLSearchParams)"],
    [{ deviceParameters: { a: 1 } }, "deviceParameters.a must be a text (given: a number)"],
    ...OWN_PARAMETERS.map((name): [object, string] => [
      { tokenParameters: { audience: "a", [name]: "b" } },
      `tokenParameters.${name} is not a parameter that you can set`,
    ]),
    [{ resources: ["https://x", "http://x"] }, "resources[1] must be an https address"],
    [{ resources: ["ftp://x"], allowHttp: true }, "resources[0] must be an https address"],
    [{ headers: { grant: [["Host", "x"]] } }, "headers.grant Host is not the host's to set"],
  ])("%j", async (wrong, message) => {
    const refused = signIn({ ...valid, ...wrong } as SignInOptions);
    await expect(refused).rejects.toBeInstanceOf(SignInError);
    await expect(refused).rejects.toMatchObject({ code: "wrong_option", remedy: "developer" });
    await expect(refused).rejects.toThrow(message);
    expect(fs.existsSync(state)).toBe(false);
  });

  it("all wrong settings of a call are in one error; options that are no object are refused", async () => {
    const wrong = { server: "gitbub", clientId: 7, scope: ["a"], http: { ca: [] }, pkcs: "" };
    const refused = signIn({ ...wrong, state, deviceKey: new Uint8Array(3) } as never);
    for (const name of ["server", "clientId", "scope", "http.ca", "pkcs", "deviceKey"])
      await expect(refused).rejects.toThrow(`${name} `);
    await expect(signIn(null as never)).rejects.toThrow("options must be an object (given: null)");
    for (const value of [...ODD, 7] as never[]) {
      const begun = [
        signIn(value),
        discard(value),
        keepSignedIn({ ...valid, signal: value }).session(),
      ];
      for (const one of begun) await expect(one).rejects.toMatchObject({ code: "wrong_option" });
      expect(() => accountDirectory(value)).toThrow(SignInError);
    }
    await expect(keepSignedIn(null as never).session()).rejects.toThrow("server is missing");
  });

  it.each<object>([
    { deviceKey: Uint8Array.from({ length: 16 }, (_, i) => i) },
    { deviceKey: new Uint8Array(16).fill(0, 0, 15).fill(1, 15) },
    { deviceKey: runInNewContext("Uint8Array.from({ length: 32 }, (_, i) => i)") },
    { state: undefined, storage: PLACE },
    { state: undefined, storage: Object.create(PLACE) },
    { onCode: undefined, onEnd: () => {}, http: {} },
    { http: { ca: PEM, timeLimitMs: 1, userAgent: "caf\u00e9/1" } },
    { http: { ca: [PEM, Buffer.from(PEM)], agent: new https.Agent() } },
    { http: { ca: Buffer.from(PEM) }, signal: AbortSignal.abort(), memoryBytes: 4096 },
    { clientSecret: "", scope: "", resources: [], allowHttp: false, resumeOnly: true },
    { clientId: "~".repeat(256), clientSecret: " ~", memoryBytes: 458_752, bodies: "json" },
    { clientAuthentication: "specification", pkce: "S256", deviceParameters: { audience: "a" } },
    {
      headers: { grant: [["X-A", "b"]] },
      server: { name: "keycloak", host: "a.test", realm: "r" },
    },
    { server: { ...ADDRESSES, revocation: "", issuer: "https://a.test" } },
    { server: { issuer: "https://a.test/", endpoints: { token: "" }, profile: "github" } },
    { server: { profile: { name: "keycloak", host: "a.test", realm: "r" } } },
    { server: "http://a.test", resources: ["http://b.test"], allowHttp: true },
  ])("and takes %j", async (more) => {
    expect(await problemsOf({ ...valid, ...more })).toEqual([]);
  });

  it.each<[wrong: object, code: string, message: RegExp]>([
    [{ server: "gitbub" }, "wrong_option", /^server is unknown; did you mean github\?$/],
    [{ server: "a.test" }, "wrong_option", /^server is unknown; did you mean https:\/\/a\.test\?$/],
    [{ server: "nobody" }, "wrong_option", /^server must be one of: google, .* or addresses$/],
    [{ server: { name: "keycloak", host: "x" } }, "wrong_option", /^server\.realm /],
    [{ memoryBytes: 4096, scope: "a".repeat(9000) }, "wrong_option", /bytes of memory are too few/],
    [{ state: "/etc/passwd" }, "state_unusable", /not a directory/],
  ])("%j, when the server or the directory is read", async (wrong, code, message) => {
    const refused = signIn({ ...valid, state: temporaryFolder(), ...wrong } as SignInOptions);
    await expect(refused).rejects.toBeInstanceOf(SignInError);
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(message);
  });
});

describe("picogrant login names its own options", () => {
  const login = { server: "github", clientId: "c", secret: "none", allowHttp: false } as const;
  it.each<[wrong: object, message: string]>([
    [{ clientId: "\u00e9" }, "--client-id must be 1 to 256 printable ASCII characters"],
    [{ scope: "a  b", clientId: "" }, "--scope must be scopes with one space between them"],
    [{ deviceParameters: { scope: "a" } }, "--device-parameter scope is not a parameter that you"],
    [{ server: "http://a.test" }, "--server must be an https address"],
    [{ serverParameters: { name: "google" } }, "--server-parameter name is unknown"],
    ...["clientId", "clientAuthentication", "assertionAudience", "dpop", "scope", "bodies", "pkce"]
      .map((name) => [name, table.settings.find((one) => one.name === name)!.flag!.name] as const)
      .map(([name, flag]): [object, string] => [{ [name]: "\0" }, `--${flag} must be`]),
    [{ server: "\0" }, "--server must be"],
    [{ tokenParameters: { "a=b": "" } }, '--token-parameter ["a=b"] is not'],
  ])("%j", async (wrong, message) => {
    const refused = readySettings({ ...login, ...wrong }, fakePlatform({}), {});
    await expect(refused).rejects.toMatchObject({ name: "UsageError" });
    await expect(refused).rejects.toThrow(message);
  });
});

describe("the table of settings", () => {
  const LEAST: Config = { ...deviceConfig, startSpreadMs: 0, pkce: 0, jsonBodies: 0 };
  const numbers = settings.flatMap(({ core, device }) =>
    core && device?.minimum !== undefined ? [[core, device.minimum, device.maximum!] as const] : [],
  );

  it.each(numbers)("the core accepts %s from %d to %d, as in the table", (core, least, most) => {
    const errorOf = (value: number) => configError({ ...LEAST, [core]: value });
    expect([errorOf(least), errorOf(most)]).toEqual([ConfigMember.NONE, ConfigMember.NONE]);
    expect(errorOf(least - 1)).toBe(errorOf(most + 1));
    expect(errorOf(most + 1)).not.toBe(ConfigMember.NONE);
  });

  it("every member of the core's configuration in the table exists", () => {
    const named = settings.flatMap(({ core }) => core ?? []);
    expect(named.filter((name) => !Object.hasOwn(LEAST, name))).toEqual([]);
  });
});
