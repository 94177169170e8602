// What comes up of an exchange, told to the core under the request's id.

import type * as complete from "../../core/complete.ts";
import { Endpoint } from "../../core/index.ts";
import type { Bytes, TransportFailure } from "../contracts.ts";
import type { Above } from "../exchange/filter.ts";
import { bytesOf } from "../text/text.ts";
import type { Core } from "./options.ts";

/** Who asks: the driver. */
export interface RequestContext {
  readonly core: Core;
  readonly device: complete.Device;
  /** The challenge that an answer to a call came with last (WWW-Authenticate): it counts where the core says so. */
  challenge: string;
  /** Tells the core, before anything else runs. */
  report(event: () => void): void;
  /** Hands a piece of an API's answer to the program. */
  handOn(bytes: Bytes, from: number, to: number): void;
}

/** Serves one exchange after the other, since a poll must not make an object. */
export class Responses implements Above {
  readonly #requesting: RequestContext;
  #isOpen = false;
  #id = 0;
  /** Before the core hears of an end the next request may go out, and be served here already. */
  #endedId = 0;
  #streams = false;
  readonly #ended = (): void => {
    this.#requesting.core.responseEnd(this.#requesting.device, this.#endedId);
  };
  readonly #failed = (): void => {
    this.#requesting.core.responseFailed(this.#requesting.device, this.#endedId);
  };
  /** There will be no answer. */
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

  /** The core decides by it what a 401 means; the program may read it. */
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
