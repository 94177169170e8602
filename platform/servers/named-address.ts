// Lists the possible addresses of metadata, and checks addresses that a server sends, in metadata or a redirect.

import { addressProblem } from "./address.ts";

/** Returns why an address must not be used, "" if it may. @param by the address of the server that sent it */
export function namedAddressProblem(address: string, by: string, allowHttp = false): string {
  // A remote server must not make this machine send requests to itself.
  const isAstray = isToItself(address) && !isToItself(by);
  return addressProblem(address, allowHttp) || (isAstray ? "is on this machine" : "");
}

/** Whether an address is http to this device, in any spelling of its host. */
function isToItself(address: string): boolean {
  const [, host] = /^http:\/\/(\[[^\]]*\]|[^:/?#]*)/i.exec(address) ?? [];
  return host !== undefined && isOwnHost(host.toLowerCase().replace(/\.$/, ""));
}

/**
 * Whether a host is this device: 127.0.0.0/8, ::1, the unspecified addresses, and IPv4 in IPv6 (RFC 6890, RFC 4291 §2.5).
 */
function isOwnHost(host: string): boolean {
  // localhost and all names below it (RFC 6761 §6.3).
  if (/(^|\.)localhost$/.test(host)) return true;
  if (host.startsWith("[")) {
    return /^\[[0:]*:(0{0,3}1?\]|(ffff:)?(127\.|0\.0\.0\.0|7f..:|0+:0+\]))/.test(host);
  }
  // An IPv4 address as inet_aton parses it: one to four numbers, decimal, octal or hexadecimal. The last one fills the
  // remaining bytes.
  if (!/^(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}$/.test(host)) return false;
  const [first = "", ...rest] = host.split(".");
  const number = /^0[0-7]+$/.test(first) ? Number.parseInt(first, 8) : Number(first) || 0;
  const top = rest.length > 0 ? number : Math.floor(number / 2 ** 24);
  return top === 127 || top === 0;
}

/** Returns the possible addresses of the metadata, in order. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const whole = issuer.replace(/\/$/, "");
  const addresses = [
    `${whole}/.well-known/openid-configuration`,
    // RFC 8414 §3.1 inserts the well-known part before the issuer's path; §5 allows both documents.
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    // This place is not specified, but some servers use it.
    `${whole}/.well-known/oauth-authorization-server`,
  ];
  return [...new Set(addresses)];
}
