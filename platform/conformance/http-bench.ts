// What the HTTP suite needs around an adapter: a server that does as told (well or badly), and an ear that
// writes down what the adapter reports. The Node server for real wires is targets/command/conform/conformance-server.ts.

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
import type { HttpDutyName } from "./http-duties.ts";

/** What an adapter under test is to be made with. */
export interface HttpLimits {
  /** Milliseconds for the whole exchange. */
  timeLimitMs: number;
  /** Longest body in bytes. */
  sizeLimitBytes: number;
}

/** An adapter under test. */
export interface HttpSubject extends Subject {
  /** The adapter under test. */
  http: Http;
}

/** A complete or broken-off answer. */
export interface ResponsePlan {
  /** An answer. */
  kind: "response";
  /** HTTP status, 100..599. */
  status: number;
  /** Headers beside those of the framing. */
  headers?: readonly (readonly [name: string, value: string])[];
  /** The body. */
  body?: Uint8Array;
  /** How the body's end is told; default "length". "close": by closing the connection. */
  framing?: "length" | "chunked" | "close";
  /** The body is sent in pieces of so many bytes, default all at once, `pieceDelayMs` apart. */
  pieceBytes?: number;
  /** Milliseconds between two pieces. */
  pieceDelayMs?: number;
  /** The connection is broken off after so many bytes of the body. */
  cutAtByte?: number;
  /** Leave the connection open for the next request. */
  keepAlive?: boolean;
}

/** What the server does with one request. */
export type ServerPlan =
  | ResponsePlan
  /** Reads the request, never answers. */
  | { kind: "hang" }
  /** Reads the request, breaks the connection. */
  | { kind: "reset" }
  | RawPlan;

/** Bytes as they are, one character each, for what no answer may look like. */
export interface RawPlan {
  kind: "raw";
  pieces: readonly string[];
  /** Between two pieces; default 0. */
  pieceDelayMs?: number;
  /** Leave the connection open for the next request. */
  keepAlive?: boolean;
}

/** A request as it arrived; header names in lower case. */
export interface RequestOnServer {
  /** The method. */
  method: string;
  /** Path and query. */
  target: string;
  /** Names in lower case, and values. */
  headers: readonly (readonly [name: string, value: string])[];
  /** The body, as far as it came. */
  body: Uint8Array;
}

/** A server that does as the case tells it. */
export interface HttpTestServer {
  /** As `http://127.0.0.1:8080`, without a slash at the end. */
  origin: string;
  /** An origin at which nothing listens. */
  deadOrigin: string;
  /** Origins of TLS servers with the same plans; present where the bench says `tls`. */
  tls?: {
    /** With a certificate that the adapter trusts. */
    trusted: string;
    /** With one of another authority. */
    untrusted: string;
    /** With one for another name. */
    otherName: string;
    /** With one that is not valid any more. */
    expired: string;
    /** A trusted certificate, but TLS 1.0 and 1.1 only. */
    outdated: string;
    /** A trusted certificate, and a client certificate is required. */
    demanding: string;
  };
  /** Adds plans, used up request by request. Without one the server answers 599. */
  plan(...plans: ServerPlan[]): void;
  /** Every request that arrived so far, complete or not. */
  requests(): readonly RequestOnServer[];
  /** Closes connections that wait for another request, as servers do after a while. */
  closeIdle(): void | Promise<void>;
  /** Ends it and all its connections. */
  close(): void | Promise<void>;
}

/** Where the suite gets its servers. */
export interface HttpTestBench {
  /** Whether requests cross a real wire, so that headers, connections and framing can be seen. */
  wire: boolean;
  /** Whether servers have `tls`. */
  tls: boolean;
  /** How time passes. */
  environment: Environment;
  /** Makes a server; the case closes it. */
  start(): HttpTestServer | Promise<HttpTestServer>;
}

/** A good exchange ran into the time limit. */
export class HeldUp extends Violation {}

