// A layout for the tests of the display, written once more: words on lines, lines on pages.

import fc from "fast-check";

/** How long a page stays. */
export const PAGE_MS = 3000;

/** Words as many as fit on a line, too long ones cut. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest) {
    let cut = rest.length;
    if (cut > columns) {
      const space = rest.lastIndexOf(" ", columns);
      cut = space > 0 ? space : columns;
    }
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).replace(/^ +/, "");
  }
  return lines;
}

/** An address on lines: parted behind slashes, or else dots; a word too long for a line evenly. */
export function parted(address: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = address;
  while (rest.length > columns) {
    const line = rest.slice(0, columns);
    let cut = line.lastIndexOf("/") + 1 || line.lastIndexOf(".") + 1;
    if (cut === 0) {
      const end = rest.search(/[./]/);
      const word = end < 0 ? rest.length : end + 1;
      cut = Math.ceil(word / Math.ceil(word / columns));
    }
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return rest ? [...lines, rest] : lines;
}

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
