// The panel's stylesheet: one of many parts, each about a place of the page.
import { readFileSync } from "node:fs";

const PARTS = ["base", "guide", "device", "phone", "diagram", "actions", "fixture", "layout"];

export function stylesheet(): string {
  return PARTS.map((name) =>
    readFileSync(new URL(`styles/${name}.css`, import.meta.url), "utf8"),
  ).join("\n");
}
