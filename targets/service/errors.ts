// The error responses: those of the OAuth endpoints (device spec §7), and those of the resource APIs.

import type { Manner } from "./dialects.ts";
import { json, mediaType, type ProtocolRequest, type ProtocolResponse, textOf } from "./wire.ts";

/** Status and description of each error. The descriptions are from device spec §7 if that section has one. */
const OAUTH_ERRORS = {
  // Device spec §7, rows of "Poll".
  authorization_pending: [428, "Precondition Required"],
  slow_down: [403, "Forbidden"],
  access_denied: [403, "Forbidden"],
  org_internal: [403, "This client is limited to accounts of one organization."],
  admin_policy_enforced: [400, "Access is restricted by the organization's administrator."],
  invalid_client: [401, "Unauthorized"],
  invalid_grant: [400, "Bad Request"],
  // The service sends this error as invalid_grant, except in the dialect entra.
  bad_device_code: [400, "Malformed device code."],
  unsupported_grant_type: [400, "Invalid grant_type."],
  // From RFC 8628 §3.5, RFC 6749 §4.1.2.1 and §5.2, and device spec §7, rows of "Revoke".
  expired_token: [400, "The device code has expired."],
  invalid_request: [400, "Bad Request"],
  invalid_scope: [400, "Some requested scopes are not allowed on the device flow."],
  unauthorized_client: [400, "Clients of this service sign in by the device authorization grant."],
  invalid_token: [400, "Token is not valid, or was already revoked."],
  // From RFC 9449 §5 and §8.
  invalid_dpop_proof: [400, "The DPoP proof is not valid."],
  use_dpop_nonce: [400, "The DPoP proof needs a nonce."],
} as const satisfies Record<string, readonly [number, string]>;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

const cached = new Map<OAuthErrorCode, ProtocolResponse>();

/** The error response of an OAuth endpoint. `description` replaces the default one. */
export function oauthError(code: OAuthErrorCode, description?: string): ProtocolResponse {
  const [status, usual] = OAUTH_ERRORS[code];
  const error = code === "bad_device_code" ? "invalid_grant" : code;
  const refused = { code, error, description: description ?? usual };
  const made = (): ProtocolResponse => ({
    ...json(status, { error, error_description: refused.description }),
    refused,
  });
  if (description !== undefined) return made();
  // Cache the response, because most requests are polls and get the same error.
  const response = cached.get(code) ?? made();
  cached.set(code, response);
  return response;
}

export function missing(parameter: string): ProtocolResponse {
  return oauthError("invalid_request", `Missing required parameter: ${parameter}`);
}

const NO_TRACE = "00000000-0000-0000-0000-000000000000";

/** Gives an error the status, the code and the additional members of the dialect. */
export function inDialect(
  { statuses, words, numbers }: Manner,
  response: ProtocolResponse,
  nowMs: number,
): ProtocolResponse {
  const { refused, headers } = response;
  if (refused === undefined) return response;
  const { code, error, description } = refused;
  const status = statuses[code] ?? response.status;
  const word = words[code] ?? error;
  if (numbers === undefined && status === response.status && word === error) return response;
  const timestamp = new Date(nowMs).toISOString().replace(/T(.*)\..*/, " $1Z");
  const further = numbers && {
    error_codes: [numbers[code] ?? []].flat(),
    timestamp,
    trace_id: NO_TRACE,
    correlation_id: NO_TRACE,
  };
  return json(status, { error: word, error_description: description, ...further }, headers);
}

/** The quota error has only this member (device spec §2.3, §7). */
export function quotaError(): ProtocolResponse {
  return json(403, { error_code: "rate_limit_exceeded" });
}

const API_STATUSES = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  INTERNAL: 500,
  UNIMPLEMENTED: 501,
} as const;

interface ApiErrorDetail {
  /** The HTTP status, if it is not that of `API_STATUSES`. */
  readonly code?: number;
  readonly domain?: string;
  /** The invalid parameter or header. */
  readonly location?: string;
  readonly locationType?: "parameter" | "header";
}

/** An error of an API. endpoints.ts converts it to a response. */
export class ApiError extends Error {
  constructor(
    readonly status: keyof typeof API_STATUSES,
    /** A short machine-readable word, such as "required" or "insufficientPermissions". */
    readonly reason: string,
    message: string,
    readonly detail: ApiErrorDetail = {},
    readonly headers?: Readonly<Record<string, string>>,
  ) {
    super(message);
  }

  toResponse(): ProtocolResponse {
    const { status, message, reason } = this;
    const { code = API_STATUSES[status], domain = "global", ...where } = this.detail;
    const errors = [{ message, domain, reason, ...where }];
    return json(code, { error: { code, message, status, errors, details: [] } }, this.headers);
  }
}

export function invalidParameter(
  location: string,
  message: string,
  reason = "invalidParameter",
): ApiError {
  const where = { location, locationType: "parameter" } as const;
  return new ApiError("INVALID_ARGUMENT", reason, message, where);
}

/** The JSON in a body. Throws an ApiError for another media type, or if the body is not JSON. */
export function jsonOf({ headers, body }: ProtocolRequest): unknown {
  const type = headers["content-type"];
  const where = { location: "Content-Type", locationType: "header" } as const;
  if (type !== undefined && mediaType(type) !== "application/json")
    throw new ApiError(
      "INVALID_ARGUMENT",
      "parseError",
      "The body must be application/json.",
      where,
    );
  try {
    return JSON.parse(textOf(body));
  } catch {
    throw invalidParameter("body", "Invalid JSON payload received.", "parseError");
  }
}

export type Family = "oauth" | "api";

/** A 405 with the allowed methods (RFC 9110 §15.5.6). GET includes HEAD. */
export function methodNotAllowed(family: Family, methods: readonly string[]): ProtocolResponse {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const message = `Use ${methods.join(" or ")}.`;
  const headers = { allow: allow.join(", ") };
  const error = new ApiError("UNIMPLEMENTED", "methodNotAllowed", message, { code: 405 }, headers);
  return refusal(family, error);
}

export function bodyTooLarge(family: Family): ProtocolResponse {
  const message = "The request body is too large.";
  // The service does not read the rest of the body, so the connection cannot be reused.
  const headers = { connection: "close" };
  return refusal(
    family,
    new ApiError("INVALID_ARGUMENT", "tooLarge", message, { code: 413 }, headers),
  );
}

export function serviceFault(family: Family): ProtocolResponse {
  const error = new ApiError("INTERNAL", "backendError", "The service has failed.");
  return refusal(family, error, "server_error");
}

/** Converts an error to a response in the format of a family. `word` is the error code in the format of OAuth. */
export function refusal(
  family: Family,
  error: ApiError,
  word = "invalid_request",
): ProtocolResponse {
  const response = error.toResponse();
  if (family === "api") return response;
  return json(response.status, { error: word, error_description: error.message }, error.headers);
}

/** The value of a parameter; null if it is absent. Throws an ApiError if the parameter is repeated. */
export function singleValue(query: URLSearchParams, name: string): string | null {
  const [value = null, other] = query.getAll(name);
  if (other !== undefined) throw invalidParameter(name, `${name} is given twice.`);
  return value;
}
