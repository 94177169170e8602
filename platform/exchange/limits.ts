// What an exchange may take, for every HTTP adapter here, unless its maker says otherwise.

/** Milliseconds for a whole exchange, and for connecting; bytes of the answer's body. */
export const EXCHANGE_LIMITS = {
  timeLimitMs: 30_000,
  connectLimitMs: 10_000,
  sizeLimitBytes: 65_536,
} as const;
