// The sink of one HTTP exchange: the request that goes out, and what the adapter reports about it, told to the core.

import type * as complete from "../../core/complete.ts";
import { Endpoint, State } from "../../core/index.ts";
import type { Bytes, Header, HttpRequest, HttpSink, TransportFailure } from "../contracts.ts";
import { type StepUp, stepUpIn } from "../step-up.ts";
import type { CodeChallenges } from "./code-challenges.ts";
import { NO_HEADERS } from "./headers.ts";
import type { Core, DriverOptions } from "./options.ts";

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

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

/** Whose sink it is: the driver. */
export interface SinkOwner {
  readonly core: Core;
  readonly device: complete.Device;
  readonly memory: Uint8Array;
  readonly challenges: CodeChallenges;
  /** What the API that answers wants of a sign-in. */
  stepUp: StepUp | undefined;
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
    const { challenges, core, device } = this.#owner;
    const { moves } = device;
    core.responseEnd(device, this.#endedId);
    const isRefused = device.moves !== moves && device.state === State.FAILED;
    // A server that wants a code challenge has said so: it is asked once more, with one.
    if (challenges.isDemanded() && isRefused) core.signIn(device);
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
    if (this.#owner.device.endpoint >= Endpoint.RESOURCE) this.#owner.stepUp = undefined;
  }

  status(status: number, retryAfterSeconds: number, authenticate = ""): void {
    if (!this.isOpen) return;
    const { challenges, core, device } = this.#owner;
    const { endpoint } = device;
    challenges.begin(endpoint === Endpoint.DEVICE_AUTHORIZATION, status);
    const isRefused = status === UNAUTHORIZED && endpoint >= Endpoint.RESOURCE;
    const stepUp = isRefused ? stepUpIn(authenticate) : undefined;
    if (stepUp !== undefined) this.#owner.stepUp = stepUp;
    // The core takes a 401 for a dead token and refreshes it. Where another sign-in is wanted no token helps.
    const told = stepUp === undefined ? status : FORBIDDEN;
    this.#streams = core.responseStart(device, this.#id, told, retryAfterSeconds) === 1;
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (!this.isOpen) return;
    const { challenges, core, device } = this.#owner;
    challenges.hear(bytes, from, to);
    const streams = this.#streams && device.requestId === this.#id;
    core.responseBody(device, this.#id, bytes, from, to);
    if (streams) this.#handOn(bytes, from, to);
  }

  /** Apart from `body`, which is called for polls: a function that makes another costs memory even where it does not. */
  #handOn(bytes: Bytes, from: number, to: number): void {
    this.#guard(() => this.#onApiBody?.(bytes, from, to));
  }

  end(): void {
    this.#close(this.#ended);
  }

  failed(_failure: TransportFailure): void {
    this.giveUp();
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

/** Without an address there is nothing to ask: not reachable, but for a server that revokes nothing. */
export function unaddressed(endpoint: Endpoint, sink: HttpSink): void {
  if (endpoint !== Endpoint.REVOCATION) {
    sink.failed("unreachable");
    return;
  }
  sink.status(200, -1);
  sink.end();
}
