// What is wrong with a response that is none, for a log: apart from what displays show of it (reasons.ts), which a program
// on Node does not load.

export const NOT_HTTP = "what answers there does not speak HTTP/1.1";
export const TOO_LONG = "the answer is longer than the limit of this device";
export const CUT_OFF = "the connection ended before the answer was whole";
export const UNKNOWN_CODING = "the response has a coding that was not requested";
export const HEAD_TOO_LONG = "the head of the response is longer than 64 KiB";
