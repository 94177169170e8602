// The sink of one HTTP exchange: the request that goes out, and what the adapter reports about it, told to the core.

import type * as complete from "../../core/complete.ts";
import type { Bytes, Header, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { NO_HEADERS } from "./headers.ts";
import type { Core, DriverOptions } from "./options.ts";

/** A request that the next exchange overwrites: a poll makes no object. */
export interface ReusedRequest extends HttpRequest {
  method: "GET" | "POST";
  url: string;
  contentType: string;
  authorization: string;
  headers: readonly Header[];
  body: Bytes;
  bodyFrom: number;
  bodyTo: number;
}

/** Whose exchange it is: the driver. */
export interface SinkOwner {
  readonly core: Core;
  readonly device: complete.Device;
  readonly memory: Uint8Array;
  run(): void;
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
  #id = 0;
  #streams = false;

  constructor(owner: SinkOwner, onApiBody: DriverOptions["onApiBody"]) {
    this.#owner = owner;
    this.#onApiBody = onApiBody;
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
  }

  status(status: number, retryAfterSeconds: number): void {
    if (!this.isOpen) return;
    const { core, device } = this.#owner;
    this.#streams = core.responseStart(device, this.#id, status, retryAfterSeconds) === 1;
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (!this.isOpen) return;
    const { core, device } = this.#owner;
    if (this.#streams && device.requestId === this.#id) this.#onApiBody?.(bytes, from, to);
    core.responseBody(device, this.#id, bytes, from, to);
  }

  end(): void {
    if (!this.isOpen) return;
    const owner = this.#owner;
    const id = this.#id;
    this.isOpen = false;
    // Where this one was aborted the next request may go out in here, and this exchange serve it already.
    owner.run();
    owner.core.responseEnd(owner.device, id);
    owner.run();
  }

  failed(_failure: TransportFailure): void {
    if (!this.isOpen) return;
    const owner = this.#owner;
    const id = this.#id;
    this.isOpen = false;
    // Where this one was aborted the next request may go out in here, and this exchange serve it already.
    owner.run();
    owner.core.responseFailed(owner.device, id);
    owner.run();
  }
}
