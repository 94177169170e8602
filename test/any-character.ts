import fc from "fast-check";

const SURROGATES = 0x800;

/**
 * A Unicode character, about half of the time from ASCII. fast-check's `unit: "binary"` is similar, but its first use
 * takes half a second in each process.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - SURROGATES))
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + SURROGATES));
