// Constants of the core that depend on each other. No build is made where they contradict one another.

import { Limit } from "../../core/device/limits.ts";
import { Field, Literal, Region } from "../../core/device/memory.ts";
import { DOCUMENT_LITERALS, DocumentLiteral } from "../../core/documents/literals.ts";
import { REQUEST_LITERALS, RequestLiteral } from "../../core/requests/literals.ts";

/** Every constant that a relation speaks of, by name. */
export type Constants = Readonly<Record<string, number>>;

const linesOf = (text: string): number => text.split("\n").length - 1;
const numbersOf = (values: Readonly<Record<string, string | number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    ),
  );

export const constants: Constants = {
  ...numbersOf(Limit),
  LAST_FIELD: Math.max(...Object.values(numbersOf(Field))),
  FIRST_REGION: Region.KEY,
  REGIONS: Region.COUNT,
  FIRST_LITERAL: Literal.MEMBERS,
  NEXT_LITERAL: Literal.NEXT,
  FIRST_REQUEST_LITERAL: RequestLiteral.RESOURCE_MEMBERS,
  NEXT_REQUEST_LITERAL: RequestLiteral.NEXT,
  REQUEST_LITERAL_LINES: linesOf(REQUEST_LITERALS),
  FIRST_DOCUMENT_LITERAL: DocumentLiteral.OFFER_MEMBERS,
  NEXT_DOCUMENT_LITERAL: DocumentLiteral.NEXT,
  DOCUMENT_LITERAL_LINES: linesOf(DOCUMENT_LITERALS),
};

/** What has to be so, in words, and a constant that cannot be three times as large alone. */
export const relations: readonly (readonly [
  rule: string,
  spoiled: string,
  holds: (c: Constants) => boolean,
])[] = [
  [
    "the shares of the memory are 32",
    "ACCESS_TOKEN_SHARE",
    (c) => c.ACCESS_TOKEN_SHARE! + 2 * c.REFRESH_TOKEN_SHARE! + c.OUTPUT_SHARE! === 32,
  ],
  [
    "the default interval is the same in seconds and milliseconds",
    "INTERVAL_DEFAULT_S",
    (c) => c.INTERVAL_DEFAULT_MS === c.INTERVAL_DEFAULT_S! * 1000,
  ],
  [
    "the longest interval is the same in seconds and milliseconds",
    "INTERVAL_MAX_S",
    (c) => c.INTERVAL_MAX_MS === c.INTERVAL_MAX_S! * 1000,
  ],
  [
    "the longest interval can be told from an endless time",
    "INTERVAL_MAX_MS",
    (c) => c.INTERVAL_MAX_MS! < c.ENDLESS! && c.INTERVAL_MAX_MS! % 1000 === 0,
  ],
  [
    "the longest step of time is the same in seconds and milliseconds",
    "ELAPSED_S_MAX",
    (c) => c.ELAPSED_MS_MAX === c.ELAPSED_S_MAX! * 1000,
  ],
  [
    "the longest Retry-After is the same in seconds and milliseconds",
    "RETRY_AFTER_MAX_S",
    (c) => c.RETRY_AFTER_MAX_MS === c.RETRY_AFTER_MAX_S! * 1000,
  ],
  [
    "a number with another digit to come is below the endless one",
    "TENTH_OF_ENDLESS",
    (c) => c.TENTH_OF_ENDLESS! * 10 === c.ENDLESS,
  ],
  [
    "no code that is not polled is polled too early",
    "UNPOLLED_LIFE_S",
    (c) => c.UNPOLLED_LIFE_S! * 1000 + c.LAST_POLL_MS! < c.INTERVAL_MAX_MS!,
  ],
  [
    "the last poll waits for the longest backoff",
    "BACKOFF_MAX_MS",
    (c) => c.LAST_POLL_MS! >= c.BACKOFF_MAX_MS!,
  ],
  [
    "backoff doubles to its longest",
    "BACKOFF_MIN_MS",
    (c) =>
      Number.isInteger(Math.log2(c.BACKOFF_MAX_MS! / c.BACKOFF_MIN_MS!)) &&
      Number.isInteger(Math.log2(c.REFUSED_BACKOFF_MAX_MS! / c.BACKOFF_MIN_MS!)),
  ],
  ["regions follow the fields", "LAST_FIELD", (c) => c.FIRST_REGION === c.LAST_FIELD! + 1],
  ["literals follow the regions", "REGIONS", (c) => c.FIRST_LITERAL === c.REGIONS],
  [
    "the literals of requests follow the core's",
    "NEXT_LITERAL",
    (c) => c.FIRST_REQUEST_LITERAL === c.NEXT_LITERAL,
  ],
  [
    "each literal of a request has a line",
    "REQUEST_LITERAL_LINES",
    (c) => c.NEXT_REQUEST_LITERAL! - c.FIRST_REQUEST_LITERAL! === c.REQUEST_LITERAL_LINES,
  ],
  [
    "the literals of the documents follow those of requests",
    "NEXT_REQUEST_LITERAL",
    (c) => c.FIRST_DOCUMENT_LITERAL === c.NEXT_REQUEST_LITERAL,
  ],
  [
    "each literal of the documents has a line",
    "DOCUMENT_LITERAL_LINES",
    (c) => c.NEXT_DOCUMENT_LITERAL! - c.FIRST_DOCUMENT_LITERAL! === c.DOCUMENT_LITERAL_LINES,
  ],
];

/** The rules that these constants break. */
export function brokenRules(of: Constants): string[] {
  return relations.filter(([, , holds]) => !holds(of)).map(([rule]) => rule);
}

/** @throws Error where constants of the core contradict one another */
export function checkConstants(): void {
  const broken = brokenRules(constants);
  if (broken.length > 0) throw new Error(`constants of the core disagree: ${broken.join("; ")}`);
}
