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

/** One row of the table (reasons.ts). */
export const reason = (name: string, text: string, mender: Mender, sentence: string): Reason => ({
  name,
  text,
  mender,
  sentence,
});

/** What is wrong with an answer that is none: by these words whoever reads it says so, in every host. */
export const NOT_HTTP = reason(
  "notHttp",
  "No web service|Tell the maker",
  "maker",
  "what answers there does not speak HTTP/1.1",
);
export const TOO_LONG = reason(
  "tooLong",
  "Answer too long|Tell the maker",
  "maker",
  "the answer is longer than the limit of this device",
);
export const CUT_OFF = reason(
  "cutOff",
  "Answer cut off|Wait a little",
  "network",
  "the connection ended before the answer was whole",
);
export const UNKNOWN_CODING = reason(
  "unknownCoding",
  "Unknown coding|Tell the service",
  "service",
  "the answer has a transfer coding that nobody asked for",
);
