// The grammar of JSON (RFC 8259) as states, with the allowed bytes and next states of each. Change it here. `npm run
// generate` then writes text/tables.ts and the literal GRAMMAR of device/tables.ts. In the states before MINUS, the scanner
// skips white space between tokens. Up to and including MINUS, 0 and 1..9 lead to different states.

/**
 * A state of the scanner. `moves`: bytes, each with its next state; `1` stands for every digit, or for 1..9 if 0 has an
 * entry. `otherwise`: the next state for any other byte; "": the next row continues this one.
 */
export type GrammarRow = readonly [
  state: string,
  moves: Readonly<Record<string, string>>,
  otherwise: string,
];

/** The rows, in the order of the states' numbers. */
export function grammarRows(): GrammarRow[] {
  return [
    // Structure.
    ["MEMBER_END", { ",": "NAME", "}": "CLOSE" }, "INVALID"],
    ["ELEMENT_END", { ",": "VALUE", "]": "CLOSE" }, "INVALID"],
    ["COLON", { ":": "VALUE" }, "INVALID"],
    ["FIRST_NAME", { "}": "CLOSE" }, ""],
    ["NAME", { '"': "STRING" }, "INVALID"],
    ["FIRST_ELEMENT", { "]": "CLOSE" }, ""],
    [
      "VALUE",
      {
        '"': "STRING",
        "{": "FIRST_NAME",
        "[": "FIRST_ELEMENT",
        t: "WORDS",
        f: "F",
        n: "N",
        "-": "MINUS",
      },
      "",
    ],
    // Numbers. MINUS also continues VALUE: the digits that may start a number or follow its sign.
    ["MINUS", { "0": "ZERO", "1": "DIGITS" }, "INVALID"],
    ["EXPONENT", { "+-": "EXPONENT_SIGN" }, ""],
    ["EXPONENT_SIGN", { "1": "EXPONENT_DIGITS" }, "INVALID"],
    ["EXPONENT_DIGITS", { "1": "EXPONENT_DIGITS" }, "NUMBER_END"],
    ["POINT", { "1": "FRACTION" }, "INVALID"],
    ["FRACTION", { "1": "FRACTION", eE: "EXPONENT" }, "NUMBER_END"],
    ["DIGITS", { "1": "DIGITS" }, ""],
    ["ZERO", { ".": "POINT", eE: "EXPONENT" }, "NUMBER_END"],
    // The words `true`, `false` and `null`. The states of `false` continue with one of `true`.
    ["WORDS", { r: "TR" }, "INVALID"],
    ["TR", { u: "TRU" }, "INVALID"],
    ["TRU", { e: "WORD_END" }, "INVALID"],
    ["F", { a: "FA" }, "INVALID"],
    ["FA", { l: "FAL" }, "INVALID"],
    ["FAL", { s: "TRU" }, "INVALID"],
    ["N", { u: "NU" }, "INVALID"],
    ["NU", { l: "NUL" }, "INVALID"],
    ["NUL", { l: "WORD_END" }, "INVALID"],
    // ESCAPE: the characters that stand for themselves, control characters, or `u` and four digits.
    [
      "ESCAPE",
      { '"\\/': "ITSELF", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", u: "UNICODE" },
      "INVALID",
    ],
  ];
}

/** Results that end a value and are not states. Their numbers are negative. */
export function valueEnds(): Record<string, string> {
  return {
    CLOSE: "The end of an object or array.",
    WORD_END: "The end of true, false or null.",
    NUMBER_END: "A number has ended; the byte that ended it is processed next.",
  };
}

/**
 * States in which the next state does not only depend on the byte. These states have no row. Their numbers are the
 * smallest ones at which no row starts. At the positions END and INVALID, GRAMMAR has the last pair of a row, which
 * leads from any byte except white space to INVALID. grammarStates checks the positions.
 */
export function rowlessStates(): Record<string, string> {
  return {
    STRING: "Within a string.",
    END: "The document is complete.",
    UNICODE: "Within the four digits of an escape.",
    INVALID: "The text is not JSON.",
  };
}

/** The states that the scanner's code names, with their descriptions. */
export function namedStates(): Record<string, string> {
  return {
    MEMBER_END: "The scanner is after a member of an object.",
    ELEMENT_END: "The scanner is after an element of an array.",
    COLON: "Some states up to this one have no row.",
    FIRST_NAME: "",
    FIRST_ELEMENT: "",
    VALUE: "",
    MINUS: "States below this one skip white space between tokens. Up to it, 0 and 1..9 differ.",
    WORDS: "The first state after those of numbers.",
    ESCAPE: "The scanner is after a backslash.",
  };
}
