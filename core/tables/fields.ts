// One row for each value with a place in a device's memory. To add a value, add a row. `npm run generate` then writes
// the numbers, names, masks and capacities (device/tables.ts), and the tables of SPEC.md. Fields come first: members of
// responses, each copied to the region with the same number. The other regions follow. Each field, and each of the
// first three other regions, has a bit in masks. A mask has 26 bits for them, so there are at most 23 fields.

import type { Limit } from "../device/limits.ts";

/** The responses to requests of the grant in which a field may occur: with a code, with tokens, and rejections. */
export type ResponseKind = "code" | "tokens" | "refusal";

/** The lifetimes of values, as in the table in SPEC.md. CODE and SESSION also define masks of fields (Fields). */
export enum Lifetime {
  /** Dropped with the code (dropCode). */
  CODE = "from its response (or record) until there is no code to poll any more",
  /** Dropped with the session (dropTokens). The current value stays until a response has a new one. */
  SESSION = "until the session ends or a response contains another one",
  RESPONSE = "from the last grant response until the next one begins",
  SUCCESS = "from the last successful token response until the next one begins",
  VALUE = "in OUTPUT, as long as the call's response",
  CONSTANT = "from `create` on",
}

export interface FieldRow {
  /** The field's name in Field or Region. */
  readonly name: string;
  /** The content of the value, for readers of the code and for SPEC.md. */
  readonly description: string;
  /** The field's names in grant responses, starting with the RFCs' name. Default: `name` in small letters. */
  readonly wire?: readonly string[];
  readonly responses?: readonly ResponseKind[];
  /** If this value does not fit, the response is unusable. */
  readonly mustFit?: true;
  /** The Limit with the size in bytes, if the size is fixed. loop/create.ts and device/regions.ts set other sizes. */
  readonly capacity?: keyof typeof Limit;
  /** When the value is dropped. "": there is no value, only the presence of the member matters. */
  readonly lifetime: string;
  /** The description of the place, if other values share it. */
  readonly place?: string;
  /** Whether a code's record has the value. The record has the order of the rows, and may lack CODE_VERIFIER. */
  readonly isRecorded?: true;
}

/** The fields in the order of their numbers, which start at 1. */
export function fieldRows(): FieldRow[] {
  return [
    {
      name: "DEVICE_CODE",
      description: "`device_code` (RFC 8628 §3.2).",
      responses: ["code"],
      mustFit: true,
      lifetime: Lifetime.CODE,
      place: "as ACCESS_TOKEN",
      isRecorded: true,
    },
    {
      name: "USER_CODE",
      description: "`user_code` (RFC 8628 §3.2).",
      responses: ["code"],
      mustFit: true,
      lifetime: Lifetime.CODE,
      isRecorded: true,
    },
    {
      name: "VERIFICATION_URI",
      description:
        "`verification_uri` (RFC 8628 §3.2), or `verification_url` as in the device authorization specification.",
      wire: ["verification_uri", "verification_url"],
      responses: ["code"],
      mustFit: true,
      lifetime: Lifetime.CODE,
      isRecorded: true,
    },
    {
      name: "VERIFICATION_URI_COMPLETE",
      description: "`verification_uri_complete` (RFC 8628 §3.2), if it fits.",
      responses: ["code"],
      lifetime: Lifetime.CODE,
      isRecorded: true,
    },
    {
      name: "ACCESS_TOKEN",
      description: "`access_token` (RFC 6749 §5.1): the one in use.",
      responses: ["tokens"],
      mustFit: true,
      lifetime: Lifetime.SESSION,
      place: "at the end of the memory, after OUTPUT",
    },
    {
      name: "RECEIVED_REFRESH_TOKEN",
      description:
        "`refresh_token` of a response (RFC 6749 §5.1). Later the previous refresh token.",
      wire: ["refresh_token"],
      responses: ["tokens"],
      mustFit: true,
      lifetime: Lifetime.SESSION,
      place: "as ACCESS_TOKEN",
    },
    {
      name: "SCOPE",
      description: "`scope` (RFC 6749 §5.1), at most 160 bytes.",
      responses: ["tokens"],
      capacity: "SCOPE_CAPACITY",
      lifetime: Lifetime.SUCCESS,
    },
    {
      name: "TOKEN_TYPE",
      description: "`token_type` (RFC 6749 §5.1), in small letters.",
      responses: ["tokens"],
      capacity: "TOKEN_TYPE_MAX",
      lifetime: Lifetime.SUCCESS,
    },
    {
      name: "ERROR",
      description:
        "`error` (RFC 6749 §5.2), or `error_code` as in the device authorization specification, at most 40 bytes.",
      wire: ["error", "error_code"],
      responses: ["code", "tokens", "refusal"],
      capacity: "ERROR_MAX",
      lifetime: Lifetime.RESPONSE,
    },
    {
      name: "SETS",
      description:
        "`sets` in the response to an event poll (RFC 8936 §2.3). Its value is not stored.",
      lifetime: "",
    },
    // Integers, stored as the text that the server has sent.
    {
      name: "EXPIRES_IN",
      description: "`expires_in`, as text.",
      responses: ["code", "tokens"],
      capacity: "NUMBER_MAX",
      lifetime: "as SCOPE; also from the last device authorization response",
    },
    {
      name: "REFRESH_TOKEN_EXPIRES_IN",
      description: "`refresh_token_expires_in`, as text.",
      responses: ["tokens"],
      capacity: "NUMBER_MAX",
      lifetime: Lifetime.SUCCESS,
    },
    {
      name: "INTERVAL",
      description: "`interval`, as text (RFC 8628 §3.2).",
      responses: ["code", "tokens", "refusal"],
      capacity: "NUMBER_MAX",
      lifetime: Lifetime.RESPONSE,
    },
    {
      name: "VALUE_A",
      description:
        "The error code of a rejection, a page token, an issuer, an event, or an offer's state.",
      lifetime: Lifetime.VALUE,
    },
    {
      name: "VALUE_B",
      description: "The reason of a rejection, or device_authorization_endpoint.",
      lifetime: Lifetime.VALUE,
    },
    {
      name: "VALUE_C",
      description: "The message of a rejection, or token_endpoint.",
      lifetime: Lifetime.VALUE,
    },
    { name: "VALUE_D", description: "revocation_endpoint.", lifetime: Lifetime.VALUE },
    // The types of a security event. Only their presence matters.
    { name: "SESSIONS_REVOKED", description: "The event type sessions-revoked.", lifetime: "" },
    { name: "TOKEN_REVOKED", description: "The event type token-revoked.", lifetime: "" },
    { name: "ACCOUNT_DISABLED", description: "The event type account-disabled.", lifetime: "" },
  ];
}

