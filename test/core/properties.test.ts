// The core against independent oracles: URLSearchParams for what it writes, JSON.parse for what it
// reads, plain reading for what it shows.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Field, State } from "../../core/complete.ts";
import { anyCharacter } from "../any-character.ts";
import { isFullRun } from "../full-run.ts";
import { Bench, code, tokens } from "./bench.ts";

const text = fc.string({
  unit: fc.constantFrom(...'aZ09-._*~ +%&=#/`"\\', "é", "\u0000", "€", "😀", "\ud800"),
});

/** Lone surrogates become U+FFFD in UTF-8. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}

describe("the form encoder equals URLSearchParams", () => {
  it("for client credentials and scope", () => {
    fc.assert(
      fc.property(text, text, text, (clientId, clientSecret, scope) => {
        const bench = new Bench([code()], { clientId, clientSecret, scope });
        bench.until(2);
        expect(bench.sent[0]!.body).toBe(
          String(
            new URLSearchParams([
              ["scope", scope],
              ["client_id", clientId],
            ]),
          ),
        );
        const credentials: string[][] = [["client_id", clientId]];
        if (clientSecret) credentials.push(["client_secret", clientSecret]);
        expect(bench.sent[1]!.body.startsWith(`${new URLSearchParams(credentials)}&`)).toBe(true);
      }),
    );
  });

  it("for device codes of any characters, and a poll repeats the same bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }), (deviceCode) => {
        const bench = new Bench([code({ device_code: deviceCode })]);
        bench.until(3);
        const sent = new URLSearchParams(bench.sent[1]!.body);
        expect(sent.get("device_code")).toBe(wellFormed(deviceCode));
        expect(
          bench.sent[1]!.body.endsWith(String(new URLSearchParams({ device_code: deviceCode }))),
        ).toBe(true);
        expect(bench.sent[2]!.body).toBe(bench.sent[1]!.body);
      }),
    );
  });
});

/** Text of a document with random white space and escapes. */
function dress(value: unknown, escaped: boolean, space: string): string {
  const plain = JSON.stringify(value, null, space);
  if (!escaped) return plain;
  return plain.replace(
    /[\u0080-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

describe("the scanner agrees with JSON.parse", () => {
  const members = fc.record({
    device_code: fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 }),
    extra: fc.jsonValue({ maxDepth: 5 }),
    "user_code ": fc.jsonValue(),
    expires_in: fc.integer({ min: 10, max: 100_000 }),
  });

  it("on arbitrary documents, at every chunking", () => {
    fc.assert(
      fc.property(
        members,
        fc.boolean(),
        fc.constantFrom("", " ", "\t\r\n"),
        fc.integer({ min: 1, max: 90 }),
        (extra, escaped, space, piece) => {
          const answer = {
            status: 200,
            body: dress({ ...extra, ...JSON.parse(code().body), ...extra }, escaped, space),
          };
          const started = new Bench([answer], { piece });
          started.pass(6000);
          const parsed = JSON.parse(answer.body);
          expect(started.text(Field.DEVICE_CODE)).toBe(wellFormed(String(parsed.device_code)));
          expect(started.text(Field.USER_CODE)).toBe(parsed.user_code);
          expect(started.device.state).toBe(State.PENDING);
        },
      ),
    );
  });

  it("refuses what JSON.parse refuses: a document cut or with one character changed", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom("", "}", "]", '"', ",", ":", "0", "-", "\\", "\u0001", "x", "e", "."),
        fc.boolean(),
        (where, put, replace) => {
          const whole = JSON.stringify({
            ...JSON.parse(code().body),
            n: [1.5e-3, -0, true, null, false, "\\u00e9"],
          });
          const at = where % (whole.length + 1);
          const body = whole.slice(0, at) + put + whole.slice(replace ? at + 1 : at);
          let parsed: Record<string, unknown> | undefined;
          try {
            parsed = JSON.parse(body);
          } catch {
            parsed = undefined;
          }
          const bench = new Bench([
            { status: 200, body },
            { status: 500, body: "" },
          ]);
          bench.pass(5999);
          if (!parsed) expect(bench.device.state).toBe(State.REQUESTING);
          else if (
            parsed.user_code === "ABCD-EFGH" &&
            parsed.device_code === "dc" &&
            parsed.expires_in === 1800 &&
            typeof parsed.verification_url === "string" &&
            /^https:\/\/[!-~]+$/.test(parsed.verification_url)
          ) {
            expect(bench.device.state).toBe(State.PENDING);
          }
        },
      ),
      { numRuns: isFullRun ? 1000 : 250 },
    );
  });

  it.each([
    "",
    "{",
    "[]",
    "null",
    "{} {}",
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    "{'a':1}",
    '{"a":1,}',
    '{"a" 1}',
    '{"a":tru}',
    '{"a":nulll}',
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    "\ufeff{}",
    "<html>",
  ])("takes %j for no code response", (body) => {
    const bench = new Bench([
      { status: 200, body },
      { status: 500, body: "" },
    ]);
    bench.pass(5999);
    expect(bench.device.state).toBe(State.REQUESTING);
  });
});

describe("SPEC.md, Display: what is shown", () => {
  const visible = fc.string({
    unit: fc.integer({ min: 33, max: 126 }).map((c) => String.fromCharCode(c)),
    minLength: 1,
    maxLength: 15,
  });

  it("shows the code on one line, unbroken and unaltered, and the whole address on its pages", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 80 }),
        fc.integer({ min: 2, max: 8 }),
        visible,
        fc.stringMatching(/^[a-z./]{3,50}$/),
        (columns, rows, userCode, path) => {
          const address = `https://${path}`;
          const bench = new Bench([code({ user_code: userCode, verification_url: address })], {
            columns,
            rows,
          });
          bench.pass(5999);
          const pages = new Set<string>();
          for (let page = 0; page < 8; page++) {
            const frame = bench.frame();
            const last = frame[rows - 1]!;
            expect(last.startsWith(`Code ${userCode}`) || last.startsWith(userCode)).toBe(true);
            expect(frame.join("")).toMatch(/^[ -~]*$/);
            pages.add(
              frame
                .slice(0, -1)
                .map((row) => row.trimEnd())
                .join(""),
            );
            bench.pass(3000);
          }
          expect([...pages].join("")).toContain(address.length > columns ? path : address);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("lets nothing but printable ASCII of a server's error through", () => {
    const bench = new Bench([{ status: 400, body: '{"error":"\\u001b[2Jé\\n"}' }]);
    bench.pass(5999);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.frame().join("")).toMatch(/^[ -~]*$/);
  });
});

it("a token that could end a header line is refused", () => {
  const bench = new Bench([code(), tokens({ access_token: "a\r\nb" })]);
  bench.pass(12_000);
  expect(bench.device.state).toBe(State.PENDING);
});
