// Files that are named on the command line.

import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/** @throws UsageError with one line */
export function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new UsageError(`cannot read the ${what} ${file} (${code}); check the path`);
  }
}
