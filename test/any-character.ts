import fc from "fast-check";

const SURROGATES = 0x800;

/**
 * Any Unicode character, and half of the time an ASCII one. fast-check's own `unit: "binary"` is similar, but costs
 * each process half a second at its first use.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - SURROGATES))
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + SURROGATES));
