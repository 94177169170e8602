// A driver's settings from device.json: every member of the file, and the defaults.

import { describe, expect, it, vi } from "vitest";
import { ClientAuthentication } from "../../core/complete.ts";
import { MESSAGES } from "../../core/index.ts";
import {
  ConfigError,
  coreConfigOf,
  driverOptionsOf,
  endpointsOf,
  messageNames,
  parseDeviceConfig,
} from "../../platform/configuration/device-config.ts";

const ENDPOINTS = { deviceAuthorization: "https://a.test/d", token: "https://a.test/t" };
const LEAST = { clientId: "tv", scope: "video", endpoints: ENDPOINTS };
const parsed = (file: object) => parseDeviceConfig(JSON.stringify(file));
const optionsOf = (file: object) => driverOptionsOf(parsed(file));

const DEFAULTS = {
  clientId: "tv",
  clientSecret: "",
  scope: "video",
  clientAuthentication: ClientAuthentication.NONE,
  deviceParameters: "",
  tokenParameters: "",
  autoStart: 1,
  renewalsMax: 3,
  startSpreadMs: 5000,
  messages: "",
};

describe("device.schema.json", () => {
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
    // OpenID Connect Discovery 1.0 section 4.1: a trailing slash is removed first.
    expect(endpoints.metadata).toBe("https://a.test/x/.well-known/openid-configuration");
  });

  it.each([
    [{}, ClientAuthentication.NONE],
    [{ clientSecret: "s" }, ClientAuthentication.CLIENT_SECRET_POST],
    [{ clientSecret: "s", clientAuthentication: "none" }, ClientAuthentication.NONE],
  ])("RFC 6749 §2.3.1: %j", (more, expected) => {
    expect(optionsOf({ ...LEAST, ...more }).config.clientAuthentication).toBe(expected);
  });

  it("the core's own settings name the server: its issuer, or the address of its token endpoint", () => {
    const { clientId: _, ...named } = DEFAULTS;
    const byToken = { server: "https://a.test/t", formerServer: "https://a.test" };
    expect(coreConfigOf(parsed(LEAST))).toEqual({ ...named, clientId: "tv", ...byToken });
    const issuer = "https://a.test";
    const byIssuer = coreConfigOf({ ...parsed(LEAST), issuer, endpoints: undefined as never });
    expect(byIssuer).toEqual({ ...DEFAULTS, server: issuer, formerServer: `${issuer}/` });
    expect(endpointsOf(parsed(LEAST)).metadata).toBe("");
    const byNothing = coreConfigOf({ clientId: "tv", scope: "video" });
    expect(byNothing).toEqual({ ...DEFAULTS, server: "", formerServer: "" });
  });

  it("texts of the file replace those of the same name, the others stay", () => {
    const lines = MESSAGES.split("\n");
    const name = messageNames[2]!;
    const { messages } = optionsOf({ ...LEAST, messages: { [name]: "OWN" } }).config;
    expect(messages.split("\n")).toEqual([...lines.slice(0, 2), "OWN", ...lines.slice(3)]);
    expect(optionsOf({ ...LEAST, messages: {} }).config.messages).toBe("");
  });

  it("a server's profile provides what the file omits", () => {
    const words = { server: "keycloak", serverParameters: { host: "sso.test", realm: "home" } };
    expect(optionsOf({ clientId: "tv", ...words }).pkce).toBe("S256");
    const github = parsed({ clientId: "tv", server: "github" });
    expect(Object.keys(github)).not.toContain("pkce");
    expect(driverOptionsOf(github)).toMatchObject({
      endpoints: { deviceAuthorization: "https://github.com/login/device/code", revocation: "" },
      config: { scope: "read:user", clientAuthentication: ClientAuthentication.NONE },
    });
  });
});

describe("a file that cannot be parsed: the position of the error", () => {
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

  it("RFC 8259: the line of the first wrong character, and nothing of its content", () => {
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

  it("an error that is not the file's is passed on unchanged", () => {
    const broken = { ...LEAST, server: "keycloak", serverParameters: null as never };
    expect(() => driverOptionsOf(broken)).toThrow(TypeError);
  });
});
