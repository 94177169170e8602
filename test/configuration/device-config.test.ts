// device.json: invalid files, each keyword of the schema at its limits, and the resulting settings.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ClientAuthentication, MESSAGES } from "../../core/index.ts";
import {
  ConfigError,
  coreConfigOf,
  driverConfigOf,
  driverOptionsOf,
  endpointsOf,
  expandedConfig,
  messageNames,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import { checkSchema, type Schema } from "../../platform/configuration/schema-check.ts";
import { SERVERS } from "../../platform/servers/index.ts";
import { anyCharacter } from "../any-character.ts";

const complete = {
  clientId: "living-room-tv",
  clientSecret: "tv-secret",
  scope: "https://auth.example/auth/video openid",
  deviceParameters: { audience: "https://api.example/ & more" },
  issuer: "https://accounts.example",
  endpoints: {
    deviceAuthorization: "https://accounts.example/device/code",
    token: "https://accounts.example/token",
    revocation: "http://127.0.0.1:8080/revoke",
    resources: ["https://api.example/video/v3"],
  },
  allowHttp: false,
  headers: { grant: { "Client-Attestation": "eyJ" }, resource: { "X-Api-Key": "k" } },
  display: { kind: "lcd", columns: 20, rows: 4, path: "/dev/lcd", fileDescriptor: 3 },
  messages: { signedIn: "Angemeldet", open: "Im Browser:" },
  limits: {
    memoryBytes: 4096,
    exchangeSeconds: 30,
    connectSeconds: 10,
    responseBytes: 65536,
    renewals: 3,
  },
  storage: { directory: "/var/lib/picogrant", deviceKeyFile: "/etc/picogrant/device.key" },
  http: { certificates: "/etc/ssl/ca.pem", curl: "/usr/bin/curl", userAgent: "printer/1.0" },
  control: { commands: "/run/picogrant/commands", events: "stderr" },
  autoStart: true,
  clientAuthentication: "client_secret_basic",
  tokenParameters: { resource: "https://api.example" },
};

function mistakeOf(value: unknown): string {
  try {
    parseDeviceConfig(typeof value === "string" ? value : JSON.stringify(value));
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "none";
}

describe("device.json: each mistake is reported with its path", () => {
  const mistakes: [value: unknown, message: string][] = [
    [{ ...complete, clientId: undefined }, "clientId is missing"],
    [{ ...complete, display: { colums: 20 } }, "display.colums is unknown; did you mean columns?"],
    [{ ...complete, clientid: "x" }, "clientid is unknown; did you mean clientId?"],
    [{ ...complete, display: { width: 20 } }, "display.width is unknown; known here: kind, col"],
    [{ ...complete, display: { kind: "lcd" } }, "display.path is missing"],
    [
      { ...complete, endpoints: { token: "http://a.example/" } },
      "endpoints.token must be an https",
    ],
    [
      { ...complete, endpoints: { ...complete.endpoints, resources: ["https://a.test", "x"] } },
      "endpoints.resources[1] must be an https",
    ],
    [
      { ...complete, endpoints: { ...complete.endpoints, resources: Array(17).fill("https://a") } },
      "endpoints.resources must be a list of up to 16 addresses",
    ],
    [{ ...complete, issuer: undefined, endpoints: undefined }, "give server, issuer or endpoints"],
    [{ ...complete, issuer: undefined, endpoints: {} }, "endpoints.deviceAuthorization is missing"],
    [
      { ...complete, limits: { memoryBytes: 100 } },
      "limits.memoryBytes must be an integer from 20",
    ],
    [{ ...complete, storage: { deviceKeyFile: "/x" } }, "storage.directory is missing"],
    [{ ...complete, messages: { open: "\u03a9" } }, "messages.open must be 1 to 96 characters"],
    [{ ...complete, messages: { open: "a\u007fb" } }, "messages.open must be 1 to 96 characters"],
    [
      { ...complete, deviceParameters: { "a=b": "x" } },
      'deviceParameters["a=b"] is not a parameter that you',
    ],
    ['{"a":1,\n"b"::}', "is not JSON"],
  ];

  it.each(mistakes.map(([value, message]) => [message, value] as const))("%s", (message, value) => {
    expect(mistakeOf(value)).toContain(message);
  });

  /** The complete configuration with one text replaced. */
  const with_ = (text: string, by: string): string => {
    const whole = JSON.stringify({
      ...complete,
      deviceParameters: { a: "1" },
      headers: { grant: { "X-A": "1" } },
    });
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
    expect(mistakeOf(with_(text, by))).toBe(`${message} there twice`);
  });

  it("a name may occur again in another object or within a string", () => {
    expect(mistakeOf(with_('"a":"1"', '"a":"\\"a\\":1,{\\"a\\":","token":"x","b":"{"'))).toBe(
      "none",
    );
  });

  it("messages quote no value, because it may be a secret", () => {
    const secret = "S3cr3t\u0001value";
    const text = JSON.stringify({
      ...complete,
      clientSecret: secret,
      storage: { deviceKey: secret },
    });
    expect(mistakeOf(text)).not.toContain("S3cr3t");
    expect(mistakeOf('{"clientSecret": S3cr3t}')).not.toContain("S3cr3t");
  });
});

describe("device.json: the resulting settings", () => {
  const config = parseDeviceConfig(JSON.stringify(complete));

  it("form parameters are encoded as by URLSearchParams, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (value) => {
        const { deviceParameters } = driverConfigOf({ ...config, deviceParameters: { p: value } });
        expect(deviceParameters).toBe(`&${new URLSearchParams({ p: value })}`);
      }),
    );
  });

  it("there is a name for every display text of the core, in the core's order", () => {
    const texts = MESSAGES.split("\n");
    expect(messageNames.length).toBe(texts.length);
    const at = (name: string): string => texts[messageNames.indexOf(name)]!;
    expect([at("signedIn"), at("open"), at("failed")]).toEqual([
      "Signed in",
      "Open in browser:",
      expect.stringMatching(/^Failed/),
    ]);
  });

  it("the metadata's address follows from the issuer, unless it is set", () => {
    const standard = "https://accounts.example/.well-known/openid-configuration";
    expect(endpointsOf(config).metadata).toBe(standard);
    const metadata = "https://accounts.example/.well-known/oauth-authorization-server";
    expect(endpointsOf({ ...config, endpoints: { metadata } }).metadata).toBe(metadata);
  });
});

