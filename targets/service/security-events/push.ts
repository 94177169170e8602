// Push delivery (RFC 8935): each waiting event is posted until the receiver takes it (202), refuses
// it (400), or the retries are used up. An event has one chain of tries, whatever happens to its stream.
import type { ServiceContext } from "../context.ts";
import { type QueuedEvent, type Stream, signedSet } from "./streams.ts";

// Waits before the second and later tries, in seconds; after the last one the event is given up.
const RETRY_SECONDS = [10, 60, 300, 1800, 7200];

/** Plans the first push of a queued event if the stream is one that pushes. */
export function schedulePush(context: ServiceContext, stream: Stream, event: QueuedEvent): void {
  beginChain(context, stream, event);
}

/** Plans a push of everything that waits, as after a change of the configuration or the status. */
export function schedulePushOfQueue(context: ServiceContext, stream: Stream): void {
  for (const event of stream.queue.values()) {
    // Posted at this moment: were it posted again at once, the receiver would get it twice.
    if (event.isUnderWay) event.startsOver = true;
    else beginChain(context, stream, event);
  }
}

/** Begins the tries of an event anew; what an earlier chain had planned finds that it is out of date. */
function beginChain(context: ServiceContext, stream: Stream, event: QueuedEvent): void {
  event.chain++;
  event.failures = 0;
  event.startsOver = false;
  schedule(context, stream, event, 0);
}

function schedule(
  context: ServiceContext,
  stream: Stream,
  event: QueuedEvent,
  delaySeconds: number,
): void {
  if (stream.configuration?.kind !== "push" || !context.env.push) return;
  const { chain } = event;
  context.tasks.after(delaySeconds * 1000, async () => {
    if (event.chain === chain) await deliver(context, stream, event);
  });
}

async function deliver(context: ServiceContext, stream: Stream, event: QueuedEvent): Promise<void> {
  const { configuration } = stream;
  const { env, observers } = context;
  // Meanwhile acknowledged, given up, disabled, or moved to polling.
  if (!stream.queue.has(event.jti) || !env.push || stream.status !== "enabled") return;
  if (configuration?.kind !== "push" || configuration.url === undefined) return;
  const headers = { "content-type": "application/secevent+jwt", accept: "application/json" };
  event.isUnderWay = true;
  const status = await env
    .push({ url: configuration.url, headers, body: signedSet(context.signer, event) })
    .then(
      (answer) => answer.status,
      () => 0,
    );
  event.isUnderWay = false;
  const { jti } = event;
  const receiverId = stream.receiver.id;
  if (observers.any) observers.tell({ type: "push", atMs: env.now(), receiverId, jti, status });
  // 202 is the standard's answer, 200 that of many receivers; 400 is final (RFC 8935 §2.3).
  if (status === 202 || status === 200 || status === 400) stream.queue.delete(jti);
  else if (event.startsOver) beginChain(context, stream, event);
  else {
    const wait = RETRY_SECONDS[event.failures++];
    if (wait === undefined) stream.queue.delete(jti);
    else schedule(context, stream, event, wait);
  }
}
