// Pages for the tests of the display. How words and addresses lie on lines is the model's (model/ideal/display.ts).

import fc from "fast-check";

/** How long a page stays. */
export const PAGE_MS = 3000;

/** The pages of these lines, each of so many rows. */
export function paged(lines: readonly string[], columns: number, rows: number): string[][] {
  const pages: string[][] = [];
  for (let at = 0; at < Math.max(1, lines.length); at += rows) {
    const page = lines.slice(at, at + rows);
    while (page.length < rows) page.push("");
    pages.push(page.map((line) => line.padEnd(columns)));
  }
  return pages;
}

/** Visible ASCII characters, no fewer and no more than this. */
export const visible = (least: number, most: number) =>
  fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)),
    minLength: least,
    maxLength: most,
    size: "max",
  });