/** Regions that no response fills directly. Their numbers follow those of the fields. */
export function regionRows(): FieldRow[] {
  return [
    {
      name: "KEY",
      description: "@internal The name of the member that is being read.",
      capacity: "KEY_MAX",
      lifetime: "while JSON is parsed",
    },
    {
      name: "CODE_VERIFIER",
      description: "The code verifier (RFC 7636 §4.1) of the code, or of the requested code.",
      lifetime: "from CHALLENGE (or the code's record) until the code ends or its request fails",
      place: "as ACCESS_TOKEN",
      isRecorded: true,
    },
    {
      name: "REFRESH_TOKEN",
      description:
        "The refresh token in use. A received one is written to Field.RECEIVED_REFRESH_TOKEN, and the two change places. " +
        "The previous one stays there: the device retries with it before the user has to sign in again.",
      lifetime: "from its response or record until the session ends",
      place: "as RECEIVED_REFRESH_TOKEN, which it changes places with",
    },
    {
      name: "FRAME",
      description: "The display: `columns * rows` cells, row by row.",
      lifetime: "always; its length has no meaning",
    },
    {
      name: "OUTPUT",
      description:
        "One of these at a time: a grant request, a record, a call's response, or scratch (OutputUse in regions.ts).",
      lifetime:
        "a request: from SEND until the exchange ends or ABORT; a record: from LOAD or STORE until storageDone; a " +
        "response: from the call's SEND until the next call begins. After tick has returned NONE with the call done, " +
        "the next tick or applySecurityEvent may reuse the bytes",
    },
    {
      name: "CLIENT",
      description:
        "`client_id=...`, and `&client_secret=...` if bodies contain the secret. Encoded once at the start.",
      lifetime: Lifetime.CONSTANT,
    },
    {
      name: "DEVICE_AUTHORIZATION",
      description: "The body of the device authorization request, without the code challenge.",
      lifetime: Lifetime.CONSTANT,
      place: "ends with CLIENT or a part of it",
    },
    {
      name: "CALL",
      description: "The target of a call, or an event poll's body.",
      lifetime: "from beginCall or the poll until the next one is begun or the session ends",
      place: "USER_CODE to VERIFICATION_URI_COMPLETE: no session has codes",
    },
    {
      name: "STATUS",
      description: "The application's own line below `Signed in`.",
      lifetime: "from setStatus until a user signs in",
    },
    {
      name: "CLIENT_CREDENTIALS",
      description:
        "Base64 of the client's identifier and secret, for HTTP Basic; absent for other methods.",
      lifetime: Lifetime.CONSTANT,
    },
    {
      name: "TOKEN_PARAMETERS",
      description: "The developer's own parameters of token requests.",
      lifetime: Lifetime.CONSTANT,
    },
  ];
}
