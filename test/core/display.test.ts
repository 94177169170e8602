// The display cell by cell and page by page, against a layout written here once more: what is shown, in
// which order, and for how long.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Command, ErrorCode, State } from "../../core/complete.ts";
import { Bench, code, error, tokens } from "./bench.ts";
import { call, LIST } from "./session.ts";

const PAGE_MS = 3000;

/** Words as many as fit on a line, too long ones cut. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest) {
    let cut = rest.length;
    if (cut > columns) {
      const space = rest.lastIndexOf(" ", columns);
      cut = space > 0 ? space : columns;
    }
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).replace(/^ +/, "");
  }
  return lines;
}

/** The pages of these lines, each of so many rows. */
function paged(lines: readonly string[], columns: number, rows: number): string[][] {
  const pages: string[][] = [];
  for (let at = 0; at < Math.max(1, lines.length); at += rows) {
    const page = lines.slice(at, at + rows);
    while (page.length < rows) page.push("");
    pages.push(page.map((line) => line.padEnd(columns)));
  }
  return pages;
}

interface Prompt {
  columns: number;
  rows: number;
  userCode: string;
  address: string;
}

function promptPages({ columns, rows, address }: Prompt): string[][] {
  const short = address.length > columns ? address.replace(/^https?:\/\//, "") : address;
  const room = rows - 1;
  const open = wrapped("Open in browser:", columns);
  const lines = wrapped(short, columns);
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

const visible = (least: number, most: number) =>
  fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)),
    minLength: least,
    maxLength: most,
    size: "max",
  });

