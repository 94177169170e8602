// Names that stand twice in one object of a JSON text. JSON.parse keeps the last of them and says nothing
// (RFC 8259 §4 leaves it open), another reader keeps the first: of a configuration neither is what was meant.

import { join, type Problem } from "./schema-check.ts";

/** A text, with the colon behind it where it is a name, or where an object begins or ends. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}]/g;

/** An object that is not yet at its end. */
interface Open {
  readonly path: string;
  readonly names: Set<string>;
  readonly outer: Open | undefined;
}

/**
 * The members whose names have stood in their object before, in their order.
 * @param text JSON: what is none must have been refused already
 */
export function duplicateNames(text: string): Problem[] {
  const problems: Problem[] = [];
  let object: Open | undefined;
  let path = "";
  for (const [token, quoted, colon] of text.matchAll(TOKEN)) {
    if (token === "{") object = { path, names: new Set(), outer: object };
    else if (token === "}") object = object!.outer;
    else if (colon !== undefined) {
      const { path: above, names } = object!;
      const name = JSON.parse(quoted!) as string;
      path = join(above, name);
      if (names.has(name)) problems.push({ path, message: "is there twice" });
      names.add(name);
    }
  }
  return problems;
}
