// Every limit of the core, with its reason. No value and no intermediate result exceeds 2^27 - 1. The sizes of regions that
// depend on the memory are in create.ts.
// JavaScript: engines box larger integers. Plain enums, because the build inlines the numbers.

export enum Limit {
  /** A number that has reached this with more digits to come is endless: ten times it would exceed ENDLESS. */
  TENTH_OF_ENDLESS = 10000000,
  /**
   * A time that never ends, in seconds or milliseconds: an unknown lifetime or one above three years, or the time of a
   * single page. It is not counted down.
   */
  ENDLESS = 10 * TENTH_OF_ENDLESS,
  /** Longest step of time of one tick, in seconds: a longer lifetime wakes the host later than ELAPSED_MS_MAX does. */
  ELAPSED_S_MAX = 100000,
  ELAPSED_MS_MAX = 1000 * ELAPSED_S_MAX,

  /** RFC 8628 §3.2: the default interval. */
  INTERVAL_DEFAULT_S = 5,
  INTERVAL_DEFAULT_MS = 1000 * INTERVAL_DEFAULT_S,
  /** The shortest interval, for a server that sends 0: at most a poll per second. */
  INTERVAL_MIN_MS = 1000,
  /** The longest interval that can be waited for, 27 hours: less than endless, including the spread of starts. */
  INTERVAL_MAX_S = 99930,
  INTERVAL_MAX_MS = 1000 * INTERVAL_MAX_S,
  /**
   * Longest lifetime of a code whose interval exceeds INTERVAL_MAX_S. It ends more than LAST_POLL_MS before the poll,
   * so no poll is too early.
   */
  UNPOLLED_LIFETIME_S = 99840,
  /** RFC 8628 §3.5: every slow_down adds this, permanently. */
  SLOW_DOWN_STEP_MS = 5000,

  /**
   * RFC 8628 §3.2 requires expires_in, but one large vendor omits it: ten minutes, the lifetime of its codes. 0 counts
   * as absent.
   */
  CODE_LIFETIME_DEFAULT_S = 600,
  /**
   * Responses to the code request that are JSON without a code, since the last code or the user's last command, before
   * the device reports a wrong setup. Without other events, the last comes 15 to 30 seconds after the first, plus
   * response times.
   */
  UNUSABLE_RESPONSES_MAX = 5,
  /**
   * Consecutive redirects, rejections without an error code, and JSON without tokens: a captive portal is gone by then.
   * Without other events, the last comes 2.5 to 5.5 minutes after the first.
   */
  UNUSABLE_STATUSES_MAX = 10,
  /**
   * Consecutive codes that the server does not recognize when they are first polled: the user had no chance to decide,
   * and further codes would fare the same.
   */
  DEAD_CODES_MAX = 3,

  /** The first wait after a failure: long enough for a network that drops a packet. */
  BACKOFF_MIN_MS = 2000,
  /** The longest wait after a failure: a waiting user is served about a minute after it has passed. */
  BACKOFF_MAX_MS = 64000,
  /** The longest wait after a rejected refresh, more than an hour: only people can fix that. */
  REFUSED_BACKOFF_MAX_MS = 4096000,
  /** How long the server may reject a refresh, with any error code or none, before the session ends. */
  REFUSALS_S = 86400,
  /** How long the last poll is waited for after the code has expired, in seconds: the longest backoff. */
  LAST_POLL_S = 64,
  LAST_POLL_MS = 1000 * LAST_POLL_S,
  /** The devices of a whole city start together after a power cut: spread their first request. */
  BOOT_SPREAD_MS = 5000,
  /** The longest spread that can be set: an hour, for stored tokens. */
  START_SPREAD_MAX_MS = 3600000,
  /** The longest spread of code requests and polls: users do not wait longer than a minute. */
  CODE_SPREAD_MAX_MS = 60000,
  /** The core gives up a request or VERIFY that the host never ends after this time; adapters have shorter limits. */
  EXCHANGE_MS_MAX = 120000,
  /** A Retry-After above an hour is more often a mistake than intended. */
  RETRY_AFTER_MAX_S = 3600,
  /** A status outside HTTP's range counts as this (RFC 9110 §15). */
  STATUS_OTHER = 599,

