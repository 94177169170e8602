// What the display says in every state but the verification prompt, page by page, and for how long.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Command, ErrorCode, State } from "../../core/complete.ts";
import { wrap } from "../model/ideal/display.ts";
import { Bench, code, error, tokens } from "./bench.ts";
import { damaged } from "./damaged.ts";
import { PAGE_MS, paged, visible } from "./layout.ts";
import { bytesOf, call, LIST } from "./session.ts";

/** Storage fails at the record under way as often as it is tried: it is not saved. */
function refuseTokens(bench: Bench): void {
  for (let tries = 0; tries < 3; tries++) {
    bench.core.storageDone(bench.device, 0);
    bench.run(0);
  }
}

describe("SPEC.md, Display: other texts", () => {
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
    const expected = paged(wrap(lines, columns), columns, rows);
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
          const lines = ["Signed in", ...wrap(kept, columns)];
          const pages = paged(lines, columns, rows);
          for (let shown = 0; shown < pages.length + 1; shown++) {
            expect(bench.frame()).toEqual(pages[shown % pages.length]);
            bench.pass(PAGE_MS);
          }
        },
      ),
    );
  });

  it("§4.3 a refresh leaves the application's line where it is", () => {
    const bench = signedIn(16, 3);
    setStatus(bench, "playing");
    bench.answers = [tokens({ refresh_token: "another" })];
    const { moves } = bench.device;
    bench.until(3);
    expect(bench.device.moves).toBe(moves + 2);
    expect(bench.frame()).toEqual(["Signed in       ", "playing         ", " ".repeat(16)]);
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
      const messages = `\n${text}${"\n".repeat(22)}`;
      const bench = new Bench([], { columns: 16, rows: 2, autoStart: 0, messages });
      const pages = paged(wrap(text, 16), 16, 2);
      expect(pages).toHaveLength(count);
      for (let shown = 0; shown < 2 * count + 1; shown++) {
        expect(bench.frame()).toEqual(pages[shown % count]);
        expect(bench.core.wakeIn(bench.device)).toBe(count > 1 ? PAGE_MS : 100_000_000);
        bench.pass(PAGE_MS);
      }
    },
  );

  it("where a language has no text there is nothing on the display", () => {
    const messages = `Hello\n\nWait${"\n".repeat(21)}`;
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
      const pages = paged(["Signed in", ...wrap(status("b"), 16)], 16, 3);
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
        refuseTokens(bench);
        expect(bench.device.notSaved).toBe(1);
        const pages = paged(["Signed in", "Not saved", ...wrap(status, 16)], 16, 3);
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
    refuseTokens(bench);
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
      refuseTokens(bench);
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

  it("the name of an error stays until the next answer begins, of which nothing is shown while it arrives", () => {
    const bench = new Bench([code(), tokens({ expires_in: 60 })]);
    bench.until(2);
    bench.answers = Array(9).fill(error(400, "quota_7"));
    bench.pass(61_000);
    bench.answers = ["hang"];
    for (let i = 0; i < 3600 && bench.answers.length > 0; i++) bench.pass(1000);
    const { core, device } = bench;
    expect(device.state).toBe(State.REFRESHING);
    const isNamed = (): boolean => {
      damaged(device).frameDue = 1;
      bench.run(0);
      expect(bench.frame().join("\n")).toContain("Failed");
      return bench.frame()[2]!.trim() === "quota_7";
    };
    expect(isNamed()).toBe(true);
    const { id } = bench.sent.at(-1)!;
    const half = bytesOf('{"error":"quota_8');
    core.responseStart(device, id, 400, -1);
    for (let at = 0; at < half.length; at++) {
      core.responseBody(device, id, half, at, at + 1);
      expect(isNamed()).toBe(false);
      expect(bench.frame()[2]!.trim()).toBe("");
    }
  });

  it("an unknown name is shown below no other text than that of its error", () => {
    const bench = new Bench([code(), tokens()]);
    bench.until(2);
    bench.answers = Array(9).fill(error(400, "quota_7"));
    bench.core.signOut(bench.device);
    bench.pass(800_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.device.error).toBe(ErrorCode.UNKNOWN_ERROR);
    expect(bench.frame().join("").trim()).toBe("Not signed in");
  });

  it("texts in another language take the place of all", () => {
    const messages = Array.from({ length: 24 }, (_, i) => `text ${i}`).join("\n");
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
      ...{ server: "", tokenParameters: "" },
      ...{ columns: 20, rows: 4, seed: 1, autoStart: 0, renewalsMax: 0, clientAuthentication: 0 },
    })!;
    expect(core.tick(device, 0)).toBe(Command.LOAD);
    expect(core.tick(device, 0)).toBe(Command.SHOW);
  });
});
