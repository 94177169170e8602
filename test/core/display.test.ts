// The verification prompt on the display, cell by cell and page by page, against a layout written once more:
// what is shown, in which order, and for how long.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ErrorCode, State } from "../../core/complete.ts";
import { addressRows, wrap } from "../model/ideal/display.ts";
import { Bench, code, error, tokens } from "./bench.ts";
import { PAGE_MS, paged, visible } from "./layout.ts";

interface Prompt {
  columns: number;
  rows: number;
  userCode: string;
  address: string;
}

function promptPages({ columns, rows, address }: Prompt): string[][] {
  const short = address.length > columns ? address.replace(/^https?:\/\/(?=.)/i, "") : address;
  const room = rows - 1;
  const open = wrap("Open in browser:", columns);
  const lines = addressRows(short, columns);
  const all = open.length + lines.length <= room ? [...open, ...lines] : lines;
  return paged(all, columns, room);
}

function codeRow({ columns, userCode }: Prompt, secondsLeft: number): string {
  const labelled = `Code ${userCode}`;
  const text = labelled.length > columns ? userCode : labelled;
  if (secondsLeft >= 6000 || text.length + 6 > columns) return text.padEnd(columns);
  const two = (value: number): string => String(value).padStart(2, "0");
  const left = `${two(Math.floor(secondsLeft / 60))}:${two(secondsLeft % 60)}`;
  return text.padEnd(columns - 5) + left;
}

/** A device that has just got this code. */
function prompt({ columns, rows, userCode, address }: Prompt, members: object = {}): Bench {
  const answer = code({ user_code: userCode, verification_url: address, ...members });
  const bench = new Bench([answer], { columns, rows, autoStart: 0 });
  bench.core.signIn(bench.device);
  bench.run(0);
  return bench;
}

