// Every bound of the core, with its reason. No value and no intermediate passes 2^27 - 1: beyond it some
// engines box integers. Plain enums: the build writes the numbers in their places.
// What is not here: the sizes of the memory's regions that follow from the memory given (create.ts).

export enum Limit {
  /** A number that has reached this with digits still to come is endless: ten times it would pass ENDLESS. */
  TENTH_OF_ENDLESS = 10000000,
  /**
   * A time that never ends, in seconds or milliseconds: a lifetime that is unknown or longer than three years, a
   * page of the display that is the only one. It is not counted down.
   */
  ENDLESS = 10 * TENTH_OF_ENDLESS,
  /** Longest step of time one tick takes in, in seconds: a lifetime beyond it wakes the host later than ELAPSED_MS_MAX does. */
  ELAPSED_S_MAX = 100000,
  ELAPSED_MS_MAX = 1000 * ELAPSED_S_MAX,

  /** RFC 8628 §3.2: the interval where the server names none. */
  INTERVAL_DEFAULT_S = 5,
  INTERVAL_DEFAULT_MS = 1000 * INTERVAL_DEFAULT_S,
  /** The shortest interval, for a server that names 0: a poll a second is the most that a device asks of it. */
  INTERVAL_MIN_MS = 1000,
  /** The longest interval that can be waited for, 27 hours: less than endless, the spread of starts added. */
  INTERVAL_MAX_S = 99930,
  INTERVAL_MAX_MS = 1000 * INTERVAL_MAX_S,
  /**
   * Longest life of a code whose interval is longer than INTERVAL_MAX_S. It ends more than LAST_POLL_MS
   * before the poll, so that no poll is made too early.
   */
  UNPOLLED_LIFETIME_S = 99840,
  /** RFC 8628 §3.5: what every slow_down adds, for good. */
  SLOW_DOWN_STEP_MS = 5000,

  /** RFC 8628 §3.2 requires expires_in, and one large vendor omits it: ten minutes, as its codes live. 0 counts as absent. */
  CODE_LIFETIME_DEFAULT_S = 600,
  /**
   * Answers to the code request that are JSON without a code, since the last code or the user's last command, until
   * the device says that it is set up wrongly. With nothing else in between, the last of them comes 15 to 30 seconds
   * after the first, and what the answers take.
   */
  UNUSABLE_RESPONSES_MAX = 5,
  /**
   * Redirects, refusals that name no error, and JSON without tokens, in a row: what stands in the place of the server
   * for a while (a captive portal) is gone before. With nothing else in between, the last of them comes 2.5 to 5.5
   * minutes after the first.
   */
  UNUSABLE_STATUSES_MAX = 10,
  /**
   * Codes in a row that the server does not know as soon as they are polled: no user has had a say, and every
   * further one would end as they did.
   */
  DEAD_CODES_MAX = 3,

  /** The first wait after a failure: long enough for a network that drops a packet. */
  BACKOFF_MIN_MS = 2000,
  /** The longest wait after a failure: a user who waits at the device is served about a minute after it has passed. */
  BACKOFF_MAX_MS = 64000,
  /** The longest wait after a refresh that was refused: more than an hour. Only people can mend that. */
  REFUSED_BACKOFF_MAX_MS = 4096000,
  /** For so long the server may refuse a refresh, by whatever name or none, before it counts as the session's end. */
  REFUSALS_S = 86400,
  /** How long after its code's end a device still waits for the last poll, in seconds: as long as the longest backoff. */
  LAST_POLL_S = 64,
  LAST_POLL_MS = 1000 * LAST_POLL_S,
  /** Devices of a whole city start together after a power cut: spread their first request. */
  BOOT_SPREAD_MS = 5000,
  /** The longest spread that can be set: an hour, for tokens that were kept. */
  START_SPREAD_MAX_MS = 3600000,
  /** The longest spread of what is asked for or polled for a code: users do not wait longer than a minute. */
  CODE_SPREAD_MAX_MS = 60000,
  /** A request or VERIFY that the host never ends is given up after this; adapters have shorter limits. */
  EXCHANGE_MS_MAX = 120000,
  /** Retry-After beyond an hour is a server's mistake more often than its wish. */
  RETRY_AFTER_MAX_S = 3600,
  /** What a status that is none of HTTP counts as (RFC 9110 §15). */
  STATUS_OTHER = 599,

