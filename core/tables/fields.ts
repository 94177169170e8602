// Every value that has a place in a device's memory, a row each. To be read and changed here; `npm run generate` makes
// of it the numbers, the names, the masks and the rooms that are shipped (device/tables.ts), and the chart of SPEC.md.
// Nobody numbers by hand: a new value is a new row.
//
// Fields come first: what is looked for in answers, each copied to the region of the same number. They are bits of a
// mask, too, so that there are 26 at the most. The other regions follow.

import type { Limit } from "../device/limits.ts";

/** Which answers of the grant a field is looked for in: to the request for a code, with tokens, and one that refuses them. */
export type Answer = "code" | "tokens" | "refusal";

/** From when to when a value lives, and what the chart says of it. Two of them are masks as well. */
export enum Life {
  /** Forgotten with the code (dropCode). */
  CODE = "from the answer that brought it (or its record) until there is no code to poll any more",
  /** Forgotten with the session (dropTokens). What is in use is not given up before an answer names another. */
  SESSION = "until the session ends or an answer names another",
  ANSWER = "of the last answer of the grant, until the next one begins",
  SUCCESS = "of the last success of the token endpoint, until the next one begins",
  VALUE = "in OUTPUT, while that is the answer's",
  CONSTANT = "from create on",
}

export interface FieldRow {
  /** In Field or Region. */
  readonly name: string;
  /** What lies there: for who reads the code, and the chart. "": nothing does, only its name counts. */
  readonly says: string;
  /** Names in answers of the grant, the RFCs' first; left out: its own in small letters. */
  readonly wire?: readonly string[];
  readonly answers?: readonly Answer[];
  /** An answer in which it does not fit is of no use. */
  readonly mustFit?: true;
  /** Bytes, where that is all that decides: other places are laid out in loop/create.ts. */
  readonly room?: keyof typeof Limit;
  readonly life: string;
  /** Where that is not a place of its own. */
  readonly place?: string;
  /** It is kept in a code's record, in the order of the rows. What comes behind CODE_VERIFIER there may be missing. */
  readonly isRecorded?: true;
}

/** In the order of their numbers, from 1 on. */
export function fieldRows(): FieldRow[] {
  return [
    {
      name: "DEVICE_CODE",
      says: "`device_code` (RFC 8628 §3.2).",
      answers: ["code"],
      mustFit: true,
      life: Life.CODE,
      place: "REFRESH_TOKEN: no code has a session",
      isRecorded: true,
    },
    {
      name: "USER_CODE",
      says: "`user_code` (RFC 8628 §3.2).",
      answers: ["code"],
      mustFit: true,
      life: Life.CODE,
      isRecorded: true,
    },
    {
      name: "VERIFICATION_URI",
      says: "`verification_uri` (RFC 8628 §3.2); the documents' service says `verification_url`.",
      wire: ["verification_uri", "verification_url"],
      answers: ["code"],
      mustFit: true,
      life: Life.CODE,
      isRecorded: true,
    },
    {
      name: "VERIFICATION_URI_COMPLETE",
      says: "`verification_uri_complete` (RFC 8628 §3.2), if it fits.",
      answers: ["code"],
      life: Life.CODE,
      isRecorded: true,
    },
    {
      name: "ACCESS_TOKEN",
      says: "`access_token` (RFC 6749 §5.1): the one in use.",
      answers: ["tokens"],
      mustFit: true,
      life: Life.SESSION,
    },
    {
      name: "RECEIVED_REFRESH_TOKEN",
      says: "`refresh_token` as an answer brings it (RFC 6749 §5.1); then the one that was in use before.",
      wire: ["refresh_token"],
      answers: ["tokens"],
      mustFit: true,
      life: Life.SESSION,
    },
    {
      name: "SCOPE",
      says: "`scope` (RFC 6749 §5.1), at most 160 bytes.",
      answers: ["tokens"],
      room: "SCOPE_MAX",
      life: Life.SUCCESS,
    },
    {
      name: "TOKEN_TYPE",
      says: "`token_type` (RFC 6749 §5.1), in small letters.",
      answers: ["tokens"],
      room: "TOKEN_TYPE_MAX",
      life: Life.SUCCESS,
    },
    {
      name: "ERROR",
      says: "`error` (RFC 6749 §5.2), at most 40 bytes; the documents' service says `error_code` for a quota.",
      wire: ["error", "error_code"],
      answers: ["code", "tokens", "refusal"],
      room: "ERROR_MAX",
      life: Life.ANSWER,
    },
    {
      name: "SETS",
      says: "`sets` of a poll for events (RFC 8936 §2.3): only its name counts, and nothing is kept of a text.",
      life: "",
    },
    // Integers, as the text that the server sent.
    {
      name: "EXPIRES_IN",
      says: "`expires_in`, digits.",
      answers: ["code", "tokens"],
      room: "NUMBER_MAX",
      life: "as SCOPE, and of the last answer to a request for a code",
    },
    {
      name: "REFRESH_TOKEN_EXPIRES_IN",
      says: "`refresh_token_expires_in`, digits.",
      answers: ["tokens"],
      room: "NUMBER_MAX",
      life: Life.SUCCESS,
    },
    {
      name: "INTERVAL",
      says: "`interval`, digits (RFC 8628 §3.2).",
      answers: ["code", "tokens", "refusal"],
      room: "NUMBER_MAX",
      life: Life.ANSWER,
    },
    {
      name: "VALUE_A",
      says: "Of a refusal its name; page token; issuer; the event to verify; an offer's state.",
      life: Life.VALUE,
    },
    {
      name: "VALUE_B",
      says: "Of a refusal its reason; device_authorization_endpoint.",
      life: Life.VALUE,
    },
    { name: "VALUE_C", says: "Of a refusal its message; token_endpoint.", life: Life.VALUE },
    { name: "VALUE_D", says: "revocation_endpoint.", life: Life.VALUE },
    // The types of a security event: their names only need to have been there.
    { name: "SESSIONS_REVOKED", says: "The type of a security event.", life: "" },
    { name: "TOKEN_REVOKED", says: "The type of a security event.", life: "" },
    { name: "ACCOUNT_DISABLED", says: "The type of a security event.", life: "" },
  ];
}

