// Prints rows in columns.

/** Prints rows, the first of which is the head; figures behind the first column are right-aligned. */
export function printTable(rows: readonly (readonly string[])[], print = console.log): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => width(row[column]))));
  rows.forEach((row, index) => {
    const cells = row.map((cell, column) => {
      return /^-?\d/.test(cell) && index > 0 && column > 0
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

/** Rows as a Markdown table. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(rows[0]!.length)}`);
  return `${lines.join("\n")}\n`;
}
