// The event streams: what each receiver has configured, and the events that wait for it until they
// are acknowledged. Delivery lives in push.ts and poll.ts.
import type { Receiver } from "../fixture.ts";

export interface QueuedEvent {
  readonly jti: string;
  readonly eventType: string;
  /** The signed token. */
  readonly set: string;
  pushes: number;
}

export interface Stream {
  readonly receiver: Receiver;
  /** Undefined until the first stream:update; nothing is queued before. */
  configuration: StreamConfiguration | undefined;
  status: "enabled" | "disabled";
  readonly queue: Map<string, QueuedEvent>;
}

export interface StreamConfiguration {
  method: string;
  kind: "push" | "poll";
  /** Where to push; absent for polling. */
  url: string | undefined;
  eventsRequested: readonly string[];
}

// A receiver that never fetches must not fill the memory: the oldest events are lost first.
const QUEUE_MAX = 1000;

export class Streams {
  private readonly byReceiver: ReadonlyMap<string, Stream>;
  private readonly byToken: ReadonlyMap<string, Stream>;

  constructor(receivers: readonly Receiver[]) {
    const streams = receivers.map((receiver): Stream => {
      return { receiver, configuration: undefined, status: "enabled", queue: new Map() };
    });
    this.byReceiver = new Map(streams.map((stream) => [stream.receiver.id, stream]));
    this.byToken = new Map(streams.map((stream) => [stream.receiver.token, stream]));
  }

  all(): Iterable<Stream> {
    return this.byReceiver.values();
  }

  findByToken(token: string): Stream | undefined {
    return this.byToken.get(token);
  }

  /** Queues an event and makes room for it if need be. */
  enqueue(stream: Stream, event: QueuedEvent): void {
    stream.queue.set(event.jti, event);
    if (stream.queue.size <= QUEUE_MAX) return;
    for (const oldest of stream.queue.keys()) {
      stream.queue.delete(oldest);
      break;
    }
  }
}

/** Whether a stream wants events of this type now. */
export function wants(stream: Stream, eventType: string): boolean {
  return (
    stream.status === "enabled" &&
    stream.configuration !== undefined &&
    stream.configuration.eventsRequested.includes(eventType)
  );
}
