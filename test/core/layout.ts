// Pages for the tests of the display. How words and addresses lie on lines is the model's (model/ideal/display.ts).

import fc from "fast-check";

/** How long a page stays. */
export const PAGE_MS = 3000;

/** Visible ASCII characters, no fewer and no more than this. */
export const visible = (least: number, most: number) =>
  fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)),
    minLength: least,
    maxLength: most,
    size: "max",
  });
