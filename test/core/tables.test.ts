// The files that `npm run generate` makes from core/tables are up to date.

import { expect, it } from "vitest";
import { ErrorCode } from "../../core/complete.ts";
import { errorRows } from "../../core/tables/errors.ts";
import { madeFiles } from "../../targets/bundle/core-tables.ts";
import { ERROR_ROWS } from "../error-rows.ts";
import { expectGenerated } from "../generated.ts";

it.each(Object.entries(madeFiles()))("DESIGN.md Tables: %s matches the tables", (file, made) => {
  expectGenerated(`core/${file}`, made);
});

it("the table of errors has the same names and numbers as test/error-rows.ts", () => {
  const names = errorRows().flatMap((row) => row.names);
  expect(names.toSorted()).toEqual(ERROR_ROWS.flatMap(({ wire }) => wire).toSorted());
  for (const { number, name } of ERROR_ROWS) expect(ErrorCode[number]).toBe(name);
  expect(Object.values(ErrorCode).filter((value) => typeof value === "number")).toHaveLength(
    ERROR_ROWS.length + 1,
  );
});
