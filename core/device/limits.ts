// The limits of the core, with their reasons. No value and no intermediate result exceeds 2^27 - 1, because JerryScript
// allocates an object for a larger number.

export enum Limit {
  /** A number that has reached this value and has a further digit is endless: ten times this value is ENDLESS. */
  TENTH_OF_ENDLESS = 10000000,
  /**
   * A time without an end, in seconds or milliseconds: an unknown lifetime, one above three years, or the time of a single
   * page. It is not counted down.
   */
  ENDLESS = 10 * TENTH_OF_ENDLESS,
  /** The longest time that one tick counts, in seconds. wakeIn never returns a longer one. */
  ELAPSED_S_MAX = 100000,
  ELAPSED_MS_MAX = 1000 * ELAPSED_S_MAX,

  /** RFC 8628 §3.2: the default interval. */
  INTERVAL_DEFAULT_S = 5,
  INTERVAL_DEFAULT_MS = 1000 * INTERVAL_DEFAULT_S,
  /** The shortest interval, for a server that sends 0: at most a poll per second. */
  INTERVAL_MIN_MS = 1000,
  /** The longest interval that can be waited for, almost 28 hours. With the start spread, the wait stays below ENDLESS. */
  INTERVAL_MAX_S = 99930,
  INTERVAL_MAX_MS = 1000 * INTERVAL_MAX_S,
  /**
   * The longest lifetime of a code whose interval exceeds INTERVAL_MAX_S. The code expires more than LAST_POLL_MS
   * before the poll would be due, so that no poll is too early.
   */
  UNPOLLED_LIFETIME_S = 99840,
  /** RFC 8628 §3.5: every slow_down adds this to the interval. */
  SLOW_DOWN_STEP_MS = 5000,

  /**
   * RFC 8628 §3.2 requires expires_in, but one large vendor omits it. Ten minutes is the lifetime of its codes. 0
   * counts as absent.
   */
  CODE_LIFETIME_DEFAULT_S = 600,
  /**
   * After this many successful responses without a code, the device reports a wrong setup. A code or signIn resets the
   * count. The last of these responses comes at least 15 seconds after the first.
   */
  UNUSABLE_RESPONSES_MAX = 5,
  /**
   * The limit for consecutive redirects, rejections without an error code, and JSON without tokens. The last of them comes
   * at least 2.5 minutes after the first. By that time, a captive portal may have disappeared.
   */
  UNUSABLE_STATUSES_MAX = 10,
  /**
   * The limit for codes that the server rejects with invalid_grant, without authorization_pending in between. The user
   * had no time to decide, and further codes would have the same result.
   */
  DEAD_CODES_MAX = 3,

  /** The first backoff after a failure. The device waits for half of it and a random part of the other half. */
  BACKOFF_MIN_MS = 2000,
  /** The longest backoff after a temporary failure; for a refresh startSpreadMs, if that is longer. */
  BACKOFF_MAX_MS = 64000,
  /** The longest backoff after a rejected refresh, more than an hour, because only people can fix the reason. */
  REFUSED_BACKOFF_MAX_MS = 4096000,
  /** How long the server may reject a refresh before the session ends, if it rejects neither grant nor client. */
  REFUSALS_S = 86400,
  /** The last poll comes at most this long after the code's expiry. A poll has no longer backoff. */
  LAST_POLL_S = 64,
  LAST_POLL_MS = 1000 * LAST_POLL_S,
  /** The default spread of first requests, because all devices of a city start together after a power cut. */
  BOOT_SPREAD_MS = 5000,
  /** The longest spread that can be set. Only a device with stored tokens waits that long. */
  START_SPREAD_MAX_MS = 3600000,
  /** The longest spread of code requests and polls. A user should not wait longer than a minute. */
  CODE_SPREAD_MAX_MS = 60000,
  /** The core aborts a request or VERIFY that the host does not end within this time. Adapters have shorter limits. */
  EXCHANGE_MS_MAX = 120000,
  /** A longer Retry-After counts as this value, because it is more often a mistake than intended. */
  RETRY_AFTER_MAX_S = 3600,
  /** A status outside the range of HTTP counts as this one (RFC 9110 §15). */
  STATUS_OTHER = 599,

