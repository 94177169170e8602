// The settings of a login: server and client from the command line or a device.json. Without the client's secret they
// are stored with the tokens, so that `token` and `logout` need no options.

import { completeConfig } from "../../../platform/configuration/complete-config.ts";
import {
  ConfigError,
  type DeviceConfig,
  driverOptionsOf,
  parseDeviceConfig,
} from "../../../platform/configuration/device-config.ts";
import { listed } from "../../../platform/configuration/schema-check.ts";
import table from "../../../platform/configuration/settings.json";
import type { Client, Settings } from "../../../platform/configuration/settings.ts";
import type { Http, Timers } from "../../../platform/contracts.ts";
import type { DriverOptions } from "../../../platform/driver.ts";
import { optionProblems, settingsOf } from "../../../platform/node/options.ts";
import { type DiscoveredServer, discoverServer } from "../../../platform/servers/discovery.ts";
import { ServerError } from "../../../platform/servers/index.ts";
import { MetadataError } from "../../../platform/servers/profile.ts";
import {
  type RequestContext,
  resolveServer,
  SESSION_BYTES,
  type ServerSettings,
  withRetries,
} from "../../../platform/session/resolve-server.ts";
import { metadataErrorOf } from "../../../platform/session/sign-in-error.ts";
import { readText, UsageError } from "../../desktop/command-line.ts";
import { refuseOthers } from "./open.ts";

/** The source of the client's secret, which is never stored. */
type SecretSource = "none" | "environment" | { readonly file: string };

/** Contains no secret, so it may be written to a file. All paths are absolute. */
export interface LoginSettings extends Partial<Omit<Client, "clientSecret" | "memoryBytes">> {
  /** A profile's name, or an issuer. */
  readonly server?: string | undefined;
  readonly serverParameters?: Record<string, string> | undefined;
  /** A device.json that replaces the other settings. */
  readonly config?: string | undefined;
  readonly secret: SecretSource;
  /** A file of random bytes with which the tokens are sealed. */
  readonly keyFile?: string | undefined;
  /** A file of PEM certificates to trust instead of the system's. */
  readonly certificates?: string | undefined;
  readonly allowHttp: boolean;
}

/** The environment variable that may hold the client's secret. */
export const SECRET_VARIABLE = "PICOGRANT_CLIENT_SECRET";

export interface ReadySettings {
  readonly driver: ServerSettings & Pick<DriverOptions, "allowHttp" | "headers">;
  readonly title: string;
}

/**
 * @param host requests the metadata of an issuer
 * @param requesting stored metadata, which replace a request, and the time limit
 * @throws UsageError, ServerError, ConfigError for the command line; SignInError if the server does not respond
 */
export async function readySettings(
  login: LoginSettings,
  host: { http: Http; timers: Timers },
  requesting: RequestContext,
): Promise<ReadySettings> {
  if (login.config !== undefined)
    return await byDeviceConfig(login, login.config, host, requesting);
  try {
    const settings = parsed(login);
    const driver = await resolveServer(settings, host, requesting);
    return { driver: { ...driver, allowHttp: settings.allowHttp }, title: login.server ?? "" };
  } catch (error) {
    if (error instanceof ServerError)
      throw new UsageError(`${flagOf(error.path)} ${error.problem}`);
    throw error instanceof MetadataError ? metadataErrorOf(error) : error;
  }
}

/** @throws UsageError that names each option that is wrong */
function parsed(login: LoginSettings): Settings {
  const { server = "", serverParameters, clientId = "", secret: _, config: _no, ...more } = login;
  const { keyFile: _file, certificates: _other, ...client } = more;
  const choice = server.includes("://") ? server : { name: server, ...serverParameters };
  const clientSecret = secretOf(login);
  const options = { ...client, clientId, clientSecret, server: choice, state: "." };
  const problems = optionProblems(options);
  if (problems.length === 0) return settingsOf(options);
  const named = problems.map(({ path, message }) => ({ path: flagOf(path), message }));
  throw new UsageError(listed(named).replaceAll("allowHttp", "--allow-http"));
}

/** The command's option for the setting with this path. */
function flagOf(path: string): string {
  const [, name = "", member = ""] = /^(\w+)\.?(.*)$/.exec(path) ?? [];
  if (name === "clientSecret") return `--client-secret-file (or ${SECRET_VARIABLE})`;
  const setting = name === "server" && member !== "" ? "serverParameters" : name;
  const flag = table.settings.find((one) => one.name === setting)?.flag?.name ?? setting;
  return member === "" ? `--${flag}` : `--${flag} ${member}`;
}

async function byDeviceConfig(
  login: LoginSettings,
  file: string,
  host: { http: Http; timers: Timers },
  requesting: RequestContext,
): Promise<ReadySettings> {
  const read = readDeviceJson(file);
  const hasSecret = read.clientSecret !== undefined;
  refuseOthers(file, hasSecret ? "configuration with a secret" : "configuration");
  const config = read.issuer === undefined ? read : await completed(file, read, host, requesting);
  const options = driverOptionsOf(config);
  const { endpoints } = options;
  const { issuer } = config;
  if (endpoints.token === "" || endpoints.deviceAuthorization === "") {
    throw new UsageError(`${file}: names no server; give server, issuer or endpoints`);
  }
  const own = { ...options.config, autoStart: 1, startSpreadMs: 0, messages: "" };
  return {
    driver: {
      ...options,
      endpoints,
      memoryBytes: Math.max(options.memoryBytes ?? 0, SESSION_BYTES),
      config: { ...own, scope: login.scope ?? own.scope },
    },
    title: config.server ?? issuer ?? new URL(endpoints.token).origin,
  };
}

/** @throws UsageError if it is missing */
function secretOf({ secret }: LoginSettings): string | undefined {
  if (secret === "none") return undefined;
  if (secret === "environment") {
    const value = process.env[SECRET_VARIABLE];
    if (value) return value;
    throw new UsageError(`the client's secret is in ${SECRET_VARIABLE}, which is not set; set it`);
  }
  // The last line break comes from an editor.
  const text = readText(secret.file, "client's secret").replace(/\r?\n$/, "");
  refuseOthers(secret.file, "client's secret");
  if (text === "") throw new UsageError(`${secret.file}: is empty; it should hold a secret`);
  return text;
}

// A device.json of the command line, completed with the server's profile or metadata. Errors name the file.

/** @throws UsageError with one line */
export function readDeviceJson(file: string): DeviceConfig {
  try {
    return parseDeviceConfig(readText(file, "configuration"));
  } catch (error) {
    throw named(file, error);
  }
}

/**
 * Adds the addresses of its profile, or of its issuer's metadata.
 * @param requesting as in resolveServer: the stored metadata, and the time limit
 * @throws UsageError if it is invalid, SignInError if the issuer does not respond
 */
export async function completed(
  file: string,
  config: DeviceConfig,
  host: { http: Http; timers: Timers },
  { stored, retryHandlers }: RequestContext = {},
): Promise<DeviceConfig> {
  const discover = async (issuer: string): Promise<DiscoveredServer> => {
    const known = stored?.read(issuer);
    if (known !== undefined) return known;
    const found = await withRetries(() => discoverServer(host.http, issuer), host, retryHandlers);
    stored?.write(found);
    return found;
  };
  try {
    return await completeConfig(config, discover);
  } catch (error) {
    throw error instanceof MetadataError ? metadataErrorOf(error) : named(file, error);
  }
}

function named(file: string, error: unknown): unknown {
  return error instanceof ConfigError ? new UsageError(`${file}: ${error.message}`) : error;
}
