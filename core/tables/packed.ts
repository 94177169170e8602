// Packs the readable tables into texts, which are what is shipped. An engine needs thousands of bytes for an
// array of objects, but for a text only its length. Nothing in this folder is in a bundle.

import type { ErrorRow } from "./errors.ts";
import type { GrammarRow } from "./grammar.ts";
import type { NamedPlace } from "./members.ts";

/**
 * Names, after the letter of the first one's place ('A' is 0). A name ends with a space where the next has the same
 * place, with `!` where it has the following one, with `"` where it has the second following...
 */
export function packedNames(rows: readonly NamedPlace[]): string {
  var packed = String.fromCharCode(65 + rows[0]!.place);
  rows.forEach((row, i) => {
    var next = i + 1 < rows.length ? rows[i + 1]!.place : row.place;
    if (next < row.place) throw new Error(`${row.names[0]} is not in the order of the places`);
    packed += row.names.join(" ") + String.fromCharCode(32 + next - row.place);
  });
  return packed;
}

/** The names of errors, for those that servers name. */
export function packedErrorNames(rows: readonly ErrorRow[]): string {
  var named = rows.filter((row) => row.names.length > 0);
  return packedNames(named.map((row) => ({ place: row.error, names: row.names })));
}

/** Kind (a digit) and message ('A' is message 0) of every error, after two blanks for NONE. */
export function packedErrorKinds(rows: readonly ErrorRow[]): string {
  var packed = "  ";
  rows.forEach((row, i) => {
    if (row.error !== i + 1) throw new Error(`error ${row.error} is not in its order`);
    packed += row.kind + String.fromCharCode(65 + row.message);
  });
  return packed;
}

/** Where the row of each state begins: its number. */
export function grammarStates(rows: readonly GrammarRow[]): Record<string, number> {
  var states: Record<string, number> = {};
  var at = 0;
  rows.forEach((row) => {
    states[row.state] = at;
    row.moves.forEach((move) => {
      at += move[0].length;
    });
    if (row.otherwise) at++;
  });
  return states;
}

/**
 * Pairs of a byte and the state that it leads to ('A' is 0). The row of a state ends with a blank and what any other
 * byte leads to; one without goes on in the next.
 * @param others numbers of states that have no row
 */
export function packedGrammar(
  rows: readonly GrammarRow[],
  others: Readonly<Record<string, number>>,
): string {
  var states = grammarStates(rows);
  var letter = (to: string): string => {
    var number = to < " " ? to.charCodeAt(0) : (states[to] ?? others[to]);
    if (number === undefined) throw new Error(`no state ${to}`);
    return String.fromCharCode(65 + number);
  };
  var packed = "";
  rows.forEach((row) => {
    row.moves.forEach((move) => {
      for (var i = 0; i < move[0].length; i++) packed += move[0].charAt(i) + letter(move[1]);
    });
    if (row.otherwise) packed += ` ${letter(row.otherwise)}`;
  });
  return packed;
}