  /** After this many failed attempts to revoke, the device signs out in any case, because the user is waiting. */
  REVOCATION_TRIES = 4,
  /** After this many failed attempts to write or erase, the device continues. SAVE_AGAIN_MS says when it retries. */
  STORAGE_TRIES = 3,
  /**
   * After this many failed attempts to read a slot, the device continues without it, although it may hold the newest
   * record. The attempts take six seconds per slot: a temporary failure ends no session, and nobody waits long
   * for an unreadable slot.
   */
  READ_TRIES = 7,
  /** Half of the wait after the first attempt to read. Each further wait is twice as long. */
  READ_AGAIN_MS = 50,
  /**
   * Attempts to create a code challenge. With the backoff they take one to two minutes, after which a slow random
   * source is ready.
   */
  CHALLENGE_TRIES = 7,
  /**
   * How long after the last failed attempt the device writes the tokens of a session, or erases, again. Busy flash may
   * need that long. A code or a revocation record is not written again.
   */
  SAVE_AGAIN_MS = 60000,

  /**
   * An access token is refreshed before its expiry: by an eighth of its lifetime, but at most by this time. Jitter makes
   * that up to twice as long, so that devices which signed in together do not refresh together.
   */
  REFRESH_MARGIN_MAX_S = 300,
  /**
   * A refresh without need waits this long after the last one. Otherwise, tokens with a lifetime of a minute would wear out
   * the flash of an idle device.
   */
  REFRESH_REST_S = 600,
  /** The user is warned this long before the refresh token expires: a weekend and a day. */
  EXPIRY_WARNING_S = 259200,
  /** A code with at least this lifetime has no countdown, because the countdown has two digits for minutes. */
  COUNTDOWN_MAX_S = 6000,

  /** A response with a longer body is malformed, unless its CallKind allows any body. */
  BODY_MAX = 65536,
  /** The deepest nesting of a JSON document. The scanner's stack is one integer, with a bit for each level. */
  JSON_DEPTH_MAX = 24,

  /** Length of a code verifier, 32 random bytes in base64url, and of its challenge (RFC 7636 §4.1, §4.2). */
  CODE_VERIFIER_SIZE = 43,
  CHALLENGE_SIZE = 2 * CODE_VERIFIER_SIZE,
  /** Length of `code_challenge`. */
  DEMAND_SIZE = 14,
  /** The longest character in UTF-8. */
  CHARACTER_MAX = 4,
  /** The longest member name that is compared. A longer name matches only `*`. */
  KEY_MAX = 72,
  /** Of a longer error code, only this many bytes are stored. */
  ERROR_MAX = 40,
  /**
   * The longest accepted type, "bearertoken", has 11 characters. With space for one more, a longer type that is truncated
   * still differs from it.
   */
  TOKEN_TYPE_MAX = 12,
  /** Scopes are for the application. Of a longer list, the device stores those that fit. */
  SCOPE_MAX = 160,
  /** One more character shows whether the last scope is complete. */
  SCOPE_CAPACITY = SCOPE_MAX + CHARACTER_MAX,
  /** The longest text of a number that the core reads. A longer integer counts as endless. */
  NUMBER_MAX = 12,
  /** Device spec §8 requires 40 characters on the display, but the URIs of real servers are longer. */
  VERIFICATION_URI_MAX = 128,
  /** The longest stored `verification_uri_complete`. A longer one is dropped. */
  VERIFICATION_URI_COMPLETE_MAX = 176,
  /** RFC 8628 §3.2 does not limit addresses. With at least this memory, longer ones fit. */
  LONG_URI_MEMORY = 24576,
  /** The longest verification address with that memory. */
  LONG_URI_MAX = 512,
  /** The longest complete address with that memory. */
  LONG_URI_COMPLETE_MAX = 768,
  /** Additional memory for both long addresses. */
  LONG_URIS_SIZE = LONG_URI_MAX +
    LONG_URI_COMPLETE_MAX -
    VERIFICATION_URI_MAX -
    VERIFICATION_URI_COMPLETE_MAX,
  /** The minimum capacity of OUTPUT at the start: enough for an access and a refresh token of about 100 bytes each. */
  OUTPUT_MIN = 512,

  /** The most events in one run of event polls, so that a run ends. One more poll acknowledges the last event. */
  EVENT_POLLS = 32,

  /** A mask with a bit for each endpoint: five, and up to 22 resource servers. */
  ENDPOINTS = 134217727,
  /** The maximum of `seed`, the host's 26 random bits for jitter. */
  SEED_MAX = 67108863,
  /** The maximum of `renewalsMax`. */
  RENEWALS_MAX = 1000,

  /** The smallest display: 16x2, the most common character display. */
  COLUMNS_MIN = 16,
  /** The widest display, such as a terminal. */
  COLUMNS_MAX = 80,
  /** The code and the address need a row each. */
  ROWS_MIN = 2,
  /** The highest display. With 80 columns, its frame takes 640 bytes of memory, and the application's line 560. */
  ROWS_MAX = 8,
  /** How long each page is shown if a text has several. */
  PAGE_MS = 3000,
  /** A position after the last cell of any text. */
  BEHIND_ALL_TEXT = 100000000,
}
