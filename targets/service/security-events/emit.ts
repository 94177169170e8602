// Making events (device doc §6): who hears of what happened to an account, and with which subject.
import { createHash } from "node:crypto";
import { baseUrlOf, type ServiceContext } from "../context.ts";
import type { Grant } from "../grants.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { schedulePush } from "./push.ts";
import { newEvent, type Stream, wants } from "./streams.ts";

/** An event about a whole account, for every receiver with a client that the account has used. */
export function emitAccountEvent(
  context: ServiceContext,
  eventType: string,
  accountId: string,
  details: Readonly<Record<string, string>> = {},
): void {
  const subject = { subject_type: "iss-sub", iss: baseUrlOf(context), sub: accountId };
  const used = context.grants.clientsEverOf(accountId);
  for (const stream of context.streams.all())
    if (stream.receiver.clients.some((clientId) => used.has(clientId)))
      if (wants(stream, eventType)) emit(context, stream, eventType, { subject, ...details });
}

/** token-revoked for one grant, for the receivers of its client. */
export function emitTokenRevoked(context: ServiceContext, grant: Grant): void {
  const subject = tokenSubject(context, grant.refreshToken);
  for (const stream of context.streams.all())
    if (stream.receiver.clients.includes(grant.clientId))
      if (wants(stream, EVENT_TYPES.tokenRevoked))
        emit(context, stream, EVENT_TYPES.tokenRevoked, { subject });
}

/** The answer to stream:verify: comes whatever events were requested. */
export function emitVerification(
  context: ServiceContext,
  stream: Stream,
  state: string | undefined,
): void {
  emit(context, stream, EVENT_TYPES.verification, state === undefined ? {} : { state });
}

// Never the token itself: a receiver that has it finds it by its hash or its first characters.
function tokenSubject(context: ServiceContext, token: string): object {
  const common = { subject_type: "oauth_token", token_type: "refresh_token" };
  if (context.options.tokenIdentifier === "prefix")
    return { ...common, token_identifier_alg: "prefix", token: token.slice(0, 16) };
  const once = createHash("sha512").update(token).digest();
  const twice = createHash("sha512").update(once).digest("base64");
  return { ...common, token_identifier_alg: "hash_base64_sha512_sha512", token: twice };
}

function emit(context: ServiceContext, stream: Stream, eventType: string, payload: object): void {
  const { env, observers } = context;
  const jti = Buffer.from(env.random(16)).toString("base64url");
  const claims = {
    iss: baseUrlOf(context),
    aud: stream.receiver.clients,
    iat: Math.floor(env.now() / 1000),
    jti,
    events: { [eventType]: payload },
  };
  const event = newEvent(jti, claims);
  context.streams.enqueue(stream, event, context.options.waitingEventsMax);
  const receiverId = stream.receiver.id;
  if (observers.any)
    observers.tell({ type: "security-event", atMs: env.now(), receiverId, eventType, jti });
  schedulePush(context, stream, event);
}
