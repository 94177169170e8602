// Who can mend each error, and how, in words: for logs, panels, pages and errors of programs. The display's own text
// is shorter, and names the same (errors.ts). Nothing of it is in a bundle.

import { ErrorCode, ErrorKind } from "../../../../core/device/errors.ts";

/** Who mends errors of a kind. */
const WHO: Readonly<Record<ErrorKind, string>> = {
  [ErrorKind.NONE]: "",
  [ErrorKind.TRANSIENT]: "passes by itself",
  [ErrorKind.RENEWABLE]: "a new code",
  [ErrorKind.USER]: "the user",
  [ErrorKind.ADMINISTRATOR]: "the administrator",
  [ErrorKind.MAKER]: "the maker",
};

/** What they are to do, or what happens by itself. */
const HOW: Readonly<Record<Exclude<ErrorCode, ErrorCode.NONE>, string>> = {
  [ErrorCode.AUTHORIZATION_PENDING]: "nobody has decided yet",
  [ErrorCode.SLOW_DOWN]: "the device polls more slowly from now on",
  [ErrorCode.EXPIRED_TOKEN]: "the device asks for one by itself",
  [ErrorCode.INVALID_GRANT]: "the device asks for one by itself",
  [ErrorCode.ACCESS_DENIED]: "sign in again, and allow it",
  [ErrorCode.ADMIN_POLICY_ENFORCED]: "allow what the app asks for",
  [ErrorCode.ORG_INTERNAL]: "admit the account",
  [ErrorCode.INVALID_CLIENT]: "check identifier, secret and type of the client",
  [ErrorCode.UNAUTHORIZED_CLIENT]: "have the server allow the client this grant",
  [ErrorCode.INVALID_SCOPE]: "ask for scopes that devices may have",
  [ErrorCode.INVALID_REQUEST]: "check the parameters that the device sends",
  [ErrorCode.UNSUPPORTED_GRANT_TYPE]: "name the grant as the server does",
  [ErrorCode.RATE_LIMIT_EXCEEDED]: "the client's quota is used up for now",
  [ErrorCode.SERVER_ERROR]: "the device tries again",
  [ErrorCode.TEMPORARILY_UNAVAILABLE]: "the device tries again",
  [ErrorCode.INVALID_TOKEN]: "sign in again",
  [ErrorCode.INSUFFICIENT_SCOPE]: "ask for the scope that the API wants",
  [ErrorCode.UNSUPPORTED_TOKEN_TYPE]: "take an endpoint that revokes tokens of this type",
  [ErrorCode.UNREACHABLE]: "the device tries again; a network is needed",
  [ErrorCode.UNAVAILABLE]: "the device tries again",
  [ErrorCode.MALFORMED_RESPONSE]: "the device tries again",
  [ErrorCode.VALUE_TOO_LONG]: "give the device more memory",
  [ErrorCode.UNKNOWN_ERROR]: "look up what the server means by it",
  [ErrorCode.RENEWALS_EXHAUSTED]: "ask for a new code",
  [ErrorCode.SESSION_ENDED]: "sign in again",
  [ErrorCode.MEMORY_TOO_SMALL]: "give the device more memory",
  [ErrorCode.TOKEN_REVOKED]: "sign in again",
  [ErrorCode.ACCOUNT_DISABLED]: "enable the account again",
  [ErrorCode.UNEXPECTED_STATE]: "report it: this cannot be",
  [ErrorCode.USELESS_ANSWERS]: "check the address: what answers there is of no use",
  [ErrorCode.INTERACTION_REQUIRED]: "sign in again: the server wants something done there",
  [ErrorCode.REQUEST_REFUSED]: "check the address: such requests are not taken there",
  [ErrorCode.NO_CODE_CHALLENGE]: "give the device a random source and SHA-256",
};

/**
 * Who mends an error, and how: "the maker: check identifier, secret and type of the client".
 * @param kind the error's (`errorKind`)
 */
export function remedyOf(error: Exclude<ErrorCode, ErrorCode.NONE>, kind: ErrorKind): string {
  return `${WHO[kind]}: ${HOW[error]}`;
}

/** The same as a sentence to whoever stands before the device: "Ask your administrator to admit the account.". */
export function sentenceOf(remedy: string): string {
  const [, who = "", how = ""] = /^([^:]*)(?:: (.*))?$/.exec(remedy)!;
  if (who === WHO[ErrorKind.ADMINISTRATOR]) return `Ask your administrator to ${how}.`;
  if (who === WHO[ErrorKind.MAKER]) return `Ask the maker: ${how}.`;
  const text = who === WHO[ErrorKind.USER] ? how : remedy;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
