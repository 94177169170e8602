// The contracts between picogrant and a device: HTTP, timers, storage, character display, entropy, and a signer for a
// key of the device. The file contains types only. Adapters implement the contracts, and the driver calls the adapters.
// The tests in conformance/ check an adapter.
//
// These rules hold for all adapters:
//  - There is one thread, with at most one HTTP exchange, one alarm and one storage operation at a time.
//  - An adapter calls each callback once, before its function returns or later, unless the contract says otherwise.
//  - A byte range includes `bytes[from]` and excludes `bytes[to]`. The caller owns the range. The adapter may read or
//    fill the range until it calls back, and copies the bytes that it needs after that.
//  - An adapter reports failures of network or disk, and does not throw them. It may throw for a wrong argument, such as a
//    slot that does not exist. Anything else that it throws counts as a failure of the operation.
//  - A function may be `async`: a rejected promise counts as an exception.
//  - No adapter logs request targets, headers or bodies, because they contain secrets.

/** An adapter's function may return a promise. The driver does not wait for it, but a rejection counts as a failure. */
export type Promised = void | PromiseLike<void>;

/** A byte array of the host: a `Uint8Array`, or a plain array of integers 0..255 on an engine without typed arrays. */
export interface Bytes {
  [index: number]: number;
  /** Number of bytes. */
  readonly length: number;
}

/** Why an exchange ended without a complete response. */
export type TransportFailure =
  /** Name not resolved, connection refused or reset, TLS refused, body cut off, response invalid. */
  | "unreachable"
  /** The time limit passed. */
  | "timeout"
  /** The response is longer than the adapter's size limit. */
  | "too-large";

/** Name and value of a header, as they are sent. */
export type Header = readonly [name: string, value: string];

/** One HTTP request. The caller owns it, and does not change it until the exchange ends or is aborted. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  /** Absolute `https:` or `http:` URL. */
  readonly url: string;
  /** Value of `Content-Type`, or "" for none. A POST without a body may have a content type too. */
  readonly contentType: string;
  /** Value of `Authorization`, or "". */
  readonly authorization: string;
  /** Further headers, sent as they are; absent: none. */
  readonly headers?: readonly Header[];
  /** `body[bodyFrom..bodyTo)`; an empty range sends no body (a POST then has `Content-Length: 0`). */
  readonly body: Bytes;
  readonly bodyFrom: number;
  readonly bodyTo: number;
}

/** Receives an exchange's reports: `status`, any number of `body`, then `end`. A failure ends them with `failed`. */
export interface HttpSink {
  /**
   * The status line and headers have arrived. Called at most once, before any `body`.
   * @param status 100..599
   * @param retryAfterSeconds `Retry-After` in seconds, 0..134217727 (dates are converted, larger values clamped), -1 if
   * absent
   * @param authenticate `WWW-Authenticate` unchanged, several values joined by a comma; "" if absent. If an adapter
   * omits this argument, the device does not learn that an API requires another sign-in (RFC 9470)
   * @param nonce `DPoP-Nonce` unchanged; "" if absent. If an adapter omits this argument, DPoP cannot be used
   * @param dateMs `Date` in milliseconds since 1970; 0 if absent or invalid. If an adapter omits this argument, the
   * server may reject the signatures of a device whose clock is wrong
   */
  status(
    status: number,
    retryAfterSeconds: number,
    authenticate?: string,
    nonce?: string,
    dateMs?: number,
  ): void;
  /** A piece of the body, of any size, in order. The range belongs to the adapter and is valid until the call returns. */
  body(bytes: Bytes, from: number, to: number): void;
  /** The response is complete according to its framing. This is the last call of a successful exchange. */
  end(): void;
  /** The exchange has failed. This is the last call, and it is possible at any time before `end`. */
  failed(failure: TransportFailure): void;
}

/**
 * HTTP(S) client. At most one exchange is under way: `send` is called again only after `end`, `failed` or `abort`.
 *
 * The table in targets/docs/firmware-in-c.md lists the client's duties, for JavaScript and C. The name of each case of
 * `httpConformance` begins with the duty that it tests.
 */
