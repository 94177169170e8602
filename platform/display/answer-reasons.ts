// What is wrong with an answer that is none. Apart from the other reasons: a program on Node says these alone.

/** Who can mend it. */
export type Mender = "user" | "network" | "service" | "maker";

export interface Reason {
  /** Its name in device.json, and in C as PG_REASON_NO_CABLE. */
  readonly name: string;
  /** For the display: what is the matter, a bar, what to do. Each half fits 16 characters. */
  readonly text: string;
  readonly mender: Mender;
  /** For a log. */
  readonly sentence: string;
}

/** By name: the display's text, who mends it, the sentence. */
export type Table = Readonly<Record<string, readonly [string, Mender, string]>>;

export const reasonsOf = (table: Table): Reason[] =>
  Object.entries(table).map(([name, [text, mender, sentence]]) => ({
    ...{ name, text, mender, sentence },
  }));

/** By these words whoever reads an answer says what is wrong with it, in every host. */
export const answerReasons = reasonsOf({
  notHttp: ["No web service|Tell the maker", "maker", "what answers there does not speak HTTP/1.1"],
  tooLong: [
    "Answer too long|Tell the maker",
    "maker",
    "the answer is longer than the limit of this device",
  ],
  cutOff: [
    "Answer cut off|Wait a little",
    "network",
    "the connection ended before the answer was whole",
  ],
  unknownCoding: [
    "Unknown coding|Tell the service",
    "service",
    "the answer has a transfer coding that nobody asked for",
  ],
});
export const [NOT_HTTP, TOO_LONG, CUT_OFF, UNKNOWN_CODING] = answerReasons as [
  ...[Reason, Reason, Reason, Reason],
];
