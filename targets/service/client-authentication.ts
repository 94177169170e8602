// Client authentication: credentials in the form or by HTTP Basic (RFC 6749 §2.3.1), or a signed assertion (RFC 7523).
// PKCE (RFC 7636) works as in Keycloak: the code request has the challenge, and each poll has the verifier.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Attempt } from "./attempts.ts";
import { authenticateByAssertion } from "./client-assertion.ts";
import type { ServiceContext } from "./context.ts";
import { missing, oauthError } from "./errors.ts";
import type { Client } from "./fixture.ts";
import type { FormParameters, ProtocolRequest, ProtocolResponse } from "./wire.ts";

/** One interpretation of the sent credentials (`readBasic`). A member is undefined if it is absent or empty. */
interface Reading {
  id: string | undefined;
  secret: string | undefined;
}

interface Credentials {
  /** The most likely reading first. */
  readings: readonly [Reading, ...Reading[]];
  basic: boolean;
}

/** Reads the credentials from the header if it uses HTTP Basic, and otherwise from the form. */
export function readCredentials(request: ProtocolRequest, form: FormParameters): Credentials {
  const header = request.headers.authorization;
  if (header !== undefined && /^basic(?: |$)/i.test(header)) return readBasic(header);
  const reading = { id: form.get("client_id"), secret: form.get("client_secret") };
  return { readings: [reading], basic: false };
}

/**
 * RFC 6749 §2.3.1 requires a form-encoded identifier and secret, but curl -u and many clients do not encode them. So a
 * "+" or "%" has two possible meanings, and there are two readings. For a malformed header, `id` is undefined.
 */
function readBasic(header: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1] ?? "";
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return { readings: [{ id: undefined, secret: undefined }], basic: true };
  const [id, secret] = [text.slice(0, colon), text.slice(colon + 1)];
  const plain = { id: id || undefined, secret: secret || undefined };
  const decoded = { id: formDecode(id) || undefined, secret: formDecode(secret) || undefined };
  return { readings: [decoded, plain], basic: true };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/**
 * Returns the client, or the error (device spec §7). 400: client_id or the secret is missing, or the request has
 * several or contradictory credentials. 401: every other failure, also a Basic header without an identifier.
 */
export function authenticateClient(
  context: ServiceContext,
  request: ProtocolRequest,
  form: FormParameters,
): { client: Client } | { refusal: ProtocolResponse } {
  const { readings, basic } = readCredentials(request, form);
  if (form.get("client_assertion") ?? form.get("client_assertion_type"))
    return basic || form.get("client_secret") !== undefined
      ? { refusal: oauthError("invalid_request", "The client authenticates in two ways.") }
      : authenticateByAssertion(context, request, form);
  // If the Basic header names no client, the response has a challenge, even if the form has credentials (RFC 6749 §5.2).
  if (readings[0].id === undefined)
    return basic ? refuseClient(basic, "Unauthorized") : { refusal: missing("client_id") };
  const named = agreeing(readings, form);
  if (named.length === 0) return { refusal: twoClients() };
  const client = clientOf(context, named);
  if (!client) return refuseClient(basic, "The OAuth client was not found.");
  if (client.jwks) return refuseClient(basic, "The client has to send a client_assertion.");
  if (client.secret !== undefined) {
    const own = named.filter(({ id }) => id === client.id);
    const secrets = own.flatMap(({ secret }) => secret ?? []);
    if (secrets.length === 0) return { refusal: missing("client_secret") };
    if (!isOneOf(secrets, client.secret)) return refuseClient(basic, "Unauthorized");
  }
  return { client };
}

/** The readings whose identifier equals the form's client_id. Without a client_id, all readings. */
export function agreeing(readings: readonly Reading[], form: FormParameters): readonly Reading[] {
  const inForm = form.get("client_id");
  return readings.filter(({ id }) => inForm === undefined || inForm === id);
}

export function twoClients(): ProtocolResponse {
  return oauthError("invalid_request", "Two different clients are named.");
}

