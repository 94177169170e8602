// Writes a log of a device's requests, storage operations and states for support. The log consists of names, addresses and
// numbers, and has no secrets. It repeats a server's error code only if the code is a known word.

import { type Device, Endpoint, ErrorCode, State } from "../../core/index.ts";
import type { Bytes, HttpRequest, Storage, Timers, TransportFailure } from "../contracts.ts";
import { originOf } from "../servers/address.ts";
import { asciiOf } from "../text/text.ts";
import { guarded, nothing } from "./callbacks.ts";
import { type Head, Listener } from "./filter.ts";

type Looked = Pick<Device, "state" | "error" | "endpoint">;

/** The `log` option of a driver: `new Driver({ ..., log: driverLog((line) => console.error(line)) })`. */
export interface DriverLog {
  /** Sets the log's time to 0 at the first call. */
  begin(timers: Timers): void;
  /** Returns a filter that logs exchanges. */
  exchange(device: () => Looked): Listener;
  /** Returns a storage that passes operations to `storage` and logs them. */
  around(storage: Storage): Storage;
  /** Logs a change of the state or the error. Call it after each possible change. */
  look(device: Looked): void;
  /** Writes a line of the caller. The line must not contain a secret. */
  log(words: string): void;
}

const LINE_MAX = 160;
/** The number of bytes at the start of a response in which the error code is searched. */
const BODY_MAX = 512;
const ERRORS: ReadonlySet<string> = new Set(
  Object.values(ErrorCode).map((name) => `${name}`.toLowerCase()),
);

/**
 * Creates a log that can be sent to support: requests, storage operations and states. It contains no secret.
 * @param write receives a line of at most 160 printable ASCII characters, such as `1.204 s  request 3 TOKEN POST
 * https://login.example.com/token, 143 bytes`. Errors that it throws or rejects with are ignored.
 */
export function driverLog(write: (line: string) => void): DriverLog {
  let nowMs = (): number => 0;
  let startMs: number | undefined;
  let seen = "";
  const log = (words: string): void => {
    const seconds = (((nowMs() - (startMs ?? 0)) >>> 0) / 1000).toFixed(3);
    const line = `${seconds} s  ${words}`.replace(/[^ -~]/g, "?").slice(0, LINE_MAX);
    // Ignore errors, because logging must not make an operation fail.
    guarded(() => write(line), nothing);
  };
  return {
    log,
    begin(timers) {
      nowMs = () => timers.now();
      startMs ??= timers.now();
    },
    exchange: (device) => new LoggedExchange(device, log, () => nowMs()),
    around: (storage) => loggedStorage(storage, log),
    look({ state, error }) {
      const why = error === ErrorCode.NONE ? "" : ` (${ErrorCode[error] ?? error})`;
      const now = `${State[state] ?? state}${why}`;
      if (now === seen) return;
      seen = now;
      log(`state ${now}`);
    },
  };
}

class LoggedExchange extends Listener {
  readonly #device: () => Looked;
  readonly #log: (words: string) => void;
  readonly #nowMs: () => number;
  #count = 0;
  #name = "";
  #sinceMs = 0;
  #status = 0;
  #length = 0;
  #body: number[] = [];

  constructor(device: () => Looked, log: (words: string) => void, nowMs: () => number) {
    super();
    this.#device = device;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  override send(request: HttpRequest): void {
    const { endpoint } = this.#device();
    this.#discard();
    this.#name = `${++this.#count} ${Endpoint[endpoint] ?? endpoint}`;
    this.#sinceMs = this.#nowMs();
    const what = `${request.method} ${addressIn(request, endpoint)}`;
    this.#log(`request ${this.#name} ${what}, ${request.bodyTo - request.bodyFrom} bytes`);
    this.below.send(request);
  }

  override abort(): void {
    if (this.#name !== "") this.#log(`request ${this.#count} is given up`);
    this.#discard();
    this.below.abort();
  }

  override status(...head: Head): void {
    [this.#status] = head;
    super.status(...head);
  }

  override body(bytes: Bytes, from: number, to: number): void {
    this.#length += to - from;
    for (let at = from; at < to && this.#body.length < BODY_MAX; at++) this.#body.push(bytes[at]!);
    super.body(bytes, from, to);
  }

  override end(): void {
    this.#responded(`${this.#status}${errorIn(this.#body)}, ${this.#length} bytes`);
    super.end();
  }

  override failed(failure: TransportFailure, why: string): void {
    this.#responded(`${failure}${/^[A-Z_0-9]{1,40}$/.test(why) ? ` ${why}` : ""}`);
    super.failed(failure, why);
  }

  #responded(what: string): void {
    this.#log(`response ${this.#name} ${what}, ${(this.#nowMs() - this.#sinceMs) >>> 0} ms`);
    this.#discard();
  }

  #discard(): void {
    this.#name = "";
    this.#body.fill(0);
    this.#body = [];
    this.#length = 0;
  }
}

/** Returns the address without its query. For a call it is only the origin, as the path may contain personal data. */
function addressIn({ url }: HttpRequest, endpoint: Endpoint): string {
  return endpoint > Endpoint.REVOCATION ? originOf(url) : url.split(/[?#]/, 1)[0]!;
}

/** Describes the error code of a response (RFC 6749 §5.2). The text repeats only known codes. */
function errorIn(body: readonly number[]): string {
  const [, name] = /"error"\s*:\s*"([^"]*)"/.exec(asciiOf(body, 0, body.length)) ?? [];
  if (name === undefined) return "";
  return ERRORS.has(name) ? ` ${name}` : " with an error of another name";
}

function loggedStorage(storage: Storage, log: (words: string) => void): Storage {
  return {
    capacity: storage.capacity,
    read: (slot, into, from, to, done) =>
      storage.read(slot, into, from, to, (length) => {
        log(`storage reads slot ${slot}: ${length < 0 ? "unreadable" : `${length} bytes`}`);
        done(length);
      }),
    write: (slot, bytes, from, to, done) =>
      storage.write(slot, bytes, from, to, (ok) => {
        log(`storage writes slot ${slot}: ${to - from} bytes, ${ok ? "kept" : "refused"}`);
        done(ok);
      }),
    erase: (slot, done) =>
      storage.erase(slot, (ok) => {
        log(`storage erases slot ${slot}: ${ok ? "gone" : "refused"}`);
        done(ok);
      }),
    get lastFailure() {
      return storage.lastFailure ?? "";
    },
  };
}
