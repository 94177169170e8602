// The event streams: event types and delivery methods (device spec §6; RISC, RFC 8935, RFC 8936), the configuration of
// each receiver, and its queued events. delivery.ts delivers them.

import type { Receiver } from "../fixture.ts";
import type { SetClaims, SetSigner } from "./delivery.ts";

const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
const OAUTH = "https://schemas.openid.net/secevent/oauth/event-type/";

export const EVENT_TYPES = {
  // The three event types of device spec §6.
  sessionsRevoked: `${RISC}sessions-revoked`,
  tokenRevoked: `${OAUTH}token-revoked`,
  accountDisabled: `${RISC}account-disabled`,
  // Further events of real services.
  tokensRevoked: `${OAUTH}tokens-revoked`,
  accountEnabled: `${RISC}account-enabled`,
  credentialChangeRequired: `${RISC}account-credential-change-required`,
  verification: `${RISC}verification`,
} as const;

/** The event types that a stream can request. A verification event is only sent after stream:verify. */
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
  /** The number of failed posts in the current chain of retries. */
  failures: number;
  /** Whether a post is in flight. `startsOver`: if the post fails, a new chain starts. */
  isUnderWay: boolean;
  startsOver: boolean;
}

export interface Stream {
  readonly receiver: Receiver;
  /** The stream's configuration; undefined before the first stream:update. Until then, no event is queued. */
  configuration: StreamConfiguration | undefined;
  status: "enabled" | "disabled";
  readonly queue: Map<string, QueuedEvent>;
}

export interface StreamConfiguration {
  method: string;
  kind: "push" | "poll";
  /** The address for pushed events; absent for polling. */
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

  /** Queues an event. If there are more than `eventsMax`, drops the oldest, because a receiver may never poll again. */
  enqueue(stream: Stream, event: QueuedEvent, eventsMax: number): void {
    stream.queue.set(event.jti, event);
    const [oldest] = stream.queue.keys();
    if (stream.queue.size > eventsMax) stream.queue.delete(oldest!);
  }
}

/** Whether a stream is enabled and has requested events of this type. */
export function needs(stream: Stream, eventType: string): boolean {
  return (
    stream.status === "enabled" &&
    stream.configuration !== undefined &&
    stream.configuration.eventsRequested.includes(eventType)
  );
}

/** The event's signed token. It is always the same token, so that a receiver recognizes duplicates. */
export function signedSet(signer: SetSigner, event: QueuedEvent): string {
  event.set ??= signer.sign(event.claims);
  return event.set;
}
