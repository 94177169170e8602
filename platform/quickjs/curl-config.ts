// A request as a configuration for curl's standard input (`curl -q -K -`). Every secret goes this way: a process's
// arguments are public.

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
 * The configuration. It cannot contain NUL, which neither a form nor JSON has.
 * @returns undefined for a request that must not be sent: no http(s) address, a value with control characters, which
 * could add a header or an option, or a NUL in the body
 */
export function curlConfig(request: HttpRequest, settings: CurlSettings): Uint8Array | undefined {
  const { url, contentType, authorization, headers = [] } = request;
  if (!/^https?:\/\/[^\s/?#]+/.test(url) || !/^[!-~]*$/.test(url)) return undefined;
  if (!/^[ -~]*$/.test(contentType + authorization + headers.flat().join(""))) return undefined;
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  const lines = [
    "silent",
    "no-buffer",
    "globoff",
    "path-as-is",
    "http1.1",
    "suppress-connect-headers",
    // Separate from the body: otherwise the trailers of a chunked body could not be distinguished from it.
    option("dump-header", "/proc/self/fd/2"),
    option("proto", "=http,https"),
    // Whatever older versions the system's TLS library accepts (RFC 9325 §3.1.1).
    "tlsv1.2",
    option("max-time", seconds(settings.timeLimitMs)),
    option("connect-timeout", seconds(settings.connectLimitMs)),
    option("user-agent", settings.userAgent),
    option("header", "Accept: application/json"),
    // Not --compressed: the curl of many embedded systems has no zlib, and rejects the option.
    option("header", "Accept-Encoding: identity"),
    // Waiting for 100 Continue would cost a round trip.
    option("header", "Expect:"),
    ...(settings.certificates ? [option("cacert", settings.certificates)] : []),
    option("url", url),
    // A proxy of the environment cannot read https. It could read http, which is for this device only.
    ...(url.startsWith("http:") ? [option("noproxy", "*")] : []),
    option("header", `Content-Type:${contentType && ` ${contentType}`}`),
    ...(authorization ? [option("header", `Authorization: ${authorization}`)] : []),
    // With a semicolon, curl sends a header with an empty value.
    ...headers.map(([name, value]) => option("header", value ? `${name}: ${value}` : `${name};`)),
  ];
  if (request.method === "GET") return bytesOf(`${lines.join("\n")}\n`);
  return withBody(lines, request);
}

/** Escape sequences in quotes. */
const ESCAPES: Readonly<Record<number, string>> = { 10: "n", 13: "r", 34: '"', 92: "\\" };

function withBody(lines: string[], request: HttpRequest): Uint8Array | undefined {
  const bytes = [...bytesOf(`${lines.join("\n")}\ndata-raw = "`)];
  for (let at = request.bodyFrom; at < request.bodyTo; at++) {
    const c = request.body[at]!;
    if (c === 0) return undefined;
    const letter = ESCAPES[c];
    if (letter === undefined) bytes.push(c);
    else bytes.push(92, letter.charCodeAt(0));
  }
  return Uint8Array.from([...bytes, ...bytesOf('"\n')]);
}

function option(name: string, value: string): string {
  return `${name} = "${value.replace(/[\\"]/g, "\\$&")}"`;
}
