// The schema check by itself: each keyword at its limits, and what is said of a value where the schema describes none.

import { describe, expect, it } from "vitest";
import {
  checkSchema,
  type Problem,
  type Schema,
} from "../../platform/configuration/schema-check.ts";

const PRINTER = "\u{1f5a8}";
/** Written out in an object it would look like a promise. */
const THEN = "then";

/** "" for a value that is right. */
type Row = readonly [schema: Schema, value: unknown, message: string];

const ROWS: readonly Row[] = [
  [{ type: "object" }, [], "is not of type object"],
  [{ type: "object" }, null, "is not of type object"],
  [{ type: "array" }, {}, "is not of type array"],
  [{ type: "integer" }, 1.5, "is not of type integer"],
  [{ type: "string" }, 1, "is not of type string"],
  [{ type: "boolean" }, 0, "is not of type boolean"],
  [{ const: "lcd" }, "lcd", ""],
  [{ const: "lcd" }, "text", "is not the expected value"],
  [{ enum: ["a", "b"] }, "b", ""],
  [{ enum: ["a", "b"] }, "c", "is none of the expected values"],
  [{ minLength: 2 }, "ab", ""],
  [{ minLength: 2 }, "a", "is shorter than 2 characters"],
  // A character is a code point.
  [{ minLength: 2 }, PRINTER, "is shorter than 2 characters"],
  [{ maxLength: 2 }, PRINTER + PRINTER, ""],
  [{ maxLength: 2 }, "abc", "is longer than 2 characters"],
  [{ pattern: "^.$" }, PRINTER, ""],
  [{ pattern: "^[a-z]+$" }, "A", "does not have the expected form"],
  [{ minimum: 2 }, 2, ""],
  [{ minimum: 2 }, 1, "is less than 2"],
  [{ maximum: 2 }, 2, ""],
  [{ maximum: 2 }, 3, "is greater than 2"],
  [{ items: {}, maxItems: 2 }, [1, 2], ""],
  [{ items: {}, maxItems: 2 }, [1, 2, 3], "has more than 2 elements"],
  [{ if: { type: "string" }, [THEN]: { maxLength: 1 } }, "ab", "is longer than 1 characters"],
  [{ if: { type: "string" }, [THEN]: { maxLength: 1 } }, 1, ""],
  [{ if: { type: "string" }, else: { maximum: 1 } }, 2, "is greater than 1"],
  [{ if: { type: "string" }, else: { maximum: 1 } }, "ab", ""],
  [{ additionalProperties: { maximum: 1 } }, { a: 1 }, ""],
  [{ properties: { a: { minimum: 0 } } }, { a: 1, b: 2 }, ""],
];

describe("JSON schema, draft 7: each keyword", () => {
  it.each(ROWS)("%j with %j: %s", (schema, value, message) => {
    expect(checkSchema(value, schema)).toEqual(message === "" ? [] : [{ path: "", message }]);
  });

  it("what a schema describes is said in its words", () => {
    const schema: Schema = { description: "a name", maxLength: 1 };
    expect(checkSchema("ab", schema)).toEqual([{ path: "", message: "must be a name" }]);
  });

  it("a reference is one into this document", () => {
    const schema = { $ref: "other#/$defs/a", $defs: { othera: {} } };
    expect(() => checkSchema(1, schema)).toThrow("schema: nothing at other#/$defs/a");
  });
});

it("a path has 64 characters of a name: a file must not fill the screen", () => {
  const name = `${"a b".repeat(21)}c`;
  const problem = (path: string): Problem[] => [{ path, message: "is greater than 1" }];
  const schema: Schema = { additionalProperties: { maximum: 1 } };
  expect(checkSchema({ [name]: 2 }, schema)).toEqual(problem(`["${name}"]`));
  expect(checkSchema({ [`${name}d`]: 2 }, schema)).toEqual(problem(`["${name}"]`));
});
