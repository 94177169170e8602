// Numbers, names and masks of what lies in a device's memory, and its literals, from ../tables. Made by
// `npm run generate`: do not edit.

/**
 * The members that the core looks for in responses. Each value is copied to the region of the same number. A field is
 * also the number of its bit in a mask of fields.
 */
export enum Field {
  /** No field. */
  NONE = 0,
  /** `device_code` (RFC 8628 §3.2). */
  DEVICE_CODE = 1,
  /** `user_code` (RFC 8628 §3.2). */
  USER_CODE = 2,
  /** `verification_uri` (RFC 8628 §3.2), or `verification_url` as in the device authorization specification. */
  VERIFICATION_URI = 3,
  /** `verification_uri_complete` (RFC 8628 §3.2), if it fits. */
  VERIFICATION_URI_COMPLETE = 4,
  /** `access_token` (RFC 6749 §5.1): the one in use. */
  ACCESS_TOKEN = 5,
  /** `refresh_token` of a response (RFC 6749 §5.1). Later the previous refresh token. */
  RECEIVED_REFRESH_TOKEN = 6,
  /** `scope` (RFC 6749 §5.1), at most 160 bytes. */
  SCOPE = 7,
  /** `token_type` (RFC 6749 §5.1), in small letters. */
  TOKEN_TYPE = 8,
  /** `error` (RFC 6749 §5.2), or `error_code` as in the device authorization specification, at most 40 bytes. */
  ERROR = 9,
  /** `sets` in the response to an event poll (RFC 8936 §2.3). Its value is not stored. */
  SETS = 10,
  /** `expires_in`, as text. */
  EXPIRES_IN = 11,
  /** `refresh_token_expires_in`, as text. */
  REFRESH_TOKEN_EXPIRES_IN = 12,
  /** `interval`, as text (RFC 8628 §3.2). */
  INTERVAL = 13,
  /** The error code of a rejection, a page token, an issuer, an event, or an offer's state. */
  VALUE_A = 14,
  /** The reason of a rejection, or device_authorization_endpoint. */
  VALUE_B = 15,
  /** The message of a rejection, or token_endpoint. */
  VALUE_C = 16,
  /** revocation_endpoint. */
  VALUE_D = 17,
  /** The event type sessions-revoked. */
  SESSIONS_REVOKED = 18,
  /** The event type token-revoked. */
  TOKEN_REVOKED = 19,
  /** The event type account-disabled. */
  ACCOUNT_DISABLED = 20,
}

/** The other regions of the memory. Their numbers follow those of Field. */
export enum Region {
  /** @internal The name of the member that is being read. */
  KEY = 21,
  /** The code verifier (RFC 7636 §4.1) of the code, or of the requested code. */
  CODE_VERIFIER = 22,
  /**
   * The refresh token in use. A received one is written to Field.RECEIVED_REFRESH_TOKEN, and the two change places.
   * The previous one stays there: the device retries with it before the user has to sign in again.
   */
  REFRESH_TOKEN = 23,
  /** The display: `columns * rows` cells, row by row. */
  FRAME = 24,
  /** One of these at a time: a grant request, a record, a call's response, or scratch (OutputUse in regions.ts). */
  OUTPUT = 25,
  /** `client_id=...`, and `&client_secret=...` if bodies contain the secret. Encoded once at the start. */
  CLIENT = 26,
  /** The body of the device authorization request, without the code challenge. */
  DEVICE_AUTHORIZATION = 27,
  /** The target of a call, or an event poll's body. */
  CALL = 28,
  /** The application's own line below `Signed in`. */
  STATUS = 29,
  /** Base64 of the client's identifier and secret, for HTTP Basic; absent for other methods. */
  CLIENT_CREDENTIALS = 30,
  /** The developer's own parameters of token requests. */
  TOKEN_PARAMETERS = 31,
  /** How many regions there are. */
  COUNT = 32,
}

/** Masks of fields. */
export enum Fields {
  /** Fields that a code response may contain. */
  CODE = 10782,
  /** Fields of a code response that must fit. */
  CODE_MUST_FIT = 14,
  /** Fields that a token response may contain. */
  TOKENS = 15328,
  /** Fields of a token response that must fit. */
  TOKENS_MUST_FIT = 96,
  /** Fields that a refusal may contain. A token in a refusal does not replace the current one. */
  REFUSAL = 8704,
  /** Fields for the values of a call. The literal of the call selects some of them. */
  VALUES = 245760,
  /** Values that end with the code. */
  OF_CODE = 30,
  /** Values that are erased when the session ends, or when a response contains others. */
  OF_SESSION = 96,
  /** Values that a code's record contains. */
  RECORDED = 30,
}

/** Regions of a fixed size with their own place. Pairs: the number ('A' is 0), a quarter of the bytes (blank is 0). */
export var CAPACITIES = "HII#J*L#M#N#V2";

