// Creates security events (device spec §6), signs their tokens (RFC 8417) with Ed25519 (RFC 8037), and pushes them (RFC
// 8935). A push stream posts each event until the receiver accepts or rejects it, or until the retries are used up.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { issuerOf, type ServiceContext } from "../context.ts";
import type { Environment } from "../environment.ts";
import type { Grant } from "../grants.ts";
import { signedJwt, thumbprint } from "../signed-jwt.ts";
import { EVENT_TYPES, needs, type QueuedEvent, type Stream, signedSet } from "./streams.ts";

/** Queues an event for each enabled stream with this type if the account ever gave access to a client of the stream. */
export function emitAccountEvent(
  context: ServiceContext,
  eventType: string,
  accountId: string,
  details: Readonly<Record<string, string>> = {},
): void {
  const subject = { subject_type: "iss-sub", iss: issuerOf(context), sub: accountId };
  const used = context.grants.clientsEverOf(accountId);
  for (const stream of context.streams.all())
    if (stream.receiver.clients.some((clientId) => used.has(clientId)))
      if (needs(stream, eventType)) emit(context, stream, eventType, { subject, ...details });
}

/** Queues token-revoked for the enabled streams that requested this type and whose receiver has the grant's client. */
export function emitTokenRevoked(context: ServiceContext, grant: Grant): void {
  const subject = tokenSubject(context, grant.refreshToken);
  for (const stream of context.streams.all())
    if (stream.receiver.clients.includes(grant.clientId))
      if (needs(stream, EVENT_TYPES.tokenRevoked))
        emit(context, stream, EVENT_TYPES.tokenRevoked, { subject });
}

/** Queues a verification event, even if the stream has not requested this type. */
export function emitVerification(
  context: ServiceContext,
  stream: Stream,
  state: string | undefined,
): void {
  emit(context, stream, EVENT_TYPES.verification, state === undefined ? {} : { state });
}

// The event must not disclose the token, so it has a hash of the token or its first characters.
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
    iss: issuerOf(context),
    aud: stream.receiver.clients,
    iat: Math.floor(env.now() / 1000),
    jti,
    events: { [eventType]: payload },
  };
  const unsent = { set: undefined, chain: 0, failures: 0, isUnderWay: false, startsOver: false };
  const event: QueuedEvent = { jti, claims, ...unsent };
  context.streams.enqueue(stream, event, context.options.waitingEventsMax);
  const receiverId = stream.receiver.id;
  if (observers.any)
    observers.report({ type: "security-event", atMs: env.now(), receiverId, eventType, jti });
  beginChain(context, stream, event);
}

// Waits before the retries, in seconds. After the last retry, the event is dropped.
const RETRY_SECONDS = [10, 60, 300, 1800, 7200];

/** Pushes all queued events. Call this after the configuration or the status of the stream has changed. */
export function schedulePushOfQueue(context: ServiceContext, stream: Stream): void {
  for (const event of stream.queue.values()) {
    // While a post is in flight, a second one could deliver the event twice.
    if (event.isUnderWay) event.startsOver = true;
    else beginChain(context, stream, event);
  }
}

/** Schedules a post and its retries. Planned retries of an earlier chain have no effect. */
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
  // Since the push was scheduled, the event may have left the queue, or the stream may no longer push.
  if (!stream.queue.has(event.jti) || !env.push || stream.status !== "enabled") return;
  if (configuration?.kind !== "push" || configuration.url === undefined) return;
  const headers = { "content-type": "application/secevent+jwt", accept: "application/json" };
  event.isUnderWay = true;
  const status = await env
    .push({ url: configuration.url, headers, body: signedSet(context.signer, event) })
    .then(
      (response) => response.status,
      () => 0,
    );
  event.isUnderWay = false;
  const { jti } = event;
  const receiverId = stream.receiver.id;
  if (observers.any) observers.report({ type: "push", atMs: env.now(), receiverId, jti, status });
  // RFC 8935 requires 202, but many receivers accept with 200. With 400, the receiver rejects the event itself (§2.3).
  if (status === 202 || status === 200 || status === 400) stream.queue.delete(jti);
  else if (event.startsOver) beginChain(context, stream, event);
  else {
    const wait = RETRY_SECONDS[event.failures++];
    if (wait === undefined) stream.queue.delete(jti);
    else schedule(context, stream, event, wait);
  }
}

export interface SetClaims {
  iss: string;
  aud: readonly string[];
  /** Seconds since 1970. */
  iat: number;
  jti: string;
  events: Readonly<Record<string, object>>;
}

/** The bytes of PKCS #8 that precede the 32 bytes of an Ed25519 private key (RFC 8410 §7). */
const PRIVATE_KEY_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

interface Keys {
  readonly privateKey: KeyObject;
  readonly publicJwk: object;
  /** The JWK thumbprint (RFC 7638). */
  readonly id: string;
}

export class SetSigner {
  readonly #env: Environment;
  #made: Keys | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Returns the compact serialization, with typ secevent+jwt (RFC 8417 §2.3) and without exp (§2.2). */
  sign(claims: SetClaims): string {
    const { id, privateKey } = this.#keys;
    const header = { alg: "EdDSA", typ: "secevent+jwt", kid: id };
    return signedJwt(header, claims, (bytes) => sign(null, bytes, privateKey));
  }

  publicKeys(): readonly object[] {
    const { id, publicJwk } = this.#keys;
    return [{ ...publicJwk, kid: id, use: "sig", alg: "EdDSA" }];
  }

  // Create the keys on demand, because most simulated services send no security events.
  get #keys(): Keys {
    this.#made ??= keysOf(this.#env.random(32));
    return this.#made;
  }
}

function keysOf(seed: Uint8Array): Keys {
  const key = Buffer.concat([PRIVATE_KEY_HEAD, seed]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicJwk = { crv: "Ed25519", kty: "OKP", x };
  return { privateKey, publicJwk, id: thumbprint(publicJwk) };
}
