// Tests device.json: invalid files, each keyword of the schema at its limits, the resulting settings, and the complete
// file for hosts without profiles and discovery, such as the host in C.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ClientAuthentication, MESSAGES } from "../../core/index.ts";
import {
  ConfigError,
  completeConfig,
  coreConfigOf,
  deviceServer,
  deviceSettings,
  JAVASCRIPT_ONLY,
  messageNames,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";
import { checkSchema, type Schema } from "../../platform/configuration/schema-check.ts";
import { SERVERS } from "../../platform/servers/index.ts";
import { resolveServer } from "../../platform/session/resolve-server.ts";
import { fakePlatform } from "../../platform/testing/index.ts";
import { anyCharacter } from "../any-character.ts";

const ISSUER = "https://a.test";
const ENDPOINTS = { deviceAuthorization: `${ISSUER}/d`, token: `${ISSUER}/t` };
const LEAST = { clientId: "tv", scope: "video", endpoints: ENDPOINTS };
/** The parsed device.json with these members; undefined removes one. */
const parsed = (members: object) => parseDeviceConfig(JSON.stringify({ ...LEAST, ...members }));
const optionsOf = (members: object) => deviceServer(parsed(members));

function mistakeOf(text: string): string {
  try {
    parseDeviceConfig(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).name).toBe("ConfigError");
    // Messages quote no value, because it may be a secret.
    expect((error as Error).message).not.toContain("S3cr3t");
    return (error as Error).message;
  }
  return "none";
}

const at = (endpoints: object) => ({ endpoints: { ...ENDPOINTS, ...endpoints } });
const FROM_ISSUER = { issuer: ISSUER, endpoints: undefined };
const SERVER = { scope: undefined, endpoints: undefined };
const keycloak = (words: object = {}) => {
  const serverParameters = { host: "sso.example.com", realm: "home", ...words };
  return { ...SERVER, server: "keycloak", serverParameters };
};
const AUTH0 = { ...SERVER, server: "auth0", serverParameters: { domain: "a.example" } };
const CHARACTERS = "messages.open must be 1 to 96 characters";

describe("device.json: each mistake is reported with its path", () => {
  it.each<[members: object, message: string]>([
    [{ clientId: undefined }, "clientId is missing"],
    [{ clientid: "x" }, "clientid is unknown; did you mean clientId?"],
    [{ clientSecret: "S3cr3t\u0001" }, "clientSecret must be 1 to 256 printable ASCII characters"],
    [{ display: { colums: 20 } }, "display.colums is unknown; did you mean columns?"],
    [{ display: { width: 20 } }, "display.width is unknown; known here: kind, col"],
    [{ display: { kind: "lcd" } }, "display.path is missing"],
    [{ ...FROM_ISSUER, issuer: undefined }, "give server, issuer or endpoints"],
    [{ endpoints: {} }, "endpoints.deviceAuthorization is missing"],
    [at({ token: "http://a.example/" }), "endpoints.token must be an https address"],
    [at({ resources: ["https://a.test", "x"] }), "endpoints.resources[1] must be an https"],
    [at({ resources: Array(17).fill("https://a") }), "resources must be a list of up to 16 addr"],
    [{ limits: { memoryBytes: 100 } }, "limits.memoryBytes must be an integer from 20"],
    [{ storage: { deviceKey: "S3cr3t" } }, "storage.directory is missing"],
    [{ messages: { open: "\u03a9" } }, CHARACTERS],
    [{ messages: { open: "a\u007fb" } }, CHARACTERS],
    [{ deviceParameters: { "a=b": "x" } }, 'deviceParameters["a=b"] is not a parameter that you'],
    [{ headers: { grant: { Host: "S3cr3t" } } }, "headers.grant Host is not the host's to set"],
    [{ headers: { grant: { "X-A": "S3cr3t\n" } } }, 'headers.grant["X-A"] must be a text'],
    [{ language: "ja", displayRom: "A02" }, "displayRom cannot be: the ROM A02 has no"],
    [
      { server: "gitbub", clientid: "" },
      "did you mean clientId?; server is unknown; did you mean g",
    ],
    [keycloak({ host: undefined, realm: "../x" }), "serverParameters.realm must be the realm"],
    [keycloak({ host: undefined, realm: "../x" }), "serverParameters.host is missing: the host"],
    [keycloak({ host: "evil.example/x" }), "serverParameters.host must be the host"],
    [{ ...keycloak({ a: "" }), server: "github" }, "serverParameters.realm is unknown; github has"],
    [{ ...SERVER, server: "google" }, "clientSecret is missing: a client of Google has one"],
    [{ serverParameters: {} }, "serverParameters is only for a configuration with server"],
  ])("%j: %s", (members, message) => {
    expect(mistakeOf(JSON.stringify({ ...LEAST, ...members }))).toContain(message);
  });

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
});

