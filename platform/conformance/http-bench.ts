// The test bench of the HTTP suite: the interface of a server that sends planned responses, and a recorder for the
// adapter's reports. targets/command/conform/conformance-server.ts implements this server on Node.

import type { Bytes, Http, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { latinBytesOf } from "../text/text.ts";
import {
  type Environment,
  eventually,
  must,
  mustBegin,
  type Rules,
  SILENCE_MS,
  type Subject,
  Violation,
} from "./case.ts";

/** The limits with which the suite creates an adapter. */
export interface HttpLimits {
  timeLimitMs: number;
  sizeLimitBytes: number;
}

/** An HTTP adapter under test. */
export interface HttpSubject extends Subject {
  http: Http;
}

/** A complete or truncated response. */
export interface ResponsePlan {
  kind: "response";
  status: number;
  /** Headers in addition to those of the framing. */
  headers?: readonly (readonly [name: string, value: string])[];
  body?: Uint8Array;
  /** How the response marks the end of the body; default "length". "close": by closing the connection. */
  framing?: "length" | "chunked" | "close";
  /** Bytes of each piece of the body, `pieceDelayMs` apart; default: one piece. */
  pieceBytes?: number;
  pieceDelayMs?: number;
  /** Breaks the connection after this many bytes of the body. */
  cutAtByte?: number;
  /** Leave the connection open for the next request. */
  keepAlive?: boolean;
}

/** The actions of the server for one request. */
export type ServerPlan =
  | ResponsePlan
  /** Reads the request and never responds. */
  | { kind: "hang" }
  /** Reads the request and resets the connection. */
  | { kind: "reset" }
  | RawPlan;

/** The exact bytes of a response, one character for each byte. They may be invalid HTTP. */
export interface RawPlan {
  kind: "raw";
  pieces: readonly string[];
  /** Milliseconds between two pieces; default 0. */
  pieceDelayMs?: number;
  keepAlive?: boolean;
}

/** A request as it arrived; header names in lower case. */
export interface RequestOnServer {
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
}

/** A server that responds to each request with the next plan. */
export interface HttpTestServer {
  /** The server's origin, such as `http://127.0.0.1:8080`, without a slash at the end. */
  origin: string;
  deadOrigin: string;
  /** Origins of TLS servers with the same plans; present if `tls` of the bench is true. */
  tls?: {
    trusted: string;
    /** Its certificate is of an authority that the adapter does not trust. */
    untrusted: string;
    otherName: string;
    expired: string;
    /** It supports only TLS 1.0 and 1.1. */
    outdated: string;
    demanding: string;
  };
  /** Adds plans, one for each request. A request without a plan gets status 599. */
  plan(...plans: ServerPlan[]): void;
  /** The requests that have arrived so far. */
  requests(): readonly RequestOnServer[];
  /** Closes connections that wait for another request, as servers do after a while. */
  closeIdle(): void | Promise<void>;
  /** Ends the server and its connections. */
  close(): void | Promise<void>;
}

/** Starts the servers of the HTTP suite. */
export interface HttpTestBench {
  /** Whether requests go over real connections, so that the suite can check headers, connections and framing. */
  wire: boolean;
  tls: boolean;
  environment: Environment;
  /** Starts a server. The case closes it. */
  start(): HttpTestServer | Promise<HttpTestServer>;
}

/** A valid exchange exceeded the time limit. */
export class HeldUp extends Violation {}

/** Records what an adapter reports, and violations of the contract's order. */
export class Recorder implements HttpSink {
  readonly events: string[] = [];
  statusCode = 0;
  retryAfterSeconds = -2;
  authenticate = "";
  nonce = "";
  dateMs = 0;
  failure: TransportFailure | undefined;
  ended = false;
  readonly bytes: number[] = [];
  problem = "";
  /** Called at the start of each event. A case can abort or send within this call. */
  during: (event: "status" | "body" | "end" | "failed") => void = () => {};

  get over(): boolean {
    return this.ended || this.failure !== undefined;
  }

  status(...[status, retryAfterSeconds, ...more]: Parameters<HttpSink["status"]>): void {
    this.#note("status");
    if (this.statusCode !== 0) this.#blame("status came twice");
    if (!Number.isInteger(status) || status < 100 || status > 599) {
      this.#blame(`status is ${status}`);
    }
    if (!Number.isInteger(retryAfterSeconds) || retryAfterSeconds < -1) {
      this.#blame(`retryAfterSeconds is ${retryAfterSeconds}`);
    }
    this.statusCode = status;
    this.retryAfterSeconds = retryAfterSeconds;
    [this.authenticate = "", this.nonce = "", this.dateMs = 0] = more;
  }

  body(bytes: Bytes, from: number, to: number): void {
    this.#note("body");
    if (this.statusCode === 0) this.#blame("body before status");
    if (!(from >= 0 && from <= to && to <= bytes.length)) this.#blame(`body range ${from}..${to}`);
    for (let i = from; i < to; i++) this.bytes.push(bytes[i]!);
  }

  end(): void {
    this.#note("end");
    if (this.statusCode === 0) this.#blame("end before status");
    this.ended = true;
  }

  failed(failure: TransportFailure): void {
    this.#note("failed");
    if (failure !== "unreachable" && failure !== "timeout" && failure !== "too-large") {
      this.#blame(`failure is ${String(failure)}`);
    }
    this.failure = failure;
  }

  mustBe(expected: string | Uint8Array, what = "response", status = 200): this {
    const body = typeof expected === "string" ? latinBytesOf(expected) : expected;
    const { bytes } = this;
    if (this.failure === "timeout") throw new HeldUp(`${what}: reported as timeout`);
    must(this.failure === undefined, `${what}: reported as ${this.failure}`);
    must(this.statusCode === status, `${what}: status ${this.statusCode}, not ${status}`);
    must(bytes.length === body.length, `${what}: ${bytes.length} bytes, not ${body.length}`);
    mustBegin(bytes, body, what);
    return this;
  }

  mustFail(failure: TransportFailure, what: string): this {
    must(!this.ended, `${what}: reported as a complete response`);
    must(this.failure === failure, `${what}: reported as ${this.failure}, not ${failure}`);
    return this;
  }

  /** Accepts either the response or a failure, where both are correct. */
  mustBeOrFail(expected: string, what: string, status = 200): this {
    if (this.failure === undefined) return this.mustBe(expected, what, status);
    return this.mustFail("unreachable", what);
  }

  #note(event: Parameters<Recorder["during"]>[0]): void {
    if (this.over) this.#blame(`${event} after the exchange was over`);
    this.events.push(event);
    this.during(event);
  }

  #blame(what: string): void {
    if (this.problem === "") this.problem = what;
  }
}

