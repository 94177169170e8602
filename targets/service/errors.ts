// The error answers of the service: one table for the OAuth endpoints (device doc §7), one shape for
// the resource APIs. Each entry is the exact status, code and description that a client meets.

import type { Manner } from "./dialects.ts";
import { json, type ProtocolResponse } from "./wire.ts";

/** Errors of the OAuth endpoints. Where the documents give a description it stands here verbatim. */
const OAUTH_ERRORS = {
  // Device doc §7, the rows of "Poll".
  authorization_pending: [428, "Precondition Required"],
  slow_down: [403, "Forbidden"],
  access_denied: [403, "Forbidden"],
  org_internal: [403, "This client is limited to accounts of one organization."],
  admin_policy_enforced: [400, "Access is restricted by the organization's administrator."],
  invalid_client: [401, "Unauthorized"],
  invalid_grant: [400, "Bad Request"],
  // Its word is invalid_grant as well; only some dialects tell it apart.
  bad_device_code: [400, "Malformed device code."],
  unsupported_grant_type: [400, "Invalid grant_type."],
  // Not in the documents: RFC 8628 §3.5, RFC 6749 §4.1.2.1 and §5.2, RFC 7009 §2.2.1.
  expired_token: [400, "The device code has expired."],
  invalid_request: [400, "Bad Request"],
  invalid_scope: [400, "Some requested scopes are not allowed on the device flow."],
  unauthorized_client: [400, "Clients of this service sign in by the device authorization grant."],
  invalid_token: [400, "Token is not valid, or was already revoked."],
} as const satisfies Record<string, readonly [number, string]>;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;

const cached = new Map<OAuthErrorCode, ProtocolResponse>();

/** The error answer of an OAuth endpoint; `description` replaces the usual one. */
export function oauthError(code: OAuthErrorCode, description?: string): ProtocolResponse {
  const [status, usual] = OAUTH_ERRORS[code];
  const error = code === "bad_device_code" ? "invalid_grant" : code;
  const refused = { code, error, description: description ?? usual };
  const made = (): ProtocolResponse => ({
    ...json(status, { error, error_description: refused.description }),
    refused,
  });
  if (description !== undefined) return made();
  // Millions of polls are answered with the same bytes.
  const answer = cached.get(code) ?? made();
  cached.set(code, answer);
  return answer;
}

/** Nobody looks up the traces of this service. */
const NO_TRACE = "00000000-0000-0000-0000-000000000000";

/** An answer as the dialect has it: an error with its status, its word, its further members. */
export function inDialect(
  { statuses, words, numbers }: Manner,
  answer: ProtocolResponse,
  nowMs: number,
): ProtocolResponse {
  const { refused, headers } = answer;
  if (refused === undefined) return answer;
  const { code, error, description } = refused;
  const status = statuses[code] ?? answer.status;
  const word = words[code] ?? error;
  if (numbers === undefined && status === answer.status && word === error) return answer;
  const timestamp = new Date(nowMs).toISOString().replace(/T(.*)\..*/, " $1Z");
  const further = numbers && {
    error_codes: [numbers[code] ?? []].flat(),
    timestamp,
    trace_id: NO_TRACE,
    correlation_id: NO_TRACE,
  };
  return json(status, { error: word, error_description: description, ...further }, headers);
}

/** Device doc §2.3, §7: the quota error has this one member and nothing else. */
export function quotaError(): ProtocolResponse {
  return json(403, { error_code: "rate_limit_exceeded" });
}

/** Canonical status names of the resource APIs and their HTTP status. */
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

export interface ApiErrorDetail {
  status: keyof typeof API_STATUSES;
  /** Where HTTP has a status of its own for what the canonical one says. */
  code?: number;
  message: string;
  /** Short machine-readable word, such as "required" or "insufficientPermissions". */
  reason: string;
  domain?: string;
  /** The parameter or header at fault. */
  location?: string;
  locationType?: "parameter" | "header";
}

/** A refusal of a resource API, thrown by its checks and turned into an answer in one place. */
export class ApiError extends Error {
  readonly detail: ApiErrorDetail;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(detail: ApiErrorDetail, headers?: Readonly<Record<string, string>>) {
    super(detail.message);
    this.detail = detail;
    this.headers = headers;
  }

  toResponse(): ProtocolResponse {
    const { status, message, reason, location, locationType } = this.detail;
    const { code = API_STATUSES[status], domain = "global" } = this.detail;
    const where = location === undefined ? {} : { location, locationType };
    const error = {
      code,
      message,
      status,
      errors: [{ message, domain, reason, ...where }],
      details: [],
    };
    return json(code, { error }, this.headers);
  }
}

/** 400 about one parameter. */
export function invalidParameter(
  location: string,
  message: string,
  reason = "invalidParameter",
): ApiError {
  return new ApiError({
    status: "INVALID_ARGUMENT",
    message,
    reason,
    location,
    locationType: "parameter",
  });
}

/** 400 about a body of another type than the resource APIs take. */
export function notJson(): ApiError {
  return new ApiError({
    status: "INVALID_ARGUMENT",
    message: "The body must be application/json.",
    reason: "parseError",
    location: "Content-Type",
    locationType: "header",
  });
}

/** Whose clients read an error: those of OAuth know other members than those of the resource APIs. */
export type Family = "oauth" | "api";

/** 405 with the methods that are allowed (RFC 9110 §15.5.6); where GET is, HEAD is. */
export function methodNotAllowed(family: Family, methods: readonly string[]): ProtocolResponse {
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const headers = { allow: allow.join(", ") };
  const message = `Use ${methods.join(" or ")}.`;
  return family === "api"
    ? apiRefusal(
        { status: "UNIMPLEMENTED", code: 405, message, reason: "methodNotAllowed" },
        headers,
      )
    : json(405, { error: "invalid_request", error_description: message }, headers);
}

/** 413 without a look at the body. */
export function bodyTooLarge(family: Family): ProtocolResponse {
  const message = "The request body is too large.";
  // The rest of the body is not read, so the connection cannot carry another request.
  const headers = { connection: "close" };
  return family === "api"
    ? apiRefusal({ status: "INVALID_ARGUMENT", code: 413, message, reason: "tooLarge" }, headers)
    : json(413, { error: "invalid_request", error_description: message }, headers);
}

/** 500: the service itself is at fault. */
export function serviceFault(family: Family): ProtocolResponse {
  const message = "The service has a fault.";
  return family === "api"
    ? apiRefusal({ status: "INTERNAL", message, reason: "backendError" })
    : json(500, { error: "server_error", error_description: message });
}

function apiRefusal(detail: ApiErrorDetail, headers?: Record<string, string>): ProtocolResponse {
  return new ApiError(detail, headers).toResponse();
}

/** The value of a parameter; null where it is absent. Throws an ApiError where it is given twice. */
export function singleValue(query: URLSearchParams, name: string): string | null {
  const [value = null, other] = query.getAll(name);
  if (other !== undefined) throw invalidParameter(name, `${name} is given twice.`);
  return value;
}
