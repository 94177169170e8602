// Why something went wrong, in words: the error's name, where it came from, and who can mend it. For
// display, log, terminal and panel alike.
import { ErrorCode, ErrorKind, State } from "../../../../core/complete.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { missingRoomOf } from "../../../../platform/missing-room.ts";
import { errorName } from "./names.ts";

export interface Reason {
  /** As it is named on the wire, or by the device. */
  readonly name: string;
  /** Who said so. */
  readonly from: string;
  /** Who can mend it, and how as far as that is known. */
  readonly mend: string;
}

/** Errors up to this one are named by a server, those behind it are found by the device (SPEC.md). */
const LAST_OF_SERVER = ErrorCode.UNSUPPORTED_TOKEN_TYPE;

const BY_KIND: Readonly<Record<number, string>> = {
  [ErrorKind.TRANSIENT]: "it passes by itself: the device tries again",
  [ErrorKind.RENEWABLE]: "the device asks for a new code by itself",
  [ErrorKind.USER]: "the user signs in again",
  [ErrorKind.ADMINISTRATOR]: "the administrator of the user's organization",
  [ErrorKind.MAKER]: "the maker of the device",
};

/** Of these more is known than their kind. */
const BY_CODE: Readonly<Record<number, string>> = {
  [ErrorCode.AUTHORIZATION_PENDING]: "the user, who has not decided yet",
  [ErrorCode.SLOW_DOWN]: "it passes by itself: the device polls more slowly from now on",
  [ErrorCode.ADMIN_POLICY_ENFORCED]: "the organization's administrator allows the scope",
  [ErrorCode.ORG_INTERNAL]: "an account of the client's own organization is used",
  [ErrorCode.INVALID_CLIENT]: "the maker: identifier, secret and type of the client",
  [ErrorCode.INVALID_SCOPE]: "the maker: asks for scopes that devices may have",
  [ErrorCode.RATE_LIMIT_EXCEEDED]: "it passes by itself: the client's quota is used up for now",
  [ErrorCode.UNREACHABLE]: "the network; the device tries again",
  [ErrorCode.ACCOUNT_DISABLED]: "the account's owner, at the service",
  [ErrorCode.RENEWALS_EXHAUSTED]: "the user asks for a new code",
};

/** Whatever the server had against a revocation, the user is signed out. */
const AT_SIGN_OUT = "nobody needs to: the device has forgotten its tokens all the same";

/** What the device itself says is wrong; undefined where nothing is. */
export function reasonOfDevice({ core, device }: Driver): Reason | undefined {
  const { error } = device;
  if (error === ErrorCode.NONE) return undefined;
  const room = missingRoomOf(device);
  const isAfterSignOut = device.state === State.SIGNED_OUT && error <= LAST_OF_SERVER;
  const mend =
    (isAfterSignOut ? AT_SIGN_OUT : BY_CODE[error]) ??
    BY_KIND[core.errorKind?.(device, error) ?? -1] ??
    "the maker of the device";
  return {
    name: ErrorCode[error]!.toLowerCase(),
    from: error <= LAST_OF_SERVER ? "the authorization server" : "the device",
    mend: room ? `the maker: ${room}` : mend,
  };
}

/** Reasons of the resource APIs' errors, and who mends what they say. */
const BY_API_REASON: Readonly<Record<string, string>> = {
  NoLinkedVideoAccount: "the user: a service account has no channel, a person's has",
  accessNotConfigured: "the maker: enables the API for the client's project",
  insufficientPermissions: "the maker: the device asks for a scope that allows it",
  permissionDenied: "the user: an account that may publish for this app",
  authError: "the user signs in again",
  alreadyExists: "whoever chose the identifier: there is such an offer",
  notFound: "whoever chose the names: there is no such thing",
  failedPrecondition: "whoever asked: it is in no state for that",
  missingPhases: "whoever made the offer: it needs phases",
  required: "the maker: the request lacks something",
};

/**
 * What an API answered, as far as it says so itself.
 * @param name the machine-readable reason in the answer, "" where there is none
 * @param api whose answer it is
 */
export function reasonOfCall(name: string, error: number, status: number, api: string): Reason {
  if (name === "") {
    const own = errorName(error).replaceAll(" ", "_");
    return {
      name: status >= 400 ? `${status} ${own}` : own,
      from: status >= 400 ? api : "the device",
      mend: status >= 500 || status === 0 ? "it may pass: ask again" : "the maker of the device",
    };
  }
  return { name, from: api, mend: BY_API_REASON[name] ?? "the maker of the device" };
}
