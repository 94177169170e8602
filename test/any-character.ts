// Characters for random texts.

import fc from "fast-check";

const SURROGATES = 0x800;

/**
 * Any character that UTF-8 can have, and half of the time an ASCII one. fast-check's own `unit: "binary"` says nearly
 * the same, but a process pays half a second for the first use of it.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - SURROGATES))
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + SURROGATES));
