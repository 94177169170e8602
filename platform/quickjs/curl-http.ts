// The HTTP adapter under QuickJS: one curl process for each exchange, connected by pipes.

import type { Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import {
  EXCHANGE_LIMITS,
  finalStatus,
  HEAD_TOO_LONG,
  NOT_HTTP,
  parseHttpDate,
  retryAfterSeconds,
  TOO_LONG,
  UNKNOWN_CODING,
} from "../exchange/limits.ts";
import { asciiOf, bytesOf, latinBytesOf } from "../text/text.ts";
import { type Os, safeEnvironment } from "./engine.ts";
import { Child } from "./process.ts";

export interface CurlSettings {
  /** Name or path of curl. */
  readonly curl: string;
  readonly timeLimitMs: number;
  readonly connectLimitMs: number;
  readonly userAgent: string;
  /** A file with certificates to trust; "" for the system's. */
  readonly certificates: string;
  readonly sizeLimitBytes: number;
}

/** If curl does not end at its time limit, it is killed this much later. */
const GRACE_MS = 2000;
const EXIT_CODE_TIMEOUT = 28;

interface Exchange {
  readonly sink: HttpSink;
  head: string;
  child?: Child;
  limit?: object;
  isCoded: boolean;
  bodyBytes: number;
}

export function curlIsThere(os: Os, curl: string): boolean {
  const silent = os.open("/dev/null", os.O_RDWR);
  try {
    const streams = { stdout: silent, stderr: silent };
    const options = { block: true, ...streams, env: safeEnvironment() };
    return os.exec([curl, "-q", "--version"], options) === 0;
  } finally {
    os.close(silent);
  }
}

export class CurlHttp implements Http {
  readonly #os: Os;
  readonly #settings: CurlSettings;
  lastFailure = "";
  #current: Exchange | undefined;

  constructor(os: Os, settings: CurlSettings) {
    this.#os = os;
    this.#settings = settings;
    // Ignore two signals, because the failed write is reported anyway: SIGPIPE (curl has ended early), and SIGXFSZ (a
    // file exceeds the size limit; 25, on MIPS 31).
    for (const signal of [os.SIGPIPE, 25, 31]) os.signal(signal, undefined);
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (this.#current !== undefined) throw new Error("http: an exchange is under way");
    const exchange: Exchange = { sink, head: "", isCoded: false, bodyBytes: 0 };
    this.#current = exchange;
    const config = curlConfig(request, this.#settings);
    if (config === undefined) {
      this.#fail(exchange, "unreachable");
      return;
    }
    try {
      exchange.child = new Child(this.#os, [this.#settings.curl, "-q", "-K", "-"], config, {
        head: (bytes, length) => this.#takeHead(exchange, asciiOf(bytes, 0, length)),
        output: (bytes, length) => this.#takeBody(exchange, bytes, length),
        exit: (code) => this.#exited(exchange, code),
      });
    } catch {
      this.#fail(exchange, "unreachable");
      return;
    }
    const limitMs = this.#settings.timeLimitMs + GRACE_MS;
    exchange.limit = this.#os.setTimeout(() => this.#fail(exchange, "timeout"), limitMs);
  }

  abort(): void {
    if (this.#current !== undefined) this.#release(this.#current);
  }

  /** @returns whether the head is complete */
  #takeHead(exchange: Exchange, text: string): boolean {
    exchange.head += text;
    const whole = wholeHead(exchange.head);
    if (whole === undefined) {
      if (exchange.head.length > EXCHANGE_LIMITS.headLimitBytes) {
        this.#fail(exchange, "too-large", HEAD_TOO_LONG);
      }
      return false;
    }
    const { status, contentLength, isCoded, ...head } = parseHead(whole);
    if (status === 0) this.#fail(exchange, "unreachable", NOT_HTTP);
    else {
      exchange.isCoded = isCoded;
      exchange.sink.status(status, head.retryAfter, head.authenticate, head.nonce, head.dateMs);
      const isTooLong = contentLength > this.#settings.sizeLimitBytes;
      if (isTooLong) this.#fail(exchange, "too-large", TOO_LONG);
    }
    return true;
  }

  #takeBody(exchange: Exchange, bytes: Uint8Array, length: number): void {
    exchange.bodyBytes += length;
    const isTooLong = exchange.bodyBytes > this.#settings.sizeLimitBytes;
    if (exchange.isCoded) this.#fail(exchange, "unreachable", UNKNOWN_CODING);
    else if (isTooLong) this.#fail(exchange, "too-large", TOO_LONG);
    else exchange.sink.body(bytes, 0, length);
  }

  #exited(exchange: Exchange, code: number): void {
    // If the head is not complete, there is no response, even if curl reports success.
    if (code === 0 && wholeHead(exchange.head) !== undefined) {
      this.#release(exchange);
      exchange.sink.end();
    } else {
      const failure = code === EXIT_CODE_TIMEOUT ? "timeout" : "unreachable";
      this.#fail(exchange, failure, `curl exited with ${code}`);
    }
  }

  #fail(exchange: Exchange, failure: TransportFailure, why = ""): void {
    if (this.#current !== exchange) return;
    this.lastFailure = why;
    this.#release(exchange);
    exchange.sink.failed(failure);
  }

  #release(exchange: Exchange): void {
    if (exchange.limit !== undefined) this.#os.clearTimeout(exchange.limit);
    exchange.child?.kill();
    this.#current = undefined;
  }
}

