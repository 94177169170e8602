// The limits of the core, with their reasons. No value and no intermediate result exceeds 2^27 - 1, because JerryScript
// allocates an object for a larger number.

export enum Limit {
  /** If a number has reached this value while it is parsed, and another digit follows, the number counts as ENDLESS. */
  TENTH_OF_ENDLESS = 10000000,
  /**
   * A time without an end, in seconds or milliseconds, which is not counted down: an unknown lifetime, a lifetime above
   * three years, or the time of a page that is the only one.
   */
  ENDLESS = 10 * TENTH_OF_ENDLESS,
  /** The longest time that one tick counts, in seconds. wakeIn returns no longer time. */
  ELAPSED_S_MAX = 100000,
  ELAPSED_MS_MAX = 1000 * ELAPSED_S_MAX,

  /** RFC 8628 §3.2: the default interval. */
  INTERVAL_DEFAULT_S = 5,
  INTERVAL_DEFAULT_MS = 1000 * INTERVAL_DEFAULT_S,
  /** The shortest interval, also if the server sends 0: at most one poll per second. */
  INTERVAL_MIN_MS = 1000,
  /** The longest interval in seconds, almost 28 hours. Interval plus start spread is below ENDLESS milliseconds. */
  INTERVAL_MAX_S = 99930,
  INTERVAL_MAX_MS = 1000 * INTERVAL_MAX_S,
  /**
   * The longest lifetime of a code whose interval exceeds INTERVAL_MAX_S. The code expires more than LAST_POLL_MS
   * before a poll after INTERVAL_MAX_S, so the device does not make this poll, which would be too early.
   */
  UNPOLLED_LIFETIME_S = 99840,
  /** RFC 8628 §3.5: every slow_down adds this to the interval. */
  SLOW_DOWN_STEP_MS = 5000,

  /**
   * RFC 8628 §3.2 requires expires_in, but one large vendor omits it. Ten minutes is the lifetime of that vendor's
   * codes. The value 0 counts as absent.
   */
  CODE_LIFETIME_DEFAULT_S = 600,
  /**
   * After this many successful responses without a code, the device reports a wrong setup. A code or signIn resets the
   * count. The last of these responses comes at least 15 seconds after the first.
   */
  UNUSABLE_RESPONSES_MAX = 5,
  /**
   * After this many consecutive redirects, rejections without an error code, or JSON without tokens, the device reports
   * a wrong setup. They take at least 2.5 minutes. By then, a captive portal may have disappeared.
   */
  UNUSABLE_STATUSES_MAX = 10,
  /**
   * After this many codes that the server rejects with invalid_grant, without authorization_pending or slow_down
   * between the rejections, the device reports a wrong setup. Further codes would have the same result.
   */
  DEAD_CODES_MAX = 3,

  /** The first backoff after a failure. The device waits for half of it and a random part of the other half. */
  BACKOFF_MIN_MS = 2000,
  /** The longest backoff after a temporary failure. For a refresh, it is startSpreadMs if that is longer. */
  BACKOFF_MAX_MS = 64000,
  /** The longest backoff after a rejected refresh, more than an hour, because only people can fix the reason. */
  REFUSED_BACKOFF_MAX_MS = 4096000,
  /** Seconds until rejected refreshes end a session, if the server rejects neither the grant nor the client. */
  REFUSALS_S = 86400,
  /** The last poll of a code waits at most this long after the code's expiry. No backoff of a poll is longer. */
  LAST_POLL_S = 64,
  LAST_POLL_MS = 1000 * LAST_POLL_S,
  /** The default start spread: all devices of a city may start together after a power cut. */
  BOOT_SPREAD_MS = 5000,
  /** The longest start spread that can be set. Only a device with stored tokens waits that long. */
  START_SPREAD_MAX_MS = 3600000,
  /** The longest random wait before a code request or poll. A user should not wait longer than a minute. */
  CODE_SPREAD_MAX_MS = 60000,
  /** The core aborts a request or VERIFY that the host does not end within this time. Adapters have shorter limits. */
  EXCHANGE_MS_MAX = 120000,
  /** A longer Retry-After counts as this many seconds, because it is usually a mistake. */
  RETRY_AFTER_MAX_S = 3600,
  /** A status outside the range of HTTP counts as this one (RFC 9110 §15). */
  STATUS_OTHER = 599,