const DEFAULTS = {
  ...{ clientId: "tv", clientSecret: "", scope: "video", deviceParameters: "", messages: "" },
  ...{ clientAuthentication: ClientAuthentication.NONE, tokenParameters: "" },
  ...{ autoStart: 1, renewalsMax: 3, startSpreadMs: 5000 },
};

describe("device.json: the driver's options", () => {
  it("omitted members have the schema's defaults, and nothing else is set", () => {
    expect(optionsOf({})).toEqual({
      config: DEFAULTS,
      endpoints: { ...ENDPOINTS, revocation: "", metadata: "", events: "", resources: [] },
      headers: { grant: [], resource: [] },
    });
  });

  it("members of the file are set", () => {
    const { config, endpoints, ...rest } = optionsOf({
      ...{ clientSecret: "s", clientAuthentication: "client_secret_basic", autoStart: false },
      ...{ issuer: `${ISSUER}/x/`, allowHttp: true, bodies: "json", pkce: "S256" },
      ...at({ revocation: "http://box.example/r?p=b2c", resources: ["https://r.test/v3"] }),
      deviceParameters: { audience: "a b" },
      tokenParameters: { resource: "https://r.test" },
      limits: { renewals: 0, startSpreadMs: 0, memoryBytes: 9000, exchangeSeconds: 30 },
      headers: { grant: { "X-G": "1" }, resource: { "X-R": "2" } },
      display: { kind: "lcd", columns: 20, rows: 4, path: "/dev/lcd", fileDescriptor: 3 },
      storage: { directory: "/var/lib/picogrant", deviceKeyFile: "/etc/picogrant/device.key" },
      http: { certificates: "/etc/ssl/ca.pem", curl: "/usr/bin/curl", userAgent: "printer/1.0" },
      control: { commands: "/run/picogrant/commands", events: "stderr" },
    });
    expect(rest).toEqual({
      allowHttp: true,
      headers: { grant: [["X-G", "1"]], resource: [["X-R", "2"]] },
      ...{ bodies: "json", pkce: "S256", memoryBytes: 9000, issuer: `${ISSUER}/x/` },
    });
    expect(config).toEqual({
      ...DEFAULTS,
      clientSecret: "s",
      clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC,
      deviceParameters: "&audience=a+b",
      tokenParameters: "&resource=https%3A%2F%2Fr.test",
      ...{ autoStart: 0, renewalsMax: 0, startSpreadMs: 0, server: `${ISSUER}/x/` },
    });
    expect(endpoints).toMatchObject({
      ...{ revocation: "http://box.example/r?p=b2c", resources: ["https://r.test/v3"] },
      // OpenID Connect Discovery 1.0 section 4.1: first remove a trailing slash.
      metadata: `${ISSUER}/x/.well-known/openid-configuration`,
    });
  });

  const SECRET = { clientSecret: "s" };
  const POST = { clientAuthentication: "client_secret_post" };
  it.each<[rule: string, members: object, options: object]>([
    [
      "RFC 6749 §2.3.1: the secret in the body",
      SECRET,
      { config: { clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST } },
    ],
    [
      "a secret that is not used",
      { ...SECRET, clientAuthentication: "none" },
      { config: { clientAuthentication: ClientAuthentication.NONE } },
    ],
    [
      "the issuer's metadata at an address of their own",
      { ...FROM_ISSUER, endpoints: { metadata: `${ISSUER}/m` } },
      { endpoints: { metadata: `${ISSUER}/m` } },
    ],
    [
      "a profile's address and client authentication",
      { ...keycloak(), ...SECRET },
      {
        config: { clientAuthentication: ClientAuthentication.CLIENT_SECRET_BASIC },
        endpoints: { token: "https://sso.example.com/realms/home/protocol/openid-connect/token" },
      },
    ],
    [
      "the file's settings, which take precedence over the profile's",
      {
        ...{ ...keycloak(), ...SECRET, ...POST, scope: "openid email", issuer: ISSUER },
        ...{ endpoints: { token: ENDPOINTS.token }, limits: { memoryBytes: 7777 } },
      },
      {
        config: {
          ...{ clientAuthentication: ClientAuthentication.CLIENT_SECRET_POST },
          ...{ scope: "openid email", server: ISSUER },
        },
        endpoints: {
          deviceAuthorization: expect.stringMatching(/^https:\/\/sso\.example\.com/),
          token: ENDPOINTS.token,
        },
        memoryBytes: 7777,
      },
    ],
    [
      "a server with its own protocol",
      { ...SERVER, server: "twitch" },
      { translate: expect.any(Function) },
    ],
  ])("%s", (_, members, options) => {
    expect(optionsOf(members)).toMatchObject(options);
  });

  it("form parameters are encoded as by URLSearchParams, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (value) => {
        const { deviceParameters } = deviceServer({
          ...LEAST,
          deviceParameters: { p: value },
        }).config;
        expect(deviceParameters).toBe(`&${new URLSearchParams({ p: value })}`);
      }),
    );
  });

  it("records belong to the issuer, or else to the address of the token endpoint", () => {
    const named = (members: object) => coreConfigOf(deviceServer({ ...LEAST, ...members }));
    const { token: server } = ENDPOINTS;
    expect(named({})).toEqual({ ...DEFAULTS, server, formerServer: ISSUER });
    const byIssuer = { ...DEFAULTS, server: ISSUER, formerServer: `${ISSUER}/` };
    expect(named(FROM_ISSUER)).toEqual(byIssuer);
    expect(named({ endpoints: undefined })).toEqual({ ...DEFAULTS, server: "", formerServer: "" });
  });

  it("texts of the file replace those with the same name, and the others stay", () => {
    const lines = MESSAGES.split("\n");
    const texts = (messages: object) => optionsOf({ messages }).config.messages;
    expect(messageNames).toHaveLength(lines.length);
    for (const [name, line] of [
      ["signedIn", "Signed in"],
      ["open", "Open in browser:"],
    ] as const) {
      const own = lines.map((text) => (text === line ? "OWN" : text));
      expect(own).toContain("OWN");
      expect(texts({ [name]: "OWN" }).split("\n")).toEqual(own);
    }
    expect(texts({})).toBe("");
  });
});

