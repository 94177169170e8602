// Addresses that a server names, in its metadata or a redirect.

import { addressProblem } from "./address.ts";

/**
 * What is wrong with one, "" for nothing.
 * @param by an address of that server
 * @param allowHttp somebody has said that plain http is right here
 */
export function namedAddressProblem(address: string, by: string, allowHttp = false): string {
  // A server elsewhere must not send the device to its own ports.
  const isAstray = isToItself(address) && !isToItself(by);
  return addressProblem(address, allowHttp) || (isAstray ? "is on this machine" : "");
}

/** http to this device itself, however its host is spelt. */
function isToItself(address: string): boolean {
  const [, host] = /^http:\/\/(\[[^\]]*\]|[^:/?#]*)/i.exec(address) ?? [];
  return host !== undefined && isOwnHost(host.toLowerCase().replace(/\.$/, ""));
}

/** All of 127.0.0.0/8 and ::1, what stands for any address of this machine, and IPv4 within IPv6 (RFC 6890, RFC 4291 §2.5). */
function isOwnHost(host: string): boolean {
  // RFC 6761 §6.3.
  if (/(^|\.)localhost$/.test(host)) return true;
  if (host.startsWith("[")) {
    return /^\[[0:]*:(0{0,3}1?\]|(ffff:)?(127\.|0\.0\.0\.0|7f..:|0+:0+\]))/.test(host);
  }
  // As inet_aton reads it: one to four numbers, each decimal, octal or hexadecimal, and the last of them is the rest.
  if (!/^(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+)){0,3}$/.test(host)) return false;
  const [first = "", ...rest] = host.split(".");
  const number = /^0[0-7]+$/.test(first) ? Number.parseInt(first, 8) : Number(first) || 0;
  const top = rest.length > 0 ? number : Math.floor(number / 2 ** 24);
  return top === 127 || top === 0;
}
