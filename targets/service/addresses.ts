// Names and addresses of hosts: which of them are this machine, and which may a browser have been given.
import { isIP } from "node:net";

/**
 * Whether pages may be shown under this host name: the public address's, localhost, or any IP address. A page
 * elsewhere could make a name of its own point here (DNS rebinding), but no IP address.
 */
export function isOwnName(hostname: string, baseUrl: string): boolean {
  if (hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true;
  return hostname === new URL(baseUrl).hostname;
}

/**
 * Whose request it is. Proxies add the address that they were called from behind those that are there already,
 * so only what the trusted ones have written counts: the last address that is none of theirs.
 * @param socketAddress the peer of the connection
 * @param forwardedFor value of X-Forwarded-For, if there is one
 * @param trusted addresses of the proxies
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | undefined,
  trusted: readonly string[],
): string {
  const path = (forwardedFor ?? "").split(",").map((address) => address.trim());
  let address = withoutMapping(socketAddress);
  while (trusted.includes(address)) {
    const previous = path.pop();
    if (previous === undefined || isIP(previous) === 0) break;
    address = withoutMapping(previous);
  }
  return address;
}

/** An IPv4 address on an IPv6 socket, as IPv4. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, "");
}