/** Strings that the core needs as bytes. They are regions after those of Region, and the display texts follow them. */
export enum Literal {
  /** Names of members of grant responses. */
  MEMBERS = 32,
  ERRORS = 33,
  ERROR_KINDS = 34,
  GRAMMAR = 35,
  DEVICE_CODE_GRANT = 36,
  REFRESH_TOKEN_GRANT = 37,
  TOKEN_PARAMETER = 38,
  VERIFIER_PARAMETER = 39,
  BEARER = 40,
  /** The name that one vendor uses for the token type `bearer`. */
  BEARER_TOKEN = 41,
  /** Its start also detects the error of a server that demands a challenge (RFC 7636 §4.4.1). */
  CODE_CHALLENGE = 42,
  RESOURCE_MEMBERS = 43,
  PAGE_TOKEN = 44,
  /** The error of an API that requires another sign-in (RFC 9470 §3). */
  STEP_UP = 45,
  METADATA_MEMBERS = 46,
  /** The start of an https address, then of http addresses at three loopback hosts. */
  SECURE = 47,
  /** Members of an error response to a call. */
  REFUSAL_MEMBERS = 51,
  OFFER_MEMBERS = 52,
  /** The five parts of the target, one before each name of an offer. */
  OFFER_PATH = 53,
  DRAFT = 58,
  /** Members of the response to an event poll. */
  EVENT_POLL_MEMBERS = 59,
  /** Matches any member: events in `sets` have any names. */
  ANY_MEMBER = 60,
  EVENT_MEMBERS = 61,
  EVENT_POLL = 62,
  /** The text before an event's identifier; the text after it is EVENT_REFUSED_END. */
  EVENT_REFUSED = 63,
  EVENT_ACKNOWLEDGED = 64,
  EVENT_REFUSED_END = 65,
  EVENT_ACKNOWLEDGED_END = 66,
  PREFIX = 67,
  OFFER_RESPONSE = 68,
}

/** The number after the last literal of each build. */
export enum LiteralEnd {
  GRANT = 43,
  API = 52,
  COMPLETE = 69,
}

/** The literals of every build, one per line. */
export var LITERALS =
  'Bdevice_code!user_code!verification_uri verification_url!verification_uri_complete!access_token!refresh_token!scope!token_type!error error_code"expires_in!refresh_token_expires_in!interval \n' +
  "Bauthorization_pending!slow_down!expired_token token_expired code_expired!invalid_grant bad_verification_code incorrect_device_code invalid_code_pair bad_refresh_token invalid_refresh_token refresh_token_expired bad_token!access_denied authorization_declined!admin_policy_enforced!org_internal!invalid_client incorrect_client_credentials!unauthorized_client device_flow_disabled!invalid_scope!invalid_request!unsupported_grant_type!rate_limit_exceeded!server_error!temporarily_unavailable!invalid_token!insufficient_scope!unsupported_token_type)token_revoked$interaction_required login_required account_selection_required consent_required mfa_required interrupted_user ux_not_allowed \n" +
  "  1D1D2S2S3N4O4P5Q5Q5R5R5R1M1M1M3T5R5R1L1M1M5W5V3S3T5W3T4U5V5R3N5R5R\n" +
  ',J}@ F,M]@ F:M F}@"B F]@"B{I[Lthfnnt-T0d1c F+Y-Y1[ F1[ >1_ F1_eWEW >1c.]eWEW >rj Ful Fe? Fap Flr Fsl Fuv Flx Fl? F"A\\A/AbIfMnKrNtJuE F\n' +
  "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=\n" +
  "&grant_type=refresh_token&refresh_token=\n" +
  "token=\n" +
  "&code_verifier=\n" +
  "bearer\n" +
  "bearertoken\n" +
  "code_challenge_method=S256&code_challenge=\n";

/** The literals for requests other than those of the grant. */
export var REQUEST_LITERALS =
  "OnextPageToken \n" +
  "pageToken=\n" +
  "insufficient_user_authentication\n" +
  "Oissuer!device_authorization_endpoint!token_endpoint!revocation_endpoint \n" +
  "https://\n" +
  "http://127.0.0.1\n" +
  "http://localhost\n" +
  "http://[::1]\n" +
  "Ostatus error!reason!message \n";

/** Literals of the two specifications, which only the complete build contains. */
export var DOCUMENT_LITERALS =
  "OpackageName!productId!basePlanId!offerId \n" +
  "/publisher/v3/applications/\n" +
  "/subscriptions/\n" +
  "/basePlans/\n" +
  "/offers?offerId=\n" +
  "&regionsVersion.version=\n" +
  "DRAFT\n" +
  "Ksets \n" +
  "O* \n" +
  "Pjti!token_identifier_alg!token!https://schemas.openid.net/secevent/risc/event-type/sessions-revoked!https://schemas.openid.net/secevent/oauth/event-type/token-revoked https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked!https://schemas.openid.net/secevent/risc/event-type/account-disabled \n" +
  '{"maxEvents":1,"returnImmediately":true\n' +
  ',"setErrs":{"\n' +
  ',"ack":["\n' +
  '":{"err":"authentication_failed"}}\n' +
  '"]\n' +
  "prefix\n" +
  "Ostate \n";
