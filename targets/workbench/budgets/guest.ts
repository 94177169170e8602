// The scripts of test/budgets/guest, which run inside the engine that is measured.

import { readFileSync } from "node:fs";

/** These scripts one after the other, in one. */
export function guest(...names: readonly string[]): string {
  return names
    .map((name) =>
      readFileSync(new URL(`../../../test/budgets/guest/${name}.js`, import.meta.url), "utf8"),
    )
    .join("\n");
}
