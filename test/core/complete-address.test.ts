// An address that fills the code in saves the typing and nothing else: the server has the user compare the code, so the
// display goes on showing it.

import { describe, expect, it } from "vitest";
import { Field, State } from "../../core/complete.ts";
import { Bench, code } from "./bench.ts";
import { PAGE_MS } from "./layout.ts";

const COMPLETE = "https://example.com/device?user_code=ABCD-EFGH";

function shown(
  columns: number,
  rows: number,
  members: object,
): { bench: Bench; pages: string[][] } {
  const bench = new Bench([code(members)], { columns, rows });
  bench.until(1);
  bench.run(0);
  const pages: string[][] = [];
  for (let page = 0; page < 4; page++) {
    pages.push(bench.frame());
    bench.pass(PAGE_MS);
  }
  return { bench, pages };
}

describe("SPEC.md, Display: verification_uri_complete is the host's to show", () => {
  it.each([
    [16, 2],
    [20, 4],
    [40, 2],
    [80, 8],
  ])("RFC 8628 §3.3.1: on %i x %i code and address are shown as without it", (columns, rows) => {
    const { bench, pages } = shown(columns, rows, { verification_uri_complete: COMPLETE });
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.text(Field.VERIFICATION_URI_COMPLETE)).toBe(COMPLETE);
    expect(pages).toEqual(shown(columns, rows, {}).pages);
    for (const frame of pages) expect(frame.at(-1)).toContain("ABCD-EFGH");
    const text = pages.flat().join("").replaceAll(" ", "");
    expect(text).toContain("example.com/");
    expect(text).not.toContain("user_code");
  });
});
