// What is wrong with an invalid response, for a log. Separate from the display's texts (reasons.ts), which programs on
// Node do not load.

export const NOT_HTTP = "the server does not speak HTTP/1.1";
export const TOO_LONG = "the response is longer than the limit of this device";
export const CUT_OFF = "the connection ended before the response was complete";
export const UNKNOWN_CODING = "the response has a coding that was not requested";
export const HEAD_TOO_LONG = "the head of the response is longer than 64 KiB";