const ENDPOINTS = { deviceAuthorization: "https://a.test/d", token: "https://a.test/t" };
const LEAST = { clientId: "tv", scope: "video", endpoints: ENDPOINTS };
const parsed = (file: object) => parseDeviceConfig(JSON.stringify(file));
const optionsOf = (file: object) => driverOptionsOf(parsed(file));
const DEFAULTS = {
  ...{ clientId: "tv", clientSecret: "", scope: "video", deviceParameters: "", messages: "" },
  ...{ clientAuthentication: ClientAuthentication.NONE, tokenParameters: "" },
  ...{ autoStart: 1, renewalsMax: 3, startSpreadMs: 5000 },
};

describe("device.json: the driver's options", () => {
  it("omitted members have the schema's defaults, and nothing else is set", () => {
    expect(optionsOf(LEAST)).toStrictEqual({
      config: DEFAULTS,
      endpoints: { ...ENDPOINTS, revocation: "", metadata: "", events: "", resources: [] },
      allowHttp: false,
      headers: { grant: [], resource: [] },
      translate: undefined,
    });
  });

  it("members of the file are set", () => {
    const file = {
      ...LEAST,
      ...{ clientSecret: "s", clientAuthentication: "client_secret_basic", autoStart: false },
      ...{ issuer: "https://a.test/x/", allowHttp: true, bodies: "json", pkce: "S256" },
      deviceParameters: { audience: "a b" },
      tokenParameters: { resource: "https://r.test" },
      limits: { renewals: 0, startSpreadMs: 0, memoryBytes: 9000 },
      headers: { grant: { "X-G": "1" }, resource: { "X-R": "2" } },
    };
    const { config, endpoints, ...rest } = optionsOf(file);
    expect(rest).toEqual({
      allowHttp: true,
      headers: { grant: [["X-G", "1"]], resource: [["X-R", "2"]] },
      translate: undefined,
      ...{ bodies: "json", pkce: "S256", memoryBytes: 9000 },
    });
    expect(config).toEqual({
      ...DEFAULTS,
      clientSecret: "s",
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC,
      deviceParameters: "&audience=a+b",
      tokenParameters: "&resource=https%3A%2F%2Fr.test",
      ...{ autoStart: 0, renewalsMax: 0, startSpreadMs: 0, server: "https://a.test/x/" },
    });
    // OpenID Connect Discovery 1.0 section 4.1: first remove a trailing slash.
    expect(endpoints.metadata).toBe("https://a.test/x/.well-known/openid-configuration");
  });

  it.each([
    [{}, ClientAuthentication.NONE],
    [{ clientSecret: "s" }, ClientAuthentication.CLIENT_SECRET_POST],
    [{ clientSecret: "s", clientAuthentication: "none" }, ClientAuthentication.NONE],
  ])("RFC 6749 §2.3.1: %j", (more, expected) => {
    expect(optionsOf({ ...LEAST, ...more }).config.clientAuthentication).toBe(expected);
  });

  it("records belong to the issuer, or else to the address of the token endpoint", () => {
    const { clientId: _, ...named } = DEFAULTS;
    const byToken = { server: "https://a.test/t", formerServer: "https://a.test" };
    expect(coreConfigOf(parsed(LEAST))).toEqual({
      ...named,
      clientId: "tv",
      ...byToken,
    });
    const issuer = "https://a.test";
    const byIssuer = coreConfigOf({ ...parsed(LEAST), issuer, endpoints: undefined as never });
    expect(byIssuer).toEqual({ ...DEFAULTS, server: issuer, formerServer: `${issuer}/` });
    expect(endpointsOf(parsed(LEAST)).metadata).toBe("");
    const byNothing = coreConfigOf({ clientId: "tv", scope: "video" });
    expect(byNothing).toEqual({ ...DEFAULTS, server: "", formerServer: "" });
  });

  it("texts of the file replace those with the same name, and the others stay", () => {
    const lines = MESSAGES.split("\n");
    const name = messageNames[2]!;
    const { messages } = optionsOf({ ...LEAST, messages: { [name]: "OWN" } }).config;
    expect(messages.split("\n")).toEqual([...lines.slice(0, 2), "OWN", ...lines.slice(3)]);
    expect(optionsOf({ ...LEAST, messages: {} }).config.messages).toBe("");
  });
});

