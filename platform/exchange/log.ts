// What a device has asked and been answered, in lines that one can send to whoever helps: by names and numbers. Nothing
// that is secret is looked at, and what others have chosen (an error's name) is only repeated where it is a known word.

import { Endpoint, ErrorCode, State } from "../../core/index.ts";
import type { Http, HttpRequest, HttpSink, Platform, Storage } from "../contracts.ts";
import { originOf } from "../servers/address.ts";
import { asciiOf } from "../text/text.ts";

/** What is looked at of a device. */
interface Looked {
  readonly state: State;
  readonly error: ErrorCode;
  readonly endpoint: Endpoint;
}

/** Listens to a driver, by `log` of its options: `new Driver({ ..., log: driverLog((line) => console.error(line)) })`. */
export interface DriverLog {
  /** The same adapters, listened to. */
  around(platform: Platform, device: () => Looked): Platform;
  /** Something may have changed. */
  look(device: Looked): void;
  /** A line of somebody else's: nothing secret is in it. */
  say(words: string): void;
}

/** The longest line. */
const LINE_MAX = 160;
/** An error stands at the beginning of its answer; more is not kept. */
const BODY_MAX = 512;
const ERRORS: ReadonlySet<string> = new Set(
  Object.values(ErrorCode).map((name) => `${name}`.toLowerCase()),
);

/**
 * A log that can be sent to support: what was asked and answered, by names and numbers. Nothing in it is a secret.
 * @param write takes a line of at most 160 printable ASCII characters, such as
 *   `1.204 s  request 3 TOKEN POST https://login.example.com/token, 143 bytes`. What it throws is swallowed.
 */
export function driverLog(write: (line: string) => void): DriverLog {
  let nowMs = (): number => 0;
  let startMs = 0;
  let seen = "";
  const say = (words: string): void => {
    const seconds = (((nowMs() - startMs) >>> 0) / 1000).toFixed(3);
    const line = `${seconds} s  ${words}`.replace(/[^ -~]/g, "?").slice(0, LINE_MAX);
    try {
      write(line);
    } catch {
      // A log is no reason to fail.
    }
  };
  return {
    say,
    around(platform, device) {
      const { timers } = platform;
      nowMs = () => timers.now();
      startMs ||= timers.now();
      const http = loggedHttp(platform.http, device, say, nowMs);
      return { ...platform, http, storage: loggedStorage(platform.storage, say) };
    },
    look({ state, error }) {
      const why = error === ErrorCode.NONE ? "" : ` (${ErrorCode[error] ?? error})`;
      const now = `${State[state] ?? state}${why}`;
      if (now === seen) return;
      seen = now;
      say(`state ${now}`);
    },
  };
}

function loggedHttp(
  http: Http,
  device: () => Looked,
  say: (words: string) => void,
  nowMs: () => number,
): Http {
  let count = 0;
  let isOpen = false;
  return {
    /** Gives what the adapter gives: a promise, where it is written with `async`. */
    send(request, sink): unknown {
      const { endpoint } = device();
      const name = `${++count} ${Endpoint[endpoint] ?? endpoint}`;
      const length = request.bodyTo - request.bodyFrom;
      say(`request ${name} ${request.method} ${addressIn(request, endpoint)}, ${length} bytes`);
      isOpen = true;
      const sinceMs = nowMs();
      const done = (what: string): void => {
        isOpen = false;
        say(`answer ${name} ${what}, ${(nowMs() - sinceMs) >>> 0} ms`);
      };
      return http.send(
        request,
        loggedSink(sink, done, () => http.lastFailure ?? ""),
      );
    },
    abort() {
      if (isOpen) say(`request ${count} is given up`);
      isOpen = false;
      http.abort();
    },
    get lastFailure() {
      return http.lastFailure ?? "";
    },
  };
}

/** Where it goes: the grant's addresses are the maker's; the path of a call may say whose things it is about. */
function addressIn({ url }: HttpRequest, endpoint: Endpoint): string {
  return endpoint > Endpoint.REVOCATION ? originOf(url) : url.split(/[?#]/, 1)[0]!;
}

function loggedSink(sink: HttpSink, done: (what: string) => void, why: () => string): HttpSink {
  let code = 0;
  let length = 0;
  let body: number[] = [];
  return {
    status(status, retryAfterSeconds, authenticate) {
      code = status;
      sink.status(status, retryAfterSeconds, authenticate);
    },
    body(bytes, from, to) {
      length += to - from;
      for (let at = from; at < to && body.length < BODY_MAX; at++) body.push(bytes[at]!);
      sink.body(bytes, from, to);
    },
    end() {
      const error = errorIn(body);
      body.fill(0);
      body = [];
      done(`${code}${error}, ${length} bytes`);
      sink.end();
    },
    failed(failure) {
      body.fill(0);
      done(`${failure}${/^[A-Z_0-9]{1,40}$/.test(why()) ? ` ${why()}` : ""}`);
      sink.failed(failure);
    },
  };
}

/** The error of RFC 6749 §5.2, where it is a known one. */
function errorIn(body: readonly number[]): string {
  const [, name] = /"error"\s*:\s*"([^"]*)"/.exec(asciiOf(body, 0, body.length)) ?? [];
  if (name === undefined) return "";
  return ERRORS.has(name) ? ` ${name}` : " with an error of another name";
}

function loggedStorage(storage: Storage, say: (words: string) => void): Storage {
  return {
    capacity: storage.capacity,
    read: (slot, into, from, to, done) =>
      storage.read(slot, into, from, to, (length) => {
        say(`storage reads slot ${slot}: ${length < 0 ? "unreadable" : `${length} bytes`}`);
        done(length);
      }),
    write: (slot, bytes, from, to, done) =>
      storage.write(slot, bytes, from, to, (ok) => {
        say(`storage writes slot ${slot}: ${to - from} bytes, ${ok ? "kept" : "refused"}`);
        done(ok);
      }),
    erase: (slot, done) =>
      storage.erase(slot, (ok) => {
        say(`storage erases slot ${slot}: ${ok ? "gone" : "refused"}`);
        done(ok);
      }),
    get lastFailure() {
      return storage.lastFailure ?? "";
    },
  };
}
