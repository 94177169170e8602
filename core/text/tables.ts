// The states of the JSON scanner, from ../tables. Made by `npm run generate`: do not edit.

/**
 * Where the rows of the states begin in GRAMMAR; states without a row have numbers between them. Negative numbers are
 * not states, but the ends of values.
 */
export enum Scan {
  /** A number has ended; the byte that ended it is processed next. */
  NUMBER_END = -3,
  /** The end of true, false or null. */
  WORD_END = -2,
  /** The end of an object or array. */
  CLOSE = -1,
  /** The scanner is after a member of an object. */
  MEMBER_END = 0,
  /** Within a string. */
  STRING = 1,
  /** The document is complete. */
  END = 2,
  /** The scanner is after an element of an array. */
  ELEMENT_END = 3,
  /** Within the four digits of an escape. */
  UNICODE = 4,
  /** The text is not JSON. */
  INVALID = 5,
  /** Some states up to this one have no row. */
  COLON = 6,
  FIRST_NAME = 8,
  FIRST_ELEMENT = 11,
  VALUE = 12,
  /** States below this one skip white space between tokens. Up to it, 0 and 1..9 differ. */
  MINUS = 19,
  /** The first state after those of numbers. */
  WORDS = 39,
  /** The scanner is after a backslash. */
  ESCAPE = 57,
}
