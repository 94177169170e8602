// The service's types of requests and responses, which need no HTTP library, and functions that read and create them.

/** A request for `handle` (service.ts). Names in `headers` are in lower case, and `query` has no "?". */
export interface ProtocolRequest {
  method: string;
  path: string;
  query: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: Uint8Array;
}

/** Responses may share a `body`, so do not change it. */
export interface ProtocolResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The error of an OAuth endpoint, before a dialect changes it. */
  refused?: { readonly code: string; readonly error: string; readonly description: string };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Responses with tokens or codes must not be cached (RFC 6749 §5.1).
const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  pragma: "no-cache",
  "x-content-type-options": "nosniff",
});

export function mayHaveBody(method: string): boolean {
  return method !== "GET" && method !== "HEAD";
}

/** Whether Content-Length applies. Chunked encoding takes precedence (RFC 9112 §6.3). */
export function hasLength(headers: Headers): boolean {
  return headers.has("content-length") && !headers.has("transfer-encoding");
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8. Invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** A JSON response that must not be cached. `headers` are added to the default ones. */
export function json(
  status: number,
  value: unknown,
  headers?: Readonly<Record<string, string>>,
): ProtocolResponse {
  return {
    status,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: encoder.encode(JSON.stringify(value)),
  };
}

export function bare(
  status: number,
  headers: Readonly<Record<string, string>> = {},
): ProtocolResponse {
  return { status, headers, body: new Uint8Array(0) };
}

/** `get` returns the first value of a name. `repeated` is the first name that occurs twice. */
export interface FormParameters {
  get(name: string): string | undefined;
  repeated: string | undefined;
}

/** Parses `application/x-www-form-urlencoded`. A parameter without a value counts as absent (RFC 6749 §3.1, §3.2). */
export function parseForm(text: string): FormParameters {
  const values = new Map<string, string>();
  let repeated: string | undefined;
  for (const [name, value] of new URLSearchParams(text)) {
    if (values.has(name)) repeated ??= displayable(name);
    else values.set(name, value);
  }
  return { get: (name) => values.get(name) || undefined, repeated };
}

// RFC 6749 §5.2 limits the characters of error_description.
function displayable(name: string): string {
  return name.slice(0, 40).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "?");
}

/** Whether the media type is that of forms, or absent. */
export function isForm(request: ProtocolRequest): boolean {
  const type = request.headers["content-type"];
  return type === undefined || mediaType(type) === "application/x-www-form-urlencoded";
}

/** The media type of a Content-Type value, lower case, without its parameters. */
export function mediaType(contentType: string): string {
  return contentType.split(";", 1)[0]!.trim().toLowerCase();
}
