// Completes a configuration from the server's profile or metadata, for firmware whose host knows no profiles and does
// no discovery, such as the host in C.

import { addressProblem } from "../servers/address.ts";
import { clientAuthenticationFor, type DiscoveredServer } from "../servers/discovery.ts";
import { ConfigError, type DeviceConfig, expandedConfig } from "./device-config.ts";

/**
 * Members of device.json that only JavaScript hosts read: server and language names, and permission to use http. A settings
 * page contains the other members, and the addresses and texts that these names stand for.
 */
export const JAVASCRIPT_ONLY = [
  "server",
  "serverParameters",
  "allowHttp",
  "language",
  "displayRom",
] as const;

/**
 * @param config the result of parseDeviceConfig; its own values take precedence over the server's
 * @param discover requests the issuer's metadata; called at most once, and only if addresses are missing
 * @returns the configuration with addresses, client authentication and parameters, without JAVASCRIPT_ONLY
 * @throws ConfigError if the server requires a translation, if it accepts no client secret, or if an address is http to
 * another machine; whatever `discover` throws
 */
export async function completeConfig(
  config: DeviceConfig,
  discover: (issuer: string) => Promise<DiscoveredServer>,
): Promise<Omit<DeviceConfig, (typeof JAVASCRIPT_ONLY)[number]>> {
  const {
    allowHttp: _http,
    language: _language,
    displayRom: _rom,
    ...completed
  } = await withAddresses(config, discover);
  const wrong = Object.entries(completed.endpoints ?? {})
    .flatMap(([name, value]) => [value].flat().map((address) => [name, address] as const))
    .map(([name, address]) => ({ path: `endpoints.${name}`, message: addressProblem(address) }))
    .filter(({ message }) => message !== "");
  if (wrong.length > 0) throw new ConfigError(wrong);
  return completed;
}

async function withAddresses(
  config: DeviceConfig,
  discover: (issuer: string) => Promise<DiscoveredServer>,
): Promise<Omit<DeviceConfig, "server" | "serverParameters">> {
  const { issuer, endpoints = {}, clientSecret = "" } = config;
  const isComplete = Boolean(endpoints.deviceAuthorization && endpoints.token);
  if (issuer === undefined || isComplete) return expandedConfig(config);
  const { endpoints: found, clientAuthenticationMethods: methods } = await discover(issuer);
  const addresses = Object.fromEntries(
    Object.entries(found).filter(([, value]) => value.length > 0),
  );
  let { clientAuthentication } = config;
  try {
    clientAuthentication ??= clientAuthenticationFor(methods, clientSecret !== "");
  } catch (error) {
    const message = `cannot go: ${(error as Error).message}`;
    throw new ConfigError([{ path: "clientSecret", message }]);
  }
  return { ...config, clientAuthentication, endpoints: { ...addresses, ...endpoints } };
}
