// Command line of scripts: --help, and errors in one line with exit code 2.

import { Command } from "commander";
import { InstallError } from "./engines/install.ts";
import { TOOLS } from "./tool-list.ts";

/** The command line of a script of package.json or of a tool, without its options. */
export function commandLine(name: string, description: string): Command {
  return new Command(name in TOOLS ? `npm run tool -- ${name}` : `npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, `${name}: `)) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}

/**
 * Runs a script. An InstallError becomes one line and exit code 2.
 * @param work returns the exit code, if any
 */
export async function carryOut(name: string, work: () => unknown): Promise<void> {
  try {
    const code = await work();
    if (typeof code === "number") process.exitCode = code;
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    console.error(`${name}: ${error.message}`);
    process.exitCode = 2;
  }
}

/** Prints rows with a header row; columns after the first are right-aligned. */
export function printTable(rows: readonly (readonly string[])[], print = console.log): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
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

function width(cell: string | undefined): number {
  return cell?.length ?? 0;
}

/** Replaces the text between the marks of that name. @throws Error if the page does not have them */
export function spliced(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: begin -->\n`;
  const from = page.indexOf(begin) + begin.length;
  const to = page.indexOf(`<!-- ${name}: end -->`, from);
  if (from < begin.length || to < 0) throw new Error(`the page has no mark ${begin.trim()}`);
  return `${page.slice(0, from)}\n${text}\n${page.slice(to)}`;
}

export function markdownTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(rows[0]!.length)}`);
  return `${lines.join("\n")}\n`;
}