export function benchOf(
  server: HttpTestServer,
  http: Http,
  environment: Environment,
  timeLimitMs: number,
) {
  const begin = (request: Partial<HttpRequest> = {}, recorder = new Recorder()): Recorder => {
    const { body = [] } = request;
    const url = `${server.origin}/`;
    const plain = { method: "GET", url, contentType: "", authorization: "", bodyFrom: 0 } as const;
    http.send({ ...plain, bodyTo: body.length, ...request, body }, recorder);
    return recorder;
  };
  const exchange = async (request: Partial<HttpRequest> = {}): Promise<Recorder> => {
    const recorder = begin(request);
    await eventually(environment, () => recorder.over, "the exchange");
    await environment.wait(SILENCE_MS);
    must(recorder.problem === "", recorder.problem);
    return recorder;
  };
  return { server, http, environment, timeLimitMs, begin, exchange };
}

export type Bench = ReturnType<typeof benchOf>;

/** Rules by name. A name begins with the name of the HTTP duty. */
export type HttpRules = Readonly<Record<`${HttpDutyName}: ${string}`, Rules<Bench>[string]>>;

/** A rule for each row of a table. The name of a rule is the name of its row, between `before` and `behind`. */
export function rulesOf<T>(
  before: `${HttpDutyName}: ${string}` | "",
  table: Readonly<Record<string, T>>,
  body: (bench: Bench, row: T) => Promise<void>,
  behind = "",
): HttpRules {
  return Object.fromEntries(
    Object.entries(table).map(([name, row]) => [
      `${before}${name}${behind}`,
      (bench: Bench) => body(bench, row),
    ]),
  );
}

