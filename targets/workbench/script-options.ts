// Shared by the scripts: the command line (--help, and errors in one line with exit code 2), tables, and generated
// parts of pages.

import type { Command } from "commander";
import { endUnread, commandLine as lineOf } from "../desktop/command-line.ts";
import { TOOLS } from "./tool-list.ts";

export { runProgram as carryOut } from "../desktop/command-line.ts";

export function commandLine(name: string, description: string): Command {
  process.stdout.off("error", endUnread).on("error", endUnread);
  const usage = name in TOOLS ? `npm run tool -- ${name}` : `npm run ${name} --`;
  // Exit here, because a script parses its arguments outside of any function that could catch an error.
  return lineOf(usage, description, (problem) => {
    process.stderr.write(`${name}: ${problem}\n`);
    process.exit(2);
  });
}

/** Prints rows after a header row. Numbers after the first column are right-aligned. */
export function printTable(rows: readonly (readonly string[])[], print = console.log): void {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  rows.forEach((row, index) => {
    const cells = row.map((cell, column) => {
      return /^-?(\d|$)/.test(cell) && index > 0 && column > 0
        ? cell.padStart(widths[column]!)
        : cell.padEnd(widths[column]!);
    });
    print(cells.join("  ").trimEnd());
    if (index === 0) print(widths.map((count) => "-".repeat(count)).join("  "));
  });
}

/** Replaces the text between the two marks with this name in a page. @throws Error if the page has no such marks */
export function spliced(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: begin -->\n`;
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(`<!-- ${name}: end -->`, from);
  if (from < begin.length || to < 0) throw new Error(`the page has no mark ${begin.trim()}`);
  return `${page.slice(0, from)}\n${text}\n${page.slice(to)}`;
}
