// Push delivery (RFC 8935): each waiting event is posted until the receiver takes it (202), refuses
// it (400), or the retries are used up.
import type { ServiceContext } from "../context.ts";
import { type Stream, signedSet } from "./streams.ts";

// Waits before the second and later tries, in seconds; after the last one the event is given up.
const RETRY_SECONDS = [10, 60, 300, 1800, 7200];

/** Plans a push of one queued event if the stream is one that pushes. */
export function schedulePush(
  context: ServiceContext,
  stream: Stream,
  jti: string,
  delaySeconds: number,
): void {
  if (stream.configuration?.kind !== "push" || !context.env.push) return;
  context.tasks.after(delaySeconds * 1000, () => deliver(context, stream, jti));
}

/** Plans a push of everything that waits, as after a change of the configuration. */
export function schedulePushOfQueue(context: ServiceContext, stream: Stream): void {
  for (const event of stream.queue.values()) {
    event.pushes = 0;
    schedulePush(context, stream, event.jti, 0);
  }
}

async function deliver(context: ServiceContext, stream: Stream, jti: string): Promise<void> {
  const event = stream.queue.get(jti);
  const { configuration } = stream;
  const { env, observers } = context;
  // Meanwhile acknowledged, given up, disabled, or moved to polling.
  if (!event || !env.push || stream.status !== "enabled") return;
  if (configuration?.kind !== "push" || configuration.url === undefined) return;
  event.pushes++;
  const headers = { "content-type": "application/secevent+jwt", accept: "application/json" };
  const status = await env
    .push({ url: configuration.url, headers, body: signedSet(context.signer, event) })
    .then(
      (answer) => answer.status,
      () => 0,
    );
  const receiverId = stream.receiver.id;
  if (observers.any) observers.tell({ type: "push", atMs: env.now(), receiverId, jti, status });
  // 202 is the standard's answer, 200 that of many receivers; 400 is final (RFC 8935 §2.3).
  const wait = RETRY_SECONDS[event.pushes - 1];
  if (status === 202 || status === 200 || status === 400 || wait === undefined)
    stream.queue.delete(jti);
  else schedulePush(context, stream, jti, wait);
}