export interface Http {
  /** The adapter's limit of a body in bytes; default 65536. */
  readonly sizeLimitBytes?: number | undefined;
  /** Starts the exchange and reports to `sink`. A failure to start is reported too, never thrown. */
  send(request: HttpRequest, sink: HttpSink): Promised;
  /** Ends the exchange that is under way, if any. Its sink receives no further call. */
  abort(): Promised;
  /** The reason of the last failure, such as `ECONNREFUSED`. Optional; contains no address, header or body. */
  readonly lastFailure?: string;
}

/** Monotonic time and one alarm. */
export interface Timers {
  /**
   * Milliseconds since any fixed moment, an integer 0..2^32-1 that wraps to 0. If the hardware allows it, the counter
   * also runs while the device sleeps, because codes expire during sleep too.
   */
  now(): number;
  /**
   * Calls `ring` once, `afterMs` (0..134217727) milliseconds from now or later, but never before `alarm` returns.
   * Another call of `alarm` replaces the alarm.
   */
  alarm(afterMs: number, ring: () => void): Promised;
  /** Cancels the alarm, if one is set. */
  cancel(): Promised;
}

/**
 * Two slots of non-volatile memory for records. A write to one slot never changes the other. Records contain secrets: if
 * other programs can read the memory, use the sealed storage.
 */
export interface Storage {
  /** Largest record in bytes that `write` accepts. Half of the core's memory is always enough. */
  readonly capacity: number;
  /**
   * Reads slot 0 or 1 into `into[from..to)` and calls back with the record's length: 0 for an empty slot, -1 if the
   * record cannot be read or is longer than `to - from`.
   */
  read(
    slot: number,
    into: Bytes,
    from: number,
    to: number,
    done: (length: number) => void,
  ): Promised;
  /**
   * Replaces slot 0 or 1 by `bytes[from..to)`. `done(true)` promises that the record survives a power loss from now on.
   * A power loss before that call may leave the old record, the new record, or invalid bytes in this slot (the core
   * checks the record's checksum). A power loss never changes the other slot.
   */
  write(
    slot: number,
    bytes: Bytes,
    from: number,
    to: number,
    done: (ok: boolean) => void,
  ): Promised;
  /** Empties slot 0 or 1, as durably as `write` does. */
  erase(slot: number, done: (ok: boolean) => void): Promised;
  /** The reason of the last failure, for a developer; "" if none is known. Optional. Must contain no part of a record. */
  readonly lastFailure?: string;
}

/** A character display. */
export interface Display {
  /** Columns, 16..80. The size is fixed while a driver runs. */
  readonly columns: number;
  /** Rows, 2..8. */
  readonly rows: number;
  /**
   * Shows a frame: `columns * rows` bytes from `cells[from]`, row by row. A byte is printable ASCII (32..126) or, in
   * the developer's own texts, a character of the display's set (128..255), and never a control character. The driver
   * calls `show` only after a cell has changed. The range belongs to the caller and is valid until the call returns.
   */
  show(cells: Bytes, from: number): Promised;
}

/** Random bytes. */
export interface Entropy {
  /**
   * Fills `into[from..to)` from a cryptographically secure source.
   * @returns false if none is available; the bytes must not be used then
   */
  fill(into: Bytes, from: number, to: number): boolean;
}

/** The public part of a P-256 key (RFC 7518 §6.2.1). */
export interface PublicJwk {
  readonly kty: "EC";
  readonly crv: "P-256";
  /** The coordinates, 32 bytes in base64url each. */
  readonly x: string;
  readonly y: string;
  /** The identifier of the key at the authorization server. */
  readonly kid?: string;
}

/** Signs with a private key that it does not reveal: in a secure element, in a key store, or in memory. */
export interface Signer {
  readonly algorithm: "ES256";
  readonly publicJwk: PublicJwk;
  /**
   * A request waits for its signature without a time limit, so the signer must limit its own time.
   * @param bytes the message, which the signer hashes with SHA-256
   * @returns the 64 bytes r and s of the signature (RFC 7518 §3.4)
   */
  sign(bytes: Uint8Array): Bytes | PromiseLike<Bytes>;
}

/** The adapters of a device. */
export interface Platform {
  readonly http: Http;
  readonly timers: Timers;
  readonly storage: Storage;
  readonly display: Display;
  readonly entropy: Entropy;
}
