// The device's configuration, device.json: parsed, checked against device.schema.json, and converted to what the driver
// takes. Used when a settings page is made and when a device starts. Does not access files.

import { type Config as CoreConfig, MESSAGES } from "../../core/index.ts";
import type { RomName } from "../display/display-rom.ts";
import { type Language, messagesFor, reasonsFor, usualRom } from "../display/languages.ts";
import type { Pkce } from "../driver/code-challenges.ts";
import { endpointProblems } from "../driver/endpoints.ts";
import { headersProblems } from "../driver/headers.ts";
import type { Bodies } from "../driver/options.ts";
import { type DriverConfig, type DriverOptions, type Endpoints, noEndpoints } from "../driver.ts";
import { serverNames } from "../servers/address.ts";
import { type Server, ServerError, serverOf } from "../servers/index.ts";
import schema from "./device.schema.json";
import { checkSchema, duplicateNames, listed, type Problem, type Schema } from "./schema-check.ts";
import { clientAuthentications, formParameters } from "./settings.ts";

/** The content of device.json. Members that the schema does not require are optional. */
export interface DeviceConfig {
  clientId: string;
  clientSecret?: string;
  clientAuthentication?: keyof typeof clientAuthentications;
  /** Optional in the file if the server's profile has one. */
  scope: string;
  /** The name of a server profile, which is applied when the file is read. */
  server?: string;
  serverParameters?: Record<string, string>;
  deviceParameters?: Record<string, string>;
  tokenParameters?: Record<string, string>;
  bodies?: Bodies;
  /** Default: as the server's profile says, or after the server has rejected a request without one. */
  pkce?: Pkce;
  issuer?: string;
  endpoints?: Partial<Endpoints>;
  allowHttp?: boolean;
  headers?: { grant?: Record<string, string>; resource?: Record<string, string> };
  display?: {
    kind?: "terminal" | "lcd" | "text";
    columns?: number;
    rows?: number;
    path?: string;
    fileDescriptor?: number;
  };
  /**
   * The language of the built-in texts (platform/display/languages.ts) and the display's character set. `messages` and
   * `reasons` take precedence.
   */
  language?: Language;
  displayRom?: RomName;
  messages?: Record<string, string>;
  /** Texts for a missing connection (platform/display/reasons.ts), in the device's language. */
  reasons?: Record<string, string>;
  limits?: {
    memoryBytes?: number;
    exchangeSeconds?: number;
    connectSeconds?: number;
    responseBytes?: number;
    renewals?: number;
    startSpreadMs?: number;
  };
  storage?: { directory: string; deviceKey?: string; deviceKeyFile?: string };
  http?: { certificates?: string; curl?: string; userAgent?: string };
  control?: { commands?: string; events?: string };
  autoStart?: boolean;
  /** For a board without a clock, in a network whose DHCP server names no time server. */
  timeServer?: string;
}

/** Names of the display texts in device.json, in the core's order (MESSAGES). */
export const messageNames: readonly string[] = Object.keys(schema.properties.messages.properties);

/** The problems of a configuration, each with its path. */
export class ConfigError extends Error {
  constructor(problems: readonly Problem[]) {
    super(listed(problems));
    this.name = "ConfigError";
  }
}

/**
 * Reads a configuration.
 * @param text the content of device.json
 * @throws ConfigError that names every problem with its path; its message contains no value of the file
 */
export function parseDeviceConfig(text: string): DeviceConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError([{ path: "", message: `is not JSON${placeOf(error, text)}` }]);
  }
  const problems = [...duplicateNames(text), ...checkSchema(value, schema as Schema).map(nameWays)];
  if (problems.length > 0) throw new ConfigError(problems);
  const config = inItsLanguage(withServer(value as DeviceConfig));
  const { endpoints = {}, allowHttp = false } = config;
  const wrong = [...endpointProblems(endpoints, allowHttp), ...headerProblems(config)];
  if (wrong.length > 0) throw new ConfigError(wrong);
  return config;
}

/**
 * Adds the texts of the language in the characters of the display's ROM; the file's own texts take precedence.
 * @throws ConfigError if the ROM has no letters for the language
 */
function inItsLanguage(config: DeviceConfig): DeviceConfig {
  const { language, displayRom = language && usualRom(language) } = config;
  if (language === undefined) return config;
  try {
    const lines = messagesFor(language, displayRom).split("\n");
    const messages = Object.fromEntries(lines.map((line, at) => [messageNames[at]!, line]));
    return {
      ...config,
      messages: { ...(language !== "en" && messages), ...config.messages },
      reasons: { ...reasonsFor(language, displayRom), ...config.reasons },
    };
  } catch (error) {
    throw new ConfigError([
      { path: "displayRom", message: `cannot be: ${(error as Error).message}` },
    ]);
  }
}

/** There are three ways to name the server, but the schema can only require one of them. */
function nameWays(problem: Problem): Problem {
  if (problem.path !== "endpoints" || problem.message !== "is missing") return problem;
  return { path: "", message: "must say where the server is: give server, issuer or endpoints" };
}

/**
 * Completes a configuration from its server profile; the file's own values take precedence.
 * @throws ConfigError if the profile does not exist, or if one of its parameters is missing or invalid
 */
