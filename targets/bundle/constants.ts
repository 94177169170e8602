// Rules that relate constants of the core to each other. The build fails if a rule is violated.

import { MESSAGES, Message } from "../../core/device/errors.ts";
import { Limit } from "../../core/device/limits.ts";
import { Event, State } from "../../core/device/states.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { fieldRows } from "../../core/tables/fields.ts";
import { documentLiterals, requestLiterals } from "../../core/tables/literals.ts";

/** The values of the constants by name. The rules refer to these names. */
export type Constants = Readonly<Record<string, number>>;

const linesOf = (text: string): number => text.split("\n").length - 1;
const numbersOf = (values: Readonly<Record<string, string | number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    ),
  );

const lastOf = (values: Readonly<Record<string, string | number>>): number =>
  Math.max(...Object.values(numbersOf(values)));

const longestOf = (names: readonly string[]): number =>
  Math.max(...names.map(({ length }) => length));

const LIMITS = Object.keys(numbersOf(Limit));
const TIMES = LIMITS.filter((name) => /_M?S(_|$)/.test(name));

export const constants: Constants = {
  ...numbersOf(Limit),
  LAST_STATE: lastOf(State),
  LAST_EVENT: lastOf(Event),
  MESSAGES: Message.COUNT,
  MESSAGE_LINES: linesOf(MESSAGES) + 1,
  LONGEST_MEMBER: longestOf([
    ...fieldRows().flatMap(({ name, wire = [name] }) => wire),
    ...[...requestLiterals(), ...documentLiterals()].flatMap(({ texts }) =>
      "first" in texts ? texts.names.flat() : [],
    ),
  ]),
  LONGEST_ERROR: longestOf(errorRows().flatMap(({ names }) => names)),
};

export const relations: readonly (readonly [rule: string, holds: (c: Constants) => boolean])[] = [
  ["every Limit is at most 2^27-1", (c) => LIMITS.every((name) => c[name]! <= 2 ** 27 - 1)],
  ["no time exceeds the endless one", (c) => TIMES.every((name) => c[name]! <= c.ENDLESS!)],
  ["the seed has 26 bits", (c) => c.SEED_MAX === 2 ** 26 - 1],
  [
    "random values have the 16 bits of jitter, or of its steps",
    (c) =>
      c.START_SPREAD_MAX_MS! / 64 <= 65535 &&
      c.REFRESH_MARGIN_MAX_S! <= 65535 &&
      c.REFUSED_BACKOFF_MAX_MS! / 2 / 64 <= 65535,
  ],
  ["the default spread can be set", (c) => c.BOOT_SPREAD_MS! <= c.START_SPREAD_MAX_MS!],
  [
    "the default interval is not below the shortest",
    (c) => c.INTERVAL_DEFAULT_MS! >= c.INTERVAL_MIN_MS!,
  ],
  [
    "an interval plus a slow_down stays in range",
    (c) => c.INTERVAL_MAX_MS! + c.SLOW_DOWN_STEP_MS! <= c.ENDLESS!,
  ],
  ["a countdown has two digits of minutes", (c) => c.COUNTDOWN_MAX_S! <= 100 * 60],
  [
    "a number's region holds more digits than the endless one",
    (c) => 10 ** (c.NUMBER_MAX! - 1) > c.ENDLESS!,
  ],
  [
    // The stack's bits: a leading 1, one for each allowed level, and one for the next level, which is an error.
    "the stack of a document has 27 bits",
    (c) => 1 + c.JSON_DEPTH_MAX! + 1 <= 27,
  ],
  ["every member name fits its region", (c) => c.LONGEST_MEMBER! <= c.KEY_MAX!],
  ["every name of an error fits its region", (c) => c.LONGEST_ERROR! <= c.ERROR_MAX!],
  ["the type of a token fits its region", (c) => "bearertoken".length <= c.TOKEN_TYPE_MAX!],
  [
    "a code verifier is 32 bytes in base64url",
    (c) => c.CODE_VERIFIER_SIZE === Math.ceil((32 * 8) / 6),
  ],
  [
    "longer addresses are longer",
    (c) =>
      c.VERIFICATION_URI_MAX! <= c.LONG_URI_MAX! &&
      c.VERIFICATION_URI_COMPLETE_MAX! <= c.LONG_URI_COMPLETE_MAX!,
  ],
  [
    "a complete address has room for the address",
    (c) =>
      c.VERIFICATION_URI_MAX! <= c.VERIFICATION_URI_COMPLETE_MAX! &&
      c.LONG_URI_MAX! <= c.LONG_URI_COMPLETE_MAX!,
  ],
  [
    "a display has a minimum and a maximum size",
    (c) => c.COLUMNS_MIN! <= c.COLUMNS_MAX! && c.ROWS_MIN! <= c.ROWS_MAX!,
  ],
  [
    "a move has three bits for a state and five for an event",
    (c) => c.LAST_STATE! <= 7 && c.LAST_EVENT! <= 31,
  ],
  ["each display text has a line", (c) => c.MESSAGES === c.MESSAGE_LINES],
  [
    "the longest interval after a start can be told from an endless time",
    (c) => c.INTERVAL_MAX_MS! + c.CODE_SPREAD_MAX_MS! < c.ENDLESS!,
  ],
  [
    "no unpolled code is polled too early",
    (c) => c.UNPOLLED_LIFETIME_S! * 1000 + c.LAST_POLL_MS! < c.INTERVAL_MAX_MS!,
  ],
  ["the last poll waits for the longest backoff", (c) => c.LAST_POLL_MS! >= c.BACKOFF_MAX_MS!],
  [
    "backoff doubles to its longest",
    (c) =>
      Number.isInteger(Math.log2(c.BACKOFF_MAX_MS! / c.BACKOFF_MIN_MS!)) &&
      Number.isInteger(Math.log2(c.REFUSED_BACKOFF_MAX_MS! / c.BACKOFF_MIN_MS!)),
  ],
];

export function brokenRules(of: Constants): string[] {
  return relations.filter(([, holds]) => !holds(of)).map(([rule]) => rule);
}

export function checkConstants(): void {
  const broken = brokenRules(constants);
  if (broken.length > 0) throw new Error(`constants of the core disagree: ${broken.join("; ")}`);
}
