// application/x-www-form-urlencoded on engines without URLSearchParams, with identical output.

import type { Bytes } from "../contracts.ts";
import { asciiOf } from "./text.ts";

/** Content type of all grant requests, and of no others. */
export const FORM_TYPE = "application/x-www-form-urlencoded";

export function formEncodeText(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd"))
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
}

/** A secret as it may appear in a URL or a body: unchanged, and in both encodings. */
export function sentForms(secret: string): ReadonlySet<string> {
  return new Set([secret, encodeURIComponent(secret), formEncodeText(secret)]);
}

export function formEncode(fields: readonly (readonly [string, string])[]): string {
  return fields
    .map(([name, value]) => `${formEncodeText(name)}=${formEncodeText(value)}`)
    .join("&");
}

/** The fields of a form that the core has written: ASCII, unique names. */
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
