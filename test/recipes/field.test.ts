// The recipe "A new field" of core/HOW-TO-CHANGE.md, followed in a copy of this repository: nothing but what it names has
// to be touched. The field is `error_uri` (RFC 6749 section 5.2), for a host that draws it as a QR code.

import { afterAll, expect, it } from "vitest";
import { RECIPE_MS, RepositoryCopy } from "./repository-copy.ts";

const copy = new RepositoryCopy();
afterAll(() => copy.dispose());

const READS = `import { expect, it } from "vitest";
import { Field } from "../../core/device/memory.ts";
import { Bench, code, json } from "./bench.ts";

it("is there for the host, and ends with the next answer", () => {
  const error_uri = "https://example.com/why";
  const bench = new Bench([code(), json(400, { error: "access_denied", error_uri })]);
  bench.until(2);
  expect(bench.text(Field.ERROR_URI)).toBe(error_uri);
  bench.answers = [code()];
  bench.core.signIn(bench.device);
  bench.until(3);
  expect(bench.text(Field.ERROR_URI)).toBe("");
});
`;
/** Where numbers of fields, regions and literals count. */
const TESTS = ["core/", "bundle/constants", "bundle/record", "platform/driver"];

/** Counts on every number of 21 and more that an enum gives its members: regions and literals behind the field. */
function renumber(file: string): void {
  const text = copy.read(file);
  const counted = text.replaceAll(
    /^( {2}[A-Z_]+ = )(\d+),$/gm,
    (row, name: string, number: string) =>
      Number(number) > 20 ? `${name}${Number(number) + 1},` : row,
  );
  copy.write(file, counted);
}

it(
  "a new field is what the recipe names, and the host reads it",
  () => {
    for (const file of ["device/memory", "requests/literals", "documents/literals"]) {
      renumber(`core/${file}.ts`);
    }
    copy.replace(
      "core/device/memory.ts",
      "  ACCOUNT_DISABLED = 20,\n",
      "  ACCOUNT_DISABLED = 20,\n  /** `error_uri` (RFC 6749 §5.2). */\n  ERROR_URI = 21,\n",
    );
    copy.replace(
      "core/tables/members.ts",
      '    place(Field.INTERVAL, ["interval"]),\n',
      '    place(Field.INTERVAL, ["interval"]),\n    place(Field.ERROR_URI, ["error_uri"]),\n',
    );
    copy.replace(
      "core/loop/create.ts",
      "  takeRegion(device, Field.INTERVAL, Limit.NUMBER_MAX);\n",
      "  takeRegion(device, Field.INTERVAL, Limit.NUMBER_MAX);\n  takeRegion(device, Field.ERROR_URI, 64);\n",
    );
    copy.replace(
      "core/device/regions.ts",
      '    life(Field.INTERVAL, "interval, as text", answer, ""),\n',
      '    life(Field.INTERVAL, "interval, as text", answer, ""),\n    life(Field.ERROR_URI, "error_uri, if it fits", answer, ""),\n',
    );
    for (const answer of ["token-response", "device-authorization"]) {
      copy.replace(
        `core/grant/${answer}.ts`,
        "(1 << Field.ERROR)",
        "(1 << Field.ERROR) | (1 << Field.ERROR_URI)",
      );
    }
    copy.write("test/core/error-uri.test.ts", READS);
    copy.check();
    expect(copy.generateAndTest(["tables", "spec", "docs"], TESTS)).toContain("passed");
    expect(copy.read("core/SPEC.md")).toContain("error_uri, if it fits");
  },
  RECIPE_MS,
);