function withServer(config: DeviceConfig): DeviceConfig {
  const server = serverOfConfig(config);
  if (server === undefined) {
    if (config.serverParameters === undefined) return config;
    const message = "is only for a configuration with server";
    throw new ConfigError([{ path: "serverParameters", message }]);
  }
  const { profile } = server;
  // A server without revocation has no such address.
  const addresses = Object.fromEntries(
    Object.entries(server.addresses).filter(([, address]) => address !== ""),
  );
  const { pkce = profile.pkce } = config;
  return {
    ...config,
    ...(pkce !== undefined && { pkce }),
    scope: config.scope ?? profile.scope,
    clientAuthentication: config.clientAuthentication ?? server.clientAuthentication,
    endpoints: { ...addresses, ...config.endpoints },
    limits: { memoryBytes: profile.memoryBytes, ...config.limits },
  };
}

function serverOfConfig(config: DeviceConfig): Server | undefined {
  const { server, serverParameters = {}, clientSecret } = config;
  if (server === undefined) return undefined;
  try {
    return serverOf(server, serverParameters, clientSecret !== undefined);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    throw new ConfigError([{ path: error.path, message: error.problem }]);
  }
}

function headerProblems({ headers = {} }: DeviceConfig): Problem[] {
  return (["grant", "resource"] as const).flatMap((kind) => {
    const problems = headersProblems(Object.entries(headers[kind] ?? {}));
    return problems.map((message) => ({ path: `headers.${kind}`, message }));
  });
}

/** The driver options that a configuration provides, besides core and platform. */
export function driverOptionsOf(config: DeviceConfig): Pick<
  DriverOptions,
  "config" | "endpoints" | "allowHttp" | "headers" | "translate" | "bodies" | "pkce"
> & {
  memoryBytes?: number;
} {
  const { headers = {}, limits = {} } = config;
  const endpoints = endpointsOf(config);
  const translate = serverOfConfig(config)?.translate;
  return {
    config: driverConfigOf(config),
    endpoints,
    allowHttp: config.allowHttp === true,
    headers: {
      grant: Object.entries(headers.grant ?? {}),
      resource: Object.entries(headers.resource ?? {}),
    },
    translate: translate && ((client) => translate(client, endpoints)),
    ...(config.bodies !== undefined && { bodies: config.bodies }),
    ...(config.pkce !== undefined && { pkce: config.pkce }),
    ...(limits.memoryBytes !== undefined && { memoryBytes: limits.memoryBytes }),
  };
}

/** Node and QuickJS report the position differently, if at all; their messages quote secrets. */
function placeOf(error: unknown, text: string): string {
  const { message, stack } = error as Error;
  const at = /position (\d+)/.exec(message)?.[1];
  if (at !== undefined) return ` (line ${text.slice(0, Number(at)).split("\n").length})`;
  const line = /at <input>:(\d+)/.exec(String(stack))?.[1];
  return line === undefined ? "" : ` (line ${line})`;
}

export function driverConfigOf(config: DeviceConfig): DriverConfig {
  const { clientId, clientSecret = "", scope } = config;
  // A client with a secret sends it in the body by default.
  const method = clientSecret === "" ? "none" : "client_secret_post";
  return {
    ...{ clientId, clientSecret, scope },
    clientAuthentication: clientAuthentications[config.clientAuthentication ?? method],
    deviceParameters: formParameters(config.deviceParameters),
    tokenParameters: formParameters(config.tokenParameters),
    autoStart: config.autoStart === false ? 0 : 1,
    renewalsMax: config.limits?.renewals ?? 3,
    startSpreadMs: config.limits?.startSpreadMs ?? 5000,
    messages: messagesOf(config),
    ...(config.issuer !== undefined && { server: config.issuer }),
  };
}

/** The core's settings without display and seed, for callers that ask the core whether they are valid. */
export function coreConfigOf(config: DeviceConfig): Omit<CoreConfig, "columns" | "rows" | "seed"> {
  const names = serverNames(config.issuer, config.endpoints?.token ?? "");
  return { ...driverConfigOf(config), ...names };
}

/** The addresses that the file contains; discovery adds the others. */
export function endpointsOf(config: DeviceConfig): Endpoints {
  const metadata = config.issuer
    ? `${config.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
    : "";
  return { ...noEndpoints, metadata, ...config.endpoints };
}

/**
 * The configuration for a host without profiles: the profile's values are written into it.
 * @throws ConfigError if the server requires a translation
 */
export function expandedConfig(config: DeviceConfig): Omit<DeviceConfig, "server"> {
  const server = serverOfConfig(config);
  if (server?.translate !== undefined) {
    const message = server.profile.codeWithoutSecret
      ? "wants the secret everywhere but in the request for a code, which a host in JavaScript sees to"
      : "speaks a language of its own, which a host in JavaScript translates";
    throw new ConfigError([{ path: "server", message }]);
  }
  const { server: _name, serverParameters: _words, ...rest } = config;
  return rest;
}

function messagesOf(config: DeviceConfig): string {
  const own = config.messages ?? {};
  if (Object.keys(own).length === 0) return "";
  const lines = MESSAGES.split("\n");
  return lines.map((line, index) => own[messageNames[index]!] ?? line).join("\n");
}
