// The rules of the Entropy and Signer contracts. No test can prove that bytes are unpredictable.

import type { Bytes, Entropy, Signer } from "../contracts.ts";
import { must, pattern, type Subject, suite } from "./case.ts";

/** An adapter under test; each case creates one. */
export interface EntropySubject extends Subject {
  entropy: Entropy;
}

const GUARD = 300;

/** Cases for an entropy adapter. */
export const entropyConformance = suite<EntropySubject>("entropy", {
  "fills its range and nothing else, plain arrays too": ({ entropy }) => {
    for (const to of [38, 6]) {
      const into: number[] = Array.from({ length: 44 }, () => GUARD);
      must(entropy.fill(into, 6, to), "fill reported that there is no entropy");
      for (const [i, value] of into.entries()) {
        if (i < 6 || i >= to) must(value === GUARD, `index ${i} outside the range was changed`);
        else must(Number.isInteger(value) && value >= 0 && value <= 255, `${value} is no byte`);
      }
    }
  },

  "never fills the same bytes twice": ({ entropy }) => {
    const seen = new Set<string>();
    for (let i = 0; i < 64; i++) seen.add(draw(entropy, 16).join());
    must(seen.size === 64, `${64 - seen.size} of 64 draws of 16 bytes were repeated`);
  },

  "every bit of a byte is set about half of the time": ({ entropy }) => {
    const bytes = draw(entropy, 8192);
    for (let bit = 0; bit < 8; bit++) {
      const ones = bytes.reduce((sum, byte) => sum + ((byte >> bit) & 1), 0);
      // Ten standard deviations: a good source fails this once in 10^22 runs.
      must(Math.abs(ones - 4096) < 453, `bit ${bit} is set in ${ones} of 8192 bytes`);
    }
  },

  "fills more than 65536 bytes in one call": ({ entropy }) => {
    const tail = draw(entropy, 70_000).slice(65_536);
    must(new Set(tail).size > 200, "the bytes past 65536 look like one another");
  },
});

function draw(entropy: Entropy, length: number): Uint8Array {
  const into = new Uint8Array(length);
  must(entropy.fill(into, 0, length), "fill reported that there is no entropy");
  return into;
}

/** A signer under test; each case creates one. */
export interface SignerSubject extends Subject {
  signer: Signer;
  /** Verifies an ES256 signature with `publicJwk`. Without this function, only the form of signatures is checked. */
  verify?: (signature: Bytes, message: Uint8Array) => boolean | Promise<boolean>;
}

/** Cases for a signer. */
export const signerConformance = suite<SignerSubject>("signer", {
  "has the public part of a P-256 key, and no private part": ({ signer }) => {
    const { kty, crv, x, y } = signer.publicJwk;
    must(signer.algorithm === "ES256", `the algorithm is ${signer.algorithm}`);
    must(kty === "EC" && crv === "P-256", `the key is ${kty} ${crv}`);
    must(
      [x, y].every((part) => /^[\w-]{43}$/.test(part)),
      "x or y is not base64url of 32 bytes",
    );
    must(!("d" in signer.publicJwk), "publicJwk contains the private key");
  },

  "signs messages of any length with 64 bytes, one after the other": async ({ signer, verify }) => {
    for (const length of [0, 1, 63, 64, 1000]) {
      const message = pattern(length, length);
      const signature = await signer.sign(message);
      must(signature.length === 64, `a signature has ${signature.length} bytes`);
      must(message.join() === pattern(length, length).join(), "sign changed the message");
      must((await verify?.(signature, message)) !== false, `${length} bytes: a wrong signature`);
    }
  },
});
