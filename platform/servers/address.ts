// Checks and compares addresses on engines without a URL class.

/** The patterns of addresses, without user, fragment and space. device.schema.json has the same patterns. */
const SECURE = /^https:\/\/[A-Za-z0-9.[\]:_-]+(?:[/?][!-"$-~]*)?$/;
const TO_ITSELF = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?:[/?][!-"$-~]*)?$/;
const PLAIN = /^http:\/\/[A-Za-z0-9.[\]:_-]+(?:[/?][!-"$-~]*)?$/;

/** Whether a host, as in a URL or of a socket, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "127.0.0.1" || host === "[::1]" || host === "::1";
}

/** Returns why an address must not receive secrets, "" if it may. */
export function addressProblem(address: string, allowHttp = false): string {
  if (SECURE.test(address) || TO_ITSELF.test(address)) return "";
  if (!PLAIN.test(address)) return "must be an https address without user, fragment or space";
  return allowHttp
    ? ""
    : "must be an https address: anybody on the way can read http (allowHttp takes it as it is)";
}

function twinOf(issuer: string): string {
  return issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
}

/** Ignores a trailing slash, although RFC 8414 §3.3 requires equality, because developers often omit or add it. */
export function isSameIssuer(one: string, other: string): boolean {
  return one === other || one === twinOf(other);
}

/** Scheme, host and port: the origin of RFC 6454. "" if the address has none. */
export function originOf(address: string): string {
  return /^https?:\/\/[^/?#]*/.exec(address)?.[0].toLowerCase() ?? "";
}

/**
 * Returns the names of an authorization server for the core's configuration. `server`: the issuer, or the whole address
 * of the token endpoint, because tenants may share an origin. `formerServer`: the name in records of older versions,
 * which is the other form of the issuer, or the origin of the token endpoint.
 */
export function serverNames(
  issuer: string | undefined,
  token: string,
): { server: string; formerServer: string } {
  const origin = originOf(token);
  return issuer === undefined
    ? { server: origin + token.slice(origin.length), formerServer: origin }
    : { server: issuer, formerServer: twinOf(issuer) };
}

/**
 * Appends a path or a query to an address. If the address has a query, a target that begins with `?` continues it. A
 * slash separates host and path, so the target never becomes a part of the host.
 */
export function withTarget(address: string, target: string): string {
  if (target.startsWith("?") && address.includes("?")) return `${address}&${target.slice(1)}`;
  const isHostAlone = originOf(address) === address.toLowerCase();
  return isHostAlone && !/^[/?]/.test(target) ? `${address}/${target}` : address + target;
}