  /** Tries of a revocation before the device is signed out regardless (the user is waiting). */
  REVOCATION_TRIES = 4,
  /** Tries to write or to erase before the device goes on without it. */
  STORAGE_TRIES = 3,
  /**
   * Tries to read a slot, which may hold the newest record, before the other one counts. With the waits between them
   * they take six seconds: what passes ends no session, and nobody waits long where it never will be readable.
   */
  READ_TRIES = 7,
  /** Half the first wait between them; each further one is twice as long. */
  READ_AGAIN_MS = 50,
  /**
   * Tries to make a code challenge, with the waits of the backoff between them, one to two minutes: a random source that
   * is not ready at the start is ready then.
   */
  CHALLENGE_TRIES = 7,
  /** Tokens that storage refused are offered again: flash that was busy has had time, and a user none. */
  SAVE_AGAIN_MS = 60000,

  /**
   * An access token is refreshed an eighth of its lifetime ahead, and this long at the most; jitter adds up to as
   * much again, so that devices which signed in together do not all come at once.
   */
  REFRESH_MARGIN_MAX_S = 300,
  /** Until the next refresh that nobody asks for: tokens of a minute would wear the flash of an idle device out. */
  REFRESH_REST_S = 600,
  /** Warn the user this long before the refresh token itself expires: a weekend and a day. */
  EXPIRY_WARNING_S = 259200,
  /** A code that lives as long or longer has no countdown: it has two digits of minutes. */
  COUNTDOWN_MAX_S = 6000,

  /** An answer longer than this has no token that a device could use, and is never taken. */
  BODY_MAX = 65536,
  /** Nesting of a JSON document; the stack is the bits of one integer. */
  JSON_DEPTH_MAX = 24,

  /** A code verifier of 32 random bytes in base64url, and its challenge, SHA-256 as well (RFC 7636 §4.1, §4.2). */
  CODE_VERIFIER_SIZE = 43,
  /** A character in UTF-8. */
  CHARACTER_MAX = 4,
  /** Longest member name that is looked up; longer ones are unknown and skipped. */
  KEY_MAX = 88,
  /** Error code kept for the display: the longest registered one has 28 characters. */
  ERROR_MAX = 40,
  /** "bearertoken" has 11 characters: what does not fit here is another type, and refused. */
  TOKEN_TYPE_MAX = 12,
  /** Scopes are for the application to look at: of more of them those that fit are kept. */
  SCOPE_MAX = 160,
  /** More digits than any number that counts; a longer one counts as endless. */
  NUMBER_MAX = 12,
  /** The documents ask for 40 characters on the display; real servers' URLs are longer. */
  VERIFICATION_URI_MAX = 128,
  /** The address and a user code of 40 characters with its name: a longer one is left out, and the user types. */
  VERIFICATION_URI_COMPLETE_MAX = 176,
  /** RFC 8628 §3.2 sets no bound: from this much memory on there is room for longer ones, too. */
  LONG_URI_MEMORY = 24576,
  /** Longest verification address from that memory on. */
  LONG_URI_MAX = 512,
  /** Longest complete address from that memory on; a QR code holds as much in its smaller versions. */
  LONG_URI_COMPLETE_MAX = 768,
  /**
   * Shares of the memory that the fixed regions leave over, in 32ths: one for the access token, one for each of the
   * two refresh tokens. The rest is for requests, which hold the client and one token or code, and for records, which
   * hold one token or a code.
   */
  ACCESS_TOKEN_SHARE = 9,
  /** For each of the two refresh tokens: in most servers they are shorter than access tokens. */
  REFRESH_TOKEN_SHARE = 5,
  OUTPUT_SHARE = 32 - ACCESS_TOKEN_SHARE - 2 * REFRESH_TOKEN_SHARE,
  /** Smallest room for a request or record: about 64 bytes for each of its parts. */
  OUTPUT_MIN = 256,

  /** Events in one run of event polls, so that a run ends: one more poll acknowledges the last. */
  EVENT_POLLS = 32,

  /** A bit for each endpoint: five, and up to 22 resource servers. */
  ENDPOINTS = 134217727,
  /** 26 bits of the host's for the jitter. */
  SEED_MAX = 67108863,
  /** Codes asked for without the user doing anything. */
  RENEWALS_MAX = 1000,

  /** The smallest display: 16x2, the most common character display. */
  COLUMNS_MIN = 16,
  /** The widest display: a terminal. */
  COLUMNS_MAX = 80,
  /** One row for the code, one for the address. */
  ROWS_MIN = 2,
  /** The highest display: with 80 columns its frame takes 640 bytes of memory, and the application's line 560. */
  ROWS_MAX = 8,
  /** How long one page of a text longer than the display stays. */
  PAGE_MS = 3000,
  /** More cells than any text has: a cell for each byte of the largest memory, and rows that are not full. */
  BEHIND_ALL_TEXT = 100000000,
}