describe("design §5: the verification prompt, cell by cell", () => {
  const sizes = { columns: fc.integer({ min: 16, max: 80 }), rows: fc.integer({ min: 2, max: 8 }) };
  const schemes = fc.constantFrom(
    "https://",
    "http://",
    "",
    "https:/",
    "https:",
    "ftp://",
    "abcd:",
  );

  it("every page in its turn, three seconds each, from the first one on", () => {
    fc.assert(
      fc.property(
        fc.record({ ...sizes, userCode: visible(1, 16), scheme: schemes, rest: visible(1, 110) }),
        ({ columns, rows, userCode, scheme, rest }) => {
          const given = { columns, rows, userCode, address: scheme + rest };
          // A scheme that is none of the web's.
          fc.pre(!/^.{4,5}:\/\//.test(given.address) || /^https?:/.test(given.address));
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
    ["ftp://example.com/device-of-yours", "ftp://example.com/device-of-yours"],
    ["https:example.com/device-of-yours", "https:example.com/device-of-yours"],
    ["https:/example.com/device-of-yours", "https:/example.com/device-of-yours"],
    ["http:/example.com/device-of-yours", "http:/example.com/device-of-yours"],
    ["https:e/xample.com/device-of-yours", "https:e/xample.com/device-of-yours"],
    ["http:e/xample.com/device-of-yours", "http:e/xample.com/device-of-yours"],
    ["example.com/device/of/yours/abcde", "example.com/device/of/yours/abcde"],
    ["exam:ple/device/of/yours/abcdefgh", "exam:ple/device/of/yours/abcdefgh"],
    ["examp/:le/device/of/yours/abcdefg", "examp/:le/device/of/yours/abcdefg"],
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
    [2, 19, ["x".repeat(19), ""]],
    [3, 20, ["Open in browser:", "x".repeat(20)]],
    [3, 21, ["x".repeat(20), "x"]],
    [4, 40, ["Open in browser:", "x".repeat(20), "x".repeat(20)]],
    [4, 41, ["x".repeat(20), "x".repeat(20), "x"]],
  ])("on %i rows of 20 an address of %i characters is shown as %j", (rows, length, shown) => {
    const address = "x".repeat(length);
    const bench = prompt({ columns: 20, rows, userCode: "ABCD", address });
    const frame = bench.frame().slice(0, -1);
    expect(frame.map((row) => row.trimEnd())).toEqual(shown.slice(0, rows - 1));
  });

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
    expect(after.frame()[0]!.trimEnd()).toBe("Checking code");
    after.until(1);
    expect(after.frame()[3]).toBe("Code ABCD-EFGH      ");
    const next = new Bench([code()], { slots: before.slots });
    next.core.signIn(next.device);
    next.run(0);
    expect(next.frame()[3]).toBe("Code ABCD-EFGH 30:00");
  });
});

describe("design §5: other texts", () => {
  it.each([
    [16, 2, ["Not allowed. Ask", "your|administrator"]],
    [20, 2, ["Not allowed. Ask|your administrator"]],
    [40, 2, ["Not allowed. Ask your administrator|"]],
    [16, 3, ["Not allowed. Ask|your|administrator"]],
  ])("on %i x %i an error is laid out as %j", (columns, rows, pages) => {
    const bench = new Bench([error(403, "admin_policy_enforced")], { columns, rows });
    bench.until(1);
    bench.core.cancel(bench.device);
    bench.answers = [error(403, "admin_policy_enforced")];
    bench.core.signIn(bench.device);
    bench.run(0);
    const lines = "Not allowed. Ask your administrator";
    const expected = paged(wrapped(lines, columns), columns, rows);
    expect(expected.length).toBe(pages.length === 2 ? 2 : 1);
    for (let shown = 0; shown < 4; shown++) {
      expect(bench.frame()).toEqual(expected[shown % expected.length]);
      bench.pass(PAGE_MS);
    }
  });

  const setStatus = (bench: Bench, text: string): void => {
    const bytes = new TextEncoder().encode(`--${text}--`);
    bench.core.setStatus(bench.device, bytes, 2, bytes.length - 2);
    bench.run(0);
  };
  const signedIn = (columns: number, rows: number, members: object = {}): Bench => {
    const bench = new Bench([code(), tokens(members)], { columns, rows });
    bench.until(2);
    return bench;
  };

  it("the application's line: any words, at any size, from the first page on", () => {
    const word = visible(1, 20);
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 80 }),
        fc.integer({ min: 2, max: 8 }),
        fc.array(word, { minLength: 1, maxLength: 12, size: "max" }),
        fc.integer({ min: 0, max: 2 }),
        (columns, rows, words, spaces) => {
          const text = words.join(" ".repeat(spaces + 1));
          const kept = text.slice(0, columns * (rows - 1));
          const bench = signedIn(columns, rows);
          bench.pass(1234);
          setStatus(bench, text);
          const lines = ["Signed in", ...wrapped(kept, columns)];
          const pages = paged(lines, columns, rows);
          for (let shown = 0; shown < pages.length + 1; shown++) {
            expect(bench.frame()).toEqual(pages[shown % pages.length]);
            bench.pass(PAGE_MS);
          }
        },
      ),
    );
  });

  it("a line that ends in spaces does not run on", () => {
    const bench = signedIn(16, 3);
    setStatus(bench, "0123456789ABCDEF   ");
    setStatus(bench, "a ");
    expect(bench.frame()).toEqual(["Signed in       ", "a               ", " ".repeat(16)]);
  });

  it("a line that begins with spaces is shown with them", () => {
    const bench = signedIn(16, 3);
    setStatus(bench, "   x y");
    expect(bench.frame()[1]).toBe("   x y          ");
    setStatus(bench, "  0123456789ABCDEF");
    expect(bench.frame().slice(1)).toEqual([" ".repeat(16), "0123456789ABCDEF"]);
  });

  it.each([
    [31, 1],
    [32, 1],
    [33, 2],
    [63, 2],
    [64, 2],
    [65, 3],
    [96, 3],
    [97, 4],
  ])(
    "a text of %i characters is %i pages of 16 x 2: none is empty, and one is never turned",
    (length, count) => {
      const text = "0123456789abcdefghijklmnopqrstuvwxyz".repeat(3).slice(0, length);
      const messages = `\n${text}${"\n".repeat(20)}`;
      const bench = new Bench([], { columns: 16, rows: 2, autoStart: 0, messages });
      const pages = paged(wrapped(text, 16), 16, 2);
      expect(pages).toHaveLength(count);
      for (let shown = 0; shown < 2 * count + 1; shown++) {
        expect(bench.frame()).toEqual(pages[shown % count]);
        expect(bench.core.wakeIn(bench.device)).toBe(count > 1 ? PAGE_MS : 100_000_000);
        bench.pass(PAGE_MS);
      }
    },
  );

  it("where a language has no text there is nothing on the display", () => {
    const messages = `Hello\n\nWait${"\n".repeat(19)}`;
    const bench = new Bench(["hang"], { columns: 16, rows: 2, autoStart: 0, messages });
    const blank = " ".repeat(16);
    expect(bench.frame()).toEqual([blank, blank]);
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.frame()).toEqual(["Wait".padEnd(16), blank]);
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.frame()).toEqual([blank, blank]);
  });

  it("a new line of the application is shown from its first page on, and that for its whole time", () => {
    const status = (letter: string): string => [0, 1, 2].map(() => letter.repeat(9)).join(" ");
    for (let waitMs = 0; waitMs < 2 * PAGE_MS; waitMs += 500) {
      const bench = signedIn(16, 3);
      setStatus(bench, status("a"));
      bench.pass(waitMs);
      setStatus(bench, status("b"));
      const pages = paged(["Signed in", ...wrapped(status("b"), 16)], 16, 3);
      expect(pages).toHaveLength(2);
      for (let shown = 0; shown < 4; shown++) {
        expect(bench.frame()).toEqual(pages[shown % 2]);
        bench.pass(PAGE_MS - 1);
        expect(bench.frame()).toEqual(pages[shown % 2]);
        bench.pass(1);
      }
    }
  });

  it("a text that has become longer is shown from its first page on, and that for its whole time", () => {
    for (const status of ["0123456789ABCDEF", "aaaaaaaaa bbbbbbbbb ccccccccc"]) {
      for (let waitMs = 0; waitMs < 2 * PAGE_MS; waitMs += 500) {
        const bench = new Bench([code(), tokens()], { columns: 16, rows: 3 });
        bench.until(1);
        bench.storageHangs = true;
        bench.until(2);
        setStatus(bench, status);
        bench.pass(waitMs);
        for (let tries = 0; tries < 3; tries++) {
          bench.core.storageDone(bench.device, 0);
          bench.run(0);
        }
        expect(bench.device.notSaved).toBe(1);
        const pages = paged(["Signed in", "Not saved", ...wrapped(status, 16)], 16, 3);
        for (let shown = 0; shown < pages.length + 1; shown++) {
          expect(bench.frame()).toEqual(pages[shown % pages.length]);
          bench.pass(PAGE_MS - 1);
          expect(bench.frame()).toEqual(pages[shown % pages.length]);
          bench.pass(1);
        }
      }
    }
  });

  it("what is no printable ASCII is shown as a question mark", () => {
    const bench = signedIn(20, 4);
    setStatus(bench, "\u001f\u007f\u0000 ~é€!");
    expect(bench.frame()[1]!.trimEnd()).toBe("??? ~?????!");
  });

  it("nothing is shown anew where nothing differs", () => {
    const bench = signedIn(20, 4);
    setStatus(bench, "playing");
    const { shows } = bench;
    setStatus(bench, "playing");
    expect(bench.shows).toBe(shows);
    setStatus(bench, "playinG");
    expect(bench.shows).toBe(shows + 1);
    setStatus(bench, "");
    expect(bench.frame().join("").trim()).toBe("Signed in");
  });

  it("everything that there is to say to somebody who is signed in, in its order", () => {
    const bench = new Bench([code(), tokens({ refresh_token_expires_in: 4000 })]);
    bench.until(1);
    bench.storageHangs = true;
    bench.until(2);
    for (let tries = 0; tries < 3; tries++) {
      bench.core.storageDone(bench.device, 0);
      bench.run(0);
    }
    setStatus(bench, "playing");
    const lines = ["Signed in", "Sign in again soon", "Not saved", "playing"];
    expect(bench.frame().map((row) => row.trimEnd())).toEqual(lines);
  });

  it("a text that has become shorter is not left on a page that there is no longer", () => {
    for (let waitMs = 0; waitMs < 2 * PAGE_MS; waitMs += 500) {
      const bench = new Bench([code(), tokens()], { columns: 16, rows: 2 });
      bench.until(1);
      bench.storageHangs = true;
      bench.until(2);
      for (let tries = 0; tries < 3; tries++) {
        bench.core.storageDone(bench.device, 0);
        bench.run(0);
      }
      setStatus(bench, "playing");
      expect(bench.device.notSaved).toBe(1);
      bench.pass(60_000);
      bench.pass(waitMs);
      bench.core.storageDone(bench.device, 1);
      bench.run(0);
      expect(bench.device.notSaved).toBe(0);
      expect(bench.frame().map((row) => row.trimEnd())).toEqual(["Signed in", "playing"]);
    }
  });

  it("the warning that a refresh token expires begins when less than three days are left", () => {
    const bench = signedIn(20, 4, { refresh_token_expires_in: 259_300 });
    bench.run((bench.device.refreshLifeS - 259_200) * 1000);
    expect(bench.device.refreshLifeS).toBe(259_200);
    expect(bench.frame()[1]!.trimEnd()).toBe("");
    bench.run(1000);
    expect(bench.frame()[1]!.trimEnd()).toBe("Sign in again soon");
  });

  it("Signed in only as long as the access token is good, also while a call keeps a refresh waiting", () => {
    const bench = signedIn(20, 4, { expires_in: 100 });
    bench.answers = ["hang"];
    expect(call(bench, LIST)).toBe(1);
    bench.run(0);
    bench.run((bench.device.accessLifeS - 1) * 1000);
    expect(bench.device.accessLifeS).toBe(1);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.frame()[0]!.trimEnd()).toBe("Signed in");
    bench.run(1000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.frame()[0]!.trimEnd()).toBe("Connecting");
  });

  it("below the message of an error that it does not know there is its name, and below no other", () => {
    const failed = (name: string): string[] => {
      const bench = new Bench([error(400, name)], { autoStart: 0 });
      bench.core.signIn(bench.device);
      bench.run(0);
      return bench.frame().map((row) => row.trimEnd());
    };
    expect(failed("quota_7")).toEqual(["Failed. Ask the", "maker", "quota_7", ""]);
    expect(failed("invalid_scope")).toEqual(["Wrong setup. Ask the", "maker", "", ""]);
  });

  it("texts in another language take the place of all", () => {
    const messages = Array.from({ length: 22 }, (_, i) => `text ${i}`).join("\n");
    const bench = new Bench([], { autoStart: 0, messages });
    expect(bench.frame()[0]!.trimEnd()).toBe("text 1");
    bench.answers = [code({ user_code: "ABC" })];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.frame().map((row) => row.trimEnd())).toEqual([
      "text 7",
      "example.com/device",
      "",
      "text 8ABC      30:00",
    ]);
  });

  it("the first command of all is a frame, and memory from an earlier life is none", () => {
    const bench = new Bench([], { storageHangs: true });
    expect(bench.shows).toBe(1);
    const { core } = bench;
    const device = core.create(bench.memory, {
      ...{ clientId: "a", clientSecret: "", scope: "", deviceParameters: "", messages: "" },
      ...{ columns: 20, rows: 4, seed: 1, autoStart: 0, renewalsMax: -1, revokeInBody: 0 },
    })!;
    expect(core.tick(device, 0)).toBe(Command.LOAD);
    expect(core.tick(device, 0)).toBe(Command.SHOW);
  });
});
