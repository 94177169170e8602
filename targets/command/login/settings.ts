// The settings of a login, from the command line or a device.json. They are stored with the tokens, so that `token` and
// `logout` do not need these options.

import {
  ConfigError,
  completeConfig,
  type DeviceConfig,
  deviceSettings,
  parseDeviceConfig,
} from "../../../platform/configuration/device-config.ts";
import { listed, type Problem } from "../../../platform/configuration/schema-check.ts";
import table from "../../../platform/configuration/settings.json";
import type { Client, ServerSettings } from "../../../platform/configuration/settings.ts";
import type { Http, Timers } from "../../../platform/contracts.ts";
import { parseOptions, SESSION_BYTES } from "../../../platform/node/options.ts";
import { MetadataError } from "../../../platform/servers/profile.ts";
import { type DiscoveryOptions, resolveServer } from "../../../platform/session/resolve-server.ts";
import { metadataErrorOf } from "../../../platform/session/sign-in-error.ts";
import { readText, UsageError } from "../../desktop/command-line.ts";
import { refuseOthers } from "./open.ts";

type SecretSource = "none" | "environment" | { readonly file: string };

/** Contains no secret, and can be stored. All paths are absolute. */
export interface LoginSettings extends Partial<Omit<Client, "clientSecret" | "memoryBytes">> {
  /** A profile's name, or an issuer. */
  readonly server?: string | undefined;
  readonly serverParameters?: Record<string, string> | undefined;
  /** A device.json with server and client. `scope` and `dpop` of the command line replace the file's. */
  readonly config?: string | undefined;
  readonly secret: SecretSource;
  /** A file of random bytes, with which the tokens are sealed. */
  readonly keyFile?: string | undefined;
  /** A file of PEM certificates to trust instead of the system's. */
  readonly certificates?: string | undefined;
  readonly allowHttp: boolean;
}

export const SECRET_VARIABLE = "PICOGRANT_CLIENT_SECRET";

export interface ReadySettings {
  readonly driver: ServerSettings;
  readonly title: string;
}

/** Requests metadata if they are needed and not in `requesting.stored`. @throws UsageError, ConfigError, SignInError */
export async function readySettings(
  login: LoginSettings,
  host: { http: Http; timers: Timers },
  requesting: DiscoveryOptions,
): Promise<ReadySettings> {
  try {
    const { settings, title } = login.config ? inFile(login, login.config) : await parsed(login);
    return { driver: await resolveServer(settings, host, requesting), title };
  } catch (error) {
    throw error instanceof MetadataError ? metadataErrorOf(error) : error;
  }
}

/** @throws UsageError that names each invalid option */
async function parsed(login: LoginSettings) {
  const { server = "", serverParameters, clientId = "", secret: _, config: _no, ...more } = login;
  const { keyFile: _file, certificates: _other, ...client } = more;
  if (serverParameters?.name !== undefined)
    throw new UsageError("--server-parameter name is unknown: --server names the profile");
  const choice = server.includes("://") ? server : { name: server, ...serverParameters };
  const clientSecret = secretOf(login);
  const options = { ...client, clientId, clientSecret, server: choice, state: "." };
  const refuse = (problems: readonly Problem[]): UsageError => {
    const named = problems.map(({ path, message }) => ({ path: flagOf(path), message }));
    return new UsageError(listed(named).replaceAll("allowHttp", "--allow-http"));
  };
  return { settings: await parseOptions(options, refuse), title: server };
}

/** The command's option for the setting with this path. */
function flagOf(path: string): string {
  const [, name = "", member = ""] = /^(\w+)\.?(.*)$/.exec(path) ?? [];
  if (name === "clientSecret") return `--client-secret-file (or ${SECRET_VARIABLE})`;
  const setting = name === "server" && member !== "" ? "serverParameters" : name;
  const flag = table.settings.find((one) => one.name === setting)?.flag?.name ?? setting;
  return member === "" ? `--${flag}` : `--${flag} ${member}`;
}

function inFile({ scope, dpop }: LoginSettings, file: string) {
  const config = readDeviceJson(file);
  const hasSecret = config.clientSecret !== undefined;
  refuseOthers(file, hasSecret ? "configuration with a secret" : "configuration");
  const { autoStart: _, messages: _texts, ...settings } = deviceSettings(config);
  const { server, issuer, endpoints } = config;
  const title = server ?? issuer ?? new URL(endpoints!.token!).origin;
  const own = {
    startSpreadMs: 0,
    memoryBytes: SESSION_BYTES,
    ...(scope !== undefined && { scope }),
    ...(dpop !== undefined && { dpop }),
  };
  return { settings: { ...settings, ...own }, title };
}

function secretOf({ secret }: LoginSettings): string | undefined {
  if (secret === "none") return undefined;
  if (secret === "environment") {
    const value = process.env[SECRET_VARIABLE];
    if (value) return value;
    throw new UsageError(`the client's secret is in ${SECRET_VARIABLE}, which is not set; set it`);
  }
  // Remove the line break that editors add at the end.
  const text = readText(secret.file, "client's secret").replace(/\r?\n$/, "");
  refuseOthers(secret.file, "client's secret");
  if (text === "") throw new UsageError(`${secret.file}: is empty; it should hold a secret`);
  return text;
}

/** @throws UsageError */
export function readDeviceJson(file: string): DeviceConfig {
  try {
    return parseDeviceConfig(readText(file, "configuration"));
  } catch (error) {
    throw named(file, error);
  }
}

/**
 * Completes a device.json with the addresses of its server's profile or metadata. If `dpop` is "auto", the metadata
 * determine whether the result has DPoP. @throws UsageError, SignInError
 */
export async function completed(
  file: string,
  config: DeviceConfig,
  host: { http: Http; timers: Timers },
): Promise<DeviceConfig> {
  try {
    return completeConfig(config, await resolveServer(deviceSettings(config), host));
  } catch (error) {
    throw error instanceof MetadataError ? metadataErrorOf(error) : named(file, error);
  }
}

function named(file: string, error: unknown): unknown {
  return error instanceof ConfigError ? new UsageError(`${file}: ${error.message}`) : error;
}
