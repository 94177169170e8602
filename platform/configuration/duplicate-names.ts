// Duplicate names in an object of a JSON text. JSON.parse silently uses the last one (RFC 8259 §4 allows it), another
// parser the first one. In a configuration that is a mistake.

import { join, type Problem } from "./schema-check.ts";

/** A string, followed by its colon if it is a name, or the begin or end of an object. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}]/g;

/** An object whose end has not been read. */
interface Open {
  readonly path: string;
  readonly names: Set<string>;
  readonly outer: Open | undefined;
}

/**
 * The duplicate members, in the order of the text.
 * @param text valid JSON
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
