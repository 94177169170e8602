// How the name of a test refers to rows of the two documents:
//
//   device doc §2.1 row interval: the least wait between two polls
//   device doc §4.1 row client_id and row scope: and nothing else
//
// Document, section and the row's name, each to the letter, up to the colon. Whatever else stands in a name wins
// a test no row and loses it none; a reference to a row that does not exist is a mistake.

import { documentRows, type Row } from "./rows.ts";

interface References {
  readonly rows: readonly Row[];
  /** References to rows that do not exist, as they stand in the name. */
  readonly wrong: readonly string[];
}

const REFERENCE = /(?:(\w+ doc) )?§([\d.]+) row ([^:]*)/g;

/** The rows that a test's name refers to: the names of its groups and its own, joined by ` > `. */
export function referencesOf(name: string): References {
  const rows = new Set<Row>();
  const wrong: string[] = [];
  for (const part of name.split(" > ")) {
    for (const [reference, document, section, ids] of part.matchAll(REFERENCE)) {
      for (const id of ids!.split(" and row ")) {
        const row = documentRows.find(
          (each) => each.document === document && each.section === section && each.row === id,
        );
        if (row) rows.add(row);
        else wrong.push(reference);
      }
    }
  }
  return { rows: [...rows], wrong };
}
