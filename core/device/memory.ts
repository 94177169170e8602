// What a device consists of: one byte array of the host's, divided into regions, and the record of
// small integers that is the rest of its state. Types and look-ups; making one is in create.ts.

import type { Events } from "../documents/security-event.ts";
import type { Client } from "../grant/client-authentication.ts";
import type { Code } from "../grant/device-authorization.ts";
import type { Session } from "../grant/refresh.ts";
import type { Revocation } from "../grant/revocation.ts";
import type { Exchange } from "../loop/exchange.ts";
import type { User } from "../loop/user.ts";
import type { Records } from "../records/record-keeping.ts";
import type { RecordHead } from "../records/token-record.ts";
import type { Call } from "../requests/call.ts";
import type { Writer } from "../text/form-encoder.ts";
import type { Scanner } from "../text/json-scanner.ts";
import type { Value } from "../text/unicode.ts";
import type { Clock } from "./clock.ts";
import type { CommandRange } from "./command.ts";
import type { Failure } from "./errors.ts";
import type { Frame } from "./frame.ts";
import type { Moves } from "./moves.ts";
import type { Regions } from "./regions.ts";
import type { Request } from "./request.ts";
import type { Misfit } from "./sizing.ts";

/** A byte array of the host: a typed array, or a plain array of integers 0..255. */
export interface Bytes {
  [index: number]: number;
  /** Number of bytes. */
  readonly length: number;
}

/**
 * Strings that the core needs as bytes: regions after those of Region, filled once at the start (engines
 * allocate for characters).
 */
export enum Literal {
  MEMBERS = 32,
  ERRORS = 33,
  ERROR_KINDS = 34,
  DEVICE_CODE_GRANT = 35,
  REFRESH_TOKEN_GRANT = 36,
  TOKEN_PARAMETER = 37,
  BEARER = 38,
  GRAMMAR = 39,
  /** What stands between the scheme and the authority of a URI (RFC 3986 §3). */
  AUTHORITY = 40,
  /** A complete build's follow, then the display texts. */
  NEXT = 41,
}

/**
 * What the core looks for in answers; each is copied to the region of the same number. Also the bits
 * of a mask of wanted fields.
 */
export enum Field {
  /** No field. */
  NONE = 0,
  /** `device_code` (RFC 8628 §3.2). */
  DEVICE_CODE = 1,
  /** `user_code` (RFC 8628 §3.2). */
  USER_CODE = 2,
  /** `verification_uri` or `verification_url` (RFC 8628 §3.2). */
  VERIFICATION_URI = 3,
  /** `verification_uri_complete` (RFC 8628 §3.2). */
  VERIFICATION_URI_COMPLETE = 4,
  /** `access_token` (RFC 6749 §5.1): the one in use. */
  ACCESS_TOKEN = 5,
  /** `refresh_token` as an answer brings it (RFC 6749 §5.1); then the one that was in use before. */
  RECEIVED_REFRESH_TOKEN = 6,
  /** `scope` (RFC 6749 §5.1), at most 160 bytes. */
  SCOPE = 7,
  /** `token_type` (RFC 6749 §5.1). */
  TOKEN_TYPE = 8,
  /** `error` or `error_code` (RFC 6749 §5.2), at most 40 bytes. */
  ERROR = 9,
  /** `sets` of a poll for events (RFC 8936 §2.3): only its name counts, and nothing is kept of a text. */
  SETS = 10,
  // integers, as the text that the server sent
  /** `expires_in`, digits. */
  EXPIRES_IN = 11,
  /** `refresh_token_expires_in`, digits. */
  REFRESH_TOKEN_EXPIRES_IN = 12,
  /** `interval`, digits (RFC 8628 §3.2). */
  INTERVAL = 13,
  // values of answers to requests beyond the grant, in OUTPUT: which one is what, SPEC.md says
  /** First value of an answer to a call; of a refusal the name of the error. */
  VALUE_A = 14,
  /** Second value; of a refusal its reason. */
  VALUE_B = 15,
  /** Third value; of a refusal its message. */
  VALUE_C = 16,
  /** Fourth value. */
  VALUE_D = 17,
  // names that only need to have been there: the types of a security event
  /** The type of a security event. */
  SESSIONS_REVOKED = 18,
  /** The type of a security event. */
  TOKEN_REVOKED = 19,
  /** The type of a security event. */
  ACCOUNT_DISABLED = 20,
}

