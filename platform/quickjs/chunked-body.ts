// The chunked transfer coding (RFC 9112 §7.1), read strictly: what is not exactly a chunk is no answer. curl is
// told to leave it in place, since it would print the trailers behind the body, where nobody can tell them apart.

/** What the next byte belongs to. */
type Part =
  | "size"
  | "extension"
  | "size end"
  | "data"
  | "data end"
  | "trailer"
  | "last line end"
  | "over"
  | "broken";

/** More hexadecimal digits than any body that is taken in. */
const SIZE_DIGITS_MAX = 8;
/** Extensions of one chunk, and all trailers together; nobody uses either for more than a few bytes. */
const IGNORED_BYTES_MAX = 16_384;

const CR = 13;
const LF = 10;
const SEMICOLON = 59;

export class ChunkedBody {
  #part: Part = "size";
  #digits = 0;
  #left = 0;
  #ignored = 0;
  #isLineEmpty = true;
  /** Whether the byte before was a CR: in a trailer section only CR LF ends a line. */
  #hasCr = false;

  /** Whether the last chunk and the trailers behind it have come. */
  get isOver(): boolean {
    return this.#part === "over";
  }

  get isBroken(): boolean {
    return this.#part === "broken";
  }

  /**
   * Takes in `bytes[from..to)` and hands on the body's part of it. What comes behind the end is not looked at.
   * @param take called with each piece of the body; it may end the reading by returning false
   */
  feed(
    bytes: Uint8Array,
    from: number,
    to: number,
    take: (from: number, to: number) => boolean,
  ): void {
    let at = from;
    while (at < to && this.#part !== "over" && this.#part !== "broken") {
      if (this.#part !== "data") {
        this.#step(bytes[at++]!);
        continue;
      }
      const end = Math.min(to, at + this.#left);
      this.#left -= end - at;
      if (this.#left === 0) this.#part = "data end";
      if (!take(at, end)) return;
      at = end;
    }
  }

  #step(c: number): void {
    switch (this.#part) {
      case "size":
        this.#readSize(c);
        break;
      case "extension":
        this.#ignore();
        if (c === CR) this.#part = "size end";
        break;
      case "size end":
        this.#part = c !== LF ? "broken" : this.#left > 0 ? "data" : "trailer";
        this.#digits = 0;
        this.#hasCr = false;
        break;
      case "data end":
        this.#readDataEnd(c);
        break;
      case "trailer":
        this.#readTrailer(c);
        break;
      default:
        this.#part = c === LF ? "over" : "broken";
    }
  }

  #readSize(c: number): void {
    const value = hexValue(c);
    if (value >= 0 && this.#digits < SIZE_DIGITS_MAX) {
      this.#left = (this.#digits === 0 ? 0 : this.#left) * 16 + value;
      this.#digits++;
    } else if (this.#digits === 0) this.#part = "broken";
    else if (c === CR) this.#part = "size end";
    // RFC 9112 §7.1.1: blanks may stand in front of an extension.
    else if (c === SEMICOLON || c === 32 || c === 9) this.#part = "extension";
    else this.#part = "broken";
  }

  #readDataEnd(c: number): void {
    if (!this.#hasCr && c === CR) this.#hasCr = true;
    else if (this.#hasCr && c === LF) {
      this.#hasCr = false;
      this.#part = "size";
    } else this.#part = "broken";
  }

  /** RFC 9112 §7.1.2: fields may follow, which are of no use here; an empty line ends them. */
  #readTrailer(c: number): void {
    this.#ignore();
    if (this.#part === "broken") return;
    if (c === CR && this.#isLineEmpty) this.#part = "last line end";
    else if (c === LF && this.#hasCr) this.#isLineEmpty = true;
    else if (c !== CR) this.#isLineEmpty = false;
    this.#hasCr = c === CR;
  }

  #ignore(): void {
    if (++this.#ignored > IGNORED_BYTES_MAX) this.#part = "broken";
  }
}

function hexValue(c: number): number {
  if (c >= 48 && c <= 57) return c - 48;
  const letter = c | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
