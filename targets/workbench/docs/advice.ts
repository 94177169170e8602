// What each error means to whoever meets it, and what to do: one line each, for the page of errors.

import type { ErrorCode } from "../../../core/complete.ts";

type Name = Exclude<keyof typeof ErrorCode, "NONE">;

/** The compiler asks for a line for every error there is. */
export const ADVICE: Readonly<Record<Name, string>> = {
  AUTHORIZATION_PENDING: "Nobody has decided yet. Nothing to do: the device polls on.",
  SLOW_DOWN: "The server wants longer pauses, and gets them, until this code is over.",
  EXPIRED_TOKEN:
    "The code has run out. The device asks for another, as often as `renewalsMax` says.",
  INVALID_GRANT:
    "The server does not know this code or refresh token any more. A pending device asks for a new code; a session ends.",
  ACCESS_DENIED: "The user has said no. Signing in again asks once more.",
  ADMIN_POLICY_ENFORCED:
    "The organization of the user forbids one of the scopes. Its administrator can allow it; a device that asks for less is allowed.",
  ORG_INTERNAL:
    "The client is for members of one organization, and the user is not one. Its administrator can admit the account.",
  INVALID_CLIENT:
    "The server does not know the client, its secret is wrong, it comes in the wrong place, or the client is of the wrong type. Check `clientId`, `clientSecret` and `clientAuthentication`.",
  UNAUTHORIZED_CLIENT:
    "The client may not use this grant. Switch the device flow on where the client is registered.",
  INVALID_SCOPE: "The server does not know a scope, or does not give it to devices. Check `scope`.",
  INVALID_REQUEST:
    "The server misses a parameter, or does not take one. Compare its documentation with `deviceParameters` and `tokenParameters`; where it wants PKCE and does not say so in its refusal, set `pkce`.",
  UNSUPPORTED_GRANT_TYPE:
    "The token endpoint does not speak RFC 8628. Check its address; the profile of the server may translate.",
  RATE_LIMIT_EXCEEDED:
    "Too many codes were asked for. The device waits longer each time; raise the quota if it stays.",
  SERVER_ERROR: "The server has failed. The device tries again, with growing pauses.",
  TEMPORARILY_UNAVAILABLE:
    "The server asks for patience. The device tries again, with growing pauses.",
  INVALID_TOKEN:
    "The access token was refused even after it had been refreshed. The user signs in again.",
  INSUFFICIENT_SCOPE:
    "The API wants a scope that was not asked for, or not granted. Check `scope`.",
  UNSUPPORTED_TOKEN_TYPE:
    "The server gives tokens that are not Bearer, or does not revoke tokens of this kind. The device cannot use them.",
  UNREACHABLE:
    "No answer: no network, a name that does not resolve, a certificate that is refused, or a time limit. The device tries again; see [Troubleshooting](troubleshooting.md#no-connection).",
  UNAVAILABLE:
    "An answer with status 5xx, a redirect, or a refusal that names no error. The device tries again, with growing pauses.",
  MALFORMED_RESPONSE:
    "An answer that is no JSON, or lacks what is needed: often a captive portal, or an address that is not the endpoint's. `errorField` names the member that an answer of JSON lacks. The device tries again.",
  VALUE_TOO_LONG:
    "A value of the server does not fit. `errorField` says which, `memoryNeeded` how much memory would do; see [Sizing](sizing.md).",
  UNKNOWN_ERROR:
    "The server has named an error that nobody knows; its own word for it is on the display. A session is tried again for a day.",
  RENEWALS_EXHAUSTED:
    "As many codes ran out as `renewalsMax` allows, and nobody came. Signing in again asks for one.",
  SESSION_ENDED:
    "The server has refused the refresh token: revoked, or unused for too long. The user signs in again.",
  MEMORY_TOO_SMALL:
    "A request, a record or an event does not fit into the memory. `memoryNeeded` says how much would do; see [Sizing](sizing.md).",
  TOKEN_REVOKED:
    "The server, or a security event, says that the token was revoked. The user signs in again.",
  ACCOUNT_DISABLED:
    "A security event says that the account was disabled. Its administrator can help.",
  UNEXPECTED_STATE:
    "An answer that nobody asked for, or a server that contradicts itself. Report it.",
  USELESS_ANSWERS:
    "Answers of no use, again and again: five with JSON and no code, ten with JSON and no access token, redirects or refusals that name no error, or three codes that the server did not know when they were polled. `errorField` names the member that was missing. The address is hardly that of the endpoint, or the client needs what the device does not do.",
  INTERACTION_REQUIRED:
    "The server wants the user to act there: sign in, consent, prove more. A session ends, and the user signs in again.",
  REQUEST_REFUSED:
    "Status 405, 406, 411, 413, 414 or 415: the server does not take such requests at this address. Check the addresses of the endpoints.",
  NO_CODE_CHALLENGE:
    "The server wants PKCE, and the host could not make a code verifier and its challenge (RFC 7636): it has no random source or no SHA-256. Nothing was sent without them.",
};
