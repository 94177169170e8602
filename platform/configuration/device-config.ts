// Parses a device's configuration (device.json), checks it against device.schema.json, and converts it to the driver's
// options.

import { type Config as CoreConfig, MESSAGES } from "../../core/index.ts";
import type { RomName } from "../display/display-rom.ts";
import { type Language, messagesFor, reasonsFor, usualRom } from "../display/languages.ts";
import { type Endpoints, endpointProblems } from "../driver/endpoints.ts";
import { type HostHeaders, headersProblems } from "../driver/headers.ts";
import { serverNames } from "../servers/address.ts";
import { serverOf, serverProblems } from "../servers/index.ts";
import type { ClientAuthenticationName } from "../servers/profile.ts";
import schema from "./device.schema.json";
import {
  checkSchema,
  duplicateNames,
  hasProblem,
  listed,
  type Problem,
  type Schema,
} from "./schema-check.ts";
import {
  type Client,
  clientAuthentications,
  type ServerSettings,
  type Settings,
  serverSettings,
} from "./settings.ts";

/** The content of device.json. Members that the schema does not require are optional. */
export interface DeviceConfig extends Omit<Client, "assertionAudience" | "signer" | "memoryBytes"> {
  server?: string;
  serverParameters?: Record<string, string>;
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
  /** The language of the built-in texts (platform/display/languages.ts). `messages` and `reasons` take precedence. */
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
  /** The time server of a board without a clock, for a network whose DHCP server names none. */
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

/** @throws ConfigError that names every problem with its path; its message contains no secret of the file */
export function parseDeviceConfig(text: string): DeviceConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ConfigError([{ path: "", message: `is not JSON${placeOf(error, text)}` }]);
  }
  const problems = [...duplicateNames(text), ...checkSchema(value, schema as Schema).map(nameWays)];
  const config = value as DeviceConfig;
  const checks = FURTHER.filter(([names]) => !names.some((name) => hasProblem(problems, name)));
  const wrong = [...problems, ...checks.flatMap(([, check]) => check(config))];
  if (wrong.length > 0) throw new ConfigError(wrong);
  return inItsLanguage(config);
}

/** Rules that the schema cannot express. A rule is checked if the schema has found no problem in the members it names. */
const FURTHER: readonly (readonly [names: string[], check: (config: DeviceConfig) => Problem[]])[] =
  [
    [["server", "serverParameters", "clientSecret"], profileProblems],
    [["endpoints", "allowHttp"], (own) => endpointProblems(own.endpoints ?? {}, own.allowHttp)],
    [["headers"], (config) => headersProblems(headersOf(config))],
    [["language", "displayRom"], languageProblems],
  ];

/** Reports a ROM that has no letters for the language. */
function languageProblems(config: DeviceConfig): Problem[] {
  try {
    inItsLanguage(config);
    return [];
  } catch (error) {
    return [{ path: "displayRom", message: `cannot be: ${(error as Error).message}` }];
  }
}

/** Adds the texts of the language in the characters of the display's ROM; the file's own texts take precedence. */
function inItsLanguage(config: DeviceConfig): DeviceConfig {
  const { language, displayRom = language && usualRom(language) } = config;
  if (language === undefined) return config;
  const lines = messagesFor(language, displayRom).split("\n");
  const messages = Object.fromEntries(lines.map((line, at) => [messageNames[at]!, line]));
  return {
    ...config,
    messages: { ...(language !== "en" && messages), ...config.messages },
    reasons: { ...reasonsFor(language, displayRom), ...config.reasons },
  };
}

/** The schema only requires `endpoints`, but `server` or `issuer` can also name the server: the message lists all three. */
function nameWays(problem: Problem): Problem {
  if (problem.path !== "endpoints" || problem.message !== "is missing") return problem;
  return { path: "", message: "must say where the server is: give server, issuer or endpoints" };
}

function profileProblems({ server, serverParameters, clientSecret }: DeviceConfig): Problem[] {
  if (server !== undefined)
    return serverProblems(server, serverParameters ?? {}, clientSecret !== undefined);
  const message = "is only for a configuration with server";
  return serverParameters === undefined ? [] : [{ path: "serverParameters", message }];
}

