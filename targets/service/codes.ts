// Making of user codes, device codes and tokens from random bytes. No state.
import type { Environment } from "./environment.ts";

// RFC 8628 §6.1: no vowels, so no words; capitals only, so no 0/O, 1/l/I, 5/S or 8/B to confuse.
// Twenty letters, eight of them: 34.5 bits, guarded by the entry page's limit of wrong codes.
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
// The largest multiple of 20 in a byte: bytes above are thrown away, or early letters would be likelier.
const UNBIASED = 240;

/** A user code of the given shape, each X a letter of the alphabet with equal likelihood. */
export function createUserCode(env: Environment, format: string): string {
  let code = "";
  let pool = env.random(16);
  let at = 0;
  for (const place of format) {
    if (place !== "X") {
      code += place;
      continue;
    }
    for (;;) {
      if (at === pool.length) {
        pool = env.random(16);
        at = 0;
      }
      const byte = pool[at++]!;
      if (byte < UNBIASED) {
        code += LETTERS[byte % LETTERS.length]!;
        break;
      }
    }
  }
  return code;
}

/**
 * What a person typed, ready for comparison: spaces and dashes carry nothing (RFC 8628 §6.1), the
 * case does (device doc §2.1).
 */
export function normalizeUserCode(typed: string): string {
  return typed.replace(/[\s\-\u2010-\u2015\u2212]/gu, "");
}

/**
 * An unguessable token of 256 bits (RFC 8628 §5.2 asks the device code to be infeasible to guess).
 * The awkward kind has characters that only a correct percent-encoder carries through.
 */
export function createToken(
  env: Environment,
  prefix: string,
  characters: "plain" | "awkward",
): string {
  const bytes = env.random(32);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url");
  if (characters === "plain") return prefix + text;
  return `${prefix + text.slice(0, 11)}/${text.slice(11, 22)}#&%2B+\`=${text.slice(22)}`;
}
