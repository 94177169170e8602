// What each error means: RFC 6749 §4.1.2.1, §5.2, RFC 8628 §3.5, RFC 6750 §3.1, and names that other
// servers use for the same. Who can put it right, and what the display says.

import { ErrorCode } from "../../../core/index.ts";

/** What a server's name for an error stands for. */
const NAMES: Readonly<Record<string, ErrorCode>> = {
  authorization_pending: ErrorCode.AUTHORIZATION_PENDING,
  slow_down: ErrorCode.SLOW_DOWN,
  expired_token: ErrorCode.EXPIRED_TOKEN,
  token_expired: ErrorCode.EXPIRED_TOKEN,
  code_expired: ErrorCode.EXPIRED_TOKEN,
  invalid_grant: ErrorCode.INVALID_GRANT,
  bad_verification_code: ErrorCode.INVALID_GRANT,
  incorrect_device_code: ErrorCode.INVALID_GRANT,
  invalid_code_pair: ErrorCode.INVALID_GRANT,
  bad_refresh_token: ErrorCode.INVALID_GRANT,
  invalid_refresh_token: ErrorCode.INVALID_GRANT,
  refresh_token_expired: ErrorCode.INVALID_GRANT,
  bad_token: ErrorCode.INVALID_GRANT,
  access_denied: ErrorCode.ACCESS_DENIED,
  authorization_declined: ErrorCode.ACCESS_DENIED,
  admin_policy_enforced: ErrorCode.ADMIN_POLICY_ENFORCED,
  org_internal: ErrorCode.ORG_INTERNAL,
  invalid_client: ErrorCode.INVALID_CLIENT,
  incorrect_client_credentials: ErrorCode.INVALID_CLIENT,
  unauthorized_client: ErrorCode.UNAUTHORIZED_CLIENT,
  device_flow_disabled: ErrorCode.UNAUTHORIZED_CLIENT,
  invalid_scope: ErrorCode.INVALID_SCOPE,
  invalid_request: ErrorCode.INVALID_REQUEST,
  unsupported_grant_type: ErrorCode.UNSUPPORTED_GRANT_TYPE,
  rate_limit_exceeded: ErrorCode.RATE_LIMIT_EXCEEDED,
  server_error: ErrorCode.SERVER_ERROR,
  temporarily_unavailable: ErrorCode.TEMPORARILY_UNAVAILABLE,
  invalid_token: ErrorCode.INVALID_TOKEN,
  insufficient_scope: ErrorCode.INSUFFICIENT_SCOPE,
  unsupported_token_type: ErrorCode.UNSUPPORTED_TOKEN_TYPE,
  token_revoked: ErrorCode.TOKEN_REVOKED,
  interaction_required: ErrorCode.INTERACTION_REQUIRED,
  login_required: ErrorCode.INTERACTION_REQUIRED,
  account_selection_required: ErrorCode.INTERACTION_REQUIRED,
  consent_required: ErrorCode.INTERACTION_REQUIRED,
  mfa_required: ErrorCode.INTERACTION_REQUIRED,
  interrupted_user: ErrorCode.INTERACTION_REQUIRED,
  ux_not_allowed: ErrorCode.INTERACTION_REQUIRED,
};

/** Names that a server may use; "" and unknown ones are the generator's to add. */
export const ERROR_NAMES: readonly string[] = Object.keys(NAMES);

export function errorNamed(name: string): ErrorCode {
  return Object.hasOwn(NAMES, name) ? NAMES[name]! : ErrorCode.UNKNOWN_ERROR;
}

const TRANSIENT: ReadonlySet<number> = new Set([
  ErrorCode.AUTHORIZATION_PENDING,
  ErrorCode.SLOW_DOWN,
  ErrorCode.RATE_LIMIT_EXCEEDED,
  ErrorCode.SERVER_ERROR,
  ErrorCode.TEMPORARILY_UNAVAILABLE,
  ErrorCode.UNREACHABLE,
  ErrorCode.UNAVAILABLE,
  ErrorCode.MALFORMED_RESPONSE,
]);

export const isTransient = (error: number): boolean => TRANSIENT.has(error);

const MAKERS: ReadonlySet<number> = new Set([
  ErrorCode.INVALID_CLIENT,
  ErrorCode.UNAUTHORIZED_CLIENT,
  ErrorCode.INVALID_SCOPE,
  ErrorCode.INVALID_REQUEST,
  ErrorCode.UNSUPPORTED_GRANT_TYPE,
  ErrorCode.INSUFFICIENT_SCOPE,
  ErrorCode.UNSUPPORTED_TOKEN_TYPE,
  ErrorCode.UNKNOWN_ERROR,
]);

