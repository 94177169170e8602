// Tests the settings at each entrance (signIn, `picogrant login`, device.json): the errors of wrong settings, the
// driver's options for valid settings, and the complete file for hosts without profiles and discovery.

import fs from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import {
  ClientAuthentication,
  type Config,
  ConfigMember,
  configError,
  MESSAGES,
} from "../../core/index.ts";
import type deviceSchema from "../../platform/configuration/device.schema.json";
import {
  completeConfig,
  coreConfigOf,
  type DeviceConfig,
  deviceServer,
  deviceSettings,
  JAVASCRIPT_ONLY,
  messageNames,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import { checkSchema, type Schema } from "../../platform/configuration/schema-check.ts";
import table from "../../platform/configuration/settings.json";
import type {
  Client,
  ServerChoice,
  ServerSettings,
} from "../../platform/configuration/settings.ts";
import type signInSchema from "../../platform/configuration/sign-in.schema.json";
import type { HttpSink } from "../../platform/contracts.ts";
import { noEndpoints } from "../../platform/driver.ts";
import type { NodeHttpOptions } from "../../platform/node/http-options.ts";
import { identityOf, parseOptions } from "../../platform/node/options.ts";
import {
  accountDirectory,
  discard,
  keepSignedIn,
  SignInError,
  type SignInOptions,
  signIn,
} from "../../platform/node/sign-in.ts";
import type { DiscoveredServer } from "../../platform/servers/discovery.ts";
import { SERVERS } from "../../platform/servers/index.ts";
import type { Translating } from "../../platform/servers/translation.ts";
import { resolveServer, type StoredMetadata } from "../../platform/session/resolve-server.ts";
import { deviceConfig, fakePlatform } from "../../platform/testing/index.ts";
import { readySettings } from "../../targets/command/login/settings.ts";
import { makePage } from "../../targets/command/page-format.ts";
import { anyCharacter } from "../any-character.ts";
import { SessionEnvironment } from "../environment/session-port.ts";
import { temporaryFolder } from "../listening.ts";
import { ENDPOINTS, HOST } from "../session-model/server.ts";

const ISSUER = "https://a.test";
const ADDRESSES = { deviceAuthorization: `${ISSUER}/d`, token: `${ISSUER}/t` };
const state = path.join(os.tmpdir(), `picogrant-never-made-${process.pid}`);
const valid = { server: "github", clientId: "id", state };
const LOGIN = { server: "github", clientId: "c", secret: "none", allowHttp: false } as const;
const LEAST = { clientId: "tv", scope: "video", endpoints: ADDRESSES };
/** Parses a device.json with these members. A member with the value undefined is removed. */
const parsed = (members: object) => parseDeviceConfig(JSON.stringify({ ...LEAST, ...members }));

const problemsOf = async (options: object): Promise<string> =>
  await parseOptions(options as SignInOptions).then(
    () => "",
    ({ code, message }: SignInError) => (code === "wrong_option" ? message : `${code}!`),
  );

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

/** Objects that no setting accepts, such as those whose members throw. */
const ODD: readonly unknown[] = [
  ...[cycle, revoked.proxy, proxy({ get: fail }), proxy({ ownKeys: fail })],
  Object.defineProperty({}, "token", { enumerable: true, get: fail }),
  Object.defineProperty({}, Symbol.toStringTag, { get: fail }),
  ...[{ [Symbol.toStringTag]: "AbortSignal" }, { [Symbol.toStringTag]: "Uint8Array", length: 20 }],
  ...[Object.create({ a: "b" }), new (class Own {})(), new String("github"), new Date(), [cycle]],
  ...[new Proxy([], { get: (list, name) => (name === "length" ? 2 ** 31 : list[name as never]) })],
];

/** JSON values, by the type of the settings that accept them. */
const JSON_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  ...{ none: [null, "\u0000S3cr3t"], boolean: [true], integer: [7.5, 7] },
  ...{ array: [[], [7]], object: [{ unknown: 1 }] },
};
const OTHERS = [new URLSearchParams({ a: "b" }), new Uint8Array(2), Symbol("S3cr3t"), 7n, ...ODD];
const VALUES = { ...JSON_VALUES, none: [...JSON_VALUES.none!, ...OTHERS], function: [() => {}] };
const notTaken = (takes: readonly string[], values: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries(values).flatMap(([type, of]) => (takes.includes(type) ? [] : of));

const withValue = (base: object, at: string, value: unknown): Record<string, unknown> => {
  const copy: Record<string, unknown> = { ...base };
  const [first = "", ...rest] = at.split(".");
  const inner = (copy[first] ?? {}) as object;
  copy[first] = rest.length === 0 ? value : withValue(inner, rest.join("."), value);
  return copy;
};

/** The path of each setting, and the types that it takes. */
const rowsOf = (entrance: "signIn" | "device"): [at: string, takes: readonly string[]][] =>
  settings.flatMap((setting) => {
    const own = setting[entrance];
    const { $ref, type = $ref === "#/$defs/headerList" ? "array" : [] } = {
      ...setting.value,
      ...own,
    };
    const types = [type].flat();
    const takes = types.map((type) => (type === "instance" ? "object" : type));
    return own === undefined ? [] : [[own.path ?? setting.name, takes]];
  });

describe("a value of a wrong type is refused with its path", () => {
  it.each(rowsOf("signIn"))("signIn: %s", async (at, takes) => {
    for (const value of notTaken(takes, VALUES)) {
      const problems = await problemsOf(withValue(valid, at, value));
      expect(problems.split("; ").some((problem) => problem.startsWith(at))).toBe(true);
      expect(problems).not.toContain("S3cr3t");
    }
  });

  const whole = { clientId: "tv", scope: "a", server: "github", storage: { directory: "/d" } };
  it.each(rowsOf("device"))("device.json: %s", (at, takes) => {
    for (const value of notTaken(takes, JSON_VALUES)) {
      const text = JSON.stringify(withValue(whole, at, value));
      expect(() => parseDeviceConfig(text)).toThrow(at);
      expect(() => makePage(text, { authorities: [] })).toThrow(at);
    }
  });
});

const PEM = "-----BEGIN CERTIFICATE-----";
const PLACE = { load: () => {}, save: () => {}, erase: () => {} };
const OWN_PARAMETERS = [
  ...["client_id", "client_secret", "code_challenge", "code_challenge_method"],
  ...["code_verifier", "device_code", "grant_type", "refresh_token", "scope"],
];
const at = (endpoints: object) => ({ endpoints: { ...ADDRESSES, ...endpoints } });
const FROM_ISSUER = { issuer: ISSUER, endpoints: undefined };
const SERVER = { scope: undefined, endpoints: undefined };
const keycloak = (words: object = {}) => {
  const serverParameters = { host: "sso.example.com", realm: "home", ...words };
  return { ...SERVER, server: "keycloak", serverParameters };
};
const AUTH0 = { ...SERVER, server: "auth0", serverParameters: { domain: "a.example" } };
const TYPING = "did you mean revocation?";

type Entrance = "signIn" | "login" | "device";
type Row = readonly [members: object, message: string];

/** Wrong settings of each entrance, with a part of the message. */
const WRONG: Readonly<Record<Entrance, readonly Row[]>> = {
  signIn: [
    [{ clientID: "id" }, "clientID is unknown; did you mean clientId?"],
    [{ colour: undefined }, "colour is unknown; known here: clientId, "],
    [{ http: { proxy: "http://127.0.0.1:3128" } }, "http.proxy is unknown; a proxy is an http.ag"],
    [{ http: { ca: "/etc/ssl/ca.pem" } }, "http.ca must be the text of PEM certificates, not a f"],
    [{ http: { ca: [] } }, "PEM certificates, not a file name (given: an empty list)"],
    [{ http: { ca: [PEM, "ca.pem"] } }, "http.ca[1] must be the text of PEM certificates"],
    [{ http: { ca: Buffer.from("ca.pem") } }, "http.ca must be the text of PEM certificates"],
    [{ http: { userAgent: "\u263a" } }, "http.userAgent must be printable Latin-1 characters"],
    [{ http: { agent: new https.Agent({ minVersion: "TLSv1" }) } }, "http.agent must check what"],
    [{ state: undefined }, "state is missing: a directory of the program's own for the tokens"],
    [{ state: "" }, "state must be the name of a directory (given: a text of 0 characters)"],
    [{ storage: PLACE }, "storage stands in place of state: give one of them"],
    [{ state: undefined, storage: { ...PLACE, load: 1 } }, "storage.load must be a function"],
    [{ server: undefined }, "server is missing"],
    [{ server: "gitbub" }, "server is unknown; did you mean github?"],
    [{ server: { name: "keycloak", host: "x" } }, "server.realm is missing"],
    [{ server: { profile: { name: "keycloak", realm: "x" } } }, "server.profile.host is missing"],
    [{ server: { token: "https://a.test/t" } }, "server.deviceAuthorization is missing"],
    [{ server: { deviceAuthorization: "https://a.test/d" } }, "server.token is missing"],
    [{ server: { ...ADDRESSES, revokation: "x" } }, `server.revokation is unknown; ${TYPING}`],
    [{ server: { issuer: ISSUER, endpoint: {} } }, "server.endpoint is unknown; did you mean"],
    [{ server: { endpoints: { revokation: "x" } } }, "server.endpoints.revokation is unknown"],
    [{ server: { endpoints: { token: `${ISSUER}/t` } } }, "server is incomplete: give a profile"],
    [{ server: { ...ADDRESSES, token: "http://a.test/t" } }, "server.token must be an https addr"],
    [{ server: { issuer: "127.0.0.1", ...at({}) } }, "server.issuer must be an https address"],
    [{ server: "http://a.test" }, "server must be an https address"],
    [{ deviceKey: new Uint8Array(15) }, "deviceKey must be 16 or more random bytes (given: 15 by"],
    [{ deviceKey: new Uint8Array(32).fill(7) }, "deviceKey must be random: all of its bytes are"],
    [{ clientId: "a\u007f" }, "printable ASCII characters (given: a text of 2 characters)"],
    [{ memoryBytes: 4095 }, "an integer from 4096 to 458752, in bytes (given: 4095)"],
    [{ bodies: "xml" }, "bodies must be form or json (given: a text of 3 characters)"],
    [{ bodies: "JSON" }, "did you mean json?"],
    [{ deviceParameters: new URLSearchParams({ a: "b" }) }, "an object (given: URLSearchParams)"],
    [{ deviceParameters: { a: 1 } }, "deviceParameters.a must be a text (given: a number)"],
    ...OWN_PARAMETERS.map((name): Row => {
      const message = `tokenParameters.${name} is not a parameter that you can set`;
      return [{ tokenParameters: { audience: "a", [name]: "b" } }, message];
    }),
    [{ resources: ["https://x", "http://x"] }, "resources[1] must be an https address"],
    [{ resources: ["ftp://x"], allowHttp: true }, "resources[0] must be an https address"],
    [{ headers: { grant: [["Host", "x"]] } }, "headers.grant Host is not the host's to set"],
    [{ headers: { resource: [["dpop", "x"]] } }, "headers.resource dpop is not the host's to set"],
  ],
  login: [
    [{ clientId: "\u00e9" }, "--client-id must be 1 to 256 printable ASCII characters"],
    [{ scope: "a  b", clientId: "" }, "--scope must be scopes with one space between them"],
    [{ deviceParameters: { scope: "a" } }, "--device-parameter scope is not a parameter that you"],
    [{ server: "http://a.test" }, "--server must be an https address"],
    [{ server: "gitbub", clientId: "" }, "; --server is unknown; did you mean github?"],
    [{ server: "keycloak" }, "--server-parameter host is missing: "],
    [{ server: "google" }, "--client-secret-file (or PICOGRANT_CLIENT_SECRET) is missing: a cl"],
    [{ serverParameters: { name: "google" } }, "--server-parameter name is unknown"],
    ...["clientId", "clientAuthentication", "assertionAudience", "dpop", "scope", "bodies", "pkce"]
      .map((name) => [name, table.settings.find((one) => one.name === name)!.flag!.name] as const)
      .map(([name, flag]): Row => [{ [name]: "\0" }, `--${flag} must be`]),
    [{ server: "\0" }, "--server must be"],
    [{ tokenParameters: { "a=b": "" } }, '--token-parameter ["a=b"] is not'],
  ],
  device: [
    [{ clientId: undefined }, "clientId is missing"],
    [{ clientSecret: "S3cr3t\u0001" }, "clientSecret must be 1 to 256 printable ASCII characters"],
    [{ display: { colums: 20 } }, "display.colums is unknown; did you mean columns?"],
    [{ display: { kind: "lcd" } }, "display.path is missing"],
    [{ ...FROM_ISSUER, issuer: undefined }, "give server, issuer or endpoints"],
    [{ endpoints: {} }, "endpoints.deviceAuthorization is missing"],
    [at({ token: "http://a.example/" }), "endpoints.token must be an https address"],
    [at({ resources: ["https://a.test", "x"] }), "endpoints.resources[1] must be an https"],
    [{ messages: { open: "\u03a9" } }, "messages.open must be 1 to 96 characters"],
    [{ reasons: { noBread: "x" } }, "reasons.noBread is unknown"],
    [{ deviceParameters: { "a=b": "x" } }, 'deviceParameters["a=b"] is not a parameter that you'],
    [{ headers: { grant: { Host: "S3cr3t" } } }, "headers.grant Host is not the host's to set"],
    [{ headers: { grant: { "X-A": "S3cr3t\n" } } }, 'headers.grant["X-A"] must be a text'],
    [{ language: "ja", displayRom: "A02" }, "displayRom cannot be: the ROM A02 has no"],
    [{ server: "gitbub", clientid: "" }, "mean clientId?; server is unknown; did you mean git"],
    [keycloak({ host: undefined, realm: "../x" }), "serverParameters.realm must be the realm"],
    [keycloak({ host: undefined, realm: "../x" }), "serverParameters.host is missing: the host"],
    [keycloak({ host: "evil.example/x" }), "serverParameters.host must be the host"],
    [{ ...keycloak({ a: "" }), server: "github" }, "serverParameters.realm is unknown; github has"],
    [{ ...SERVER, server: "google" }, "clientSecret is missing: a client of Google has one"],
    [{ serverParameters: {} }, "serverParameters is only for a configuration with server"],
  ],
};

describe("wrong settings are refused before anything is created or requested", () => {
  const begin: Readonly<Record<Entrance, (members: object) => Promise<unknown>>> = {
    signIn: (members) => signIn({ ...valid, ...members } as SignInOptions),
    login: (members) => readySettings({ ...LOGIN, ...members }, fakePlatform({}), {}),
    device: async (members) => parsed(members),
  };
  const ERRORS: Readonly<Record<Entrance, object>> = {
    signIn: { name: "SignInError", code: "wrong_option", remedy: "developer" },
    login: { name: "UsageError" },
    device: { name: "ConfigError" },
  };
  const entrances = Object.entries(WRONG) as [Entrance, readonly Row[]][];
  const rows = entrances.flatMap(([name, all]) => all.map((row) => [name, ...row] as const));
  it.each(rows)("%s: %j: %s", async (entrance, members, message) => {
    const refused = begin[entrance](members);
    await expect(refused).rejects.toMatchObject(ERRORS[entrance]);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow("S3cr3t");
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
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
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
    { headers: { grant: [["X-A", "b"]] } },
    { server: { name: "keycloak", host: "a.test", realm: "r" } },
    { server: { ...ADDRESSES, revocation: "", issuer: ISSUER } },
    { server: { issuer: "https://a.test/", endpoints: { token: "" }, profile: "github" } },
    { server: { profile: { name: "keycloak", host: "a.test", realm: "r" } } },
    { server: "http://a.test", resources: ["http://b.test"], allowHttp: true },
  ])("signIn takes %j", async (more) => {
    expect(await problemsOf({ ...valid, ...more })).toBe("");
  });

  it("a scope that needs more memory is refused when the directory is read", async () => {
    const wrong = { memoryBytes: 4096, scope: "a".repeat(9000) };
    const refused = signIn({ ...valid, state: temporaryFolder(), ...wrong });
    await expect(refused).rejects.toMatchObject({ name: "SignInError", code: "wrong_option" });
    await expect(refused).rejects.toThrow("bytes of memory are too few");
  });
});

describe("the text of device.json", () => {
  const mistakeOf = (text: string): string => {
    try {
      parseDeviceConfig(text);
    } catch (error) {
      // These messages quote no text of the file, because it may be a secret.
      expect(`${error}`).toMatch(/^ConfigError: (?!.*S3cr3t)/);
      return (error as Error).message;
    }
    return "none";
  };

  const replaced = (text: string, by: string): string => {
    const display = { columns: 20 };
    const more = { display, deviceParameters: { a: "1" }, headers: { grant: { "X-A": "1" } } };
    const whole = JSON.stringify({ ...LEAST, ...more });
    expect(whole.split(text)).toHaveLength(2);
    return whole.replace(text, by);
  };

  it.each([
    ["a member", '"clientId":', '"clientId":"S3cr3t","clientId":', "clientId is"],
    ["one written with escapes", '"clientId":', '"\\u0063lientId":"a","clientId":', "clientId is"],
    ["an object", '"display":', '"display":{},"display":', "display is"],
    ["one before a text with a brace", '"clientId":', '"clientId":"{","clientId":', "clientId is"],
    ["one before a text with its end", '"clientId":', '"clientId":"}","clientId":', "clientId is"],
    ["a member of an object", '"columns":', '"columns":16 , "columns" :', "display.columns is"],
    ["a parameter", '"a":"1"', '"a":"S3cr3t","a":"1"', "deviceParameters.a is"],
    ["a header", '"X-A":"1"', '"X-A":"S3cr3t","X-A":"1"', 'headers.grant["X-A"] is'],
    ["a header in another case", '"X-A":"1"', '"X-A":"1","x-a":"S3cr3t"', "headers.grant x-a is"],
  ])("RFC 8259 section 4: a duplicate of %s is rejected", (_, text, by, message) => {
    expect(mistakeOf(replaced(text, by))).toBe(`${message} there twice`);
  });

  it("a name may occur again in another object or within a string", () => {
    const more = '"a":"\\"a\\":1,{\\"a\\":","token":"x","b":"{"';
    expect(mistakeOf(replaced('"a":"1"', more))).toBe("none");
  });

  it.each<[text: string, reported: object | undefined, place: string]>([
    ['{"a":1,\n"clientSecret": "S3cr3t" oops\n}', undefined, " (line 2)"],
    [`{"a": 1,${"\n".repeat(300)}"b": 2 oops`, undefined, " (line 301)"],
    ['{"clientSecret": S3cr3t}', undefined, ""],
    ["{\n{\n   oops\n", { message: "Unexpected token o in JSON at position 7" }, " (line 3)"],
    ["{\n{\n   oops\n", { message: "Unexpected end of JSON input" }, ""],
    // QuickJS reports the line in the stack. Other engines report no position, or have no stack.
    ["{", { stack: "    at <input>:27\n    at parse (native)\n" }, " (line 27)"],
    ["{", { stack: "    at parse (native)\n" }, ""],
    ["{", { stack: undefined }, ""],
  ])(
    "RFC 8259: the error has the line of the first wrong character, and none of its content: %#",
    (text, reported, place) => {
      const parse = vi.spyOn(JSON, "parse");
      if (reported)
        parse.mockImplementation(() => {
          throw Object.assign(new SyntaxError("unexpected token"), reported);
        });
      try {
        expect(mistakeOf(text)).toBe(`is not JSON${place}`);
      } finally {
        parse.mockRestore();
      }
    },
  );

  it("in targets/quickjs/README.md, is valid and sets what a first run needs", () => {
    const page = new URL("../../targets/quickjs/README.md", import.meta.url);
    const [, text] = /```json\n(.*?)```/s.exec(fs.readFileSync(page, "utf8"))!;
    const { storage, endpoints, control } = parseDeviceConfig(text!);
    expect(storage?.directory).toBeDefined();
    expect(endpoints?.resources).toHaveLength(1);
    expect(control).toEqual({ commands: "stdin", events: "stderr" });
  });
});

const { NONE, CLIENT_SECRET_BASIC: BASIC, CLIENT_SECRET_POST: POST } = ClientAuthentication;
const CONFIG = {
  ...{ clientId: "tv", clientSecret: "", clientAuthentication: NONE, scope: "", messages: "" },
  ...{ deviceParameters: "", tokenParameters: "", autoStart: 1, renewalsMax: 3, startSpreadMs: 0 },
};
const IN_FILE = { ...CONFIG, scope: "video", startSpreadMs: 5000 };
const optionsOf = (members: object) => deviceServer(parsed(members));
/** The driver's options for a server. Without `host`, every request fails. */
const settled = (choice: ServerChoice, more: Partial<Client> = {}, host = fakePlatform({})) =>
  resolveServer({ clientId: "tv", ...more, server: identityOf(choice) }, host);

describe("the driver's options", () => {
  const REVOKE = "http://box.example/r?p=b2c";
  const KEYCLOAK = { name: "keycloak", host: "sso.example.com", realm: "home" };
  const SECRET = { clientSecret: "s" };
  const FORM = {
    deviceParameters: { audience: "a b" },
    tokenParameters: { resource: "https://x" },
  };
  const SENT = { deviceParameters: "&audience=a+b", tokenParameters: "&resource=https%3A%2F%2Fx" };
  const own = (clientAuthentication: number) => ({ config: { clientAuthentication } });
  const KEYCLOAK_AT = expect.stringMatching(/^https:\/\/sso\.example\.com\/realms\/home\/proto/);

  it("omitted settings have their defaults, and nothing else is set", async () => {
    const endpoints = { ...noEndpoints, ...ADDRESSES };
    expect(await settled(ADDRESSES)).toEqual({ config: CONFIG, endpoints });
    const headers = { grant: [], resource: [] };
    expect(optionsOf({})).toEqual({ config: IN_FILE, endpoints, headers });
  });

  it("all settings of a file are set", () => {
    const { config, endpoints, ...rest } = optionsOf({
      ...{ ...SECRET, ...FORM, clientAuthentication: "client_secret_basic", autoStart: false },
      ...{ issuer: `${ISSUER}/x/`, allowHttp: true, bodies: "json", pkce: "S256" },
      ...at({ revocation: REVOKE, resources: ["https://r.test/v3"] }),
      limits: { renewals: 0, startSpreadMs: 0, memoryBytes: 9000, exchangeSeconds: 30 },
      headers: { grant: { "X-G": "1" }, resource: { "X-R": "2" } },
      display: { kind: "lcd", columns: 20, rows: 4, path: "/dev/lcd", fileDescriptor: 3 },
      storage: { directory: "/var/lib/picogrant", deviceKeyFile: "/etc/picogrant/device.key" },
      http: { certificates: "/etc/ssl/ca.pem", curl: "/usr/bin/curl", userAgent: "printer/1.0" },
      control: { commands: "/run/picogrant/commands", events: "stderr" },
    });
    expect(rest).toEqual({
      ...{ allowHttp: true, bodies: "json", pkce: "S256", memoryBytes: 9000 },
      headers: { grant: [["X-G", "1"]], resource: [["X-R", "2"]] },
      issuer: `${ISSUER}/x/`,
    });
    expect(config).toEqual({
      ...{ ...IN_FILE, ...SECRET, clientAuthentication: BASIC, server: `${ISSUER}/x/` },
      ...{ ...SENT, autoStart: 0, renewalsMax: 0, startSpreadMs: 0 },
    });
    // OpenID Connect Discovery 1.0 section 4.1: first remove a trailing slash.
    const metadata = `${ISSUER}/x/.well-known/openid-configuration`;
    const more = { revocation: REVOKE, metadata, resources: ["https://r.test/v3"] };
    expect(endpoints).toEqual({ ...noEndpoints, ...ADDRESSES, ...more });
  });

  it.each<[rule: string, choice: ServerChoice, client: Partial<Client>, options: object]>([
    ["no secret", ADDRESSES, {}, own(NONE)],
    ["an empty secret", ADDRESSES, { clientSecret: "" }, own(NONE)],
    ["RFC 6749 §2.3.1: a secret", ADDRESSES, SECRET, own(BASIC)],
    ["the body", ADDRESSES, { ...SECRET, clientAuthentication: "client_secret_post" }, own(POST)],
    ["an unused secret", ADDRESSES, { ...SECRET, clientAuthentication: "none" }, own(NONE)],
    ["form parameters", ADDRESSES, FORM, { config: SENT }],
    ["a profile's scope", "github", {}, { config: { scope: "read:user" }, issuer: undefined }],
    ["a scope", "github", { scope: "repo" }, { config: { scope: "repo" }, translate: undefined }],
    ["a translation", "facebook", SECRET, { translate: expect.any(Function) }],
    ["a profile's addresses", KEYCLOAK, {}, { endpoints: { token: KEYCLOAK_AT }, pkce: "S256" }],
    ["a profile's issuer", KEYCLOAK, {}, { issuer: "https://sso.example.com/realms/home" }],
    [
      "addresses and issuer, which take precedence over the profile's",
      { profile: KEYCLOAK, issuer: ISSUER, endpoints: { token: ADDRESSES.token } },
      { memoryBytes: 7777 },
      {
        ...{ issuer: ISSUER, pkce: "S256", memoryBytes: 7777, config: { server: ISSUER } },
        endpoints: { deviceAuthorization: KEYCLOAK_AT, token: ADDRESSES.token },
      },
    ],
    ["addresses and an issuer", { issuer: ISSUER, endpoints: ADDRESSES }, {}, { issuer: ISSUER }],
    ["addresses with an issuer", { ...ADDRESSES, issuer: ISSUER } as never, {}, { issuer: ISSUER }],
  ])("signIn: %s", async (_, choice, client, options) => {
    expect(await settled(choice, client)).toMatchObject(options);
  });

  it.each<[rule: string, members: object, options: object]>([
    ["RFC 6749 §2.3.1: the secret in the body", SECRET, own(POST)],
    ["a profile's client authentication", { ...keycloak(), ...SECRET }, own(BASIC)],
    ["one that takes precedence", { ...SECRET, clientAuthentication: "none" }, own(NONE)],
    [
      "the issuer's metadata at an address of their own",
      { ...FROM_ISSUER, endpoints: { metadata: `${ISSUER}/m` } },
      { endpoints: { metadata: `${ISSUER}/m` } },
    ],
  ])("device.json: %s", (_, members, options) => {
    expect(optionsOf(members)).toMatchObject(options);
  });

  it("form parameters are encoded as by URLSearchParams, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (p) => {
        const { config } = deviceServer({ ...LEAST, deviceParameters: { p } });
        expect(config.deviceParameters).toBe(`&${new URLSearchParams({ p })}`);
      }),
    );
  });

  it("records belong to the issuer, or else to the address of the token endpoint", () => {
    const named = (members: object) => coreConfigOf(deviceServer({ ...LEAST, ...members }));
    const { token: server } = ADDRESSES;
    expect(named({})).toEqual({ ...IN_FILE, server, formerServer: ISSUER });
    const byIssuer = { ...IN_FILE, server: ISSUER, formerServer: `${ISSUER}/` };
    expect(named(FROM_ISSUER)).toEqual(byIssuer);
    expect(named({ endpoints: undefined })).toEqual({ ...IN_FILE, server: "", formerServer: "" });
  });

  it("texts of the file replace those with the same name, and the others stay", () => {
    const lines = MESSAGES.split("\n");
    const texts = (messages: object) => optionsOf({ messages }).config.messages;
    expect(messageNames).toHaveLength(lines.length);
    const OLD = { signedIn: "Signed in", open: "Open in browser:" };
    for (const [name, line] of Object.entries(OLD)) {
      const own = lines.map((text) => (text === line ? "OWN" : text));
      expect(own).toContain("OWN");
      expect(texts({ [name]: "OWN" }).split("\n")).toEqual(own);
    }
    expect(texts({})).toBe("");
  });

  it("explicit addresses replace those of a profile, but not its translation and the owner of its records", async () => {
    const endpoints = { ...ADDRESSES, revocation: "" };
    const choice = { issuer: ISSUER, profile: "twitch", endpoints };
    const { config, translate } = await settled(choice, SECRET);
    expect(config.server).toBe(ISSUER);
    const of = { clientId: "c", clientSecret: "s", scope: "", accessToken: () => "" };
    const filter = translate!(of) as Translating;
    filter.below = { send() {}, abort() {} };
    const body = { contentType: "", authorization: "", body: [], bodyFrom: 0, bodyTo: 0 };
    filter.send({ method: "POST", url: ADDRESSES.token, ...body });
    expect(filter.gathers).toBe(true);
  });
});

