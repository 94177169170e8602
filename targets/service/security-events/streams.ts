// The event streams (device spec §6; RISC): the configuration of each receiver and its queued events.

import type { Receiver } from "../fixture.ts";
import type { SetClaims, SetSigner } from "./delivery.ts";

const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
const OAUTH = "https://schemas.openid.net/secevent/oauth/event-type/";

export const EVENT_TYPES = {
  // From device spec §6.
  sessionsRevoked: `${RISC}sessions-revoked`,
  tokenRevoked: `${OAUTH}token-revoked`,
  accountDisabled: `${RISC}account-disabled`,
  // Types of real services that device spec §6 does not name.
  tokensRevoked: `${OAUTH}tokens-revoked`,
  accountEnabled: `${RISC}account-enabled`,
  credentialChangeRequired: `${RISC}account-credential-change-required`,
  verification: `${RISC}verification`,
} as const;

/** A stream can request these types. A verification event is only sent after stream:verify. */
export const SUPPORTED_EVENTS: readonly string[] = Object.values(EVENT_TYPES).filter(
  (type) => type !== EVENT_TYPES.verification,
);

export const PUSH_METHODS = [
  "https://schemas.openid.net/secevent/risc/delivery-method/push",
  "urn:ietf:rfc:8935",
];
export const POLL_METHODS = [
  "https://schemas.openid.net/secevent/risc/delivery-method/poll",
  "urn:ietf:rfc:8936",
];

export interface QueuedEvent {
  readonly jti: string;
  readonly claims: SetClaims;
  /** The signed token. It is created at the first delivery, because signing takes milliseconds. */
  set: string | undefined;
  /** Number of the current chain of retries. Retries of earlier chains are dropped. */
  chain: number;
  /** Failed posts in the current chain. */
  failures: number;
  /** Whether a post is in flight. If it fails and `startsOver` is true, a new chain starts. */
  isUnderWay: boolean;
  startsOver: boolean;
}

export interface Stream {
  readonly receiver: Receiver;
  /** Undefined before the first stream:update. Until then, no event is queued. */
  configuration: StreamConfiguration | undefined;
  status: "enabled" | "disabled";
  readonly queue: Map<string, QueuedEvent>;
}

export interface StreamConfiguration {
  method: string;
  kind: "push" | "poll";
  url: string | undefined;
  eventsRequested: readonly string[];
}

export class Streams {
  readonly #byReceiver: ReadonlyMap<string, Stream>;
  readonly #byToken: ReadonlyMap<string, Stream>;

  constructor(receivers: readonly Receiver[]) {
    const streams = receivers.map((receiver): Stream => {
      return { receiver, configuration: undefined, status: "enabled", queue: new Map() };
    });
    this.#byReceiver = new Map(streams.map((stream) => [stream.receiver.id, stream]));
    this.#byToken = new Map(streams.map((stream) => [stream.receiver.token, stream]));
  }

  all(): Iterable<Stream> {
    return this.#byReceiver.values();
  }

  findByToken(token: string): Stream | undefined {
    return this.#byToken.get(token);
  }

  /** Adds an event. If there are more than `eventsMax`, drops the oldest, because a receiver may never poll again. */
  enqueue(stream: Stream, event: QueuedEvent, eventsMax: number): void {
    stream.queue.set(event.jti, event);
    const [oldest] = stream.queue.keys();
    if (stream.queue.size > eventsMax) stream.queue.delete(oldest!);
  }
}

export function needs(stream: Stream, eventType: string): boolean {
  return (
    stream.status === "enabled" &&
    stream.configuration !== undefined &&
    stream.configuration.eventsRequested.includes(eventType)
  );
}

/** Each delivery of an event has the same token, so that a receiver recognizes duplicates. */
export function signedSet(signer: SetSigner, event: QueuedEvent): string {
  event.set ??= signer.sign(event.claims);
  return event.set;
}