/** Further regions, numbered on from Field. */
export enum Region {
  /** @internal The member name being read. */
  KEY = 21,
  /** The display: `columns * rows` cells, row by row. */
  FRAME = 22,
  /**
   * One at a time: a request of the grant, a record, the answer to a call, or scratch (OutputUse in
   * regions.ts).
   */
  OUTPUT = 23,
  /** Encoded once at the start: `client_id=...`, and `&client_secret=...` where it goes into bodies. */
  CLIENT = 24,
  /** The whole device authorization request; the end of it is CLIENT or the first part of that. */
  DEVICE_AUTHORIZATION = 25,
  /**
   * The refresh token in use. What an answer brings goes to Field.RECEIVED_REFRESH_TOKEN and changes places with it.
   * The one before is kept there: it is tried once more before the user has to sign in again.
   */
  REFRESH_TOKEN = 26,
  /** The target of a call, or an event poll's body; lies on the codes, which no session has. */
  CALL = 27,
  /** The application's own line below `Signed in`. */
  STATUS = 28,
  /** Base64 of the client's identifier and secret, for HTTP Basic; absent for other methods. */
  CLIENT_CREDENTIALS = 29,
  /** What the maker adds to token requests. */
  TOKEN_PARAMETERS = 30,
  /** The code verifier of the code, or of the one that is asked for (RFC 7636 §4.1); empty: without one. */
  CODE_VERIFIER = 31,
  /** How many regions there are. */
  COUNT = 32,
}

/**
 * What a request beyond the grant is for: what is looked for in a success of it, and what it leads to. There is
 * one for each kind, made when the file is loaded.
 */
export interface CallKind {
  /** Literal with the member names, the deepest object in which they are looked up (1: the outermost). */
  names: number;
  depth: number;
  /** How many values share OUTPUT, from VALUE_A on. */
  values: number;
  /** Takes in one byte of the answer. */
  scan: (device: Device, c: number) => void;
  /** The answer is complete: NONE, or what is wrong with it. */
  take: (device: Device) => number;
  /** 1: a success need not be JSON, nor of any length. */
  isAnyBody?: number;
}

/** A list of integers that is made once. Bytes have no indexOf, and so are none. */
export interface Integers {
  [index: number]: number;
  readonly length: number;
  indexOf(value: number): number;
}

/** A part of the record as all but its owner have it: to be read, not written. */
type Read<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends Integers ? readonly number[] : Part[Name];
};

/**
 * The whole state of one device beside its memory: small integers, and lists made once. It consists of the parts of
 * its owners. An owner is a file: it declares its part beside its functions, which take a `Device & Part` and are the
 * only ones that write to it. No other file names the part, and so TypeScript refuses to write to it anywhere else.
 */
export type Device = Readonly<HostMemory> &
  Read<
    Regions &
      Frame &
      Clock &
      Moves &
      Failure &
      Misfit &
      CommandRange &
      Request &
      Writer &
      Value &
      Scanner &
      RecordHead &
      Records &
      Client &
      Code &
      Session &
      Revocation &
      Call &
      Exchange &
      User &
      Events
  >;

/** The bytes of the host's. Each region of them has one owner at a time (regions.ts). */
export interface HostMemory {
  /** The host's memory. */
  memory: Bytes;
}

/** Whether the region holds a value that is not empty. */
export function holds(device: Device, region: number): boolean {
  return device.length[region] > 0;
}

/** Whether the region holds none. */
export function lacks(device: Device, region: number): boolean {
  return device.length[region] < 1;
}

/** Whether a value was too long for the region, which then has a part of it. */
export function isTooLong(device: Device, region: number): boolean {
  return device.length[region] > device.capacity[region];
}

/** Whether the region's value is the one in the memory from `at`, of `size` bytes. */
export function equals(device: Device, region: number, at: number, size: number): boolean {
  if (device.length[region] !== size) return false;
  for (var i = 0; i < size; i++) {
    if (device.memory[device.start[region] + i] !== device.memory[at + i]) return false;
  }
  return true;
}

/** Whether two regions hold the same. */
export function isSame(device: Device, region: number, other: number): boolean {
  return equals(device, region, device.start[other], device.length[other]);
}

/** Whether the region's value begins with the other's. */
export function beginsWith(device: Device, region: number, other: number): boolean {
  return (
    device.length[region] >= device.length[other] &&
    equals(device, other, device.start[region], device.length[other])
  );
}