describe("an issuer's metadata", () => {
  const { deviceAuthorization, token } = ADDRESSES;
  const issuer = `${ISSUER}/`;
  const ITS_OWN = {
    ...{ issuer: ISSUER, token_endpoint: token },
    device_authorization_endpoint: deviceAuthorization,
    token_endpoint_auth_methods_supported: ["client_secret_post"],
  };
  const served = (body: object) =>
    fakePlatform({ isAtOnce: true, http: { handler: () => ({ body }) } });
  const resolved = (stored: StoredMetadata, more: Partial<Client>, platform = fakePlatform({})) =>
    resolveServer({ clientId: "tv", ...more, server: { issuer: ISSUER } }, platform, { stored });
  const found: DiscoveredServer = {
    ...{ bindsTokens: false, issuer: ISSUER, endpoints: { ...noEndpoints, ...ADDRESSES } },
    clientAuthenticationMethods: ["client_secret_post"],
  };

  it("is requested, and stored for the next start", async () => {
    const platform = served(ITS_OWN);
    const openHttp = () => expect.fail();
    const stored = { read: vi.fn(() => undefined), write: vi.fn(), openHttp };
    const options = await resolved(stored, { clientSecret: "s" }, platform);
    expect(options).toMatchObject({ issuer: ISSUER, endpoints: found.endpoints });
    expect(options.config).toMatchObject({ server: ISSUER, clientAuthentication: POST });
    expect([stored.read.mock.calls, stored.write.mock.calls]).toEqual([[[ISSUER]], [[found]]]);
    expect(platform.http.requests).toHaveLength(1);
  });

  it("is not requested while the stored one is valid", async () => {
    const platform = fakePlatform({});
    const stored = { read: () => found, write: vi.fn() };
    const { http } = served({ ...ITS_OWN, token_endpoint: `${token}2` });
    const other = { send: http.send.bind(http), abort: () => http.abort(), dispose: vi.fn() };
    const openHttp = () => other;
    const { endpoints, ...more } = await resolved({ ...stored, openHttp }, {}, platform);
    expect([endpoints, platform.http.requests]).toEqual([found.endpoints, []]);
    expect(stored.write).not.toHaveBeenCalled();
    const moved = { ...found.endpoints, token: `${token}2` };
    expect(await more.rediscover!(new AbortController().signal)).toEqual(moved);
    expect(stored.write.mock.calls).toEqual([[{ ...found, endpoints: moved }]]);
    expect([platform.http.requests, other.dispose.mock.calls]).toEqual([[], [[]]]);
    expect((await resolved(stored, {})).rediscover).toBeUndefined();
  });

  it("may lack an address that the program adds; the issuer is as the server writes it", async () => {
    const platform = served({ issuer, token_endpoint: token, revocation_endpoint: `${token}r` });
    const choice = { issuer: ISSUER, endpoints: { deviceAuthorization } };
    const known = await settled(choice, {}, platform);
    const endpoints = { deviceAuthorization, token, revocation: `${token}r` };
    expect(known).toMatchObject({ issuer, endpoints, config: { server: issuer } });
    await expect(settled(issuer, {}, platform)).rejects.toThrow("no device_authorization");
  });

  it("gives the address that is empty in the options, but not the client authentication", async () => {
    const methods = { token_endpoint_auth_methods_supported: ["private_key_jwt"] };
    const platform = served({ issuer, token_endpoint: token, ...methods });
    const own = { clientSecret: "s", clientAuthentication: "client_secret_post" } as const;
    const choice = { issuer, endpoints: { deviceAuthorization, token: "" } };
    expect((await settled(choice, own, platform)).endpoints.token).toBe(token);
  });

  it("is not requested again after a refused certificate", async () => {
    const { timers } = fakePlatform({});
    const http = {
      send: (_: unknown, sink: HttpSink) => sink.failed("unreachable"),
      ...{ abort() {}, lastFailure: "DEPTH_ZERO_SELF_SIGNED_CERT" },
    };
    const client = { clientId: "tv", server: { issuer } };
    const requesting = resolveServer(client, { http, timers }, { retryHandlers: {} });
    await expect(requesting).rejects.toThrow("SELF_SIGNED_CERT");
  });

  it.each([
    [5, "closed", ["2", "4"], 0],
    [39, ISSUER, ["2", "4", "8", "16"], 4],
  ])("is requested with growing waits; onTrouble rejects after %j s", async (endS, ...expected) => {
    const platform = served(ITS_OWN);
    platform.http.faultFor = ({ atMs }) => (atMs < 20_000 ? { kind: "refuse" } : undefined);
    const waits: string[] = [];
    const fails: ((error: unknown) => void)[] = [];
    const onError = vi.fn();
    const onTrouble = ({ message }: SignInError) => {
      waits.push(/; trying again in (\d+) s$/.exec(message)![1]!);
      return new Promise((_, reject) => fails.push(reject));
    };
    const client = { clientId: "tv", server: { issuer: ISSUER } };
    const requesting = resolveServer(client, platform, { retryHandlers: { onTrouble, onError } });
    const outcome = requesting.catch((issuer) => ({ issuer }));
    for (let second = 0; second < 40; second++) {
      if (second === endS) for (const fail of fails) fail("closed");
      await new Promise(setImmediate);
      platform.clock.advance(1000);
    }
    expect([(await outcome).issuer, waits, onError.mock.calls.length]).toEqual(expected);
  });

  type Rediscover = ServerSettings["rediscover"];
  /** Starts a session with stored addresses. If `isAway`, each connection to the server is refused. */
  const started = (rediscover: Rediscover, isAway: boolean, signal?: AbortSignal) => {
    const environment = new SessionEnvironment();
    if (isAway) environment.http.faultFor = () => ({ kind: "refuse" });
    return { environment, start: environment.start({ signal }, undefined, { rediscover }) };
  };
  const moved = { ...ENDPOINTS, deviceAuthorization: `${HOST}/moved/code` };

  it("is requested again once in each series of failed requests", async () => {
    const rediscover = vi.fn(async () => moved);
    const { environment, start } = started(rediscover, false);
    const response = environment.server.handle;
    environment.http.handler = (request) => {
      if (request.url.endsWith("/moved/code"))
        return response({ ...request, url: ENDPOINTS.deviceAuthorization });
      return request.url.endsWith("/code") ? { status: 503, body: "" } : response(request);
    };
    expect(await environment.until(() => start.prompts.length > 0)).toBe(true);
    environment.http.faultFor = () => ({ kind: "refuse" });
    await environment.pass(60);
    expect(rediscover).toHaveBeenCalledTimes(2);
  });

  it("does not change a session if the request fails, or ends too late", async () => {
    const { environment, start } = started(() => Promise.reject(new Error("away")), true);
    await environment.pass(20);
    environment.http.faultFor = () => undefined;
    expect(await environment.until(() => start.session !== undefined)).toBe(true);
    let resolve: (endpoints: typeof moved) => void = () => {};
    const promise = new Promise<typeof moved>((later) => {
      resolve = later;
    });
    const controller = new AbortController();
    const request = vi.fn((_: AbortSignal) => promise);
    const late = started(request, true, controller.signal);
    await late.environment.pass(10);
    controller.abort();
    await late.environment.until(() => late.start.isSettled);
    resolve({ ...moved, token: "no address at all" });
    await late.environment.pass(2);
    expect(late.start.error).toMatchObject({ code: "aborted" });
    expect(request.mock.calls).toEqual([[expect.objectContaining({ aborted: true })]]);
  });
});

