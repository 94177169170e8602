// The grammar of JSON (RFC 8259) as states: which byte may come in each, and which state it leads to. To be read and
// changed here; `npm run generate` makes of it what is shipped, the numbers of the states too (text/tables.ts). White space between tokens is not
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

/** What the scanner's code names: states by the row where they begin, with what there is to say of them. */
export interface NamedState {
  readonly name: string;
  readonly says: string;
  /** The row; "" where the state has none. */
  readonly row: string;
}

function named(name: string, says: string, of: string): NamedState {
  return { name: name, says: says, row: of };
}

/** What leads to no state, but ends a value: numbers below 0. */
export function valueEnds(): NamedState[] {
  return [
    named("CLOSE", "Of an object or array.", ""),
    named("WORD_END", "Of true, false or null.", ""),
    named(
      "NUMBER_END",
      "The number is over, and the byte that ended it is still to be looked at.",
      "",
    ),
  ];
}

/**
 * States where more than the byte decides. Their numbers are the first at which no row begins: END and INVALID come to
 * lie on the last pair of one, so that every byte but white space leads to INVALID, which the packing checks.
 */
export function rowlessStates(): NamedState[] {
  return [
    named("STRING", "Within a string.", ""),
    named("END", "The document is complete.", ""),
    named("UNICODE", "Within the four digits of an escape.", ""),
    named("INVALID", "This is no JSON.", ""),
  ];
}

export function namedStates(): NamedState[] {
  return [
    named("MEMBER_END", "After a member of an object.", "MEMBER_END"),
    named("ELEMENT_END", "After an element of an array.", "ELEMENT_END"),
    named("COLON", "Up to it there are states without a row.", "COLON"),
    named("FIRST_NAME", "", "FIRST_NAME"),
    named("FIRST_ELEMENT", "", "FIRST_ELEMENT"),
    named("VALUE", "", "VALUE"),
    named(
      "MINUS",
      "In states before this one white space is skipped; up to it 0 and 1..9 are told apart.",
      "MINUS",
    ),
    named("WORDS", "Behind the states of numbers.", "T"),
    named("ESCAPE", "Behind a backslash.", "ESCAPE"),
  ];
}
