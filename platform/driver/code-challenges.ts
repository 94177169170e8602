// The host's part of Proof Key for Code Exchange (RFC 7636): a fresh verifier and its challenge. The core decides
// whether a request needs one.

import type { Bytes, Entropy } from "../contracts.ts";
import { isFilled } from "../exchange/callbacks.ts";
import { sha256 } from "../text/sha256.ts";

/** How the challenge is derived from the verifier (RFC 7636 §4.2): only S256 hides it. */
export type Pkce = "S256";

/** RFC 7636 §4.1: 32 random bytes are 43 characters. */
const RANDOM_BYTES = 32;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Writes a fresh verifier to the start of `into[from..to)` and its challenge to the end.
 * @param broken receives what the entropy source throws
 * @returns false if there are no random bytes
 */
export function makeChallenge(
  entropy: Entropy,
  into: Bytes,
  from: number,
  to: number,
  broken?: (error: unknown) => void,
): boolean {
  const random = new Uint8Array(RANDOM_BYTES);
  if (!isFilled(entropy, random, 0, RANDOM_BYTES, broken)) return false;
  const verifier = base64url(random);
  const challenge = base64url(sha256(verifier));
  for (let at = 0; at < verifier.length; at++) {
    into[from + at] = verifier[at]!;
    into[to - challenge.length + at] = challenge[at]!;
  }
  random.fill(0);
  verifier.fill(0);
  return true;
}

/** 32 bytes in base64url without padding (RFC 7636 Appendix A), as bytes. */
function base64url(bytes: Uint8Array): Uint8Array {
  const text = new Uint8Array(43);
  for (let at = 0; at < text.length; at++) {
    const bit = 6 * at;
    const pair = ((bytes[bit >> 3]! << 8) | (bytes[(bit >> 3) + 1] ?? 0)) >> (10 - (bit & 7));
    text[at] = ALPHABET.charCodeAt(pair & 63);
  }
  return text;
}
