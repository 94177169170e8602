// The panel's stylesheet: one of many parts, each about a place of the page.
import { readFileSync } from "node:fs";

const FOLDER = new URL("styles/", import.meta.url);
const PARTS = ["base", "bench", "diagram"];

export function stylesheet(): string {
  return PARTS.map((name) => readFileSync(new URL(`${name}.css`, FOLDER), "utf8")).join("\n");
}
