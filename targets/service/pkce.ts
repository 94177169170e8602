// Proof of key for a code (RFC 7636) in the device grant: the challenge comes with the request for a code, the
// verifier with each poll, as Keycloak and others have it.
import { createHash } from "node:crypto";
import type { Attempt } from "./attempts.ts";
import type { ServiceContext } from "./context.ts";
import { oauthError } from "./errors.ts";
import type { Client } from "./fixture.ts";
import type { FormParameters, ProtocolResponse } from "./wire.ts";

export const CHALLENGE_METHODS = ["S256", "plain"] as const;
export type ChallengeMethod = (typeof CHALLENGE_METHODS)[number];

export interface Challenge {
  readonly value: string;
  readonly method: ChallengeMethod;
}

/** RFC 7636 §4.1 and §4.2: the same alphabet and lengths for both; a hash is 43 characters long. */
const UNRESERVED = /^[A-Za-z0-9._~-]{43,128}$/;
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** The challenge of a request for a code, or the refusal (RFC 7636 §4.4.1). Undefined: none, and none needed. */
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
  if (!fits) return refuse("The code_challenge is not one.");
  return { challenge: { value, method: known } };
}

/** RFC 7636 §4.6: what is wrong with the verifier of a poll, if anything. */
export function refuseVerifier(
  attempt: Attempt,
  form: FormParameters,
): ProtocolResponse | undefined {
  const verifier = form.get("code_verifier");
  const { challenge } = attempt;
  if (challenge === undefined) {
    // RFC 9700 §2.1.1: a verifier without a challenge is somebody else's code.
    if (verifier === undefined) return undefined;
    return oauthError("invalid_grant", "There was no code_challenge for this code.");
  }
  if (verifier === undefined)
    return oauthError("invalid_grant", "Missing parameter: code_verifier");
  const hash = createHash("sha256").update(verifier).digest("base64url");
  const sent = challenge.method === "S256" ? hash : verifier;
  if (UNRESERVED.test(verifier) && sent === challenge.value) return undefined;
  return oauthError("invalid_grant", "The code_verifier does not fit the code_challenge.");
}
