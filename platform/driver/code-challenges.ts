// Creates the verifier and challenge of PKCE (RFC 7636). The core decides whether a request needs them.

import type { Bytes, Entropy } from "../contracts.ts";
import { isFilled } from "../exchange/callbacks.ts";
import { sha256 } from "../text/sha256.ts";
import { base64url, bytesOf } from "../text/text.ts";

/** RFC 7636 §4.1 recommends this length. */
const RANDOM_BYTES = 32;

/** Writes a verifier to the start of `into[from..to)` and its challenge to the end. @returns false without random bytes */
export function makeChallenge(
  entropy: Entropy,
  into: Bytes,
  from: number,
  to: number,
  broken?: (error: unknown) => void,
): boolean {
  const random = new Uint8Array(RANDOM_BYTES);
  if (!isFilled(entropy, random, 0, RANDOM_BYTES, broken)) return false;
  const verifier = bytesOf(base64url(random));
  const challenge = bytesOf(base64url(sha256(verifier)));
  for (let at = 0; at < verifier.length; at++) {
    into[from + at] = verifier[at]!;
    into[to - challenge.length + at] = challenge[at]!;
  }
  random.fill(0);
  verifier.fill(0);
  return true;
}