describe("the complete file", () => {
  const METHODS = ["client_secret_basic", "client_secret_post"];
  const OTHER = ["private_key_jwt", "tls_client_auth"];
  const WITH_SECRET = { ...FROM_ISSUER, clientSecret: "x" };
  /** @param methods of client authentication in the issuer's metadata; undefined: a request for the metadata fails */
  const completed = async (members: object, methods?: readonly string[]) => {
    const body = {
      ...{ issuer: ISSUER, token_endpoint: ADDRESSES.token },
      device_authorization_endpoint: ADDRESSES.deviceAuthorization,
      token_endpoint_auth_methods_supported: methods,
    };
    const script = methods === undefined ? [] : [{ body }];
    const host = fakePlatform({ isAtOnce: true, http: { script } });
    const config = parsed(members);
    return completeConfig(config, await resolveServer(deviceSettings(config), host));
  };

  type CompleteRow = [
    methods: readonly string[] | undefined,
    members: object,
    method: string,
    own?: object,
  ];
  it.each<CompleteRow>([
    [METHODS, WITH_SECRET, "client_secret_basic"],
    [["client_secret_post", ...OTHER], WITH_SECRET, "client_secret_post"],
    [METHODS, FROM_ISSUER, "none"],
    [METHODS, { ...WITH_SECRET, clientAuthentication: "client_secret_post" }, "client_secret_post"],
    ...[{ token: `${ISSUER}/own` }, { deviceAuthorization: `${ISSUER}/own` }].map(
      (own): CompleteRow => [METHODS, { issuer: ISSUER, endpoints: own }, "none", own],
    ),
    [undefined, { issuer: ISSUER }, "none"],
    [undefined, { bodies: "json" }, "none"],
  ])("RFC 8414 §2: with the methods %j, %j gets %j", async (methods, members, method, own = {}) => {
    const whole = { ...LEAST, ...members, clientAuthentication: method, ...at(own) };
    expect(await completed(members, methods)).toEqual(whole);
  });

  const HTTP = { allowHttp: true, ...at({ token: "http://a.example/d" }) };
  it.each<Row>([
    [WITH_SECRET, `the server takes no client secret, only: ${OTHER.join(", ")}`],
    [HTTP, "endpoints.token must be an https address"],
    [{ ...SERVER, server: "twitch" }, "server speaks a language of its own"],
    [{ ...AUTH0, clientSecret: "s" }, "server speaks a language of its own"],
  ])("%j: %s", async (members, message) => {
    await expect(completed(members, OTHER)).rejects.toThrow(message);
  });

  const plainServers = SERVERS.filter(
    ({ translate, codeWithoutSecret }) => translate === undefined && !codeWithoutSecret,
  );
  it.each([
    ...plainServers.map(({ name: server, parameters }) => {
      const words = Object.keys(parameters).map((word) => [word, "a.example"]);
      const serverParameters = Object.fromEntries(words) as Record<string, string>;
      return { ...SERVER, server, clientSecret: "s", serverParameters };
    }),
    AUTH0,
  ])("$server is filled in, and the result is a valid device.json", async (members) => {
    const plain = await completed(members);
    expect(parseDeviceConfig(JSON.stringify(plain))).toEqual(plain);
    expect(deviceServer(plain)).toEqual({ ...optionsOf(members), issuer: undefined });
  });

  it("has no members that only JavaScript hosts know: a language becomes texts", async () => {
    const own = { messages: { signedIn: "Bereit" }, reasons: { noCable: "A|B" } };
    const members = { ...keycloak(), ...own, allowHttp: true, language: "de", displayRom: "A02" };
    const { messages, reasons, ...plain } = await completed(members);
    expect(messages).toMatchObject({ requesting: "Hole Code", signedIn: "Bereit" });
    expect(messages).toMatchObject({ resuming: "Pr\xfcfe Code" });
    expect(reasons).toMatchObject({ noCable: "A|B", noSeed: "Zufallswert leer|Hersteller rufen" });
    for (const member of JAVASCRIPT_ONLY) {
      expect(members).toHaveProperty(member);
      expect(plain).not.toHaveProperty(member);
    }
  });
});

