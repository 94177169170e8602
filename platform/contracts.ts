// The five contracts between picogrant and a device: HTTP, timers, secure storage, character display,
// entropy. Types only: adapters implement them, the driver calls them, conformance.ts tests them.
//
// Rules that hold for all five:
//  - One thread; one HTTP exchange, one alarm, one storage operation at a time.
//  - A callback may come before the call returns (synchronous platforms) or at any time later, and
//    comes exactly once unless its contract says otherwise.
//  - Byte ranges are `bytes[from]` up to and excluding `bytes[to]`. Whoever passes a range owns it:
//    the receiver may read (or fill) it until it calls back, and must copy what it keeps.
//  - An adapter never throws for what the world did (network, disk); it reports. It may throw for a
//    caller's mistake (a slot that does not exist). What it throws all the same is a failure of what it was asked for.
//  - What may be asynchronous may be written with `async`: a promise that is rejected counts as thrown.
//  - No adapter writes request targets, headers or bodies to a log: they carry secrets.

/** Nobody waits for the promise; one that is rejected is a failure. */
export type Promised = void | PromiseLike<void>;

/** A byte array of the host: `Uint8Array`, or a plain array of integers 0..255 without typed arrays. */
export interface Bytes {
  [index: number]: number;
  /** Number of bytes. */
  readonly length: number;
}

/** Why an exchange ended without a complete HTTP answer. */
export type TransportFailure =
  /** Name not resolved, connection refused or reset, TLS refused, body cut off. */
  | "unreachable"
  /** The time limit passed. */
  | "timeout"
  /** The answer is longer than the adapter's size limit. */
  | "too-large";

/** Name and value of a header; both can be sent as they are. */
export type Header = readonly [name: string, value: string];

/** One HTTP request. Owned by the caller and unchanged until the exchange ends or is aborted. */
export interface HttpRequest {
  /** The method; nothing else is ever sent. */
  readonly method: "GET" | "POST";
  /** Absolute `https:` or `http:` URL. */
  readonly url: string;
  /** Value of `Content-Type`, or "" where there is no body. */
  readonly contentType: string;
  /** Value of `Authorization`, or "". */
  readonly authorization: string;
  /** Further headers, sent as they are; absent: none. */
  readonly headers?: readonly Header[];
  /** `body[bodyFrom..bodyTo)`; an empty range sends no body (a POST then says `Content-Length: 0`). */
  readonly body: Bytes;
  /** First byte of the body. */
  readonly bodyFrom: number;
  /** Where it ends, exclusively. */
  readonly bodyTo: number;
}

/** Where an exchange reports. Order: `status`, then any number of `body`, then `end`; or `failed`. */
export interface HttpSink {
  /**
   * The status line and headers have come. Called at most once, before any `body`.
   * @param status 100..599
   * @param retryAfterSeconds `Retry-After` in seconds, 0..134217727 (a date is turned into seconds, more is
   *   cut down to that), -1 where absent
   * @param authenticate `WWW-Authenticate` as it came, several joined by a comma; "" where absent. An adapter may leave it
   *   out: then nobody hears what an API wants of a sign-in (RFC 9470)
   */
  status(status: number, retryAfterSeconds: number, authenticate?: string): void;
  /** A piece of the body, of any size, in order. The range is the adapter's and only good until return. */
  body(bytes: Bytes, from: number, to: number): void;
  /** The answer is complete: as long as its framing promised. Last call of a successful exchange. */
  end(): void;
  /** The exchange is over without a complete answer. Last call; may come at any time before `end`. */
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
  /** Starts the exchange and reports to `sink`. Any failure to start is reported too, never thrown. */
  send(request: HttpRequest, sink: HttpSink): Promised;
  /** Ends the exchange under way, if any; its sink hears nothing more. */
  abort(): Promised;
  /**
   * Why the last exchange failed, in the adapter's own words (`ECONNREFUSED`), for a person who looks into it. An
   * adapter may leave it out; no address, header or body is in it.
   */
  readonly lastFailure?: string;
}

/** Monotonic time and one alarm. */
export interface Timers {
  /**
   * Milliseconds since any fixed moment, integer 0..2^32-1, never going back except by wrapping to 0.
   * It goes on while the device sleeps if the hardware can: the code's lifetime runs then too.
   */
  now(): number;
  /**
   * Calls `ring` once, `afterMs` (0..134217727) from now or later, never earlier and never before
   * this call returns. A second call replaces the first.
   */
  alarm(afterMs: number, ring: () => void): Promised;
  /** Takes the alarm back; it will not ring. Harmless when none is set. */
  cancel(): Promised;
}

/**
 * Two slots of non-volatile memory for records, kept apart so that a write to one can never harm the
 * other. Contents are secrets: only this application may read them (or wrap with sealed-storage).
 */
export interface Storage {
  /** Largest record in bytes that `write` accepts. */
  readonly capacity: number;
  /**
   * Reads slot 0 or 1 into `into[from..]` and calls back with the record's length: 0 for an empty
   * slot, -1 where it cannot be read or is longer than `to - from`.
   */
  read(
    slot: number,
    into: Bytes,
    from: number,
    to: number,
    done: (length: number) => void,
  ): Promised;
  /**
   * Replaces slot 0 or 1 by `bytes[from..to)`. `done(true)` promises that the record survives a loss
   * of power from this moment. A loss before it leaves the slot's old content, the new one, or
   * something that is neither (the record's checksum tells); never a change to the other slot.
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
   * Why the last operation failed, in the adapter's own words, for a person who looks into it; "" where none has. An
   * adapter may leave it out; nothing of a record is in it.
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
   * maker's own texts a byte of the display's character set (128..255). A control character is never among them.
   * Called only when a cell changed. The range is the caller's and only good until return.
   */
  show(cells: Bytes, from: number): Promised;
}

/** Random bytes. */
export interface Entropy {
  /**
   * Fills `into[from..to)` from a cryptographically secure source.
   * @returns false where none is available (the bytes are then not to be used)
   */
  fill(into: Bytes, from: number, to: number): boolean;
}

/** What a driver needs of a device. */
export interface Platform {
  /** The network. */
  readonly http: Http;
  /** Time. */
  readonly timers: Timers;
  /** Two slots for records. */
  readonly storage: Storage;
  /** What the user sees. */
  readonly display: Display;
  /** Chance. */
  readonly entropy: Entropy;
}
