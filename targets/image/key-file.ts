// What key files hold (FORMAT.md), the same for the tool and the loaders in C. The two kinds
// differ in length, so that neither is ever taken for the other.

const PUBLIC_BYTES = 32;
const SECRET_BYTES = 64;
/** Longer ones are no key files. */
const KEY_FILE_BYTES_MAX = 160;

/** The 32 bytes of a public key; undefined where the file holds none. */
export function parsePublicKey(file: Uint8Array): Uint8Array | undefined {
  return parseKey(file, PUBLIC_BYTES);
}

/** The 64 bytes of a secret key (seed, then public key); undefined where the file holds none. */
export function parseSecretKey(file: Uint8Array): Uint8Array | undefined {
  return parseKey(file, SECRET_BYTES);
}

/** A key as the tool writes it: hexadecimal digits and the end of a line. */
export function keyText(key: Uint8Array): string {
  return `${Array.from(key, (byte) => (256 + byte).toString(16).slice(1)).join("")}\n`;
}

function parseKey(file: Uint8Array, length: number): Uint8Array | undefined {
  if (file.length === length) return file.slice();
  if (file.length > KEY_FILE_BYTES_MAX) return undefined;
  const text = String.fromCharCode(...file);
  if (!/^([ \r\n]*[0-9A-Fa-f]{2})*[ \r\n]*$/.test(text)) return undefined;
  const digits = text.replace(/[ \r\n]/g, "");
  if (digits.length !== 2 * length) return undefined;
  const key = new Uint8Array(length);
  for (let at = 0; at < length; at++)
    key[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16);
  return key;
}
