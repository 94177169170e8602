// Describes errors: name, source, and who can fix them.
import { ErrorCode, State } from "../../../../core/complete.ts";
import { MESSAGES, type Message } from "../../../../core/device/errors.ts";
import { errorRows } from "../../../../core/tables/errors.ts";
import { missingCapacityOf, missingMemberOf } from "../../../../platform/driver/responses.ts";
import type { Driver } from "../../../../platform/driver.ts";
import { clean } from "../../../service/observers.ts";
import { reasonOf } from "./mask.ts";
import { remedyOf } from "./remedies.ts";
import { errorName } from "./timeline.ts";

const TEXTS = MESSAGES.split("\n");

export function textOf(message: Message): string {
  return TEXTS[message]!.trimEnd();
}

/** The maximum length of the name of an error. */
const LENGTH_MAX = 40;

/** The error in the body. Without one: "OK" for a success, "without a reason" for a failure, or "not JSON". */
export function wordsOf(status: number, body: string): string {
  const isValid = status >= 200 && status < 300;
  const words = isValid ? "OK" : "without a reason";
  if (body === "") return words;
  try {
    return errorIn(JSON.parse(body)) || words;
  } catch {
    return "not JSON";
  }
}

/** The error of RFC 6749 §5.2, `error_code` of the two specifications, or the reason in the error of a resource API. */
function errorIn(response: unknown): string {
  if (typeof response !== "object" || response === null) return "";
  const { error, error_code: code } = response as { error?: unknown; error_code?: unknown };
  const name = typeof error === "object" && error !== null ? named(error) : (error ?? code);
  return typeof name === "string" ? clean(name).slice(0, LENGTH_MAX) : "";
}

function named(error: object): string {
  const { status } = error as { status?: unknown };
  return reasonOf(error) || (typeof status === "string" ? status : "");
}

export interface Reason {
  readonly name: string;
  readonly from: string;
  /** Who can fix the error, and how, if known. */
  readonly fix: string;
}

export const NOT_KNOWN = "the developer: look into it";

/** After a failed revocation, the user is signed out nevertheless. */
const AT_SIGN_OUT = "nobody needs to: the device has cleared its tokens anyway";

export function reasonOfDevice({ device }: Driver): Reason | undefined {
  const { error } = device;
  if (error === ErrorCode.NONE) return undefined;
  const capacity = missingCapacityOf(device) || missingMemberOf(device);
  const { name, fix, isServers } = reportedOf(error);
  const isAfterSignOut = device.state === State.SIGNED_OUT && isServers;
  return {
    name,
    from: isServers ? "the authorization server" : "the device",
    fix: isAfterSignOut ? AT_SIGN_OUT : capacity ? `the developer: ${capacity}` : fix,
  };
}

interface ErrorText {
  readonly name: string;
  readonly fix: string;
  /** Whether servers name this error in their responses. */
  readonly isServers: boolean;
}

/** Created once, because every view needs these texts. */
const ERROR_TEXTS = new Map<number, ErrorText>(
  errorRows().map(({ error, kind, names }) => {
    const fix = remedyOf(error as Exclude<ErrorCode, ErrorCode.NONE>, kind);
    const isServers = names.length > 0;
    return [error, { name: ErrorCode[error]!.toLowerCase(), fix, isServers }];
  }),
);

export function reportedOf(error: number): ErrorText {
  return ERROR_TEXTS.get(error) ?? { name: `error ${error}`, fix: NOT_KNOWN, isServers: false };
}

const BY_API_REASON: Readonly<Record<string, string>> = {
  NoLinkedVideoAccount:
    "the user: sign in with a personal account; a service account has no channel",
  accessNotConfigured: "the developer: enable the API for the client's project",
  insufficientPermissions: "the developer: request a scope that allows it",
  permissionDenied: "the user: take an account that may publish for this app",
  authError: "the user: sign in again",
  alreadyExists: "the caller: choose another identifier; this offer exists",
  notFound: "the caller: check the names; there is no such resource",
  failedPrecondition: "the caller: change the state of the resource first",
  required: "the developer: the request lacks a parameter",
};

/** The error of an API. `name` is the machine-readable reason in the response, "" if there is none. */
export function reasonOfCall(name: string, error: number, status: number, api: string): Reason {
  if (name === "") {
    const own = errorName(error).replaceAll(" ", "_");
    return {
      name: status >= 400 ? `${status} ${own}` : own,
      from: status >= 400 ? api : "the device",
      fix: status >= 500 || status === 0 ? "passes by itself: retry" : NOT_KNOWN,
    };
  }
  return { name, from: api, fix: BY_API_REASON[name] ?? NOT_KNOWN };
}
