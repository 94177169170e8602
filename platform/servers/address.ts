// Checks and compares addresses on engines without a URL class.

/** As in device.schema.json: no user, fragment or space. */
const SECURE = /^https:\/\/[A-Za-z0-9.[\]:_-]+(?:[/?][!-"$-~]*)?$/;
const TO_ITSELF = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?:[/?][!-"$-~]*)?$/;
const PLAIN = /^http:\/\/[A-Za-z0-9.[\]:_-]+(?:[/?][!-"$-~]*)?$/;

/** Whether a host, as in a URL or of a socket, is this machine itself. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "127.0.0.1" || host === "[::1]" || host === "::1";
}

/**
 * What is wrong with an address that receives secrets, "" for nothing.
 * @param allowHttp whether plain http is allowed
 */
export function addressProblem(address: string, allowHttp = false): string {
  if (SECURE.test(address) || TO_ITSELF.test(address)) return "";
  if (!PLAIN.test(address)) return "must be an https address without user, fragment or space";
  return allowHttp
    ? ""
    : "must be an https address: anybody on the way can read http (allowHttp takes it as it is)";
}

/** With the trailing slash removed or added. */
function twinOf(issuer: string): string {
  return issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
}

/**
 * Whether two spellings denote one issuer. RFC 8414 §3.3 requires equality, but people omit or add the trailing slash,
 * which the address of the metadata does not have either.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one === other || one === twinOf(other);
}

/** Scheme, host and port: the origin of RFC 6454. "" if the address has none. */
export function originOf(address: string): string {
  return /^https?:\/\/[^/?#]*/.exec(address)?.[0].toLowerCase() ?? "";
}

/**
 * Identifies an authorization server in the core's configuration: by its issuer, or by the whole address of its token
 * endpoint, because tenants may share an origin. Records under another spelling of the issuer are found, and so are
 * records that older versions stored under the token endpoint's origin.
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

// Addresses that come from a server: in metadata or a redirect.

/**
 * What is wrong with one, "" for nothing.
 * @param by the address of that server
 * @param allowHttp whether plain http is allowed
 */
export function namedAddressProblem(address: string, by: string, allowHttp = false): string {
  // A remote server must not send the device to its own ports.
  const isAstray = isToItself(address) && !isToItself(by);
  return addressProblem(address, allowHttp) || (isAstray ? "is on this machine" : "");
}

/** http to this device itself, however its host is spelled. */
function isToItself(address: string): boolean {
  const [, host] = /^http:\/\/(\[[^\]]*\]|[^:/?#]*)/i.exec(address) ?? [];
  return host !== undefined && isOwnHost(host.toLowerCase().replace(/\.$/, ""));
}

/** 127.0.0.0/8, ::1, the unspecified addresses, and IPv4 in IPv6 (RFC 6890, RFC 4291 §2.5). */
function isOwnHost(host: string): boolean {
  // RFC 6761 §6.3.
  if (/(^|\.)localhost$/.test(host)) return true;
  if (host.startsWith("[")) {
    return /^\[[0:]*:(0{0,3}1?\]|(ffff:)?(127\.|0\.0\.0\.0|7f..:|0+:0+\]))/.test(host);
  }
  // As inet_aton parses it: one to four numbers, decimal, octal or hexadecimal; the last one fills the rest.
  if (!/^(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}$/.test(host)) return false;
  const [first = "", ...rest] = host.split(".");
  const number = /^0[0-7]+$/.test(first) ? Number.parseInt(first, 8) : Number(first) || 0;
  const top = rest.length > 0 ? number : Math.floor(number / 2 ** 24);
  return top === 127 || top === 0;
}

/** The possible addresses of the metadata, in order. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const whole = issuer.replace(/\/$/, "");
  const addresses = [
    `${whole}/.well-known/openid-configuration`,
    // RFC 8414 §3.1 inserts the well-known part before the issuer's path; §5 allows both documents.
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    // Not specified, but some servers use it.
    `${whole}/.well-known/oauth-authorization-server`,
  ];
  return [...new Set(addresses)];
}