describe("SPEC.md, Display, RFC 8628 §3.3: the verification prompt, cell by cell", () => {
  const sizes = { columns: fc.integer({ min: 16, max: 80 }), rows: fc.integer({ min: 2, max: 8 }) };
  const schemes = fc.constantFrom("https://", "http://", "HTTPS://", "Http://");

  it("every page in its turn, three seconds each, from the first one on", () => {
    fc.assert(
      fc.property(
        fc.record({ ...sizes, userCode: visible(1, 16), scheme: schemes, rest: visible(1, 110) }),
        ({ columns, rows, userCode, scheme, rest }) => {
          const given = { columns, rows, userCode, address: scheme + rest };
          const bench = prompt(given);
          const pages = promptPages(given);
          for (let shown = 0; shown < pages.length + 2; shown++) {
            const passedS = (shown * PAGE_MS) / 1000;
            const expected = [...pages[shown % pages.length]!, codeRow(given, 1800 - passedS)];
            expect(bench.frame()).toEqual(expected);
            bench.pass(PAGE_MS - 1);
            expect(bench.frame().slice(0, -1)).toEqual(expected.slice(0, -1));
            bench.pass(1);
          }
        },
      ),
    );
  });

  it.each([
    ["https://example.com/device-of-yours", "example.com/device-of-yours"],
    ["http://example.com/device-of-yours", "example.com/device-of-yours"],
    ["HTTPS://example.com/device-of-yours", "example.com/device-of-yours"],
    ["https://http://device-of-yours/abc", "http://device-of-yours/abc"],
  ])("%s is shown as %s where it is too long for a line", (address, shown) => {
    const bench = prompt({ columns: 20, rows: 4, userCode: "ABCD", address });
    expect(bench.frame().join("").replace(/ /g, "")).toContain(`browser:${shown}Code`);
  });

  it.each([
    [20, "https://example.com", "https://example.com"],
    [19, "https://example.com", "https://example.com"],
    [18, "https://example.com", "example.com"],
  ])("on %i columns %s is shown as %s", (columns, address, shown) => {
    const bench = prompt({ columns, rows: 2, userCode: "ABCD", address });
    expect(bench.frame()[0]!.trimEnd()).toBe(shown);
  });

  it.each([
    [3, 20, ["Open in browser:", `http://${"x".repeat(13)}`]],
    [2, 27, ["x".repeat(20)]],
    [3, 27, ["Open in browser:", "x".repeat(20)]],
    [3, 28, ["x".repeat(11), "x".repeat(10)]],
    [4, 47, ["Open in browser:", "x".repeat(20), "x".repeat(20)]],
    [4, 48, ["x".repeat(14), "x".repeat(14), "x".repeat(13)]],
  ])("on %i rows of 20 an address of %i characters is shown as %j", (rows, length, shown) => {
    const address = `http://${"x".repeat(length - 7)}`;
    const bench = prompt({ columns: 20, rows, userCode: "ABCD", address });
    const frame = bench.frame().slice(0, -1);
    expect(frame.map((row) => row.trimEnd())).toEqual(shown.slice(0, rows - 1));
  });

  // People type an address row by row: a word of it that is torn apart is typed wrong.
  it.each([
    [16, 2, "https://tv.example/device", [["tv.example/"], ["device"]]],
    [16, 2, "http://127.0.0.1:8628/device", [["127.0.0.1:8628/"], ["device"]]],
    [
      16,
      3,
      "https://accounts.example.com/activate/tv",
      [["accounts.", "example.com/"], ["activate/tv"]],
    ],
    [20, 4, "http://127.0.0.1:8628/device", [["Open in browser:", "127.0.0.1:8628/", "device"]]],
    [16, 2, `https://${"x".repeat(21)}`, [["x".repeat(11)], ["x".repeat(10)]]],
    [
      16,
      2,
      `https://${"x".repeat(33)}/tv`,
      [["x".repeat(12)], ["x".repeat(11)], [`${"x".repeat(10)}/tv`]],
    ],
  ])(
    "on %i columns and %i rows %s breaks behind a slash, else a dot, else evenly",
    (columns, rows, address, pages) => {
      const bench = prompt({ columns, rows, userCode: "ABCD", address });
      for (const page of pages.flatMap((page) => paged(page, columns, rows - 1))) {
        expect(bench.frame().slice(0, -1)).toEqual(page);
        bench.pass(PAGE_MS);
      }
    },
  );

  it.each([
    [16, "0123456789ABCDEF", "0123456789ABCDEF"],
    [16, "0123456789ABCDE", "0123456789ABCDE "],
    [20, "0123456789ABCDEFGHIJ", "0123456789ABCDEFGHIJ"],
    [20, "0123456789ABCDE", "Code 0123456789ABCDE"],
    [20, "0123456789ABCDEF", "0123456789ABCDEF    "],
    [20, "012345678", "Code 012345678 30:00"],
    [20, "0123456789", "Code 0123456789     "],
    [20, "0123456789ABCD", "Code 0123456789ABCD "],
    [16, "0123456789", "Code 0123456789 "],
    [17, "0123456789ABC", "0123456789ABC    "],
    [16, "ABCD", "Code ABCD  30:00"],
    [16, "ABCDE", "Code ABCDE 30:00"],
    [16, "ABCDEF", "Code ABCDEF     "],
  ])("on %i columns the code %s is shown as %j", (columns, userCode, row) => {
    const bench = prompt({ columns, rows: 2, userCode, address: "https://x.example" });
    expect(bench.frame()[1]).toBe(row);
  });

  it.each([16, 20, 80])("a code wider than the display of %i is refused, not cut", (columns) => {
    const userCode = "X".repeat(columns + 1);
    const bench = prompt({ columns, rows: 2, userCode, address: "https://x.example" });
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.VALUE_TOO_LONG);
    expect(bench.frame().join("")).not.toContain("XX");
  });

  it.each([
    [6001, "Code ABCD           "],
    [6000, "Code ABCD           "],
    [5999, "Code ABCD      99:59"],
    [600, "Code ABCD      10:00"],
    [599, "Code ABCD      09:59"],
    [61, "Code ABCD      01:01"],
    [60, "Code ABCD      01:00"],
    [59, "Code ABCD      00:59"],
    [1, "Code ABCD      00:01"],
  ])("%i seconds are counted down as %j", (expires_in, row) => {
    const given = { columns: 20, rows: 2, userCode: "ABCD", address: "https://x.example" };
    expect(prompt(given, { expires_in }).frame()[1]).toBe(row);
  });

  it("counts down second by second, and shows nothing anew within one", () => {
    const given = { columns: 20, rows: 2, userCode: "ABCD", address: "https://x.example" };
    const bench = prompt(given, { interval: 100 });
    for (let second = 0; second < 70; second++) {
      expect(bench.frame()[1]).toBe(codeRow(given, 1800 - second));
      const { shows } = bench;
      bench.run(400);
      bench.run(599);
      expect(bench.shows).toBe(shows);
      bench.run(1);
      expect(bench.shows).toBe(shows + 1);
    }
  });

  it("a code from before a restart has no countdown: how old it is nobody knows", () => {
    const before = new Bench([code()]);
    before.pass(6000);
    const after = new Bench([error(428, "authorization_pending")], { slots: before.slots });
    // It is back at once, marked as being checked; then it is shown as good.
    expect(after.frame()[0]!.trimEnd()).toBe("Checking code");
    expect(after.frame()[3]).toBe("Code ABCD-EFGH     ?");
    expect(after.device.codeShown).toBe(0);
    after.until(1);
    expect(after.frame()[0]!.trimEnd()).toBe("Open in browser:");
    expect(after.frame()[3]).toBe("Code ABCD-EFGH      ");
    // Not confirmed before its time is up, it is asked for once more, and shown no longer.
    const late = new Bench([], { slots: before.slots });
    late.answers = Array(2000).fill(null);
    const life = late.device.codeLifeS;
    expect(life).toBeGreaterThan(0);
    while (late.device.codeLifeS > 0) late.pass(1000);
    expect(late.device.state).toBe(State.PENDING);
    expect(late.frame().join("").trim()).toBe("Checking code");
    const next = new Bench([code()], { slots: before.slots });
    next.core.signIn(next.device);
    next.run(0);
    expect(next.frame()[3]).toBe("Code ABCD-EFGH 30:00");
  });
});

