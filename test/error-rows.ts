// Lists every error with its number, kind, display text and protocol names. The list is written by hand, because hosts,
// servers and users depend on these values. The core's model uses these rows.

export type Kind = "transient" | "renewable" | "user" | "administrator" | "developer";

export const WORDS = {
  RESUMING: "",
  NO_CONNECTION: "No connection",
  BUSY: "Service busy",
  DENIED: "Access refused. Sign in again",
  POLICY: "Not allowed. Ask your administrator",
  MEMBERS_ONLY: "Wrong organization. Ask your administrator",
  DEVICE_REFUSED: "Device refused. Contact support",
  SETUP: "Wrong setup. Contact support",
  CODE_EXPIRED: "Code expired. Sign in again",
  SESSION_ENDED: "Session ended. Sign in again",
  DISABLED: "Account disabled. Ask your administrator",
  FAILED: "Failed. Contact support",
  TOO_LITTLE_MEMORY: "Too little memory. Contact support",
} as const;

export interface ErrorRow {
  readonly number: number;
  readonly name: string;
  readonly kind: Kind;
  readonly text: keyof typeof WORDS;
  /** The error's names in responses. Empty for errors that the device detects itself. */
  readonly wire: readonly string[];
}

function row(
  number: number,
  name: string,
  kind: Kind,
  text: ErrorRow["text"],
  wire = "",
): ErrorRow {
  return { number, name, kind, text, wire: wire ? wire.split(" ") : [] };
}

export const ERROR_ROWS: readonly ErrorRow[] = [
  row(1, "AUTHORIZATION_PENDING", "transient", "RESUMING", "authorization_pending"),
  row(2, "SLOW_DOWN", "transient", "RESUMING", "slow_down"),
  row(
    ...([3, "EXPIRED_TOKEN", "renewable", "CODE_EXPIRED"] as const),
    "expired_token token_expired code_expired",
  ),
  row(
    ...([4, "INVALID_GRANT", "renewable", "CODE_EXPIRED"] as const),
    "invalid_grant bad_verification_code incorrect_device_code invalid_code_pair bad_refresh_token " +
      "invalid_refresh_token refresh_token_expired bad_token",
  ),
  row(5, "ACCESS_DENIED", "user", "DENIED", "access_denied authorization_declined"),
  row(6, "ADMIN_POLICY_ENFORCED", "administrator", "POLICY", "admin_policy_enforced"),
  row(7, "ORG_INTERNAL", "administrator", "MEMBERS_ONLY", "org_internal"),
  row(
    ...([8, "INVALID_CLIENT", "developer", "DEVICE_REFUSED"] as const),
    "invalid_client incorrect_client_credentials",
  ),
  row(
    ...([9, "UNAUTHORIZED_CLIENT", "developer", "DEVICE_REFUSED"] as const),
    "unauthorized_client device_flow_disabled",
  ),
  row(10, "INVALID_SCOPE", "developer", "SETUP", "invalid_scope"),
  row(11, "INVALID_REQUEST", "developer", "SETUP", "invalid_request"),
  row(12, "UNSUPPORTED_GRANT_TYPE", "developer", "SETUP", "unsupported_grant_type"),
  row(13, "RATE_LIMIT_EXCEEDED", "transient", "BUSY", "rate_limit_exceeded"),
  row(14, "SERVER_ERROR", "transient", "BUSY", "server_error"),
  row(15, "TEMPORARILY_UNAVAILABLE", "transient", "BUSY", "temporarily_unavailable"),
  row(16, "INVALID_TOKEN", "user", "SESSION_ENDED", "invalid_token"),
  row(17, "INSUFFICIENT_SCOPE", "developer", "SETUP", "insufficient_scope"),
  row(18, "UNSUPPORTED_TOKEN_TYPE", "developer", "SETUP", "unsupported_token_type"),
  row(19, "UNREACHABLE", "transient", "NO_CONNECTION"),
  row(20, "UNAVAILABLE", "transient", "BUSY"),
  row(21, "MALFORMED_RESPONSE", "transient", "BUSY"),
  row(22, "VALUE_TOO_LONG", "developer", "TOO_LITTLE_MEMORY"),
  row(23, "UNKNOWN_ERROR", "developer", "FAILED"),
  row(24, "RENEWALS_EXHAUSTED", "user", "CODE_EXPIRED"),
  row(25, "SESSION_ENDED", "user", "SESSION_ENDED"),
  row(26, "MEMORY_TOO_SMALL", "developer", "TOO_LITTLE_MEMORY"),
  row(27, "TOKEN_REVOKED", "user", "SESSION_ENDED", "token_revoked"),
  row(28, "ACCOUNT_DISABLED", "administrator", "DISABLED"),
  row(29, "UNEXPECTED_STATE", "developer", "FAILED"),
  row(30, "UNUSABLE_RESPONSES", "developer", "SETUP"),
  row(
    ...([31, "INTERACTION_REQUIRED", "user", "DENIED"] as const),
    "interaction_required login_required account_selection_required consent_required " +
      "mfa_required interrupted_user ux_not_allowed",
  ),
  row(32, "REQUEST_REFUSED", "developer", "SETUP"),
  row(33, "NO_CODE_CHALLENGE", "developer", "SETUP"),
];

export const isShown = ({ text }: ErrorRow): boolean => WORDS[text] !== "";
