// The limits of an exchange, and the bounds of every value that a response passes to another API. Timers, sockets and
// constructors throw for a value out of range, and an exception in an event handler ends the process.
//
// | of the response | goes to | bounds |
// |---|---|---|
// | status | the core, `Response` | `finalStatus`: 200 to 599, or refused |
// | reason phrase, headers | `Response`, `Headers` | what these take (node/agent-fetch.ts), or refused |
// | `Keep-Alive: timeout` | the socket's timer | `keepAliveMs`: 0 to 600,000 ms |
// | `Retry-After`, `Date` | the core's timers | `retryAfterSeconds`: -1 to 134,217,727 s |
// | `Content-Length` | a comparison with `sizeLimitBytes` | any; not a number is not larger |
// | `Content-Encoding` | the choice of a decoder | a name in the list of decoders, or refused |
// | head, body | memory | `headLimitBytes`, `sizeLimitBytes` once decoded |
//
// The core clamps what it reads from a body (core/SPEC.md). An alarm of any length goes through `nodeTimers`.

// Defaults of the clients below that are less than a limit of ours:
//
// | default | is | here |
// |---|---|---|
// | Node: `autoSelectFamilyAttemptTimeout` | 250 ms for one address of several | a quarter of `connectLimitMs`, behind attempts side by side (node/addresses.ts) |
// | Node: `maxHeaderSize` | 16 KiB | `headLimitBytes` |
// | Node: `agent.timeout` | 5 s idle on `http.globalAgent` | ends no request; the adapter's own agents say |
// | Node: `maxHeadersCount` | 2,000 headers, more are left out | as it is |
// | libcurl: `CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS` | 200 ms | as it is: the first attempt goes on beside the second |

/** Milliseconds for a whole exchange, and for connecting; bytes of the response's head and body; and for a session's
 * `fetch`, which has no limit as a whole, how long nothing may come. */
export const EXCHANGE_LIMITS = {
  timeLimitMs: 30_000,
  connectLimitMs: 10_000,
  headLimitBytes: 65_536,
  sizeLimitBytes: 65_536,
  silenceLimitMs: 300_000,
} as const;

/** The longest time that a connection is kept, whatever the server says. */
export const IDLE_MAX_MS = 600_000;

/** RFC 9110 §15: a status above 599 counts as a server error. @returns 200 to 599; 0 where it is no final status */
export function finalStatus(status = 0): number {
  if (status < 200 || status > 999) return 0;
  return status > 599 ? 500 : status;
}

/**
 * How long to keep a connection: a second less than the server says, for what is on its way. Undefined where the server
 * does not say.
 */
export function keepAliveMs(header: string | undefined): number | undefined {
  const [, seconds] = /^timeout=(\d+)/.exec(header ?? "") ?? [];
  if (seconds === undefined) return undefined;
  return Math.min(Math.max(0, Number(seconds) * 1000 - 1000), IDLE_MAX_MS);
}