describe("SPEC.md, Display: a code from before a restart is back at once, marked on every display", () => {
  it.each([
    [9, "Code GGGGGGGGG ?"],
    [10, "GGGGGGGGGG     ?"],
    [14, "GGGGGGGGGGGGGG ?"],
    [15, "GGGGGGGGGGGGGGG "],
    [16, "GGGGGGGGGGGGGGGG"],
  ])("16x2, a code of %i characters", (length, row) => {
    const display = { columns: 16, rows: 2 };
    const before = new Bench([code({ user_code: "G".repeat(length) })], display);
    before.pass(6000);
    const after = new Bench([], { ...display, slots: before.slots });
    // Where no mark fits behind the code, the words stand in the place of the address.
    const [first, last] = after.frame();
    expect(last).toBe(row);
    expect(first!.trimEnd()).toBe(row.endsWith(" ?") ? "example.com/" : "Checking code");
    expect(after.device.codeShown).toBe(0);
  });
});

describe("SPEC.md, Display: a frame is handed over only when it has changed", () => {
  it("a text that changes just when its page is turned begins anew, with the page that is shown already", () => {
    const given = { columns: 20, rows: 2, userCode: "ABCD", address: "https://x.example" };
    const bench = prompt(given);
    bench.answers = [tokens({ refresh_token_expires_in: 100 })];
    bench.storageHangs = true;
    bench.pass(5000);
    const status = new TextEncoder().encode(Array(40).fill("word").join(" "));
    bench.core.setStatus(bench.device, status, 0, status.length);
    bench.run(0);
    // The tokens are refused three times: then "Not saved" comes between the first page and the status.
    for (let refusals = 0; refusals < 2; refusals++) {
      bench.core.storageDone(bench.device, 0);
      bench.run(0);
    }
    const { shows } = bench;
    bench.core.storageDone(bench.device, 0);
    bench.run(PAGE_MS);
    expect(bench.device.notSaved).toBe(1);
    expect(bench.frame()).toEqual(["Signed in           ", "Sign in again soon  "]);
    expect(bench.shows).toBe(shows);
    bench.run(PAGE_MS);
    expect(bench.frame()[0]).toBe("Not saved           ");
    expect(bench.shows).toBe(shows + 1);
  });
});