/** What no answer brings, or what an answer's value becomes: numbered on from the fields. */
export function regionRows(): FieldRow[] {
  return [
    {
      name: "KEY",
      says: "@internal The name of the member that is being read.",
      room: "KEY_MAX",
      life: "within an answer",
    },
    {
      name: "FRAME",
      says: "The display: `columns * rows` cells, row by row.",
      life: "always; its length says nothing",
    },
    {
      name: "OUTPUT",
      says: "One at a time: a request of the grant, a record, the answer to a call, or scratch (OutputUse in regions.ts).",
      life:
        "a request: from SEND until the exchange has ended or ABORT is given; a record: from LOAD or STORE until " +
        "storageDone; an answer: from the call's SEND until another call is begun; once tick has answered NONE with " +
        "the call done, also until applySecurityEvent, or the next tick (then whoever needs the bytes gets them)",
    },
    {
      name: "CLIENT",
      says: "Encoded once at the start: `client_id=...`, and `&client_secret=...` where it goes into bodies.",
      life: Life.CONSTANT,
    },
    {
      name: "DEVICE_AUTHORIZATION",
      says: "The whole device authorization request.",
      life: Life.CONSTANT,
      place: "ends with CLIENT or a part of it",
    },
    {
      name: "REFRESH_TOKEN",
      says:
        "The refresh token in use. What an answer brings goes to Field.RECEIVED_REFRESH_TOKEN and changes places with " +
        "it. The one before is kept there: it is tried once more before the user has to sign in again.",
      life: "from its answer or record until the session ends",
      place: "takes turns with RECEIVED_REFRESH_TOKEN in two places",
    },
    {
      name: "CALL",
      says: "The target of a call, or an event poll's body.",
      life: "from beginCall or the poll until the next one is begun or the session ends",
      place: "USER_CODE to VERIFICATION_URI_COMPLETE: no session has codes",
    },
    {
      name: "STATUS",
      says: "The application's own line below `Signed in`.",
      life: "from setStatus until a user signs in",
    },
    {
      name: "CLIENT_CREDENTIALS",
      says: "Base64 of the client's identifier and secret, for HTTP Basic; absent for other methods.",
      life: Life.CONSTANT,
    },
    {
      name: "TOKEN_PARAMETERS",
      says: "What the maker adds to token requests.",
      life: Life.CONSTANT,
    },
    {
      name: "CODE_VERIFIER",
      says: "The code verifier of the code, or of the one that is asked for (RFC 7636 §4.1); empty: without one.",
      life: "from CHALLENGE (or the code's record) until the code ends, or the request for one fails",
      isRecorded: true,
    },
  ];
}
