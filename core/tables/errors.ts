// All errors: their names in responses, their kind and their display text. Change them here. `npm run generate` then writes
// device/tables.ts, which the bundles contain.

import { ErrorCode, ErrorKind, Message } from "../device/errors.ts";

export interface ErrorRow {
  readonly error: ErrorCode;
  readonly kind: ErrorKind;
  readonly message: Message;
  /** The error's names in responses; none if only the device detects it. */
  readonly names: readonly string[];
}

function row(error: ErrorCode, kind: ErrorKind, message: Message, names: string[]): ErrorRow {
  return { error: error, kind: kind, message: message, names: names };
}

/** The rows in the order of ErrorCode. In a row, the names of RFCs, OpenID Connect and device spec §7 come first. */
export function errorRows(): ErrorRow[] {
  return [
    // Errors of RFC 8628 §3.5.
    row(ErrorCode.AUTHORIZATION_PENDING, ErrorKind.TRANSIENT, Message.RESUMING, [
      "authorization_pending",
    ]),
    row(ErrorCode.SLOW_DOWN, ErrorKind.TRANSIENT, Message.RESUMING, ["slow_down"]),
    row(ErrorCode.EXPIRED_TOKEN, ErrorKind.RENEWABLE, Message.CODE_EXPIRED, [
      "expired_token",
      "token_expired",
      "code_expired",
    ]),
    // Errors of RFC 6749 §5.2.
    row(ErrorCode.INVALID_GRANT, ErrorKind.RENEWABLE, Message.CODE_EXPIRED, [
      "invalid_grant",
      "bad_verification_code",
      "incorrect_device_code",
      "invalid_code_pair",
      "bad_refresh_token",
      "invalid_refresh_token",
      "refresh_token_expired",
      "bad_token",
    ]),
    // An error of RFC 8628 §3.5 and RFC 6749 §4.1.2.1.
    row(ErrorCode.ACCESS_DENIED, ErrorKind.USER, Message.DENIED, [
      "access_denied",
      "authorization_declined",
    ]),
    // Errors of the device authorization specification
    row(ErrorCode.ADMIN_POLICY_ENFORCED, ErrorKind.ADMINISTRATOR, Message.POLICY, [
      "admin_policy_enforced",
    ]),
    row(ErrorCode.ORG_INTERNAL, ErrorKind.ADMINISTRATOR, Message.MEMBERS_ONLY, ["org_internal"]),
    // Errors of RFC 6749 §5.2.
    row(ErrorCode.INVALID_CLIENT, ErrorKind.DEVELOPER, Message.DEVICE_REFUSED, [
      "invalid_client",
      "incorrect_client_credentials",
    ]),
    row(ErrorCode.UNAUTHORIZED_CLIENT, ErrorKind.DEVELOPER, Message.DEVICE_REFUSED, [
      "unauthorized_client",
      "device_flow_disabled",
    ]),
    row(ErrorCode.INVALID_SCOPE, ErrorKind.DEVELOPER, Message.SETUP, ["invalid_scope"]),
    row(ErrorCode.INVALID_REQUEST, ErrorKind.DEVELOPER, Message.SETUP, ["invalid_request"]),
    row(ErrorCode.UNSUPPORTED_GRANT_TYPE, ErrorKind.DEVELOPER, Message.SETUP, [
      "unsupported_grant_type",
    ]),
    // An error of the device authorization specification
    row(ErrorCode.RATE_LIMIT_EXCEEDED, ErrorKind.TRANSIENT, Message.BUSY, ["rate_limit_exceeded"]),
    // Errors of RFC 6749 §4.1.2.1.
    row(ErrorCode.SERVER_ERROR, ErrorKind.TRANSIENT, Message.BUSY, ["server_error"]),
    row(ErrorCode.TEMPORARILY_UNAVAILABLE, ErrorKind.TRANSIENT, Message.BUSY, [
      "temporarily_unavailable",
    ]),
    // Errors of RFC 6750 §3.1.
    row(ErrorCode.INVALID_TOKEN, ErrorKind.USER, Message.SESSION_ENDED, ["invalid_token"]),
    row(ErrorCode.INSUFFICIENT_SCOPE, ErrorKind.DEVELOPER, Message.SETUP, ["insufficient_scope"]),
    // An error of RFC 7009 §2.2.1.
    row(ErrorCode.UNSUPPORTED_TOKEN_TYPE, ErrorKind.DEVELOPER, Message.SETUP, [
      "unsupported_token_type",
    ]),
    // Errors that only the device detects
    row(ErrorCode.UNREACHABLE, ErrorKind.TRANSIENT, Message.NO_CONNECTION, []),
    row(ErrorCode.UNAVAILABLE, ErrorKind.TRANSIENT, Message.BUSY, []),
    row(ErrorCode.MALFORMED_RESPONSE, ErrorKind.TRANSIENT, Message.BUSY, []),
    row(ErrorCode.VALUE_TOO_LONG, ErrorKind.DEVELOPER, Message.TOO_LITTLE_MEMORY, []),
    row(ErrorCode.UNKNOWN_ERROR, ErrorKind.DEVELOPER, Message.FAILED, []),
    row(ErrorCode.RENEWALS_EXHAUSTED, ErrorKind.USER, Message.CODE_EXPIRED, []),
    row(ErrorCode.SESSION_ENDED, ErrorKind.USER, Message.SESSION_ENDED, []),
    row(ErrorCode.MEMORY_TOO_SMALL, ErrorKind.DEVELOPER, Message.TOO_LITTLE_MEMORY, []),
    // Errors that the device detects and servers also send
    row(ErrorCode.TOKEN_REVOKED, ErrorKind.USER, Message.SESSION_ENDED, ["token_revoked"]),
    // Errors that only the device detects
    row(ErrorCode.ACCOUNT_DISABLED, ErrorKind.ADMINISTRATOR, Message.DISABLED, []),
    row(ErrorCode.UNEXPECTED_STATE, ErrorKind.DEVELOPER, Message.FAILED, []),
    row(ErrorCode.UNUSABLE_RESPONSES, ErrorKind.DEVELOPER, Message.SETUP, []),
    // OpenID Connect Core 1.0 §3.1.2.6, and errors of large providers that only a user can fix
    row(ErrorCode.INTERACTION_REQUIRED, ErrorKind.USER, Message.DENIED, [
      "interaction_required",
      "login_required",
      "account_selection_required",
      "consent_required",
      "mfa_required",
      "interrupted_user",
      "ux_not_allowed",
    ]),
    // Errors that only the device detects
    row(ErrorCode.REQUEST_REFUSED, ErrorKind.DEVELOPER, Message.SETUP, []),
    row(ErrorCode.NO_CODE_CHALLENGE, ErrorKind.DEVELOPER, Message.SETUP, []),
  ];
}
