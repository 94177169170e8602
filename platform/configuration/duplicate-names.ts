// Names that stand twice in one object of a JSON text. JSON.parse keeps the last of them and says nothing
// (RFC 8259 §4 leaves it open), another reader keeps the first: of a configuration neither is what was meant.

import { join, type Problem } from "./schema-check.ts";

/** A text, with the colon behind it where it is a name, or where an object begins or ends. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}]/g;

/**
 * The members whose names have stood in their object before, in their order.
 * @param text JSON: what is none must have been refused already
 */
export function duplicateNames(text: string): Problem[] {
  const problems: Problem[] = [];
  /** The objects that are open, the innermost last. */
  const open: { path: string; names: Set<string> }[] = [];
  let path = "";
  for (const [token, quoted, colon] of text.matchAll(TOKEN)) {
    const object = open[open.length - 1];
    if (token === "{") open.push({ path, names: new Set() });
    else if (token === "}") open.pop();
    else if (quoted !== undefined && colon !== undefined && object !== undefined) {
      const name = JSON.parse(quoted) as string;
      path = join(object.path, name);
      if (object.names.has(name)) problems.push({ path, message: "is there twice" });
      object.names.add(name);
    }
  }
  return problems;
}
