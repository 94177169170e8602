// Reports the events of an exchange to the core under the request's id, and explains an unusable response.

import type * as complete from "../../core/complete.ts";
import { type Device, Endpoint, ErrorCode, Field } from "../../core/index.ts";
import type { Bytes, TransportFailure } from "../contracts.ts";
import type { Above } from "../exchange/filter.ts";
import { bytesOf } from "../text/text.ts";
import type { Core } from "./options.ts";

export interface RequestContext {
  readonly core: Core;
  readonly device: complete.Device;
  /** The challenge of the last API response (WWW-Authenticate). The core decides whether it applies. */
  challenge: string;
  readonly isBound: boolean;
  /** Reports an event to the core before any callback runs. */
  report(event: () => void): void;
  /** Passes part of an API's response body to the program. */
  handOn(bytes: Bytes, from: number, to: number): void;
}

/** One object serves all exchanges in turn, because a poll must not allocate. */
export class Responses implements Above {
  readonly #requesting: RequestContext;
  #isOpen = false;
  #id = 0;
  /** The id of the request that ended last. Its end may reach the core only after the next request has begun here. */
  #endedId = 0;
  #streams = false;
  readonly #ended = (): void => {
    this.#requesting.core.responseEnd(this.#requesting.device, this.#endedId);
  };
  readonly #failed = (): void => {
    this.#requesting.core.responseFailed(this.#requesting.device, this.#endedId);
  };
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
    const { device, isBound } = this.#requesting;
    // The tokens are bound to a key, so their type is DPoP. Clear it, because the core accepts only bearer tokens.
    if (isBound) (device.length as number[])[Field.TOKEN_TYPE] = 0;
    this.#close(this.#ended);
  }

  failed(_failure: TransportFailure): void {
    this.giveUp();
  }

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

/** Names the value that did not fit, its length, and the memory that it needs or its limit; "" if all values fit. */
export function missingCapacityOf(device: Device): string {
  const { error, errorField, errorLength, memoryNeeded } = device;
  const isMisfit = error === ErrorCode.VALUE_TOO_LONG && errorField > 0;
  if (memoryNeeded === 0 && !isMisfit) return "";
  const name = isMisfit ? nameOf(errorField) : "";
  const what = name === "" ? "a request or a record" : `${name} of ${errorLength} bytes`;
  const remedy =
    memoryNeeded === 0
      ? `the limit is ${device.capacity[errorField]} bytes`
      : `it needs ${memoryNeeded} bytes of memory`;
  return `${what} does not fit; ${remedy}`;
}

/** Returns the name of the member that is missing or invalid in a response; "" if there is none. */
export function lackingMemberOf({ error, errorField }: Device): string {
  const isUnusable =
    error === ErrorCode.MALFORMED_RESPONSE || error === ErrorCode.UNUSABLE_RESPONSES;
  return isUnusable && errorField > 0 ? nameOf(errorField) : "";
}

export function missingMemberOf(device: Device): string {
  const member = lackingMemberOf(device);
  return member && `there is no ${member} in the response that can be used`;
}

function nameOf(field: number): string {
  return (Field[field] ?? "").toLowerCase().replace("received_", "");
}