function headersOf({ headers: { grant = {}, resource = {} } = {} }: DeviceConfig): HostHeaders {
  return { grant: Object.entries(grant), resource: Object.entries(resource) };
}

export function deviceSettings(config: DeviceConfig): Settings {
  const { server: name, serverParameters, issuer, limits = {}, ...client } = config;
  const metadata = issuer && `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const { renewals = 3, startSpreadMs = 5000, memoryBytes } = limits;
  return {
    ...client,
    server: {
      issuer,
      profile: name === undefined ? name : { ...serverParameters, name },
      endpoints: { ...(metadata && { metadata }), ...config.endpoints },
    },
    secretMethod: "client_secret_post",
    headers: headersOf(config),
    ...{ memoryBytes, renewals, startSpreadMs, messages: messagesOf(config) },
  };
}

/** Reads a driver's settings from a configuration, without a request. @throws ServerError */
export function deviceServer(config: DeviceConfig): ServerSettings {
  const settings = deviceSettings(config);
  const { server, serverParameters = {}, clientSecret } = config;
  return serverSettings(
    settings,
    server === undefined ? {} : serverOf(server, serverParameters, clientSecret !== undefined),
  );
}

/** Returns the core's settings without display and seed, for callers that ask the core whether they are valid. */
export function coreConfigOf({
  config,
  endpoints,
}: ServerSettings): Omit<CoreConfig, "columns" | "rows" | "seed"> {
  return { ...config, ...serverNames(config.server, endpoints.token) };
}

/** Members of device.json that only JavaScript hosts read. `completeConfig` removes them. */
export const JAVASCRIPT_ONLY = [
  "server",
  "serverParameters",
  "allowHttp",
  "language",
  "displayRom",
] as const;

/**
 * Returns the configuration for hosts without profiles and discovery, such as the host in C. It contains the settings
 * from the server's profile or metadata.
 * @throws ConfigError if the server requires a translation, or if an address is http to another machine
 */
export function completeConfig(config: DeviceConfig, resolved: ServerSettings): DeviceConfig {
  const { clientAuthentication: number, scope } = resolved.config;
  const { deviceAuthorization, token, revocation } = resolved.endpoints;
  const { pkce, memoryBytes } = resolved;
  const known = { deviceAuthorization, token, ...(revocation && { revocation }) };
  const endpoints = { ...known, ...config.endpoints };
  const problems = endpointProblems(endpoints, false);
  const translated = "speaks a language of its own, which only a host in JavaScript translates";
  if (resolved.translate) problems.push({ path: "server", message: translated });
  if (problems.length > 0) throw new ConfigError(problems);
  const names = Object.entries(clientAuthentications) as [ClientAuthenticationName, number][];
  const complete: DeviceConfig = {
    ...config,
    ...{ scope, endpoints, clientAuthentication: names.find(([, one]) => one === number)![0] },
    ...(pkce && { pkce }),
    dpop: resolved.dpop && "require",
    ...(memoryBytes && { limits: { ...config.limits, memoryBytes } }),
  };
  for (const name of JAVASCRIPT_ONLY) delete complete[name];
  return complete;
}

/** Returns the line of a syntax error. Engines report it in different ways, and their messages may quote secrets. */
function placeOf(error: unknown, text: string): string {
  const { message, stack } = error as Error;
  const at = /position (\d+)/.exec(message)?.[1];
  if (at !== undefined) return ` (line ${text.slice(0, Number(at)).split("\n").length})`;
  const line = /at <input>:(\d+)/.exec(String(stack))?.[1];
  return line === undefined ? "" : ` (line ${line})`;
}

function messagesOf(config: DeviceConfig): string {
  const own = config.messages ?? {};
  if (Object.keys(own).length === 0) return "";
  const lines = MESSAGES.split("\n");
  return lines.map((line, index) => own[messageNames[index]!] ?? line).join("\n");
}
