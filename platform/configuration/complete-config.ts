// A configuration for a host that asks nobody: what the server's profile or its metadata says is written into it.
// For firmware whose host knows no profiles and does no discovery, such as the one in C.

import { addressProblem } from "../servers/address.ts";
import { clientAuthenticationFor, type DiscoveredServer } from "../servers/discovery.ts";
import { ConfigError, type DeviceConfig, expandedConfig } from "./device-config.ts";

/**
 * Members of device.json that only hosts in JavaScript know: they look profiles and languages up, and take http where
 * somebody has said so. A settings page is made of all others, and of what these stand for.
 */
export const JAVASCRIPT_ONLY = [
  "server",
  "serverParameters",
  "allowHttp",
  "language",
  "displayRom",
] as const;

/**
 * @param config as parseDeviceConfig gives it; what it says itself goes before what the server says
 * @param discover asks the issuer for its metadata; called at most once, and only where addresses are missing
 * @returns the same configuration with addresses, client authentication and parameters, without JAVASCRIPT_ONLY
 * @throws ConfigError where the server speaks a language that only hosts in JavaScript do, or takes no client secret, or an address is http to another machine; what `discover` throws
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
