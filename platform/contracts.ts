// The contracts between picogrant and a device: HTTP, timers, secure storage, character display, entropy, and a signer
// where tokens are bound to a key. Types only: adapters implement them, the driver calls them, conformance.ts tests them.
//
// Rules that hold for all:
//  - One thread; one HTTP exchange, one alarm, one storage operation at a time.
//  - An adapter calls each callback exactly once, before the call returns or later, unless the contract says otherwise.
//  - A byte range includes `bytes[from]` and excludes `bytes[to]`. It belongs to the caller: the adapter may read or fill it
//    until it calls back, and copies what it needs later.
//  - An adapter reports failures of network or disk, and does not throw them. It may throw for a wrong argument, such as a
//    slot that does not exist. Anything else that it throws counts as a failure of the operation.
//  - A function may be `async`: a rejected promise counts as thrown.
//  - No adapter logs request targets, headers or bodies, because they contain secrets.

/** The driver does not wait for the promise; a rejection is a failure. */
export type Promised = void | PromiseLike<void>;

/** A byte array of the host: `Uint8Array`, or a plain array of integers 0..255 without typed arrays. */
export interface Bytes {
  [index: number]: number;
  /** Number of bytes. */
  readonly length: number;
}

/** Why an exchange ended without a complete response. */
export type TransportFailure =
  /** Name not resolved, connection refused or reset, TLS refused, body cut off. */
  | "unreachable"
  /** The time limit passed. */
  | "timeout"
  /** The response is longer than the adapter's size limit. */
  | "too-large";

/** Name and value of a header; both can be sent as they are. */
export type Header = readonly [name: string, value: string];

/** One HTTP request. Owned by the caller and unchanged until the exchange ends or is aborted. */
export interface HttpRequest {
  /** The method; nothing else is ever sent. */
  readonly method: "GET" | "POST";
  /** Absolute `https:` or `http:` URL. */
  readonly url: string;
  /** Value of `Content-Type`, or "" without a body. */
  readonly contentType: string;
  /** Value of `Authorization`, or "". */
  readonly authorization: string;
  /** Further headers, sent as they are; absent: none. */
  readonly headers?: readonly Header[];
  /** `body[bodyFrom..bodyTo)`; an empty range sends no body (a POST then has `Content-Length: 0`). */
  readonly body: Bytes;
  /** First byte of the body. */
  readonly bodyFrom: number;
  /** End of the body, exclusive. */
  readonly bodyTo: number;
}

/** Receives the reports of an exchange. Order: `status`, then any number of `body`, then `end`; or `failed`. */
export interface HttpSink {
  /**
   * The status line and headers have arrived. Called at most once, before any `body`.
   * @param status 100..599
   * @param retryAfterSeconds `Retry-After` in seconds, 0..134217727 (dates are converted, larger values clamped), -1 if
   *   absent
   * @param authenticate `WWW-Authenticate` unchanged, several values joined by a comma; "" if absent. An adapter may omit it:
   *   then the device does not learn that an API requires another sign-in (RFC 9470)
   * @param nonce `DPoP-Nonce` unchanged; "" if absent. An adapter may omit it and `dateMs`: then DPoP cannot be used
   * @param dateMs `Date` in milliseconds since 1970; 0 if absent or invalid
   */
  status(
    status: number,
    retryAfterSeconds: number,
    authenticate?: string,
    nonce?: string,
    dateMs?: number,
  ): void;
  /** A piece of the body, of any size, in order. The range is the adapter's, and valid until return. */
  body(bytes: Bytes, from: number, to: number): void;
  /** The response is complete, as its framing declared. Last call of a successful exchange. */
  end(): void;
  /** The exchange is over without a complete response. Last call; possible at any time before `end`. */
  failed(failure: TransportFailure): void;
}

/**
 * HTTP(S) client. At most one exchange is under way: `send` is called again only after `end`,
 * `failed` or `abort`.
 *
 * Its duties are one table for JavaScript and C, on the page about firmware in C (targets/docs/firmware-in-c.md). Each case
 * of `httpConformance` begins with the name of its duty.
 */
export interface Http {
  /** Starts the exchange and reports to `sink`. A failure to start is reported too, never thrown. */
  send(request: HttpRequest, sink: HttpSink): Promised;
  /** Ends the exchange under way, if any; its sink gets no further call. */
  abort(): Promised;
  /**
   * Why the last exchange failed, such as `ECONNREFUSED`, for a developer. Optional; contains no address, header or body.
   */
  readonly lastFailure?: string;
}

/** Monotonic time and one alarm. */
export interface Timers {
  /**
   * Milliseconds since any fixed moment, integer 0..2^32-1, which only decreases by wrapping to 0. If the hardware allows it,
   * it also counts while the device sleeps, as the code's lifetime does.
   */
  now(): number;
  /**
   * Calls `ring` once, `afterMs` (0..134217727) from now or later, never earlier and never before
   * this call returns. A second call replaces the first.
   */
  alarm(afterMs: number, ring: () => void): Promised;
  /** Cancels the alarm, if one is set. */
  cancel(): Promised;
}

/**
 * Two slots of non-volatile memory for records. A write to one never changes the other. Contents are secrets: only this
 * application may read them; otherwise use the sealed storage.
 */
export interface Storage {
  /** Largest record in bytes that `write` accepts. */
  readonly capacity: number;
  /**
   * Reads slot 0 or 1 into `into[from..]` and calls back with the record's length: 0 for an empty
   * slot, -1 if it cannot be read or is longer than `to - from`.
   */
  read(
    slot: number,
    into: Bytes,
    from: number,
    to: number,
    done: (length: number) => void,
  ): Promised;
  /**
   * Replaces slot 0 or 1 by `bytes[from..to)`. `done(true)` promises that the record survives a power loss from now on. A power
   * loss before it leaves the old content, the new one, or anything else (the core checks the record's checksum). It never
   * changes the other slot.
   */
  write(
    slot: number,
    bytes: Bytes,
    from: number,
    to: number,
    done: (ok: boolean) => void,
  ): Promised;
  /** Empties slot 0 or 1, as durable as `write`. */
  erase(slot: number, done: (ok: boolean) => void): Promised;
  /**
   * Why the last operation failed, for a developer; "" if none has. Optional; contains nothing of a record.
   */
  readonly lastFailure?: string;
}

/** A character display. */
export interface Display {
  /** Size in characters: columns 16..80, rows 2..8. Fixed while a driver runs. */
  readonly columns: number;
  /** Rows, 2..8. */
  readonly rows: number;
  /**
   * Shows a frame: `columns * rows` codes from `cells[from]`, row by row: printable ASCII (32..126), or in the
   * developer's own texts a byte of the display's character set (128..255), never a control character.
   * Called only when a cell changed. The range is the caller's, and valid until return.
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
  /** The name under which the authorization server knows it. */
  readonly kid?: string;
}

/** Signs with a key that never leaves it: a secure element, a key store, or a key in memory. */
export interface Signer {
  readonly algorithm: "ES256";
  readonly publicJwk: PublicJwk;
  /**
   * @param bytes the message, which the signer hashes with SHA-256
   * @returns the 64 bytes r and s of the signature (RFC 7518 §3.4)
   */
  sign(bytes: Uint8Array): Bytes | PromiseLike<Bytes>;
}

/** The adapters of a device. */
export interface Platform {
  /** The network. */
  readonly http: Http;
  /** Time. */
  readonly timers: Timers;
  /** Two slots for records. */
  readonly storage: Storage;
  /** What the user sees. */
  readonly display: Display;
  /** Random bytes. */
  readonly entropy: Entropy;
}
