// Why something went wrong, in words: the error's name, where it came from, and who can mend it. For
// display, log, terminal and panel alike.
import { ErrorCode, State } from "../../../../core/complete.ts";
import { MESSAGES, type Message } from "../../../../core/device/errors.ts";
import { errorRows } from "../../../../core/tables/errors.ts";
import { missingMemberOf, missingRoomOf } from "../../../../platform/driver/unfit-answer.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { clean } from "../../../service/observers.ts";
import { reasonOf } from "./mask.ts";
import { remedyOf } from "./remedies.ts";
import { errorName } from "./timeline.ts";

// What the display says, from the core's own texts (MESSAGES) and its table of errors: nothing of it is typed twice.

const TEXTS = MESSAGES.split("\n");

/** The text in English. */
export function textOf(message: Message): string {
  return TEXTS[message]!.trimEnd();
}

// An answer in a few words: what its body says is wrong, if anything.

const LENGTH_MAX = 40;

/**
 * "OK" for a status of success with a body that can be read, and for nothing else.
 * @param body as text
 */
export function wordsOf(status: number, body: string): string {
  const isGood = status >= 200 && status < 300;
  const words = isGood ? "OK" : "without a reason";
  if (body === "") return words;
  try {
    return errorIn(JSON.parse(body)) || words;
  } catch {
    return "not JSON";
  }
}

/** RFC 6749 §5.2, the documents' `error_code`, and the error object of a resource API. */
function errorIn(answer: unknown): string {
  if (typeof answer !== "object" || answer === null) return "";
  const { error, error_code: code } = answer as { error?: unknown; error_code?: unknown };
  const name = typeof error === "object" && error !== null ? named(error) : (error ?? code);
  return typeof name === "string" ? clean(name).slice(0, LENGTH_MAX) : "";
}

function named(error: object): string {
  const { status } = error as { status?: unknown };
  return reasonOf(error) || (typeof status === "string" ? status : "");
}

export interface Reason {
  /** As it is named on the wire, or by the device. */
  readonly name: string;
  /** Who said so. */
  readonly from: string;
  /** Who can mend it, and how as far as that is known. */
  readonly mend: string;
}

/** Of an error that no table has. */
export const NOT_KNOWN = "the maker: look into it";

/** Errors up to this one are named by a server, those behind it are found by the device (SPEC.md). */
const LAST_OF_SERVER = ErrorCode.UNSUPPORTED_TOKEN_TYPE;

/** Whatever the server had against a revocation, the user is signed out. */
const AT_SIGN_OUT = "nobody needs to: the device has forgotten its tokens all the same";

/** What the device itself says is wrong; undefined where nothing is. */
export function reasonOfDevice({ device }: Driver): Reason | undefined {
  const { error } = device;
  if (error === ErrorCode.NONE) return undefined;
  const room = missingRoomOf(device) || missingMemberOf(device);
  const isAfterSignOut = device.state === State.SIGNED_OUT && error <= LAST_OF_SERVER;
  const { name, mend } = toldOf(error);
  return {
    name,
    from: error <= LAST_OF_SERVER ? "the authorization server" : "the device",
    mend: isAfterSignOut ? AT_SIGN_OUT : room ? `the maker: ${room}` : mend,
  };
}

/** What is told of an error: its name, who mends it, and how. */
interface Told {
  readonly name: string;
  readonly mend: string;
}

/** Made once: each view tells of an error. */
const TOLD = new Map<number, Told>(
  errorRows().map(({ error, kind }) => {
    const mend = remedyOf(error as Exclude<ErrorCode, ErrorCode.NONE>, kind);
    return [error, { name: ErrorCode[error]!.toLowerCase(), mend }];
  }),
);

/** An error by its number. */
export function toldOf(error: number): Told {
  return TOLD.get(error) ?? { name: `error ${error}`, mend: NOT_KNOWN };
}

/** Reasons of the resource APIs' errors, and who mends what they say. */
const BY_API_REASON: Readonly<Record<string, string>> = {
  NoLinkedVideoAccount: "the user: a service account has no channel, a person's has",
  accessNotConfigured: "the maker: enable the API for the client's project",
  insufficientPermissions: "the maker: ask for a scope that allows it",
  permissionDenied: "the user: take an account that may publish for this app",
  authError: "the user: sign in again",
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
      mend: status >= 500 || status === 0 ? "passes by itself: ask again" : NOT_KNOWN,
    };
  }
  return { name, from: api, mend: BY_API_REASON[name] ?? NOT_KNOWN };
}
