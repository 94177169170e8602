// One request as a configuration for curl's standard input (`curl -q -K -`). Everything that is secret
// goes this way: a process's arguments are public.

import type { HttpRequest } from "../contracts.ts";
import { bytesOf } from "../text/text.ts";

export interface CurlSettings {
  readonly timeLimitMs: number;
  readonly connectLimitMs: number;
  readonly userAgent: string;
  /** File with certificates to trust instead of the system's; "" for the system's. */
  readonly certificates: string;
}

/**
 * What curl reads. A NUL alone cannot stand in it, and no form and no JSON has one.
 * @returns undefined for a request that must not be sent: no http(s) address, a value with control
 *   characters, which could add a header or an option, or a NUL in the body
 */
export function curlConfig(request: HttpRequest, settings: CurlSettings): Uint8Array | undefined {
  const { url, contentType, authorization, headers = [] } = request;
  if (!/^https?:\/\/[^\s/?#]+/.test(url) || !/^[!-~]*$/.test(url)) return undefined;
  if (!/^[ -~]*$/.test(contentType + authorization + headers.flat().join(""))) return undefined;
  const lines = [
    ...standing(settings),
    option("url", url),
    // A proxy of the environment tunnels https, but could read http: an address of this device itself.
    ...(url.startsWith("http:") ? [option("noproxy", "*")] : []),
    option("header", `Content-Type:${contentType && ` ${contentType}`}`),
    ...(authorization ? [option("header", `Authorization: ${authorization}`)] : []),
    // With a semicolon curl sends a header whose value is empty.
    ...headers.map(([name, value]) => option("header", value ? `${name}: ${value}` : `${name};`)),
  ];
  if (request.method === "GET") return bytesOf(`${lines.join("\n")}\n`);
  return withBody(lines, request);
}

/** What holds for every request. */
function standing(settings: CurlSettings): string[] {
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  return [
    "silent",
    "include",
    "no-buffer",
    // Chunks are read by us (chunked-body.ts): curl would print the trailers behind the body.
    "raw",
    "globoff",
    "path-as-is",
    "http1.1",
    "suppress-connect-headers",
    option("proto", "=http,https"),
    // Whatever the system's TLS library would still take (RFC 9325 §3.1.1).
    "tlsv1.2",
    option("max-time", seconds(settings.timeLimitMs)),
    option("connect-timeout", seconds(settings.connectLimitMs)),
    option("user-agent", settings.userAgent),
    option("header", "Accept: application/json"),
    // Waiting for 100 Continue would cost a round trip.
    option("header", "Expect:"),
    ...(settings.certificates ? [option("cacert", settings.certificates)] : []),
  ];
}

function withBody(lines: string[], request: HttpRequest): Uint8Array | undefined {
  const { body, bodyFrom, bodyTo } = request;
  const bytes: number[] = [];
  for (let at = bodyFrom; at < bodyTo; at++) {
    const c = body[at]!;
    if (c === 0) return undefined;
    pushEscaped(bytes, c);
  }
  return join(bytesOf(`${lines.join("\n")}\ndata-raw = "`), bytes, bytesOf('"\n'));
}

const ESCAPES: Readonly<Record<number, string>> = {
  9: "\\t",
  10: "\\n",
  11: "\\v",
  13: "\\r",
  34: '\\"',
  92: "\\\\",
};

function pushEscaped(into: number[], c: number): void {
  const pair = ESCAPES[c];
  if (pair === undefined) into.push(c);
  else into.push(pair.charCodeAt(0), pair.charCodeAt(1));
}

function option(name: string, value: string): string {
  return `${name} = "${value.replace(/[\\"]/g, "\\$&")}"`;
}

function join(...parts: (Uint8Array | number[])[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
