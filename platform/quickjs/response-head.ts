// The head of an HTTP response as curl prints it: status, and the few required headers.

import { retryAfterSeconds } from "../exchange/retry-after.ts";

/**
 * The head of the final response among those received; undefined while it is incomplete. Interim responses (RFC 9110
 * §15.2) precede it; a 101 was not requested.
 */
export function wholeHead(text: string): string | undefined {
  const heads = text.replaceAll("\r", "").split("\n\n").slice(0, -1);
  return heads.find((head) => !/^HTTP\/[\d.]+ 1(?!01)\d\d/m.test(head));
}

export class ResponseHead {
  /** -1 for none. */
  readonly status: number;
  /** The announced length of the body, -1 for none. */
  readonly contentLength: number;
  /** Whether it is contradictory about the end of the body (RFC 9112 §6.3), or invalid. */
  readonly isContradictory: boolean;
  readonly #text: string;

  /** @param text the result of wholeHead; a line of the system's loader may precede it */
  constructor(text: string) {
    this.#text = text;
    this.status = Number(/^HTTP\/[\d.]+ (\d{3})(?: |$)/m.exec(text)?.[1] ?? -1);
    // `Content-Length: 3, 3` is the same as the header given twice.
    const lengths = this.#headers("content-length").flatMap((value) => value.split(","));
    const distinct = new Set(lengths.map((value) => value.trim()));
    const [length = ""] = distinct;
    const codings = this.#headers("transfer-encoding");
    const isChunked = codings.join(",").toLowerCase() === "chunked";
    this.isContradictory =
      distinct.size > 1 ||
      (length !== "" && !/^\d{1,15}$/.test(length)) ||
      // Any other coding was not requested, and a length beside one is a way to smuggle responses.
      (codings.length > 0 && (!isChunked || distinct.size > 0)) ||
      // RFC 9112 §5.2: folded lines are obsolete, and may hide anything.
      /\n[ \t]/.test(text);
    this.contentLength = length === "" ? -1 : Number(length);
  }

  /** Seconds of Retry-After, -1 if absent; dates count from the response's own date, or from the clock. */
  retryAfter(wallClockMs: number): number {
    const [value, date] = ["retry-after", "date"].map((name) => this.#headers(name)[0]);
    return retryAfterSeconds(value, date, wallClockMs);
  }

  /** Whether the body has a content coding (RFC 9110 §8.4), which was not requested. */
  get isCoded(): boolean {
    return this.#headers("content-encoding").some((coding) => !/^(identity)?$/i.test(coding));
  }

  /** `WWW-Authenticate`, several joined by a comma; "" for none. */
  get authenticate(): string {
    return this.#headers("www-authenticate").join(", ");
  }

  /** The values of a header, in order. */
  #headers(name: string): string[] {
    const lines = this.#text.split("\n").map((line) => /^([^:]+):(.*)$/.exec(line) ?? []);
    return lines.flatMap(([, own, value]) => (own?.toLowerCase() === name ? [value!.trim()] : []));
  }
}