  /** After this many failed attempts to revoke, the device signs out anyway, because the user is waiting. */
  REVOCATION_TRIES = 4,
  /** After this many failed attempts to write or erase, the device continues. It may retry after SAVE_AGAIN_MS. */
  STORAGE_TRIES = 3,
  /**
   * After this many failed attempts to read a slot, the device continues without that slot, which may hold the newest
   * record. The attempts take six seconds per slot: a temporary failure does not end a session, and an unreadable slot
   * does not delay the start for long.
   */
  READ_TRIES = 7,
  /** Half of the wait after the first failed attempt to read. Each further wait is twice as long as the one before. */
  READ_AGAIN_MS = 50,
  /**
   * Attempts to create a code challenge. With the backoff, they take one to two minutes. A slow random source should be
   * ready by then.
   */
  CHALLENGE_TRIES = 7,
  /**
   * After the last failed attempt, the device waits for this time. Then it writes the tokens of a session again, or
   * erases again. Flash may be busy for that long. The device does not write a code or a revocation record again.
   */
  SAVE_AGAIN_MS = 60000,

  /**
   * An access token is refreshed before its expiry: by an eighth of its lifetime, but by at most this many seconds.
   * Jitter makes that at most twice as long, so that devices that signed in together do not refresh together.
   */
  REFRESH_MARGIN_MAX_S = 300,
  /**
   * The shortest time between two refreshes if nothing needs the access token. Otherwise, tokens with a lifetime of a
   * minute would wear out the flash of an idle device.
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
  /** Length of the text `code_challenge`. */
  DEMAND_SIZE = 14,
  /** Bytes of the longest character in UTF-8. */
  CHARACTER_MAX = 4,
  /** The longest member name that is compared. A longer name matches only `*`. */
  KEY_MAX = 72,
  /** Bytes of an error code that are stored. The rest of a longer one is dropped. */
  ERROR_MAX = 40,
  /**
   * The longest accepted type, "bearertoken", has 11 characters. With space for one more, a longer type still differs
   * from "bearertoken" after truncation.
   */
  TOKEN_TYPE_MAX = 12,
  /** The device stores at most this many bytes of `scope`. Of a longer list, it stores the complete scopes. */
  SCOPE_MAX = 160,
  /** The next character shows whether the last scope is complete. */
  SCOPE_CAPACITY = SCOPE_MAX + CHARACTER_MAX,
  /** The longest text of a number that the core reads. A longer integer counts as endless. */
  NUMBER_MAX = 12,
  /** The longest verification URI. Device spec §8 requires only 40 characters, but real servers have longer URIs. */
  VERIFICATION_URI_MAX = 128,
  /** The longest stored `verification_uri_complete`. A longer one is dropped. */
  VERIFICATION_URI_COMPLETE_MAX = 176,
  /** RFC 8628 §3.2 does not limit addresses. From this many bytes of memory on, the two limits below apply. */
  LONG_URI_MEMORY = 24576,
  /** The longest verification URI with that memory. */
  LONG_URI_MAX = 512,
  /** The longest stored `verification_uri_complete` with that memory. */
  LONG_URI_COMPLETE_MAX = 768,
  /** Bytes by which both addresses together are longer with that memory. */
  LONG_URIS_SIZE = LONG_URI_MAX +
    LONG_URI_COMPLETE_MAX -
    VERIFICATION_URI_MAX -
    VERIFICATION_URI_COMPLETE_MAX,
  /** The minimum capacity of OUTPUT at the start: enough for an access and a refresh token of about 100 bytes each. */
  OUTPUT_MIN = 512,

  /** The most events in one run of event polls, so that a run ends. One more poll acknowledges the last event. */
  EVENT_POLLS = 32,

  /** A mask with a bit for each endpoint: the five up to EVENTS, and 22 resource servers. */
  ENDPOINTS = 134217727,
  /** The maximum of `seed`, the host's 26 random bits for jitter. */
  SEED_MAX = 67108863,
  /** The maximum of `renewalsMax`. */
  RENEWALS_MAX = 1000,

  /** The smallest display: 16x2, the most common character display. */
  COLUMNS_MIN = 16,
  /** The widest display, such as a terminal. */
  COLUMNS_MAX = 80,
  /** The code and the address need at least one row each. */
  ROWS_MIN = 2,
  /** The highest display. With 80 columns, the frame takes 640 bytes of memory, and the text of setStatus 560. */
  ROWS_MAX = 8,
  /** How long each page is shown if a text has several. */
  PAGE_MS = 3000,
  /** A position after the last cell of any text. */
  BEHIND_ALL_TEXT = 100000000,
}
