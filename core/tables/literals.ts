// Strings that the core needs as bytes. They are regions with numbers above those of Region, filled once at the start,
// because JavaScript engines allocate memory when code reads characters of a string. Change them here. `npm run
// generate` then writes device/tables.ts. A build contains its own literals and those of the smaller builds.

/** A number, such as a Field or an ErrorCode, and the names in responses that stand for it. */
export interface NamedPlace {
  readonly place: number;
  readonly names: readonly string[];
}

/** A list of member names, and the regions that the values are copied to: consecutive ones, from `first` on. */
export interface Members {
  readonly first: string;
  /** The names for each region; `*` is any name. */
  readonly names: readonly (string | readonly string[])[];
}

export interface LiteralRow {
  /** The text's name in Literal. */
  readonly name: string;
  /** A comment for readers of the code; "" if the name is enough. */
  readonly description: string;
  /** The text; or several texts with consecutive numbers, where `name` is the name of the first one. */
  readonly texts: readonly string[] | Members;
}

function texts(name: string, description: string, ...parts: string[]): LiteralRow {
  return { name: name, description: description, texts: parts };
}

function members(
  name: string,
  description: string,
  first: string,
  names: (string | string[])[],
): LiteralRow {
  return { name: name, description: description, texts: { first: first, names: names } };
}

/** The literals of every build, after those generated from other tables: MEMBERS, ERRORS, ERROR_KINDS, GRAMMAR. */
export function grantLiterals(): LiteralRow[] {
  return [
    texts(
      "DEVICE_CODE_GRANT",
      "",
      "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=",
    ),
    texts("REFRESH_TOKEN_GRANT", "", "&grant_type=refresh_token&refresh_token="),
    texts("TOKEN_PARAMETER", "", "token="),
    texts("VERIFIER_PARAMETER", "", "&code_verifier="),
    texts("BEARER", "", "bearer"),
    texts(
      "BEARER_TOKEN",
      "The name that one vendor uses for the token type `bearer`.",
      "bearertoken",
    ),
    texts(
      "CODE_CHALLENGE",
      "Its start also detects the error of a server that demands a challenge (RFC 7636 §4.4.1).",
      "code_challenge_method=S256&code_challenge=",
    ),
  ];
}

/** The literals for requests other than those of the grant. */
export function requestLiterals(): LiteralRow[] {
  return [
    members("RESOURCE_MEMBERS", "", "VALUE_A", ["nextPageToken"]),
    texts("PAGE_TOKEN", "", "pageToken="),
    texts(
      "STEP_UP",
      "The error of an API that requires another sign-in (RFC 9470 §3).",
      "insufficient_user_authentication",
    ),
    members("METADATA_MEMBERS", "", "VALUE_A", [
      "issuer",
      "device_authorization_endpoint",
      "token_endpoint",
      "revocation_endpoint",
    ]),
    texts(
      "SECURE",
      "The start of an https address, then of http addresses at three loopback hosts.",
      "https://",
      "http://127.0.0.1",
      "http://localhost",
      "http://[::1]",
    ),
    members("REFUSAL_MEMBERS", "Members of an error response to a call.", "VALUE_A", [
      ["status", "error"],
      "reason",
      "message",
    ]),
  ];
}

/** The literals for the two specifications only. */
export function documentLiterals(): LiteralRow[] {
  return [
    members("OFFER_MEMBERS", "", "VALUE_A", ["packageName", "productId", "basePlanId", "offerId"]),
    texts(
      "OFFER_PATH",
      "The five parts of the target, one before each name of an offer.",
      "/publisher/v3/applications/",
      "/subscriptions/",
      "/basePlans/",
      "/offers?offerId=",
      "&regionsVersion.version=",
    ),
    texts("DRAFT", "", "DRAFT"),
    members("EVENT_POLL_MEMBERS", "Members of the response to an event poll.", "SETS", ["sets"]),
    members("ANY_MEMBER", "Matches any member: events in `sets` have any names.", "VALUE_A", ["*"]),
    members("EVENT_MEMBERS", "", "VALUE_B", [
      "jti",
      "token_identifier_alg",
      "token",
      "https://schemas.openid.net/secevent/risc/event-type/sessions-revoked",
      [
        "https://schemas.openid.net/secevent/oauth/event-type/token-revoked",
        "https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked",
      ],
      "https://schemas.openid.net/secevent/risc/event-type/account-disabled",
    ]),
    texts("EVENT_POLL", "", '{"maxEvents":1,"returnImmediately":true'),
    texts(
      "EVENT_REFUSED",
      "The text before an event's identifier; the text after it is EVENT_REFUSED_END.",
      ',"setErrs":{"',
    ),
    texts("EVENT_ACKNOWLEDGED", "", ',"ack":["'),
    texts("EVENT_REFUSED_END", "", '":{"err":"authentication_failed"}}'),
    texts("EVENT_ACKNOWLEDGED_END", "", '"]'),
    texts("PREFIX", "", "prefix"),
    members("OFFER_RESPONSE", "", "VALUE_A", ["state"]),
  ];
}
