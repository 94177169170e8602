// Bytes as texts with a character for each: so the model holds whatever crosses the border, UTF-8 or not.
// Only what a sequence is written in are texts in the usual sense.

/**
 * The bytes of a text in UTF-8, a character for each. A surrogate from U+DC80 to U+DCFF without its partner
 * stands for the byte of its last two digits, as it is: so a sequence can have bytes that are no UTF-8.
 */
export function bytesOf(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is its own encoding.
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  let bytes = "";
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const isByte = code >= 0xdc80 && code <= 0xdcff;
    bytes += isByte ? String.fromCharCode(code & 0xff) : utf8(character);
  }
  return bytes;
}

/** A well-formed text in UTF-8; a surrogate without its partner as U+FFFD. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export function arrayOf(bytes: string): Uint8Array {
  return Buffer.from(bytes, "latin1");
}