/** A `Retry-After` value, the seconds that the adapter must report, and further headers of the response. */
type Wait = readonly [value: string, seconds: number, ...more: [name: string, value: string][]];

export const waitRules = (table: Readonly<Record<string, readonly Wait[]>>): HttpRules =>
  rulesOf("retryAfter: ", table, async ({ server, exchange }, waits) => {
    for (const [value, seconds, ...more] of waits) {
      server.plan(response("", { status: 503, headers: [["Retry-After", value], ...more] }));
      const got = (await exchange()).retryAfterSeconds;
      must(got === seconds, `"${value}" is reported as ${got}, not ${seconds}`);
    }
  });

/** Returns a form request as the core sends it: the body is in the middle of a larger array. */
export function form(text: string): Partial<HttpRequest> {
  const body = latinBytesOf(`##${text}##`);
  const contentType = "application/x-www-form-urlencoded";
  return { method: "POST", contentType, body, bodyFrom: 2, bodyTo: body.length - 2 };
}

export function response(
  body: string | Uint8Array,
  more: Partial<ResponsePlan> = {},
): ResponsePlan {
  const bytes = typeof body === "string" ? latinBytesOf(body) : body;
  return { kind: "response", status: 200, body: bytes, ...more };
}

/** Throws unless the request had this header exactly once with this value; with undefined, unless it had no such header. */
export function mustHave(
  request: RequestOnServer | undefined,
  name: string,
  value: string | undefined,
): void {
  must(request !== undefined, "no request arrived");
  const values = request.headers.filter(([other]) => other === name).map(([, found]) => found);
  const expected = JSON.stringify(value === undefined ? [] : [value]);
  must(JSON.stringify(values) === expected, `${name}: ${JSON.stringify(values)}, not ${expected}`);
}

/** @param tried "suite": the conformance suite of adapters checks the duty; "bench": `picogrant conform --device` */
const duty = (section: string, tried: readonly ("suite" | "bench")[] = ["suite", "bench"]) => ({
  section,
  tried,
});

/**
 * The duties of an HTTP adapter and of a host in C (targets/docs/firmware-in-c.md), each with the section that requires it.
 * The names of the suite's cases begin with the duty.
 */
export const httpDuties = {
  trust: duty("RFC 9325 §3.1.1, RFC 9525 §6"),
  handshake: duty("RFC 8446 §4.4.2.4, §6.2"),
  destination: duty("RFC 6750 §5.3", ["bench"]),
  request: duty("RFC 9110 §5.5, §8.6, §12.5.1"),
  once: duty("RFC 9110 §9.2.2"),
  redirects: duty("RFC 9110 §15.4, RFC 9700 §4.11"),
  connection: duty("RFC 9112 §9.2"),
  time: duty("RFC 8628 §3.5"),
  size: duty("RFC 9110 §5.4"),
  report: duty("RFC 9110 §15"),
  framing: duty("RFC 9112 §6.3"),
  closure: duty("RFC 9112 §9.8"),
  coding: duty("RFC 9110 §8.4, §12.5.3"),
  retryAfter: duty("RFC 9110 §10.2.3"),
  challenge: duty("RFC 9470 §3", ["suite"]),
  secrecy: duty("RFC 6819 §5.1.6", []),
} as const;

export type HttpDutyName = keyof typeof httpDuties;
