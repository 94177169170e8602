// Proof Key for Code Exchange (RFC 7636), the host's part: whether the server is to have a code challenge, and the
// verifier and the challenge themselves. Nothing is sent unasked: by the maker's setting, or once the server has
// refused a request for a code with words that name `code_challenge`. The metadata are not asked: what they say of
// challenges is about authorization codes.

import type { Bytes, Entropy } from "../contracts.ts";
import { sha256 } from "../sha256.ts";

/** How a challenge is made of its verifier (RFC 7636 §4.2): the only way that hides it. */
export type Pkce = "S256";

/** RFC 7636 §4.1: 32 random bytes are 43 characters. */
const RANDOM_BYTES = 32;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** What a server says that wants one: `code_challenge`, or `code_challenge_method`. */
const DEMAND = "code_challenge";

/** What the core is told of a CHALLENGE (core/SPEC.md). */
const MADE = 1;
const NOT_WANTED = 0;
const FAILED = -1;

export class CodeChallenges {
  readonly #entropy: Entropy;
  #isWanted: boolean;
  /** The answer is a refusal of a request for a code without a challenge. */
  #isHeard = false;
  /** How much of DEMAND the bytes so far end with. */
  #matched = 0;

  /** @param pkce "S256": every request for a code has a challenge */
  constructor(entropy: Entropy, pkce: Pkce | undefined) {
    this.#entropy = entropy;
    this.#isWanted = pkce === "S256";
  }

  /**
   * Writes a fresh verifier to the beginning of `into[from..to)`, and its challenge to the end.
   * @returns what the core is told
   */
  make(into: Bytes, from: number, to: number): number {
    if (!this.#isWanted) return NOT_WANTED;
    const random = new Uint8Array(RANDOM_BYTES);
    if (!this.#entropy.fill(random, 0, RANDOM_BYTES)) return FAILED;
    const verifier = base64url(random);
    const challenge = base64url(sha256(verifier));
    for (let at = 0; at < verifier.length; at++) {
      into[from + at] = verifier[at]!;
      into[to - challenge.length + at] = challenge[at]!;
    }
    random.fill(0);
    verifier.fill(0);
    return MADE;
  }

  /** An answer begins. @param isForCode it is one to a request for a code */
  begin(isForCode: boolean, status: number): void {
    this.#isHeard = isForCode && !this.#isWanted && status >= 400 && status <= 499;
    this.#matched = 0;
  }

  /** A piece of the answer's body. */
  hear(bytes: Bytes, from: number, to: number): void {
    if (!this.#isHeard) return;
    for (let at = from; at < to && this.#matched < DEMAND.length; at++) {
      const byte = bytes[at]!;
      // `code_c` ends with the letter that it begins with.
      while (this.#matched > 0 && byte !== DEMAND.charCodeAt(this.#matched)) {
        this.#matched = this.#matched === 6 ? 1 : 0;
      }
      if (byte === DEMAND.charCodeAt(this.#matched)) this.#matched++;
    }
  }

  /** The answer is complete. @returns whether it asks for a challenge: from now on there is one */
  isDemanded(): boolean {
    const isDemanded = this.#isHeard && this.#matched === DEMAND.length;
    this.#isHeard = false;
    if (isDemanded) this.#isWanted = true;
    return isDemanded;
  }
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
