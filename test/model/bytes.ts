// Bytes as texts with one character for each byte, so that the model can hold invalid UTF-8.
// Only a printed sequence contains ordinary texts.

/**
 * The text in UTF-8, one character for each byte. An unpaired surrogate from U+DC80 to U+DCFF stands for the single
 * byte of its last two digits, so that a sequence can contain invalid UTF-8.
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

/** Well-formed UTF-8; an unpaired surrogate becomes U+FFFD. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export function arrayOf(bytes: string): Uint8Array {
  return Buffer.from(bytes, "latin1");
}
