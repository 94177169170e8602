// Poll delivery (RFC 8936): the receiver fetches what waits and acknowledges what it has. What is not
// acknowledged comes again. Answers are always immediate: the logic cannot wait.
import * as z from "zod";
import type { ServiceContext } from "../context.ts";
import { invalidParameter } from "../errors.ts";
import { json, type ProtocolRequest, type ProtocolResponse } from "../wire.ts";
import { readBody, receiverStream } from "./stream-endpoints.ts";
import { signedSet } from "./streams.ts";

const EVENTS_MAX = 100;

const pollSchema = z.object({
  maxEvents: z.int().min(0).optional(),
  returnImmediately: z.boolean().optional(),
  ack: z.array(z.string()).optional(),
  setErrs: z
    .record(z.string(), z.object({ err: z.string(), description: z.string().optional() }))
    .optional(),
});

/** Answers POST of the poll address (RFC 8936 §2). */
export function pollEvents(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const stream = receiverStream(context, request);
  if (stream.configuration?.kind !== "poll")
    throw invalidParameter("delivery", "The stream is not configured for polling.");
  const { maxEvents = EVENTS_MAX, ack = [], setErrs = {} } = readBody(request, pollSchema);
  // An event the receiver could not read (§2.4) will not become readable by coming again.
  for (const jti of [...ack, ...Object.keys(setErrs)]) stream.queue.delete(jti);
  const waiting = stream.status === "enabled" ? [...stream.queue.values()] : [];
  const sets = waiting.slice(0, Math.min(maxEvents, EVENTS_MAX));
  return json(200, {
    sets: Object.fromEntries(sets.map((event) => [event.jti, signedSet(context.signer, event)])),
    ...(sets.length < waiting.length && { moreAvailable: true }),
  });
}