describe("a file that cannot be parsed", () => {
  const messageOf = (text: string): string => {
    try {
      parseDeviceConfig(text);
    } catch (error) {
      expect((error as Error).name).toBe("ConfigError");
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
    return "";
  };

  it("RFC 8259: the error has the line of the first wrong character, and none of its content", () => {
    const lines = ["{", '  "clientId": "tv",', '  "clientSecret": "secret" oops', "}"];
    expect(messageOf(lines.join("\n"))).toBe("is not JSON (line 3)");
    const many = `{"a": 1,${"\n".repeat(300)}"b": 2 oops`;
    expect(messageOf(many)).toBe("is not JSON (line 301)");
  });

  it.each([
    ["Node", { message: "Unexpected token o in JSON at position 7" }, " (line 3)"],
    ["Node, for a text that ends too early", { message: "Unexpected end of JSON input" }, ""],
    ["QuickJS", { stack: "    at <input>:27\n    at parse (native)\n" }, " (line 27)"],
    ["an engine without positions", { stack: "    at parse (native)\n" }, ""],
    ["an engine without stacks", { stack: undefined }, ""],
  ])("the position reported by %s", (_, reported, place) => {
    const fault = Object.assign(new SyntaxError("unexpected token"), reported);
    const parse = vi.spyOn(JSON, "parse").mockImplementation(() => {
      throw fault;
    });
    try {
      expect(messageOf("{\n{\n   oops\n")).toBe(`is not JSON${place}`);
    } finally {
      parse.mockRestore();
    }
  });
});

describe("device.json: a server by its name", () => {
  const parse = (config: object) => parseDeviceConfig(JSON.stringify(config));
  const keycloak = {
    clientId: "tv",
    server: "keycloak",
    serverParameters: { host: "sso.example.com", realm: "home" },
  };

  it("accepts the parameters of the addresses; settings in the file take precedence", () => {
    const secret = driverOptionsOf(parse({ ...keycloak, clientSecret: "s" }));
    expect(secret.endpoints.token).toBe(
      "https://sso.example.com/realms/home/protocol/openid-connect/token",
    );
    expect(secret.config.clientAuthentication).toBe(ClientAuthentication.CLIENT_SECRET_BASIC);
    const own = driverOptionsOf(
      parse({
        ...{ ...keycloak, clientSecret: "s", clientAuthentication: "client_secret_post" },
        ...{ scope: "openid email", endpoints: { resources: ["https://api.example/"] } },
        limits: { memoryBytes: 7777 },
      }),
    );
    expect(own.memoryBytes).toBe(7777);
    expect(own.config.scope).toBe("openid email");
    expect(own.config.clientAuthentication).toBe(ClientAuthentication.CLIENT_SECRET_POST);
    expect(own.endpoints.resources).toEqual(["https://api.example/"]);
  });

  it.each([
    [{ clientId: "tv", server: "gitbub" }, "server is unknown; did you mean github?"],
    [{ clientId: "tv", server: "keycloak" }, "serverParameters.host is missing: the host"],
    [
      { ...keycloak, serverParameters: { host: "evil.example/x", realm: "home" } },
      "serverParameters.host must be the host",
    ],
    [
      { ...keycloak, serverParameters: { host: "a.example", realm: "../x" } },
      "serverParameters.realm must be the realm",
    ],
    [
      { clientId: "tv", server: "github", serverParameters: { tenant: "x" } },
      "serverParameters.tenant is unknown; github has: host",
    ],
    [{ clientId: "tv", server: "google" }, "clientSecret is missing: a client of Google has one"],
    [
      { clientId: "tv", scope: "a", issuer: "https://a.example", serverParameters: {} },
      "serverParameters is only for a configuration with server",
    ],
  ])("%j: %s", (config, message) => {
    expect(mistakeOf(config)).toContain(message);
  });

  const plainServers = SERVERS.filter(
    ({ translate, codeWithoutSecret }) => translate === undefined && !codeWithoutSecret,
  );
  it.each(plainServers.map((profile) => [profile.name, profile] as const))(
    "%s is filled in for a host without profiles, and the result is a valid device.json",
    (server, { parameters }) => {
      const words = Object.keys(parameters).map((word) => [word, "a.example"]);
      const serverParameters = Object.fromEntries(words) as Record<string, string>;
      const config = parse({ clientId: "tv", clientSecret: "s", server, serverParameters });
      const plain = expandedConfig(config);
      expect(parse(plain)).toEqual(plain);
      expect(plain).not.toHaveProperty("server");
      expect(driverOptionsOf(plain)).toEqual(driverOptionsOf(config));
    },
  );

  it("an issuer and addresses in the file take precedence over the profile", () => {
    const issuer = "https://a.example";
    const config = parse({ ...keycloak, issuer, endpoints: { token: `${issuer}/t` } });
    const { endpoints } = driverOptionsOf(config);
    expect([endpoints.token, coreConfigOf(config).server]).toEqual([`${issuer}/t`, issuer]);
    expect(endpoints.deviceAuthorization).toMatch(/^https:\/\/sso\.example\.com/);
  });

  it("a server with its own protocol needs a host that can translate", () => {
    const config = parse({ clientId: "tv", server: "twitch" });
    expect(driverOptionsOf(config).translate).toBeDefined();
    expect(() => expandedConfig(config)).toThrow("server speaks a language of its own");
  });

  it("so does a server that requires the secret everywhere except in the device authorization request", () => {
    const auth0 = { clientId: "tv", server: "auth0", serverParameters: { domain: "a.example" } };
    expect(expandedConfig(parse(auth0))).not.toHaveProperty("server");
    const withSecret = parse({ ...auth0, clientSecret: "s" });
    expect(() => expandedConfig(withSecret)).toThrow("server wants the secret everywhere but");
  });
});

describe("device.json: how requests and secrets are sent", () => {
  const plain = {
    clientId: "tv",
    scope: "a",
    endpoints: {
      deviceAuthorization: "http://box.example/code?p=b2c",
      token: "https://box.example/t",
    },
  };

  it("RFC 6749 section 10.3: http to another machine only with allowHttp", () => {
    expect(mistakeOf(plain)).toContain("endpoints.deviceAuthorization must be an https address");
    const config = parseDeviceConfig(JSON.stringify({ ...plain, allowHttp: true }));
    expect(driverOptionsOf(config).allowHttp).toBe(true);
  });

  it("headers that the host sets itself are rejected, without their value in the message", () => {
    const named = (headers: object) => ({ ...plain, allowHttp: true, headers });
    expect(mistakeOf(named({ grant: { Authorization: "S3cr3t" } }))).toBe(
      "headers.grant Authorization is not the host's to set",
    );
    const broken = mistakeOf(named({ grant: { "X-A": "S3cr3t\r\nX: 1" } }));
    expect(broken).toContain('headers.grant["X-A"] must be a text');
    expect(broken).not.toContain("S3cr3t");
  });
});

it("the device.json of targets/quickjs/README.md is valid, and sets what a first run needs", () => {
  const readme = readFileSync(new URL("../../targets/quickjs/README.md", import.meta.url), "utf8");
  const config = parseDeviceConfig(/```json\n(.*?)```/s.exec(readme)![1]!);
  expect(config.storage?.directory).toBeDefined();
  expect(config.endpoints?.resources).toHaveLength(1);
  expect(config.control).toEqual({ commands: "stdin", events: "stderr" });
});

const PRINTER = "\u{1f5a8}";

it.each<readonly [schema: Schema, value: unknown, message: string]>([
  [{ type: "object" }, new Map(), "must be an object (given: Map)"],
  [{ type: "integer" }, 1.5, "must be an integer (given: 1.5)"],
  [{ type: "instance", title: "x" }, [], "must be x (given: a list)"],
  [{ const: "lcd" }, "text", "must be lcd (given: a text of 4 characters)"],
  [{ enum: ["a", "b", "c"] }, 7, "must be a, b or c (given: a number)"],
  // The length counts code points.
  [{ minLength: 2, title: "x" }, PRINTER, "must be x (given: a text of 2 characters)"],
  [{ maxLength: 2 }, PRINTER + PRINTER, ""],
  [{ pattern: "^.$" }, PRINTER, ""],
  [{ type: "integer", minimum: 2, maximum: 4 }, 2, ""],
  [{ type: "integer", minimum: 2, maximum: 4 }, 1, "must be an integer from 2 to 4 (given: 1)"],
  [{ type: "integer", minimum: 2, maximum: 4 }, 4, ""],
  [{ type: "integer", minimum: 2, maximum: 4 }, 5, "must be an integer from 2 to 4 (given: 5)"],
  [{ items: {}, minItems: 2, maxItems: 2 }, [1, 2], ""],
  [{ maxItems: 2, title: "x" }, [1, 2, 3], "must be x (given: a list)"],
  [{ minItems: 2, title: "x" }, [1], "must be x (given: a list)"],
  [{ properties: { a: { type: "integer" } } }, { a: 1, b: "2" }, ""],
])("JSON schema, draft 7: %j with %j: %s", (schema, value, message) => {
  const problems = checkSchema(value, schema);
  expect(problems).toEqual(message === "" ? [] : [{ path: "", message }]);
});

it("the schema has no unknown keyword, and all its references resolve", () => {
  const schema = { $ref: "other#/$defs/a", $defs: { othera: {} } };
  expect(() => checkSchema(1, schema)).toThrow("schema: nothing at other#/$defs/a");
  expect(() => checkSchema(1, { oneOf: [] } as Schema)).toThrow("oneOf");
});

it("a path shows at most 64 characters of a name, because the file may contain long ones", () => {
  const name = `${"a b".repeat(21)}c`;
  const schema: Schema = { additionalProperties: { maximum: 1 } };
  const pathOf = (member: string) => checkSchema({ [member]: 2 }, schema)[0]?.path;
  expect([pathOf(name), pathOf(`${name}d`)]).toEqual([`["${name}"]`, `["${name}"]`]);
});
