// Reports the events of an exchange to the core under the request's id.

import type * as complete from "../../core/complete.ts";
import { Endpoint } from "../../core/index.ts";
import type { Bytes, TransportFailure } from "../contracts.ts";
import type { Above } from "../exchange/filter.ts";
import { bytesOf } from "../text/text.ts";
import type { Core } from "./options.ts";

/** The driver, as a request sees it. */
export interface RequestContext {
  readonly core: Core;
  readonly device: complete.Device;
  /** The challenge of the last API response (WWW-Authenticate). The core decides whether it applies. */
  challenge: string;
  /** Reports to the core before anything else runs. */
  report(event: () => void): void;
  /** Passes part of an API's response body to the program. */
  handOn(bytes: Bytes, from: number, to: number): void;
}

/** One object serves all exchanges in turn, because a poll must not allocate. */
export class Responses implements Above {
  readonly #requesting: RequestContext;
  #isOpen = false;
  #id = 0;
  /** The next request may already use this object before the core has received the end of the last one. */
  #endedId = 0;
  #streams = false;
  readonly #ended = (): void => {
    this.#requesting.core.responseEnd(this.#requesting.device, this.#endedId);
  };
  readonly #failed = (): void => {
    this.#requesting.core.responseFailed(this.#requesting.device, this.#endedId);
  };
  /** No response will come. */
  readonly giveUp = (): void => this.#close(this.#failed);

  constructor(requesting: RequestContext) {
    this.#requesting = requesting;
  }

  begin(id: number): void {
    this.#id = id;
    this.#isOpen = true;
    this.#streams = false;
  }

  status(status: number, retryAfterSeconds: number, authenticate = ""): void {
    const { core, device } = this.#requesting;
    if (authenticate !== "" && device.endpoint >= Endpoint.RESOURCE) this.#challenge(authenticate);
    this.#streams = core.responseStart(device, this.#id, status, retryAfterSeconds) === 1;
  }

  body(bytes: Bytes, from: number, to: number): void {
    const { core, device } = this.#requesting;
    core.responseBody(device, this.#id, bytes, from, to);
    if (this.#streams) this.#requesting.handOn(bytes, from, to);
  }

  end(): void {
    this.#close(this.#ended);
  }

  failed(_failure: TransportFailure): void {
    this.giveUp();
  }

  /** The core uses it to interpret a 401; the program may read it. */
  #challenge(authenticate: string): void {
    const { core, device } = this.#requesting;
    const value = bytesOf(authenticate);
    core.responseChallenge?.(device, this.#id, value, 0, value.length);
    this.#requesting.challenge = authenticate;
  }

  #close(event: () => void): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#endedId = this.#id;
    this.#requesting.report(event);
  }
}