describe("the table of settings", () => {
  const CORE: Config = { ...deviceConfig, startSpreadMs: 0, pkce: 0, jsonBodies: 0 };
  const numbers = settings.flatMap(({ core, device }) =>
    core && device?.minimum !== undefined ? [[core, device.minimum, device.maximum!] as const] : [],
  );

  it.each(numbers)("the core accepts %s from %d to %d, as in the table", (core, least, most) => {
    const errorOf = (value: number) => configError({ ...CORE, [core]: value });
    expect([errorOf(least), errorOf(most)]).toEqual([ConfigMember.NONE, ConfigMember.NONE]);
    expect(errorOf(least - 1)).toBe(errorOf(most + 1));
    expect(errorOf(most + 1)).not.toBe(ConfigMember.NONE);
  });

  it("the types have the same members", () => {
    expectTypeOf<keyof SignInOptions>().toEqualTypeOf<keyof typeof signInSchema.properties>();
    expectTypeOf<keyof DeviceConfig>().toEqualTypeOf<keyof typeof deviceSchema.properties>();
    type Http = typeof signInSchema.properties.http.properties;
    expectTypeOf<keyof NodeHttpOptions>().toEqualTypeOf<keyof Http>();
    type Limits = typeof deviceSchema.properties.limits.properties;
    expectTypeOf<keyof NonNullable<DeviceConfig["limits"]>>().toEqualTypeOf<keyof Limits>();
  });

  it("every member of the core's configuration in the table exists", () => {
    const named = settings.flatMap(({ core }) => core ?? []);
    expect(named.filter((name) => !Object.hasOwn(CORE, name))).toEqual([]);
  });
});

