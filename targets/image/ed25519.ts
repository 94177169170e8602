// Ed25519 as RFC 8032 §5.1.7 has it, to the letter: tweetnacl takes a signature whose S is not reduced
// and public keys of small order; libsodium does not, and other libraries differ again. What is refused
// before the library is asked is the same in image.c, so that every loader comes to the same verdict.

import nacl from "tweetnacl";

/** The order of the base point, little-endian: 2^252 + 27742317777372353535851937790883648493. */
const ORDER = bytesOf("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/** The prime of the field, little-endian: 2^255 - 19. */
const PRIME = bytesOf("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

/** The y of all points of small order (1, 2, 4, 8): with such a key anybody's signature could fit. */
const SMALL_ORDER = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
].map(bytesOf);

/** Whether the signature of 64 bytes is that of the message under the public key of 32 bytes. */
export function verifyEd25519(
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
): boolean {
  if (!isBelow(signature.subarray(32), ORDER)) return false;
  if (!isPointAllowed(signature.subarray(0, 32)) || !isPointAllowed(publicKey)) return false;
  return nacl.sign.detached.verify(message, signature, publicKey);
}

/** Encoded in the one way that there is, and not of small order. The last bit is the sign of x. */
function isPointAllowed(point: Uint8Array): boolean {
  const y = point.slice();
  y[31]! &= 0x7f;
  return isBelow(y, PRIME) && !SMALL_ORDER.some((small) => nacl.verify(small, y));
}

/** Compares two numbers of 32 bytes, little-endian. Nothing here is secret. */
function isBelow(number: Uint8Array, bound: Uint8Array): boolean {
  for (let at = 31; at >= 0; at--) {
    if (number[at] !== bound[at]) return number[at]! < bound[at]!;
  }
  return false;
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  );
}
