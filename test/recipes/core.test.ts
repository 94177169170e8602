// Recipes of core/HOW-TO-CHANGE.md, followed in copies of this repository: nothing but what they name has to be touched.

import { afterAll, expect, it } from "vitest";
import { RECIPE_MS, RepositoryCopy } from "./repository-copy.ts";

const copy = new RepositoryCopy();
afterAll(() => copy.dispose());

const GENERATED = ["tables", "spec", "servers", "docs"];
/** Where the names and the words of errors are seen. */
const ERRORS = [
  "core/error-table",
  "core/spec",
  "configuration",
  "desktop/error-gallery",
  "desktop/faults",
  "documents",
];

it(
  "core/HOW-TO-CHANGE.md: a name that a server gives an error, and the words of a display text",
  () => {
    // The one: its place in the table, one command, and a test's row.
    copy.replace(
      "core/tables/errors.ts",
      '"bad_refresh_token",',
      '"bad_refresh_token", "grant_spent",',
    );
    expect(() => copy.generateAndTest(["tables"], ["core/error-table"])).toThrow(/grant_spent/);
    copy.replace("test/error-rows.ts", "bad_refresh_token ", "bad_refresh_token grant_spent ");
    // The other: wherever they stand.
    const files = copy.filesWith("Service busy", "core", "platform", "targets", "test");
    for (const file of files) copy.replace(file, "Service busy", "Server busy");
    expect(copy.generateAndTest(GENERATED, ERRORS)).toContain("passed");
    const page = copy.read("targets/docs/errors.md");
    expect(page).toContain("`grant_spent`");
    expect(page).toContain("Server busy");
  },
  RECIPE_MS,
);
