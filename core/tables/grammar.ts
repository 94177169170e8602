// The grammar of JSON (RFC 8259) as states: the bytes allowed in each, and the states that they lead to. Change it
// here; `npm run generate` makes what ships, including the numbers of the states (text/tables.ts). White space between
// tokens is not in it: the scanner skips it in the states before MINUS. Up to and including MINUS, 0 and 1..9 differ.

/**
 * A state of the scanner: its name; bytes with the state that each leads to (`1` stands for every digit, except 0 where
 * MINUS is); and what any other byte leads to, "" if the next row continues it.
 */
export type GrammarRow = readonly [
  state: string,
  moves: Readonly<Record<string, string>>,
  otherwise: string,
];

/** In order: a row without an end continues in the next. */
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
    // Numbers: what may follow a sign, or replace it.
    ["MINUS", { "0": "ZERO", "1": "DIGITS" }, "INVALID"],
    ["EXPONENT", { "+-": "EXPONENT_SIGN" }, ""],
    ["EXPONENT_SIGN", { "1": "EXPONENT_DIGITS" }, "INVALID"],
    ["EXPONENT_DIGITS", { "1": "EXPONENT_DIGITS" }, "NUMBER_END"],
    ["POINT", { "1": "FRACTION" }, "INVALID"],
    ["FRACTION", { "1": "FRACTION", eE: "EXPONENT" }, "NUMBER_END"],
    ["DIGITS", { "1": "DIGITS" }, ""],
    ["ZERO", { ".": "POINT", eE: "EXPONENT" }, "NUMBER_END"],
    // Words: true, which is the first, false (whose end is that of true), null.
    ["WORDS", { r: "TR" }, "INVALID"],
    ["TR", { u: "TRU" }, "INVALID"],
    ["TRU", { e: "WORD_END" }, "INVALID"],
    ["F", { a: "FA" }, "INVALID"],
    ["FA", { l: "FAL" }, "INVALID"],
    ["FAL", { s: "TRU" }, "INVALID"],
    ["N", { u: "NU" }, "INVALID"],
    ["NU", { l: "NUL" }, "INVALID"],
    ["NUL", { l: "WORD_END" }, "INVALID"],
    // After a backslash: a character that stands for itself, a control character, or four digits.
    [
      "ESCAPE",
      { '"\\/': "ITSELF", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", u: "UNICODE" },
      "INVALID",
    ],
  ];
}

/** Results that end a value instead of leading to a state: numbers below 0. */
export function valueEnds(): Record<string, string> {
  return {
    CLOSE: "Of an object or array.",
    WORD_END: "Of true, false or null.",
    NUMBER_END: "A number has ended; the byte that ended it is processed next.",
  };
}

/**
 * States in which more than the byte decides. Their numbers are the first ones at which no row starts: END and INVALID
 * share the last pair of a row, so that every byte except white space leads to INVALID, which the packing checks.
 */
export function rowlessStates(): Record<string, string> {
  return {
    STRING: "Within a string.",
    END: "The document is complete.",
    UNICODE: "Within the four digits of an escape.",
    INVALID: "This is no JSON.",
  };
}

/** The rows that the scanner's code names. */
export function namedStates(): Record<string, string> {
  return {
    MEMBER_END: "After a member of an object.",
    ELEMENT_END: "After an element of an array.",
    COLON: "Up to it there are states without a row.",
    FIRST_NAME: "",
    FIRST_ELEMENT: "",
    VALUE: "",
    MINUS:
      "In states before this one, white space is skipped; up to it, 0 and 1..9 are distinguished.",
    WORDS: "After the states of numbers.",
    ESCAPE: "After a backslash.",
  };
}