const PRINTER = "\u{1f5a8}";
const SMALL: Schema = { type: "integer", minimum: 2, maximum: 4 };
const PAIR: Schema = { items: {}, minItems: 2, maxItems: 2, title: "x" };

it.each<readonly [schema: Schema, value: unknown, message: string]>([
  [{ type: "object" }, new Map(), "must be an object (given: Map)"],
  [{ type: "integer" }, 1.5, "must be an integer (given: 1.5)"],
  [{ type: "instance", title: "x" }, [], "must be x (given: an empty list)"],
  [{ const: "lcd" }, "text", "must be lcd (given: a text of 4 characters)"],
  [{ enum: ["a", "b", "c"] }, 7, "must be a, b or c (given: a number)"],
  // Lengths and patterns of the schema count code points. The message counts UTF-16 code units.
  [{ minLength: 2, title: "x" }, PRINTER, "must be x (given: a text of 2 characters)"],
  [{ maxLength: 2 }, PRINTER + PRINTER, ""],
  [{ pattern: "^.$" }, PRINTER, ""],
  ...[2, 4].map((value) => [SMALL, value, ""] as const),
  ...[1, 5].map((n) => [SMALL, n, `must be an integer from 2 to 4 (given: ${n})`] as const),
  [PAIR, [1, 2], ""],
  ...[[1], [1, 2, 3]].map((list) => [PAIR, list, "must be x (given: a list)"] as const),
  [{ properties: { a: { type: "integer" } } }, { a: 1, b: "2" }, ""],
])("JSON schema, draft 7: %j with %j: %s", (schema, value, message) => {
  const problems = checkSchema(value, schema);
  expect(problems).toEqual(message === "" ? [] : [{ path: "", message }]);
});

it("the schema has no unknown keyword, and all its references resolve; a path has 64 characters of a name", () => {
  const schema = { $ref: "other#/$defs/a", $defs: { othera: {} } };
  expect(() => checkSchema(1, schema)).toThrow("schema: nothing at other#/$defs/a");
  expect(() => checkSchema(1, { oneOf: [] } as Schema)).toThrow("oneOf");
  const name = `${"a b".repeat(21)}c`;
  const pathOf = (member: string) =>
    checkSchema({ [member]: 2 }, { additionalProperties: { maximum: 1 } })[0]?.path;
  expect([pathOf(name), pathOf(`${name}d`)]).toEqual([`["${name}"]`, `["${name}"]`]);
});
