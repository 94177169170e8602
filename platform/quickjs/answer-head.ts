// The head of an HTTP answer as curl prints it ahead of the body: status, and the few headers that we
// need. Bytes come in pieces of any size.

import { retryAfterSeconds } from "../exchange/retry-after.ts";

/** A head longer than this is no service's. */
const HEAD_BYTES_MAX = 32_768;

export class AnswerHead {
  /** 0 until it is complete. */
  status = 0;
  /** The announced length of the body, -1 where there is none. */
  contentLength = -1;
  /** Whether the body comes in chunks. */
  isChunked = false;
  /** Whether the head says two things about where the body ends (RFC 9112 §6.3), or cannot be read. */
  isContradictory = false;
  tooLarge = false;
  #text = "";
  #bytes = 0;

  /**
   * Takes in bytes of the head.
   * @returns how many of `bytes[0..length)` belong to the head; fewer than `length` when it is complete
   */
  feed(bytes: Uint8Array, length: number): number {
    let at = 0;
    while (at < length && this.status === 0 && !this.tooLarge) {
      const c = bytes[at++]!;
      if (++this.#bytes > HEAD_BYTES_MAX) this.tooLarge = true;
      if (c !== 13) this.#text += String.fromCharCode(c);
      if (c === 10 && (this.#text === "\n" || this.#text.endsWith("\n\n"))) this.#complete();
    }
    return at;
  }

  /** Seconds of Retry-After, -1 where absent; dates count from the answer's own, else from the clock. */
  retryAfter(wallClockMs: number): number {
    return retryAfterSeconds(this.#header("retry-after"), this.#header("date"), wallClockMs);
  }

  /** `WWW-Authenticate`, several joined by a comma; "" where there is none. */
  get authenticate(): string {
    return this.#headers("www-authenticate").join(", ");
  }

  #complete(): void {
    const status = Number(/^HTTP\/[\d.]+ (\d{3})(?: |\n)/.exec(this.#text)?.[1] ?? -1);
    // Interim answers (RFC 9110 §15.2) come ahead of the real one. 101 was not asked for.
    if (status >= 100 && status < 200 && status !== 101) {
      this.#text = "";
      return;
    }
    this.status = status;
    this.#readFraming();
  }

  #readFraming(): void {
    // `Content-Length: 3, 3` says the same as the header given twice.
    const lengths = this.#headers("content-length").flatMap((value) => value.split(","));
    const distinct = new Set(lengths.map((value) => value.trim()));
    const [length = ""] = distinct;
    const codings = this.#headers("transfer-encoding");
    const coding = codings.join(",").toLowerCase();
    this.isChunked = coding === "chunked";
    this.isContradictory =
      distinct.size > 1 ||
      (length !== "" && !/^\d{1,15}$/.test(length)) ||
      // Any other coding was not asked for, and a length beside one is how answers are smuggled.
      (codings.length > 0 && (!this.isChunked || distinct.size > 0)) ||
      // RFC 9112 §5.2: folded lines are of the past; what one hides cannot be told.
      /\n[ \t]/.test(this.#text);
    if (length !== "" && !this.isContradictory) this.contentLength = Number(length);
  }

  #header(name: string): string | undefined {
    return this.#headers(name)[0];
  }

  /** The values of a header, in the order in which they came. */
  #headers(name: string): string[] {
    const values: string[] = [];
    for (const line of this.#text.split("\n")) {
      const colon = line.indexOf(":");
      if (colon > 0 && line.slice(0, colon).toLowerCase() === name) {
        values.push(line.slice(colon + 1).trim());
      }
    }
    return values;
  }
}
