// The endpoints of event streams. Device spec §6 does not define configuration, status and verification. They work as
// in real services that share account events (RISC). Polls (RFC 8936) get their response at once, even without events.

import * as z from "zod";
import { isLoopbackHost } from "../../../platform/servers/address.ts";
import { accessTokenOf, unauthenticated } from "../bearer.ts";
import { baseUrlOf, issuerOf, type ServiceContext } from "../context.ts";
import { ApiError, invalidParameter, jsonOf } from "../errors.ts";
import { PATHS } from "../metadata.ts";
import { describeIssue } from "../options.ts";
import { json, type ProtocolRequest, type ProtocolResponse } from "../wire.ts";
import { emitVerification, schedulePushOfQueue } from "./delivery.ts";
import {
  POLL_METHODS,
  PUSH_METHODS,
  type Stream,
  type StreamConfiguration,
  SUPPORTED_EVENTS,
  signedSet,
} from "./streams.ts";

const updateSchema = z.object({
  delivery: z.object({
    delivery_method: z.enum([...PUSH_METHODS, ...POLL_METHODS]),
    url: z.string().optional(),
  }),
  events_requested: z.array(z.string()).default([...SUPPORTED_EVENTS]),
});
const statusSchema = z.object({ status: z.enum(["enabled", "disabled"]) });
const verifySchema = z.object({ state: z.string().max(1000).optional() });

const REALM = "events";
const CHALLENGE = `Bearer realm="${REALM}"`;

/** The stream of the receiver that sends the request. @throws ApiError if its bearer token is missing or unknown */
function receiverStream(context: ServiceContext, request: ProtocolRequest): Stream {
  const token = accessTokenOf(request, "Bearer", REALM);
  const stream = context.streams.findByToken(token ?? "");
  if (stream) return stream;
  // A challenge for a request without a token has no error code (RFC 6750 §3.1).
  if (token === undefined)
    throw unauthenticated("A receiver's token is needed.", "required", CHALLENGE);
  throw unauthenticated("Unknown receiver.", "authError", `${CHALLENGE}, error="invalid_token"`);
}

/** An empty body counts as an empty object. */
function readBody<T extends z.ZodType>(request: ProtocolRequest, schema: T): z.output<T> {
  const value = request.body.length > 0 ? jsonOf(request) : {};
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = describeIssue(result.error, schema);
  throw invalidParameter(String(result.error.issues[0]!.path[0] ?? "body"), issue);
}

export function updateStream(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const stream = receiverStream(context, request);
  const { delivery, events_requested } = readBody(request, updateSchema);
  const kind = PUSH_METHODS.includes(delivery.delivery_method) ? "push" : "poll";
  if (kind === "push") checkPushUrl(delivery.url);
  const unknown = events_requested.find((type) => !SUPPORTED_EVENTS.includes(type));
  if (unknown !== undefined)
    throw invalidParameter("events_requested", `Unknown event type: ${unknown.slice(0, 200)}`);
  stream.configuration = {
    method: delivery.delivery_method,
    kind,
    url: kind === "push" ? delivery.url : undefined,
    eventsRequested: events_requested,
  };
  schedulePushOfQueue(context, stream);
  return json(200, {});
}

function checkPushUrl(url: string | undefined): void {
  const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : undefined;
  // Events about users must be encrypted in transit, except to this machine.
  const fits =
    parsed?.protocol === "https:" ||
    (parsed?.protocol === "http:" && isLoopbackHost(parsed.hostname));
  if (!parsed || !fits || parsed.username !== "" || parsed.password !== "")
    throw invalidParameter(
      "delivery.url",
      "delivery.url must be an https address (http only to this machine: 127.0.0.1, ::1, localhost).",
    );
}

export function getStream(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const stream = receiverStream(context, request);
  const configuration = configurationOf(stream);
  const base = baseUrlOf(context);
  return json(200, {
    iss: issuerOf(context),
    aud: stream.receiver.clients,
    delivery: {
      delivery_method: configuration.method,
      url: configuration.url ?? base + PATHS.streamPoll,
    },
    events_supported: SUPPORTED_EVENTS,
    events_requested: configuration.eventsRequested,
    events_delivered: configuration.eventsRequested,
  });
}

function configurationOf(stream: Stream): StreamConfiguration {
  const { configuration } = stream;
  if (!configuration)
    throw new ApiError("NOT_FOUND", "notFound", "The stream is not configured yet.");
  return configuration;
}

export function getStatus(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  return json(200, { status: receiverStream(context, request).status });
}

/** A disabled stream neither queues nor delivers events. */
export function updateStatus(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const stream = receiverStream(context, request);
  stream.status = readBody(request, statusSchema).status;
  if (stream.status === "enabled") schedulePushOfQueue(context, stream);
  return json(200, { status: stream.status });
}

/** Queues a verification event with the receiver's state. */
export function verifyStream(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const stream = receiverStream(context, request);
  const { state } = readBody(request, verifySchema);
  configurationOf(stream);
  if (stream.status === "disabled")
    throw new ApiError("FAILED_PRECONDITION", "failedPrecondition", "The stream is disabled.");
  emitVerification(context, stream, state);
  return json(200, {});
}

const EVENTS_MAX = 100;

const pollSchema = z.object({
  maxEvents: z.int().min(0).optional(),
  returnImmediately: z.boolean().optional(),
  ack: z.array(z.string()).optional(),
  setErrs: z
    .record(z.string(), z.object({ err: z.string(), description: z.string().optional() }))
    .optional(),
});

export function pollEvents(context: ServiceContext, request: ProtocolRequest): ProtocolResponse {
  const stream = receiverStream(context, request);
  if (stream.configuration?.kind !== "poll")
    throw invalidParameter("delivery", "The stream is not configured for polling.");
  const { maxEvents = EVENTS_MAX, ack = [], setErrs = {} } = readBody(request, pollSchema);
  // The receiver has rejected the events in `setErrs`, and would reject them again.
  for (const jti of [...ack, ...Object.keys(setErrs)]) stream.queue.delete(jti);
  const waiting = stream.status === "enabled" ? [...stream.queue.values()] : [];
  const sets = waiting.slice(0, Math.min(maxEvents, EVENTS_MAX));
  return json(200, {
    sets: Object.fromEntries(sets.map((event) => [event.jti, signedSet(context.signer, event)])),
    ...(sets.length < waiting.length && { moreAvailable: true }),
  });
}
