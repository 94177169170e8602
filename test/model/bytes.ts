// The model represents bytes as text with one character for each byte, because responses may contain invalid UTF-8.

/**
 * Encodes text as UTF-8, one character for each byte. An unpaired surrogate from U+DC80 to U+DCFF becomes a single byte
 * from 0x80 to 0xFF, so that tests can contain invalid UTF-8.
 */
export function bytesOf(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is the same in UTF-8.
  if (/^[\x00-\x7f]*$/.test(text)) return text;
  let bytes = "";
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const isByte = code >= 0xdc80 && code <= 0xdcff;
    bytes += isByte ? String.fromCharCode(code & 0xff) : utf8(character);
  }
  return bytes;
}

/** Encodes text as well-formed UTF-8, one character for each byte. An unpaired surrogate becomes U+FFFD. */
export function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

export function arrayOf(bytes: string): Uint8Array {
  return Buffer.from(bytes, "latin1");
}
