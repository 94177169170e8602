// The grammar of JSON (RFC 8259) as states: which byte may come in each, and which state it leads to. To be read and
// changed here; `npm run generate` makes of it what is shipped (text/tables.ts). White space between tokens is not
// in it: the scanner skips it in the states before MINUS. Up to MINUS, and in it, 0 and 1..9 are told apart.

/** One state of the scanner. */
export interface GrammarRow {
  readonly state: string;
  /** Bytes, each of which leads to the state that follows them. `1` stands for every digit, but for 0 where MINUS is. */
  readonly moves: readonly (readonly [bytes: string, to: string])[];
  /** What any other byte leads to; "" where the next row goes on with it. */
  readonly otherwise: string;
}

function row(state: string, moves: [string, string][], otherwise: string): GrammarRow {
  return { state: state, moves: moves, otherwise: otherwise };
}

/** In the order in which they lie: a row without an end goes on in the next. */
export function grammarRows(): GrammarRow[] {
  var name: [string, string] = ['"', "STRING"];
  return [
    // Structure.
    row(
      "MEMBER_END",
      [
        [",", "NAME"],
        ["}", "CLOSE"],
      ],
      "INVALID",
    ),
    row(
      "ELEMENT_END",
      [
        [",", "VALUE"],
        ["]", "CLOSE"],
      ],
      "INVALID",
    ),
    row("COLON", [[":", "VALUE"]], "INVALID"),
    row("FIRST_NAME", [["}", "CLOSE"]], ""),
    row("NAME", [name], "INVALID"),
    row("FIRST_ELEMENT", [["]", "CLOSE"]], ""),
    row(
      "VALUE",
      [
        ['"', "STRING"],
        ["{", "FIRST_NAME"],
        ["[", "FIRST_ELEMENT"],
        ["t", "T"],
        ["f", "F"],
        ["n", "N"],
        ["-", "MINUS"],
      ],
      "",
    ),
    // Numbers: what may follow a sign, or stand instead of it.
    row(
      "MINUS",
      [
        ["0", "ZERO"],
        ["1", "DIGITS"],
      ],
      "INVALID",
    ),
    row("EXPONENT", [["+-", "EXPONENT_SIGN"]], ""),
    row("EXPONENT_SIGN", [["1", "EXPONENT_DIGITS"]], "INVALID"),
    row("EXPONENT_DIGITS", [["1", "EXPONENT_DIGITS"]], "NUMBER_END"),
    row("POINT", [["1", "FRACTION"]], "INVALID"),
    row(
      "FRACTION",
      [
        ["1", "FRACTION"],
        ["eE", "EXPONENT"],
      ],
      "NUMBER_END",
    ),
    row("DIGITS", [["1", "DIGITS"]], ""),
    row(
      "ZERO",
      [
        [".", "POINT"],
        ["eE", "EXPONENT"],
      ],
      "NUMBER_END",
    ),
    // Words: true, false (whose end is that of true), null.
    row("T", [["r", "TR"]], "INVALID"),
    row("TR", [["u", "TRU"]], "INVALID"),
    row("TRU", [["e", "WORD_END"]], "INVALID"),
    row("F", [["a", "FA"]], "INVALID"),
    row("FA", [["l", "FAL"]], "INVALID"),
    row("FAL", [["s", "TRU"]], "INVALID"),
    row("N", [["u", "NU"]], "INVALID"),
    row("NU", [["l", "NUL"]], "INVALID"),
    row("NUL", [["l", "WORD_END"]], "INVALID"),
    // Behind a backslash: what stands for itself, the control character meant, or four digits.
    row(
      "ESCAPE",
      [
        ['"\\/', "ITSELF"],
        ["b", "\b"],
        ["f", "\f"],
        ["n", "\n"],
        ["r", "\r"],
        ["t", "\t"],
        ["u", "UNICODE"],
      ],
      "INVALID",
    ),
  ];
}
