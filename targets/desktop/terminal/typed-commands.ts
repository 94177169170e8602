// Typing in the terminal: after a colon come the name of a deed, or a step in words; a question mark lists
// what there is, and shows the next page of it. What is typed is told in one line; nothing is drawn here.
import { DEEDS } from "../simulator/deeds.ts";

const ENTER = ["\r", "\n"];
const BACKSPACE = ["\x7f", "\b"];
const ESCAPE = "\x1b";
const TYPED_MAX = 200;

export class TypedCommands {
  #typed: string | undefined;
  /** The page of the list that is asked for, from 0; -1 while none is. */
  #page = -1;

  /** What is being typed, with its colon and a cursor; "" while keys are keys. */
  get prompt(): string {
    return this.#typed === undefined ? "" : `:${this.#typed}_`;
  }

  /** Which page of the lines is wanted; after the last comes the first. */
  get page(): number {
    return Math.max(0, this.#page);
  }

  /** The lines of the list of deeds, [] while it is not asked for. */
  lines(columns: number): string[] {
    if (this.#typed !== undefined) return this.#matching(columns);
    return this.#page >= 0 ? listOf(DEEDS, columns) : [];
  }

  /** Takes a key. Returns a command to run, "" where the key was typing, undefined where it is not for here. */
  press(key: string): string | undefined {
    if (this.#typed === undefined) return this.#begin(key);
    if (ENTER.includes(key)) {
      const command = this.#typed.trim();
      this.#typed = undefined;
      return command;
    }
    if (key === ESCAPE || key === "\x03") this.#typed = undefined;
    else if (BACKSPACE.includes(key)) this.#typed = this.#typed.slice(0, -1);
    else if (key === "\t") this.#complete();
    else if (key >= " " && key <= "~" && this.#typed.length < TYPED_MAX) this.#typed += key;
    return "";
  }

  #begin(key: string): string | undefined {
    if (key === ":") {
      this.#typed = "";
      this.#page = -1;
      return "";
    }
    const wasListing = this.#page >= 0;
    this.#page = key === "?" ? this.#page + 1 : -1;
    return key === "?" || (key === ESCAPE && wasListing) ? "" : undefined;
  }

  /** As far as all deeds that begin so agree. */
  #complete(): void {
    const names = DEEDS.map(({ name }) => name).filter((name) => name.startsWith(this.#typed!));
    const [first] = names;
    if (first === undefined) return;
    let length = this.#typed!.length;
    while (length < first.length && names.every((name) => name[length] === first[length])) length++;
    this.#typed = first.slice(0, length);
  }

  #matching(columns: number): string[] {
    const word = this.#typed!.split(" ")[0]!;
    const matching = DEEDS.filter(({ name, step }) => name.includes(word) || step.startsWith(word));
    return listOf(matching, columns);
  }
}

/** Names and what they say, in as many columns as fit. */
function listOf(deeds: readonly (typeof DEEDS)[number][], columns: number): string[] {
  const cells = deeds.map(({ name, label, key }) => {
    const shortcut = key === "" ? "" : ` (${key})`;
    return `${name}${shortcut}: ${label}`;
  });
  const width = Math.max(1, ...cells.map((cell) => cell.length)) + 2;
  const across = Math.max(1, Math.floor(columns / width));
  const rows = Math.ceil(cells.length / across);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: across }, (_, column) => (cells[row + column * rows] ?? "").padEnd(width))
      .join("")
      .trimEnd(),
  );
}