/** Named by a server, and only the maker can mend it. */
export const isMakers = (error: number): boolean => MAKERS.has(error);

/** The code is of no use any more, and another one can be had. */
export const isRenewable = (error: number): boolean =>
  error === ErrorCode.EXPIRED_TOKEN || error === ErrorCode.INVALID_GRANT;

const REFUSES_GRANT: ReadonlySet<number> = new Set([
  ErrorCode.EXPIRED_TOKEN,
  ErrorCode.INVALID_GRANT,
  ErrorCode.ACCESS_DENIED,
  ErrorCode.INVALID_TOKEN,
  ErrorCode.TOKEN_REVOKED,
  ErrorCode.INTERACTION_REQUIRED,
]);

/** At a refresh: the grant is over, and only signing in again helps (RFC 6749 §5.2, and what is said instead). */
export const refusesGrant = (error: number): boolean => REFUSES_GRANT.has(error);

/** Lines of the display texts, in the order in which a host names them. */
export enum Line {
  STARTING = 0,
  SIGNED_OUT = 1,
  REQUESTING = 2,
  CHECKING_CODE = 3,
  SIGNED_IN = 4,
  CONNECTING = 5,
  SIGNING_OUT = 6,
  OPEN = 7,
  CODE = 8,
  EXPIRES_SOON = 9,
  NOT_SAVED = 10,
  NO_CONNECTION = 11,
  BUSY = 12,
  DENIED = 13,
  POLICY = 14,
  MEMBERS_ONLY = 15,
  DEVICE_REFUSED = 16,
  SETUP = 17,
  CODE_EXPIRED = 18,
  SESSION_ENDED = 19,
  DISABLED = 20,
  FAILED = 21,
  TOO_LITTLE_MEMORY = 22,
  NOT_ERASED = 23,
}

const LINES: Readonly<Record<number, Line>> = {
  [ErrorCode.AUTHORIZATION_PENDING]: Line.CHECKING_CODE,
  [ErrorCode.SLOW_DOWN]: Line.CHECKING_CODE,
  [ErrorCode.EXPIRED_TOKEN]: Line.CODE_EXPIRED,
  [ErrorCode.INVALID_GRANT]: Line.CODE_EXPIRED,
  [ErrorCode.ACCESS_DENIED]: Line.DENIED,
  [ErrorCode.ADMIN_POLICY_ENFORCED]: Line.POLICY,
  [ErrorCode.ORG_INTERNAL]: Line.MEMBERS_ONLY,
  [ErrorCode.INVALID_CLIENT]: Line.DEVICE_REFUSED,
  [ErrorCode.UNAUTHORIZED_CLIENT]: Line.DEVICE_REFUSED,
  [ErrorCode.RATE_LIMIT_EXCEEDED]: Line.BUSY,
  [ErrorCode.SERVER_ERROR]: Line.BUSY,
  [ErrorCode.TEMPORARILY_UNAVAILABLE]: Line.BUSY,
  [ErrorCode.INVALID_TOKEN]: Line.SESSION_ENDED,
  [ErrorCode.UNREACHABLE]: Line.NO_CONNECTION,
  [ErrorCode.UNAVAILABLE]: Line.BUSY,
  [ErrorCode.MALFORMED_RESPONSE]: Line.BUSY,
  [ErrorCode.VALUE_TOO_LONG]: Line.TOO_LITTLE_MEMORY,
  [ErrorCode.UNKNOWN_ERROR]: Line.FAILED,
  [ErrorCode.RENEWALS_EXHAUSTED]: Line.CODE_EXPIRED,
  [ErrorCode.SESSION_ENDED]: Line.SESSION_ENDED,
  [ErrorCode.MEMORY_TOO_SMALL]: Line.TOO_LITTLE_MEMORY,
  [ErrorCode.TOKEN_REVOKED]: Line.SESSION_ENDED,
  [ErrorCode.ACCOUNT_DISABLED]: Line.DISABLED,
  [ErrorCode.UNEXPECTED_STATE]: Line.FAILED,
  [ErrorCode.INTERACTION_REQUIRED]: Line.DENIED,
};

/** The line for an error: what is wrong with the maker's setup, where no other stands here. */
export const lineOf = (error: number): Line => LINES[error] ?? Line.SETUP;