/** The first client that a reading names. Its secret is not checked. */
export function clientOf(
  { directory }: ServiceContext,
  readings: readonly Reading[],
): Client | undefined {
  return readings.flatMap(({ id }) => directory.clients.get(id ?? "") ?? [])[0];
}

/** Only clients for TVs and limited-input devices may use the device grant (device spec §5.4). */
export function refuseWrongType(client: Client): ProtocolResponse | undefined {
  if (client.type === "tv-and-limited-input") return undefined;
  return oauthError("invalid_client", "Invalid client type.");
}

function refuseClient(basic: boolean, description: string): { refusal: ProtocolResponse } {
  const refusal = oauthError("invalid_client", description);
  if (!basic) return { refusal };
  // Only HTTP Basic requires a challenge (RFC 6749 §5.2). In other responses, a client that reads the challenge first
  // would miss the error in the body.
  const headers = { ...refusal.headers, "www-authenticate": 'Basic realm="token"' };
  return { refusal: { ...refusal, headers } };
}

// Compares all values, so that the time does not show which one matches.
function isOneOf(sent: readonly string[], expected: string): boolean {
  return sent.map((secret) => sameSecret(secret, expected)).includes(true);
}

// Compares in constant time; the length is not secret.
function sameSecret(sent: string, expected: string): boolean {
  const sentBytes = Buffer.from(sent);
  const expectedBytes = Buffer.from(expected);
  return sentBytes.length === expectedBytes.length && timingSafeEqual(sentBytes, expectedBytes);
}

export const CHALLENGE_METHODS = ["S256", "plain"] as const;
type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

export interface Challenge {
  readonly value: string;
  readonly method: ChallengeMethod;
}

/** The syntax of challenges and verifiers (RFC 7636 §4.1, §4.2). A SHA-256 hash in base64url has 43 characters. */
const UNRESERVED = /^[A-Za-z0-9._~-]{43,128}$/;
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** The challenge of a code request, or the error (RFC 7636 §4.4.1). Undefined: the request has none and needs none. */
export function readChallenge(
  context: ServiceContext,
  form: FormParameters,
  client: Client,
): { challenge: Challenge | undefined } | { refusal: ProtocolResponse } {
  const value = form.get("code_challenge");
  const method = form.get("code_challenge_method") ?? "plain";
  const refuse = (text: string) => ({ refusal: oauthError("invalid_request", text) });
  if (value === undefined) {
    if (form.get("code_challenge_method") !== undefined)
      return refuse("Missing parameter: code_challenge");
    if (client.pkce !== "required") return { challenge: undefined };
    return refuse("Missing parameter: code_challenge_method");
  }
  const known = context.options.codeChallengeMethods.find((name) => name === method);
  if (known === undefined) return refuse("The code_challenge_method is not supported.");
  const fits = known === "S256" ? HASH.test(value) : UNRESERVED.test(value);
  if (!fits) return refuse("The code_challenge is malformed.");
  return { challenge: { value, method: known } };
}

/** Checks the verifier of a poll (RFC 7636 §4.6). Returns an error if it is wrong, missing, or sent without a challenge. */
export function refuseVerifier(
  attempt: Attempt,
  form: FormParameters,
): ProtocolResponse | undefined {
  const verifier = form.get("code_verifier");
  const { challenge } = attempt;
  if (challenge === undefined) {
    // Without a challenge, the service must reject a verifier (RFC 9700 §2.1.1).
    if (verifier === undefined) return undefined;
    return oauthError("invalid_grant", "There was no code_challenge for this code.");
  }
  if (verifier === undefined)
    return oauthError("invalid_grant", "Missing parameter: code_verifier");
  const hash = createHash("sha256").update(verifier).digest("base64url");
  const sent = challenge.method === "S256" ? hash : verifier;
  if (UNRESERVED.test(verifier) && sent === challenge.value) return undefined;
  return oauthError("invalid_grant", "The code_verifier does not match the code_challenge.");
}