/** Writes down what an adapter reports, and what of it breaks the contract's order. */
export class Recorder implements HttpSink {
  readonly events: string[] = [];
  statusCode = 0;
  retryAfterSeconds = -2;
  authenticate = "";
  failure: TransportFailure | undefined;
  ended = false;
  readonly bytes: number[] = [];
  problem = "";
  /** Called at the start of each event; for aborting and sending from within. */
  during: (event: "status" | "body" | "end" | "failed") => void = () => {};

  get over(): boolean {
    return this.ended || this.failure !== undefined;
  }

  status(status: number, retryAfterSeconds: number, authenticate = ""): void {
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
    this.authenticate = authenticate;
    this.during("status");
  }

  body(bytes: Bytes, from: number, to: number): void {
    this.#note("body");
    if (this.statusCode === 0) this.#blame("body before status");
    if (!(from >= 0 && from <= to && to <= bytes.length)) this.#blame(`body range ${from}..${to}`);
    for (let i = from; i < to; i++) this.bytes.push(bytes[i]!);
    this.during("body");
  }

  end(): void {
    this.#note("end");
    if (this.statusCode === 0) this.#blame("end before status");
    this.ended = true;
    this.during("end");
  }

  failed(failure: TransportFailure): void {
    this.#note("failed");
    if (failure !== "unreachable" && failure !== "timeout" && failure !== "too-large") {
      this.#blame(`failure is ${String(failure)}`);
    }
    this.failure = failure;
    this.during("failed");
  }

  /** Throws unless it was this answer. */
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

  /** Throws unless it failed so. */
  mustFail(failure: TransportFailure, what: string): this {
    must(!this.ended, `${what}: reported as a complete answer`);
    must(this.failure === failure, `${what}: reported as ${this.failure}, not ${failure}`);
    return this;
  }

  /** Where both are right. */
  mustBeOrFail(expected: string, what: string, status = 200): this {
    if (this.failure === undefined) return this.mustBe(expected, what, status);
    return this.mustFail("unreachable", what);
  }

  #note(event: string): void {
    if (this.over) this.#blame(`${event} after the exchange was over`);
    this.events.push(event);
  }

  #blame(what: string): void {
    if (this.problem === "") this.problem = what;
  }
}

/** One test's surroundings: a server, an adapter, and the verbs to use them with. */
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
  /** Sends and waits until the exchange is over and silence has followed. */
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

/** What each rule in words asks of an adapter: the name of its duty first. */
export type HttpRules = Readonly<Record<`${HttpDutyName}: ${string}`, Rules<Bench>[string]>>;

/** A rule for each row of a table, by the row's name with these words around it. */
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

/** `Retry-After`, what it is reported as, and further headers. */
type Wait = readonly [value: string, seconds: number, ...more: [name: string, value: string][]];

/** Rules about `Retry-After`. */
export const waitRules = (table: Readonly<Record<string, readonly Wait[]>>): HttpRules =>
  rulesOf("retryAfter: ", table, async ({ server, exchange }, waits) => {
    for (const [value, seconds, ...more] of waits) {
      server.plan(response("", { status: 503, headers: [["Retry-After", value], ...more] }));
      const got = (await exchange()).retryAfterSeconds;
      must(got === seconds, `"${value}" is reported as ${got}, not ${seconds}`);
    }
  });

/** A form request as the core sends it, its body in the middle of a larger array. */
export function form(text: string): Partial<HttpRequest> {
  const body = latinBytesOf(`##${text}##`);
  const contentType = "application/x-www-form-urlencoded";
  return { method: "POST", contentType, body, bodyFrom: 2, bodyTo: body.length - 2 };
}

/** A plain good answer. */
export function response(
  body: string | Uint8Array,
  more: Partial<ResponsePlan> = {},
): ResponsePlan {
  const bytes = typeof body === "string" ? latinBytesOf(body) : body;
  return { kind: "response", status: 200, body: bytes, ...more };
}

/** Throws unless the request carried this header exactly once with this value (undefined: not at all). */
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
