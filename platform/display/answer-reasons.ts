// What is wrong with an answer that is none. Apart from the other reasons: a program on Node says these alone.

export interface Reason {
  /** Its name in device.json, and in C as PG_REASON_NO_CABLE. */
  readonly name: string;
  /** For the display: what is the matter, a bar, what to do. Each half fits 16 characters. */
  readonly text: string;
  /** For a log. */
  readonly sentence: string;
}

/** By name: the display's text, the sentence. */
type Table = Readonly<Record<string, readonly [text: string, sentence: string]>>;

export const reasonsOf = (table: Table): Reason[] =>
  Object.entries(table).map(([name, [text, sentence]]) => ({ name, text, sentence }));

/** By these words whoever reads an answer says what is wrong with it, in every host. */
export const answerReasons = reasonsOf({
  notHttp: ["No web service|Tell the maker", "what answers there does not speak HTTP/1.1"],
  tooLong: ["Answer too long|Tell the maker", "the answer is longer than the limit of this device"],
  cutOff: ["Answer cut off|Wait a little", "the connection ended before the answer was whole"],
  unknownCoding: [
    "Unknown coding|Tell the service",
    "the answer has a transfer coding that nobody asked for",
  ],
});
export const [NOT_HTTP, TOO_LONG, CUT_OFF, UNKNOWN_CODING] = answerReasons as [
  ...[Reason, Reason, Reason, Reason],
];
