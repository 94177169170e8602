// What adapters report, told to the core: of one HTTP exchange, with the request that goes out, and of one operation of
// storage.

import type * as complete from "../../core/complete.ts";
import { Endpoint } from "../../core/index.ts";
import type { Bytes, HttpSink, TransportFailure } from "../contracts.ts";
import { bytesOf } from "../text/text.ts";
import { NO_HEADERS } from "./headers.ts";
import type { Core, DriverOptions } from "./options.ts";
import type { ReusedRequest } from "./requests.ts";

/** Whose sink it is: the driver. */
export interface SinkOwner {
  readonly core: Core;
  readonly device: complete.Device;
  readonly memory: Uint8Array;
  /** The challenge that the answer to the last call came with (WWW-Authenticate), "" for none. */
  challenge: string;
  /** Sinks of polls serve again. Not once the adapter has reported an exchange that was over. */
  reusesSinks: boolean;
  /** Tells the core, before anything else runs. */
  report(event: () => void): void;
}

/**
 * One exchange: its request, and the sink that passes on what the adapter reports under the request's id.
 * It serves again and again, since a poll must not make an object.
 */
export class AnswerSink implements HttpSink {
  readonly request: ReusedRequest;
  /** From `begin` until the adapter has reported the end, as it must unless the exchange is aborted. */
  isOpen = false;
  readonly #owner: SinkOwner;
  readonly #onApiBody: DriverOptions["onApiBody"];
  readonly #guard: (call: () => unknown) => void;
  #id = 0;
  /** Where this one was aborted the next request may go out before the core hears, and be served here already. */
  #endedId = 0;
  #streams = false;
  readonly #ended = (): void => {
    this.#owner.core.responseEnd(this.#owner.device, this.#endedId);
  };
  readonly #failed = (): void => {
    this.#owner.core.responseFailed(this.#owner.device, this.#endedId);
  };
  /** The adapter threw when it was asked to send. */
  readonly giveUp = (): void => this.#close(this.#failed);

  /** @param guard calls what is not ours, and keeps what it throws */
  constructor(
    owner: SinkOwner,
    onApiBody: DriverOptions["onApiBody"],
    guard: (call: () => unknown) => void,
  ) {
    this.#owner = owner;
    this.#onApiBody = onApiBody;
    this.#guard = guard;
    this.request = {
      method: "POST",
      url: "",
      contentType: "",
      authorization: "",
      headers: NO_HEADERS,
      body: owner.memory,
      bodyFrom: 0,
      bodyTo: 0,
    };
  }

  begin(id: number): void {
    this.#id = id;
    this.isOpen = true;
    this.#streams = false;
    if (this.#owner.device.endpoint >= Endpoint.RESOURCE) this.#owner.challenge = "";
  }

  status(status: number, retryAfterSeconds: number, authenticate = ""): void {
    if (!this.#counts()) return;
    const { core, device } = this.#owner;
    if (authenticate !== "" && device.endpoint >= Endpoint.RESOURCE) this.#challenge(authenticate);
    this.#streams = core.responseStart(device, this.#id, status, retryAfterSeconds) === 1;
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (!this.#counts()) return;
    const { core, device } = this.#owner;
    core.responseBody(device, this.#id, bytes, from, to);
    if (this.#streams) this.#handOn(bytes, from, to);
  }

  /** The core decides by it what a 401 means; the program may read it. */
  #challenge(authenticate: string): void {
    const { core, device } = this.#owner;
    const value = bytesOf(authenticate);
    core.responseChallenge?.(device, this.#id, value, 0, value.length);
    this.#owner.challenge = authenticate;
  }

  /** Apart from `body`, which is called for polls: a function that makes another costs memory even where it does not. */
  #handOn(bytes: Bytes, from: number, to: number): void {
    this.#guard(() => this.#onApiBody?.(bytes, from, to));
  }

  end(): void {
    if (this.#counts()) this.#close(this.#ended);
  }

  failed(_failure: TransportFailure): void {
    if (this.#counts()) this.giveUp();
  }

  /** Whether what the adapter reports is of the last exchange, which has not ended. */
  #counts(): boolean {
    const isCurrent = this.isOpen && this.#id === this.#owner.device.requestId;
    if (!isCurrent) this.#owner.reusesSinks = false;
    return isCurrent;
  }

  /** The adapter's promise was rejected: the request that it was about has failed, unless it has ended before. */
  giveUpOn(id: number): void {
    if (this.#id === id) this.giveUp();
  }

  #close(event: () => void): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#endedId = this.#id;
    this.#owner.report(event);
  }
}

/**
 * The callbacks of one operation of storage, which count once. They are made for it: what a broken adapter reports
 * again, however late, is of an operation that is over. Records are rare, and a poll makes none.
 */
export class StorageAnswer {
  readonly #owner: SinkOwner;
  /** What the core is told where the adapter throws. */
  readonly #failure: number;
  #isOpen = true;

  constructor(owner: SinkOwner, failure: number) {
    this.#owner = owner;
    this.#failure = failure;
  }

  /** For a read: bytes of the record, 0 where there is none, -1 where it cannot be read. */
  readonly done = (result: number): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { core, device } = this.#owner;
    this.#owner.report(() => core.storageDone(device, result));
  };
  /** For a write or an erasure. */
  readonly written = (ok: boolean): void => this.done(ok ? 1 : 0);
  /** The adapter has thrown. */
  readonly giveUp = (): void => this.done(this.#failure);
}
