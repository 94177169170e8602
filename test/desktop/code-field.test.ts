// RFC 8628 §6.1: spaces and dashes of a code carry nothing. What is typed on the phone is grouped as the device shows
// it, and remains the code that was typed.
import fc from "fast-check";
import { expect, test } from "vitest";
import { grouped, placeAfter } from "../../targets/desktop/panel/client/code-field.ts";
import { normalizeUserCode } from "../../targets/service/codes.ts";

const format = fc.constantFrom("XXXX-XXXX", "XXX-XXX-XXX", "XXXXXXXX", "XX--XXXX-X");
const typed = fc.string({ unit: fc.constantFrom(..."BCDFGHb -–−3"), maxLength: 14 });

test("a code that is typed letter by letter looks as on the display", () => {
  let field = "";
  for (const letter of "BCDFGHJK") field = grouped(field + letter, "XXXX-XXXX");
  expect(field).toBe("BCDF-GHJK");
  expect(grouped("BCDF", "XXXX-XXXX")).toBe("BCDF");
  expect(grouped("BCDF-", "XXXX-XXXX")).toBe("BCDF");
});

test("grouping changes nothing about the code, and is done once", () =>
  fc.assert(
    fc.property(typed, format, (text, how) => {
      const once = grouped(text, how);
      expect(normalizeUserCode(once)).toBe(normalizeUserCode(text));
      expect(grouped(once, how)).toBe(once);
    }),
  ));

test("the cursor stays behind the letters that it stood behind", () =>
  fc.assert(
    fc.property(typed, format, fc.nat({ max: 14 }), (text, how, at) => {
      const count = normalizeUserCode(text.slice(0, at)).length;
      const once = grouped(text, how);
      expect(normalizeUserCode(once.slice(0, placeAfter(once, count)))).toBe(
        normalizeUserCode(text.slice(0, at)),
      );
    }),
  ));
