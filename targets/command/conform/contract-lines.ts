// Which sentence of platform/contracts.ts a case of the conformance suite is about, word for word as it stands there.
// The first that fits counts.

type Lines = readonly (readonly [pattern: RegExp, sentence: string])[];

const TIMERS: Lines = [
  [/now goes on/, "Milliseconds since any fixed moment"],
  [/now/, "never going back except by wrapping to 0"],
  [/cancel/, "Takes the alarm back; it will not ring. Harmless when none is set."],
  [/second alarm/, "A second call replaces the first."],
  [/alarm\(0\)/, "never earlier and never before"],
  [/./, "Calls `ring` once, `afterMs` (0..134217727) from now or later"],
];

const ENTROPY: Lines = [
  [/range|65536/, "Fills `into[from..to)` from a cryptographically secure source."],
  [/./, "from a cryptographically secure source"],
];

const STORAGE: Lines = [
  [/restart/, "`done(true)` promises that the record survives a loss"],
  [/apart/, "never a change to the other slot"],
  [/other than 0 and 1/, "caller's mistake (a slot that does not exist)"],
  [/over capacity/, "Largest record in bytes that `write` accepts."],
  [/longer than the range|empty range/, "-1 where it cannot be read or is longer than `to - from`"],
  [/empt/, "the record's length: 0 for an empty"],
  [/copy/, "the receiver may read (or fill) it until it calls back, and must copy what it keeps"],
  [/once/, "comes exactly once unless its contract says otherwise"],
  [/within/, "A callback may come before the call returns"],
  [/plain arrays/, "or a plain array of integers 0..255 without typed arrays"],
  [/range|`bytes/, "Byte ranges are `bytes[from]` up to and excluding `bytes[to]`."],
  [/./, "Replaces slot 0 or 1 by `bytes[from..to)`."],
];

const DISPLAY: Lines = [
  [
    /16\.\.80|do not change/,
    "Size in characters: columns 16..80, rows 2..8. Fixed while a driver runs.",
  ],
  [/copy/, "The range is the caller's and only good until return."],
  [/./, "`columns * rows` codes from `cells[from]`, row by row"],
];

const HTTP: Lines = [
  [/TLS/, "certificates and host names checked"],
  [/redirect/, "redirects never followed (the 3xx is reported)"],
  [/never sent twice|closed|unread rest|unasked/, "a body never sent twice"],
  [/Retry-After/, "`Retry-After` in seconds, 0..134217727 (a date is turned into seconds"],
  [/timeout/, "a time limit for the"],
  [/too-large/, "The answer is longer than the adapter's size limit."],
  [
    /cut off|chunk|Content-Length/,
    "A body cut off before its promised length is `failed`, not `end`.",
  ],
  [/abort/, "Ends the exchange under way, if any; its sink hears nothing more."],
  [/unreachable/, "Name not resolved, connection refused or reset, TLS refused, body cut off."],
  [/not thrown|nothing sent/, "Any failure to start is reported too, never thrown."],
  [/Accept/, "`Accept: application/json` on every request"],
  [/empty range/, "an empty range sends no body (a POST then says `Content-Length: 0`)"],
  [/Content-Type/, 'Value of `Content-Type`, or "" where there is no body.'],
  [/Authorization/, 'Value of `Authorization`, or "".'],
  [/further headers/, "Further headers, sent as they are; absent: none."],
  [/bytes|body arrive/, "`body[bodyFrom..bodyTo)`"],
  [/within|twenty|next exchange/, "At most one exchange is under way"],
  [/every status/, "The status line and headers have come."],
  [/./, "Order: `status`, then any number of `body`, then `end`; or `failed`."],
];

const CONTRACTS: Readonly<Record<string, Lines>> = {
  timers: TIMERS,
  entropy: ENTROPY,
  storage: STORAGE,
  display: DISPLAY,
  http: HTTP,
};

/** @param name of a case, such as "http: redirects are reported, not followed" */
export function contractLine(name: string): string {
  const [contract = "", rule = ""] = name.split(/: (.*)/s);
  const lines = CONTRACTS[contract] ?? [];
  return lines.find(([pattern]) => pattern.test(rule))?.[1] ?? "";
}
