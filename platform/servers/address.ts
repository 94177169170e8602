// Addresses where an engine has no URL class: which may be spoken to, and to which server one belongs.

/** As in device.schema.json: no user, no fragment, no space. */
const SECURE = /^https:\/\/[A-Za-z0-9.[\]:_-]+(?:[/?][!-"$-~]*)?$/;
const TO_ITSELF = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?(?:[/?][!-"$-~]*)?$/;
const PLAIN = /^http:\/\/[A-Za-z0-9.[\]:_-]+(?:[/?][!-"$-~]*)?$/;

/** Whether a host, as a URL or a socket names it, is this machine itself: the one list for whatever asks. */
export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host === "127.0.0.1" || host === "[::1]" || host === "::1";
}

/**
 * What is wrong with an address that secrets go to, "" for nothing.
 * @param allowHttp somebody has said that plain http is right here
 */
export function addressProblem(address: string, allowHttp = false): string {
  if (SECURE.test(address) || TO_ITSELF.test(address)) return "";
  if (!PLAIN.test(address)) return "must be an https address without user, fragment or space";
  return allowHttp
    ? ""
    : "must be an https address: anybody on the way can read http (allowHttp takes it as it is)";
}

/** With the slash at the end, or without. */
function twinOf(issuer: string): string {
  return issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
}

/**
 * Whether two spellings are of one issuer: RFC 8414 §3.3 wants them equal, but people leave out the slash at the end, or add
 * one, which the address of the metadata does not have either.
 */
export function isSameIssuer(one: string, other: string): boolean {
  return one === other || one === twinOf(other);
}

/** Scheme, host and port: what RFC 6454 calls the origin. "" where the address has none. */
export function originOf(address: string): string {
  return /^https?:\/\/[^/?#]*/.exec(address)?.[0].toLowerCase() ?? "";
}

/**
 * What tells an authorization server from others, for the core's configuration: its issuer, or the whole address of its
 * token endpoint, since tenants may share an origin. What was kept under another spelling of the issuer counts once, and
 * so does what older programs have kept under the token endpoint's origin.
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
 * An address with more of a path or a query behind it. Its own query, if any, goes on with one that begins with `?`.
 * A slash stands between a host and a path: whatever follows never becomes a part of the host.
 */
export function withTarget(address: string, target: string): string {
  if (target.startsWith("?") && address.includes("?")) return `${address}&${target.slice(1)}`;
  const isHostAlone = originOf(address) === address.toLowerCase();
  return isHostAlone && !/^[/?]/.test(target) ? `${address}/${target}` : address + target;
}
