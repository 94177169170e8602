// device.json: invalid files, the schema check with each keyword at its limits, and the resulting settings.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClientAuthentication, MESSAGES } from "../../core/index.ts";
import schema from "../../platform/configuration/device.schema.json";
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
import {
  checkSchema,
  type Problem,
  type Schema,
} from "../../platform/configuration/schema-check.ts";
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
    [{ ...complete, clientId: 7 }, "clientId must be the client identifier"],
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
      { ...complete, endpoints: { ...complete.endpoints, resources: "https://a.example" } },
      "endpoints.resources must be a list of up to 16 addresses",
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
      'deviceParameters["a=b"] is not a possible',
    ],
    [[], "must be an object"],
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

  it("the same name in two objects, and within strings, is no duplicate", () => {
    expect(mistakeOf(with_('"a":"1"', '"a":"\\"a\\":1,{\\"a\\":","token":"x","b":"{"'))).toBe(
      "none",
    );
  });

  it("reports all of them, in one line", () => {
    const message = mistakeOf({ ...complete, clientId: "", scope: "a  b", autoStart: "yes" });
    expect(message.split("; ").map((part) => part.split(" ")[0])).toEqual([
      "clientId",
      "scope",
      "autoStart",
    ]);
  });

  it("quotes no value, because it may be a secret", () => {
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

  it("has a name for every display text of the core, in the core's order", () => {
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

describe("device.json: a server by its name", () => {
  const parse = (config: object) => parseDeviceConfig(JSON.stringify(config));
  const keycloak = {
    clientId: "tv",
    server: "keycloak",
    serverParameters: { host: "sso.example.com", realm: "home" },
  };

  it("takes the parameters of the addresses; settings in the file have precedence", () => {
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

  it("an issuer and addresses in the file have precedence over the profile", () => {
    const issuer = "https://a.example";
    const config = parse({ ...keycloak, issuer, endpoints: { token: `${issuer}/t` } });
    const { endpoints } = driverOptionsOf(config);
    expect([endpoints.token, coreConfigOf(config).server]).toEqual([`${issuer}/t`, issuer]);
    expect(endpoints.deviceAuthorization).toMatch(/^https:\/\/sso\.example\.com/);
  });

  it("a server with its own protocol is for hosts that translate", () => {
    const config = parse({ clientId: "tv", server: "twitch" });
    expect(driverOptionsOf(config).translate).toBeDefined();
    expect(() => expandedConfig(config)).toThrow("server speaks a language of its own");
  });

  it("so is one that requires the secret everywhere except in the device authorization request", () => {
    const auth0 = { clientId: "tv", server: "auth0", serverParameters: { domain: "a.example" } };
    expect(expandedConfig(parse(auth0))).not.toHaveProperty("server");
    const withSecret = parse({ ...auth0, clientSecret: "s" });
    expect(() => expandedConfig(withSecret)).toThrow("server wants the secret everywhere but");
  });
});

describe("device.json: how and with what secrets are sent", () => {
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

  it("no headers that the host sets itself, and no value in a message", () => {
    const named = (headers: object) => ({ ...plain, allowHttp: true, headers });
    expect(mistakeOf(named({ grant: { Authorization: "S3cr3t" } }))).toBe(
      "headers.grant Authorization is not the host's to set",
    );
    const broken = mistakeOf(named({ grant: { "X-A": "S3cr3t\r\nX: 1" } }));
    expect(broken).toContain('headers.grant["X-A"] must be a text');
    expect(broken).not.toContain("S3cr3t");
  });
});

it("the device.json of targets/quickjs/README.md is valid, and sets what a first try needs", () => {
  const readme = readFileSync(new URL("../../targets/quickjs/README.md", import.meta.url), "utf8");
  const config = parseDeviceConfig(/```json\n(.*?)```/s.exec(readme)![1]!);
  expect(config.storage?.directory).toBeDefined();
  expect(config.endpoints?.resources).toHaveLength(1);
  expect(config.control).toEqual({ commands: "stdin", events: "stderr" });
});

const PRINTER = "\u{1f5a8}";
/** Written literally in an object, it would look like a promise. */
const THEN = "then";

/** "" for a valid value. */
type Row = readonly [schema: Schema, value: unknown, message: string];

const ROWS: readonly Row[] = [
  [{ type: "object" }, [], "is not of type object"],
  [{ type: "object" }, null, "is not of type object"],
  [{ type: "array" }, {}, "is not of type array"],
  [{ type: "integer" }, 1.5, "is not of type integer"],
  [{ type: "string" }, 1, "is not of type string"],
  [{ type: "boolean" }, 0, "is not of type boolean"],
  [{ const: "lcd" }, "lcd", ""],
  [{ const: "lcd" }, "text", "is not the expected value"],
  [{ enum: ["a", "b"] }, "b", ""],
  [{ enum: ["a", "b"] }, "c", "is none of the expected values"],
  [{ minLength: 2 }, "ab", ""],
  [{ minLength: 2 }, "a", "is shorter than 2 characters"],
  // A character is a code point.
  [{ minLength: 2 }, PRINTER, "is shorter than 2 characters"],
  [{ maxLength: 2 }, PRINTER + PRINTER, ""],
  [{ maxLength: 2 }, "abc", "is longer than 2 characters"],
  [{ pattern: "^.$" }, PRINTER, ""],
  [{ pattern: "^[a-z]+$" }, "A", "does not have the expected form"],
  [{ minimum: 2 }, 2, ""],
  [{ minimum: 2 }, 1, "is less than 2"],
  [{ maximum: 2 }, 2, ""],
  [{ maximum: 2 }, 3, "is greater than 2"],
  [{ items: {}, maxItems: 2 }, [1, 2], ""],
  [{ items: {}, maxItems: 2 }, [1, 2, 3], "has more than 2 elements"],
  [{ if: { type: "string" }, [THEN]: { maxLength: 1 } }, "ab", "is longer than 1 characters"],
  [{ if: { type: "string" }, [THEN]: { maxLength: 1 } }, 1, ""],
  [{ if: { type: "string" }, else: { maximum: 1 } }, 2, "is greater than 1"],
  [{ if: { type: "string" }, else: { maximum: 1 } }, "ab", ""],
  [{ additionalProperties: { maximum: 1 } }, { a: 1 }, ""],
  [{ properties: { a: { minimum: 0 } } }, { a: 1, b: 2 }, ""],
];

describe("JSON schema, draft 7: each keyword", () => {
  it.each(ROWS)("%j with %j: %s", (schema, value, message) => {
    expect(checkSchema(value, schema)).toEqual(message === "" ? [] : [{ path: "", message }]);
  });

  it("a schema's description is used in the message", () => {
    const schema: Schema = { description: "a name", maxLength: 1 };
    expect(checkSchema("ab", schema)).toEqual([{ path: "", message: "must be a name" }]);
  });

  it("a reference must point into this document", () => {
    const schema = { $ref: "other#/$defs/a", $defs: { othera: {} } };
    expect(() => checkSchema(1, schema)).toThrow("schema: nothing at other#/$defs/a");
    expect(() => checkSchema(1, { oneOf: [] } as Schema)).toThrow("oneOf");
  });

  it("the complete configuration is valid", () => {
    expect(checkSchema(complete, schema as Schema)).toEqual([]);
  });
});

it("a path shows at most 64 characters of a name: a file must not fill the screen", () => {
  const name = `${"a b".repeat(21)}c`;
  const problem = (path: string): Problem[] => [{ path, message: "is greater than 1" }];
  const schema: Schema = { additionalProperties: { maximum: 1 } };
  expect(checkSchema({ [name]: 2 }, schema)).toEqual(problem(`["${name}"]`));
  expect(checkSchema({ [`${name}d`]: 2 }, schema)).toEqual(problem(`["${name}"]`));
});
