// Who can fix each error, and how. The text on the device's display is shorter (core/device/errors.ts).
// The bundles do not contain this table.

import { ErrorCode, ErrorKind } from "../../../../core/device/errors.ts";

export const FIXED_BY: Readonly<Record<ErrorKind, string>> = {
  [ErrorKind.NONE]: "",
  [ErrorKind.TRANSIENT]: "passes by itself",
  [ErrorKind.RENEWABLE]: "a new code",
  [ErrorKind.USER]: "the user",
  [ErrorKind.ADMINISTRATOR]: "the administrator",
  [ErrorKind.DEVELOPER]: "the developer",
};

const HOW: Readonly<Record<Exclude<ErrorCode, ErrorCode.NONE>, string>> = {
  [ErrorCode.AUTHORIZATION_PENDING]: "nobody has decided yet",
  [ErrorCode.SLOW_DOWN]: "the device polls more slowly from now on",
  [ErrorCode.EXPIRED_TOKEN]: "the device requests one by itself",
  [ErrorCode.INVALID_GRANT]: "the device requests one by itself",
  [ErrorCode.ACCESS_DENIED]: "sign in again, and allow it",
  [ErrorCode.ADMIN_POLICY_ENFORCED]: "allow what the app requests",
  [ErrorCode.ORG_INTERNAL]: "admit the account",
  [ErrorCode.INVALID_CLIENT]: "check identifier, secret and type of the client",
  [ErrorCode.UNAUTHORIZED_CLIENT]: "have the server allow the client this grant",
  [ErrorCode.INVALID_SCOPE]: "request scopes that devices may have",
  [ErrorCode.INVALID_REQUEST]: "check the parameters that the device sends",
  [ErrorCode.UNSUPPORTED_GRANT_TYPE]: "use the server's name for the grant",
  [ErrorCode.RATE_LIMIT_EXCEEDED]: "the client's quota is used up for now",
  [ErrorCode.SERVER_ERROR]: "the device retries",
  [ErrorCode.TEMPORARILY_UNAVAILABLE]: "the device retries",
  [ErrorCode.INVALID_TOKEN]: "sign in again",
  [ErrorCode.INSUFFICIENT_SCOPE]: "request the scope that the API requires",
  [ErrorCode.UNSUPPORTED_TOKEN_TYPE]: "use an endpoint that revokes tokens of this type",
  [ErrorCode.UNREACHABLE]: "the device retries; a network is needed",
  [ErrorCode.UNAVAILABLE]: "the device retries",
  [ErrorCode.MALFORMED_RESPONSE]: "the device retries",
  [ErrorCode.VALUE_TOO_LONG]: "give the device more memory",
  [ErrorCode.UNKNOWN_ERROR]: "look the error up in the server's documentation",
  [ErrorCode.RENEWALS_EXHAUSTED]: "get a new code",
  [ErrorCode.SESSION_ENDED]: "sign in again",
  [ErrorCode.MEMORY_TOO_SMALL]: "give the device more memory",
  [ErrorCode.TOKEN_REVOKED]: "sign in again",
  [ErrorCode.ACCOUNT_DISABLED]: "enable the account again",
  [ErrorCode.UNEXPECTED_STATE]: "check the offer: its state is not DRAFT",
  [ErrorCode.UNUSABLE_RESPONSES]: "check the address: its responses are not valid",
  [ErrorCode.INTERACTION_REQUIRED]: "sign in again: the server requires an action there",
  [ErrorCode.REQUEST_REFUSED]: "check the address: it does not accept such requests",
  [ErrorCode.NO_CODE_CHALLENGE]: "give the device a random source and SHA-256",
};

/** Example: "the developer: check identifier, secret and type of the client". */
export function remedyOf(error: Exclude<ErrorCode, ErrorCode.NONE>, kind: ErrorKind): string {
  return `${FIXED_BY[kind]}: ${HOW[error]}`;
}

/** A sentence for the user: "Ask your administrator to admit the account.". */
export function sentenceOf(remedy: string): string {
  const [, who = "", how = ""] = /^([^:]*)(?:: (.*))?$/.exec(remedy)!;
  if (who === FIXED_BY[ErrorKind.ADMINISTRATOR]) return `Ask your administrator to ${how}.`;
  if (who === FIXED_BY[ErrorKind.DEVELOPER]) return `Contact the developer: ${how}.`;
  const text = who === FIXED_BY[ErrorKind.USER] ? how : remedy;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
