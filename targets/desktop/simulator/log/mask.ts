// Masks codes, tokens and secrets in requests and responses.

import type { HttpRequest } from "../../../../platform/contracts.ts";
import { clean, maskForm, SECRET_NAMES } from "../../../service/observers.ts";
import { readJwt } from "../../../service/signed-jwt.ts";

const VALUE_LENGTH_MAX = 48;
const ERROR_LENGTH_MAX = 120;

/** A JSON object as words `name=value`. For text that is not JSON, only the size. */
export function summarizeResponse(text: string): string {
  if (text === "") return "(empty)";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "(not an object)";
  return Object.entries(value)
    .map(([name, member]) => `${clean(name)}=${describeMember(name, member)}`)
    .join(" ");
}

/** One line for each field. */
export function maskedForm(text: string): string {
  return maskForm(text)
    .split("&")
    .map((field) => clean(decodeURIComponent(field.replaceAll("+", " "))).replace("=", " = "))
    .join("\n");
}

/** Undefined for text that is not JSON. */
export function maskedJson(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return JSON.stringify(value, (name, member) => (SECRET_NAMES.has(name) ? "***" : member), 2);
  } catch {
    return undefined;
  }
}

/** Masks the values after secret names in text that is not valid JSON, such as a damaged response. */
export function maskedText(text: string): string {
  return [...SECRET_NAMES].reduce(
    (masked, name) =>
      masked.replace(new RegExp(`(${name}"?\\s*[:=]\\s*"?)[^"&\\s,}]+`, "g"), "$1***"),
    clean(text),
  );
}

function describeMember(name: string, value: unknown): string {
  if (SECRET_NAMES.has(name)) return "***";
  if (Array.isArray(value)) return `[${value.length}]`;
  if (name === "error" && typeof value === "object" && value !== null) return describeError(value);
  if (typeof value === "object" && value !== null) return "{...}";
  const text = clean(String(value));
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}...` : text;
}

function describeError(error: object): string {
  const { message, status } = error as { message?: unknown; status?: unknown };
  const words = [reasonOf(error) || String(status ?? ""), String(message ?? "")];
  const text = clean(words.filter(Boolean).join(": "));
  return text.length > ERROR_LENGTH_MAX ? `${text.slice(0, ERROR_LENGTH_MAX)}...` : text;
}

/** The machine-readable reason in the error object of a resource API; "" if there is none. */
export function reasonOf(error: object): string {
  const { errors, reason } = error as { errors?: { reason?: unknown }[]; reason?: unknown };
  const word = reason ?? (Array.isArray(errors) ? errors[0]?.reason : undefined);
  return typeof word === "string" ? clean(word).slice(0, VALUE_LENGTH_MAX) : "";
}

export interface ExchangeDetail {
  readonly request: string;
  readonly response: string;
}

export function describeRequest(request: HttpRequest, target: string, body: string): string {
  const lines = [`${request.method} ${target}`];
  if (URL.canParse(request.url)) lines.push(`Host: ${new URL(request.url).host}`);
  lines.push("Accept: application/json");
  if (request.authorization !== "") {
    lines.push(`Authorization: ${request.authorization.split(" ", 1)[0]} ***`);
  }
  const proof = request.headers?.find(([name]) => name === "DPoP")?.[1];
  if (proof !== undefined) lines.push(`DPoP: ${describeProof(proof)}`);
  if (request.contentType !== "") {
    lines.push(`Content-Type: ${request.contentType}`, `Content-Length: ${body.length}`);
  }
  if (body !== "") lines.push("", describeBody(request.contentType, body));
  return lines.join("\n");
}

/** Header and claims of a proof (RFC 9449 §4.2), which contain no secrets. */
function describeProof(proof: string): string {
  const jwt = readJwt(proof);
  if (jwt === undefined) return "(malformed)";
  const parts = [jwt.header, jwt.claims].map((part) => clean(JSON.stringify(part)));
  return `a signature over\n  ${parts.join("\n  ")}`;
}

export interface ResponseHead {
  readonly status: number;
  readonly retryAfterS: number;
  readonly authenticate?: string;
  readonly nonce?: string;
  readonly dateMs?: number;
}

export function describeResponse(head: ResponseHead, body: string): string {
  const lines = [`HTTP status ${head.status}`];
  if (head.retryAfterS >= 0) lines.push(`Retry-After: ${head.retryAfterS}`);
  if (head.authenticate) lines.push(`WWW-Authenticate: ${clean(head.authenticate)}`);
  if (head.nonce) lines.push(`DPoP-Nonce: ${clean(head.nonce)}`);
  return [...lines, "", describeBody("application/json", body)].join("\n");
}

function describeBody(type: string, body: string): string {
  if (body === "") return "(empty)";
  if (type.startsWith("application/x-www-form-urlencoded")) return maskedForm(body);
  return maskedJson(body) ?? maskedText(body);
}