describe("a file that cannot be parsed", () => {
  it.each([
    ['{"a":1,\n"clientSecret": "S3cr3t" oops\n}', " (line 2)"],
    [`{"a": 1,${"\n".repeat(300)}"b": 2 oops`, " (line 301)"],
    ['{"clientSecret": S3cr3t}', ""],
  ])(
    "RFC 8259: the error has the line of the first wrong character, and none of its content: %#",
    (text, place) => {
      expect(mistakeOf(text)).toBe(`is not JSON${place}`);
    },
  );

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
      expect(mistakeOf("{\n{\n   oops\n")).toBe(`is not JSON${place}`);
    } finally {
      parse.mockRestore();
    }
  });
});

describe("the complete file", () => {
  /** @param methods of client authentication in the issuer's metadata; undefined: nobody may request them */
  const completed = async (members: object, methods?: readonly string[]) => {
    const document = {
      issuer: ISSUER,
      device_authorization_endpoint: ENDPOINTS.deviceAuthorization,
      token_endpoint: ENDPOINTS.token,
      token_endpoint_auth_methods_supported: methods,
    };
    const script = methods === undefined ? [] : [{ body: document }];
    const host = fakePlatform({ isAtOnce: true, http: { script } });
    const config = parsed(members);
    return completeConfig(config, await resolveServer(deviceSettings(config), host));
  };
  const BASIC = ["client_secret_basic", "client_secret_post"];
  const OTHER = ["private_key_jwt", "tls_client_auth"];
  const WITH_SECRET = { ...FROM_ISSUER, clientSecret: "x" };
  const OWN = `${ISSUER}/own`;

  it.each<[methods: readonly string[] | undefined, members: object, added: object]>([
    [BASIC, WITH_SECRET, { clientAuthentication: "client_secret_basic" }],
    [["client_secret_post", ...OTHER], WITH_SECRET, { clientAuthentication: "client_secret_post" }],
    [BASIC, FROM_ISSUER, { clientAuthentication: "none" }],
    [
      BASIC,
      { ...WITH_SECRET, clientAuthentication: "client_secret_post" },
      { clientAuthentication: "client_secret_post" },
    ],
    [
      BASIC,
      { issuer: ISSUER, endpoints: { token: OWN } },
      { clientAuthentication: "none", ...at({ token: OWN }) },
    ],
    [
      BASIC,
      { issuer: ISSUER, endpoints: { deviceAuthorization: OWN } },
      { clientAuthentication: "none", ...at({ deviceAuthorization: OWN }) },
    ],
    [undefined, { issuer: ISSUER }, { clientAuthentication: "none" }],
    [undefined, { bodies: "json" }, { clientAuthentication: "none" }],
  ])("RFC 8414 §2: with the methods %j, %j gets %j", async (methods, members, added) => {
    const whole = { ...LEAST, ...members, endpoints: ENDPOINTS, ...added };
    expect(await completed(members, methods)).toEqual(whole);
  });

  it.each<[members: object, message: string]>([
    [WITH_SECRET, `the server takes no client secret, only: ${OTHER.join(", ")}`],
    [
      { allowHttp: true, ...at({ token: "http://a.example/d" }) },
      "endpoints.token must be an https address",
    ],
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
    expect(plain).not.toHaveProperty("server");
    expect(deviceServer(plain)).toEqual({ ...optionsOf(members), issuer: undefined });
  });

  it("a language is replaced by texts in the display's character set; texts in the file take precedence", async () => {
    const own = { language: "de", messages: { signedIn: "Bereit" }, reasons: { noCable: "A|B" } };
    const { messages, reasons } = await completed(own);
    expect(messages).toMatchObject({
      requesting: "Hole Code",
      resuming: "Pr\xfcfe Code",
      signedIn: "Bereit",
    });
    expect(reasons).toMatchObject({ noCable: "A|B", noSeed: "Zufallswert leer|Hersteller rufen" });
  });

  it("members that only JavaScript hosts support are removed", async () => {
    const members = { ...keycloak(), allowHttp: true, language: "de", displayRom: "A02" };
    const before = parsed(members);
    const plain = await completed(members);
    for (const member of JAVASCRIPT_ONLY) {
      expect(before).toHaveProperty(member);
      expect(plain).not.toHaveProperty(member);
    }
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
  [{ type: "instance", title: "x" }, [], "must be x (given: an empty list)"],
  [{ const: "lcd" }, "text", "must be lcd (given: a text of 4 characters)"],
  [{ enum: ["a", "b", "c"] }, 7, "must be a, b or c (given: a number)"],
  // The schema's maximum length counts code points.
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
