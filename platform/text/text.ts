// Converts between strings, bytes, base64 and forms without TextEncoder, which some engines lack.

import type { Bytes } from "../contracts.ts";

/** Returns the string as UTF-8. A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): Uint8Array {
  const encoded = percentEncoded(text);
  return latinBytesOf(
    encoded.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number(`0x${hex}`))),
  );
}

/** Percent-encodes the UTF-8 bytes of a text, except letters, digits and `-_.!~*'()`. */
const percentEncoded = (text: string): string =>
  encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"));

/** Returns a byte for each character, for characters up to 255. */
export function latinBytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Base64url without padding (RFC 4648 §5). */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (let bit = 0; bit < 8 * bytes.length; bit += 6) {
    const pair = (bytes[bit >> 3]! << 8) | (bytes[(bit >> 3) + 1] ?? 0);
    text += BASE64URL[(pair >> (10 - (bit & 7))) & 63];
  }
  return text;
}

/** Returns the bytes of base64 or base64url; undefined if it is neither. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return latinBytesOf(atob(text.replace(/-/g, "+").replace(/_/g, "/")));
  } catch {
    return undefined;
  }
}

/** Returns `bytes[from..to)` as a string with one character per byte, as is right for ASCII. */
export function asciiOf(bytes: Bytes, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}

/** Decodes UTF-8; undefined if the bytes are invalid. */
export function textOf(bytes: Bytes): string | undefined {
  const encoded = Array.from(bytes, (byte) => `%${(256 + byte).toString(16).slice(1)}`);
  try {
    return decodeURIComponent(encoded.join(""));
  } catch {
    return undefined;
  }
}

/** Returns the JSON object in a response; undefined if there is none. Skips a byte order mark (RFC 8259 §8.1). */
export function objectIn(response: Bytes): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse((textOf(response) ?? "").replace(/^\ufeff/, ""));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a server's text as one line, without characters that could move the cursor or change the direction of text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "?");
}

/** The content type of grant requests, unless the server requires JSON (`BodyForm`). */
export const FORM_TYPE = "application/x-www-form-urlencoded";

export function formEncodeText(text: string): string {
  return percentEncoded(text)
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

/** Returns all forms in which a secret may appear in a URL or a body: unchanged, percent-encoded and form-encoded. */
export function sentForms(secret: string): ReadonlySet<string> {
  return new Set([secret, encodeURIComponent(secret), formEncodeText(secret)]);
}

export function formEncode(fields: readonly (readonly [string, string])[]): string {
  return fields
    .map(([name, value]) => `${formEncodeText(name)}=${formEncodeText(value)}`)
    .join("&");
}

/** Returns the fields of a form that the core has written, which is ASCII and has unique names. */
export function formFields(body: Bytes, from: number, to: number): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const part of asciiOf(body, from, to).split("&")) {
    const at = part.indexOf("=");
    if (at > 0) fields[formDecode(part.slice(0, at))] = formDecode(part.slice(at + 1));
  }
  return fields;
}

function formDecode(text: string): string {
  const plain = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