/**
 * Returns the head of the final response; undefined while it is incomplete. Skips interim responses (RFC 9110 §15.2),
 * except a 101, which counts as the response: it is an error, because no other protocol was requested.
 */
function wholeHead(text: string): string | undefined {
  const heads = text.replaceAll("\r", "").split("\n\n").slice(0, -1);
  return heads.find((head) => !/^HTTP\/[\d.]+ 1(?!01)\d\d/m.test(head));
}

/** Parses a whole head. curl writes the head to standard error, so a warning of ld.so may precede the status line. */
function parseHead(text: string) {
  const lines = text.split("\n").map((line) => /^([^:]+):(.*)$/.exec(line) ?? []);
  const valuesOf = (header: string): string[] =>
    lines.flatMap(([, name, value]) => (name?.toLowerCase() === header ? [value!.trim()] : []));
  // `Content-Length: 3, 3` counts as two headers.
  const lengths = valuesOf("content-length").flatMap((value) => value.split(","));
  const distinct = new Set(lengths.map((value) => value.trim()));
  const [length = ""] = distinct;
  const codings = valuesOf("transfer-encoding");
  const isChunked = codings.join(",").toLowerCase() === "chunked";
  const isContradictory =
    distinct.size > 1 ||
    (length !== "" && !/^\d{1,15}$/.test(length)) ||
    // The request allows no other coding. A length in addition to a coding allows response smuggling.
    (codings.length > 0 && (!isChunked || distinct.size > 0)) ||
    // Folded lines are obsolete (RFC 9112 §5.2), and may hide another header.
    /\n[ \t]/.test(text);
  const status = finalStatus(Number(/^HTTP\/[\d.]+ (\d{3})(?: |$)/m.exec(text)?.[1] ?? -1));
  const [date = ""] = valuesOf("date");
  return {
    /** 0 if the head is invalid, or contradicts itself about the end of the body (RFC 9112 §6.3). */
    status: isContradictory ? 0 : status,
    contentLength: Number(length),
    retryAfter: retryAfterSeconds(valuesOf("retry-after")[0], date, Date.now()),
    authenticate: valuesOf("www-authenticate").join(", "),
    nonce: valuesOf("dpop-nonce").join(", "),
    dateMs: parseHttpDate(date) ?? 0,
    /** Whether the body has a content coding (RFC 9110 §8.4), although the request accepts none. */
    isCoded: valuesOf("content-encoding").some((coding) => !/^(identity)?$/i.test(coding)),
  };
}

/**
 * Writes a request as a configuration for curl's standard input, because it contains secrets, and other users can read a
 * process's arguments.
 * @returns undefined if the request must not be sent: the address is not http(s), a value is not printable ASCII (a line
 * break could add a header or an option), or the body contains a NUL (which a configuration cannot have)
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
    // Use a separate output for the head. Otherwise the trailers of a chunked body could not be distinguished from the body.
    option("dump-header", "/proc/self/fd/2"),
    option("proto", "=http,https"),
    // Require at least this version, even if the system's TLS library accepts older ones (RFC 9325 §3.1.1).
    "tlsv1.2",
    option("max-time", seconds(settings.timeLimitMs)),
    option("connect-timeout", seconds(settings.connectLimitMs)),
    option("user-agent", settings.userAgent),
    option("header", "Accept: application/json"),
    // Do not use --compressed, because curl on many embedded systems has no zlib and rejects this option.
    option("header", "Accept-Encoding: identity"),
    // Remove curl's `Expect` header, because waiting for 100 Continue costs a round trip.
    option("header", "Expect:"),
    ...(settings.certificates ? [option("cacert", settings.certificates)] : []),
    option("url", url),
    // A proxy could read plain http, which usually goes to this device. https may use the environment's proxy.
    ...(url.startsWith("http:") ? [option("noproxy", "*")] : []),
    option("header", `Content-Type:${contentType && ` ${contentType}`}`),
    ...(authorization ? [option("header", `Authorization: ${authorization}`)] : []),
    // For an empty value, curl needs a semicolon instead of the colon.
    ...headers.map(([name, value]) => option("header", value ? `${name}: ${value}` : `${name};`)),
  ];
  const config = bytesOf(`${lines.join("\n")}\n`);
  if (request.method === "GET") return config;
  const body = asciiOf(request.body, request.bodyFrom, request.bodyTo);
  if (body.includes("\0")) return undefined;
  return Uint8Array.from([...config, ...latinBytesOf(`${option("data-raw", body)}\n`)]);
}

function option(name: string, value: string): string {
  const text = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `${name} = "${text}"`;
}