  /** Attempts of a revocation before the device signs out regardless, because the user is waiting. */
  REVOCATION_TRIES = 4,
  /** Attempts to write or erase before the device continues without it. */
  STORAGE_TRIES = 3,
  /**
   * Attempts to read a slot, which may hold the newest record, before the other one counts. With the waits between them
   * they take six seconds: a temporary failure ends no session, and nobody waits long for a slot that stays unreadable.
   */
  READ_TRIES = 7,
  /** Half the first wait between them; each further one is twice as long. */
  READ_AGAIN_MS = 50,
  /**
   * Attempts to create a code challenge, one to two minutes including the backoff: by then a slow random source is
   * ready.
   */
  CHALLENGE_TRIES = 7,
  /** When rejected tokens are offered to storage again: long enough for busy flash. */
  SAVE_AGAIN_MS = 60000,

  /**
   * An access token is refreshed after seven eighths of its lifetime, and at most this long before its expiry. Jitter
   * adds up to as much again, so that devices which signed in together do not refresh together.
   */
  REFRESH_MARGIN_MAX_S = 300,
  /** The next refresh without need waits this long: tokens of a minute would wear out the flash of an idle device. */
  REFRESH_REST_S = 600,
  /** The user is warned this long before the refresh token itself expires: a weekend and a day. */
  EXPIRY_WARNING_S = 259200,
  /** A code with this lifetime or more has no countdown, which has two digits for minutes. */
  COUNTDOWN_MAX_S = 6000,

  /** Longest response body: a longer one contains no token that a device could use, and is rejected. */
  BODY_MAX = 65536,
  /** Nesting of a JSON document; the stack is the bits of one integer. */
  JSON_DEPTH_MAX = 24,

  /** A code verifier of 32 random bytes in base64url, and its challenge, SHA-256 as well (RFC 7636 §4.1, §4.2). */
  CODE_VERIFIER_SIZE = 43,
  /** A character in UTF-8. */
  CHARACTER_MAX = 4,
  /** Longest member name that is looked up; longer ones are unknown and skipped. */
  KEY_MAX = 88,
  /** Error code stored for the display: the longest registered one has 28 characters. */
  ERROR_MAX = 40,
  /** "bearertoken" has 11 characters: a longer type is another one, and rejected. */
  TOKEN_TYPE_MAX = 12,
  /** Scopes are for the application: of a longer list, the device stores the scopes that fit. */
  SCOPE_MAX = 160,
  /** More digits than any valid number; a longer one counts as endless. */
  NUMBER_MAX = 12,
  /** The specification requires 40 characters on the display; real servers' URIs are longer. */
  VERIFICATION_URI_MAX = 128,
  /** The URI and a user code of 40 characters with its name: a longer one is dropped, and the user types. */
  VERIFICATION_URI_COMPLETE_MAX = 176,
  /** RFC 8628 §3.2 sets no bound: with this much memory, longer addresses fit, too. */
  LONG_URI_MEMORY = 24576,
  /** Longest verification address from that memory on. */
  LONG_URI_MAX = 512,
  /** Longest complete address from that memory on; a QR code holds as much in its smaller versions. */
  LONG_URI_COMPLETE_MAX = 768,
  /**
   * Shares, in 32nds, of the memory that the fixed regions leave: one for the access token, one for each of the two
   * refresh tokens. The rest is OUTPUT: requests, which contain the client and one token or code, and records, which
   * contain one token or a code.
   */
  ACCESS_TOKEN_SHARE = 9,
  /** For each of the two refresh tokens: in most servers they are shorter than access tokens. */
  REFRESH_TOKEN_SHARE = 5,
  OUTPUT_SHARE = 32 - ACCESS_TOKEN_SHARE - 2 * REFRESH_TOKEN_SHARE,
  /** Smallest capacity for a request or record: about 64 bytes for each of its parts. */
  OUTPUT_MIN = 256,

  /** Events in one run of event polls, so that a run ends: one more poll acknowledges the last. */
  EVENT_POLLS = 32,

  /** A bit for each endpoint: five, and up to 22 resource servers. */
  ENDPOINTS = 134217727,
  /** 26 random bits of the host, for jitter. */
  SEED_MAX = 67108863,
  /** Codes requested without user interaction. */
  RENEWALS_MAX = 1000,

  /** The smallest display: 16x2, the most common character display. */
  COLUMNS_MIN = 16,
  /** The widest display: a terminal. */
  COLUMNS_MAX = 80,
  /** One row for the code, one for the address. */
  ROWS_MIN = 2,
  /** The highest display: with 80 columns its frame takes 640 bytes of memory, and the application's line 560. */
  ROWS_MAX = 8,
  /** How long each page of a text with several pages is shown. */
  PAGE_MS = 3000,
  /** More cells than any text has: a cell for each byte of the largest memory, and incomplete rows. */
  BEHIND_ALL_TEXT = 100000000,
}
