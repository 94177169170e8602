// The scanner against JSON.parse, exhaustively where documents are short: what is a document, what its
// strings say, and which members count. Properties over whole documents are in properties.test.ts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ErrorCode, Field, State } from "../../core/complete.ts";
import { isFullRun } from "../full-run.ts";
import { freshSeed } from "../seeds.ts";
import { Bench, json } from "./bench.ts";
import { call, LIST, session } from "./session.ts";

const REST = '"user_code":"ABCD","verification_uri":"https://x","expires_in":900';

/** A device that got this as the answer to its first request. */
function answered(body: string, piece = 1): Bench {
  const bench = new Bench([{ status: 200, body }], { autoStart: 0, piece });
  bench.core.signIn(bench.device);
  bench.run(0);
  return bench;
}
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A code's members, with this value (as JSON) of one that nobody wants, in front or behind. */
function around(value: string): string[] {
  return [
    `{"other":${value},"device_code":"dc",${REST}}`,
    `{"device_code":"dc",${REST},"other":${value}}`,
  ];
}
/** One device, which is asked again and again: making one takes longer than asking it. */
class Judge {
  readonly #bench = new Bench([], { autoStart: 0 });
  #turn = 0;

  /** Whether this is a code to the device. */
  isTaken(body: string): boolean {
    const bench = this.#bench;
    bench.answers = [{ status: 200, body }];
    bench.core.signIn(bench.device);
    bench.run(0);
    bench.sent.length = 0;
    return bench.device.state === State.PENDING;
  }

  /** In front or behind by turns: a comma or a bracket follows. */
  sameAsParse(value: string): void {
    const body = around(value)[this.#turn++ & 1]!;
    if (this.isTaken(body) !== isJson(body)) expect(body).toBe(isJson(body) ? "taken" : "refused");
  }
}
/** All of them in the gate, otherwise every sixth: which ones is another matter each time. */
function someOf(characters: readonly string[]): readonly string[] {
  const turn = freshSeed() % 6;
  return characters.filter((_, at) => isFullRun || at % 6 === turn);
}
const ASCII = Array.from({ length: 128 }, (_, c) => String.fromCharCode(c));
/** What the grammar knows, and what stands beside it in the table of characters; a sixth of it outside the gate. */
const TELLING = someOf([
  ...'\u0000\t\n\u000b\r\u001f !"#*+,-./019:;@ABEFGZ[\\]^`abeflnqrstuxyz{|}~\u007f',
]);

describe("RFC 8259 §6: numbers", () => {
  it("of up to three characters are those of JSON.parse", () => {
    const judge = new Judge();
    let texts = [""];
    for (let length = 1; length <= 3; length++) {
      texts = texts.flatMap((text) => [..."019-+.eE"].map((c) => text + c));
      for (const text of texts) judge.sameAsParse(text);
    }
  });

  it.each(["1.5e+10", "-0.0e-00", "1e5", "12345678901234", "0e0", "-1E+1"])(
    "%s, and with any character in any place of it",
    (number) => {
      const judge = new Judge();
      judge.sameAsParse(number);
      for (let at = 0; at <= number.length; at++) {
        for (const c of TELLING) judge.sameAsParse(number.slice(0, at) + c + number.slice(at));
      }
    },
  );
});

describe("RFC 8259 §3, §2: words, white space and structure", () => {
  it.each(["true", "false", "null", "[1,2]", '{"a":1}', "[]", "{}", '""', "[[],{}]"])(
    "%s, with any character in any place of it, and without one",
    (value) => {
      const judge = new Judge();
      for (let at = 0; at <= value.length; at++) {
        judge.sameAsParse(value.slice(0, at) + value.slice(at + 1));
        for (const c of TELLING) {
          judge.sameAsParse(value.slice(0, at) + c + value.slice(at));
          judge.sameAsParse(value.slice(0, at) + c + value.slice(at + 1));
        }
      }
    },
  );

  it("a whole document with any character in any place of it", () => {
    const judge = new Judge();
    const body = `{"device_code":"dc",${REST}}`;
    for (const [at, was] of [...body].entries()) {
      // Within names and values it is another document: that is the properties' part.
      if (/\w/.test(was)) continue;
      for (const c of TELLING) {
        const changed = body.slice(0, at) + c + body.slice(at);
        const expected = isJson(changed) && hasCode(changed);
        expect([changed, judge.isTaken(changed)]).toEqual([changed, expected]);
      }
    }
  });
});

const isAddress = (uri: string): boolean => /^https?:\/\/./i.test(uri);

/** Whether a document holds what a code needs; strings and numbers count alike. */
function hasCode(text: string): boolean {
  const value = JSON.parse(text) as Record<string, unknown>;
  const visible = (member: unknown): boolean => /^[!-~]+$/.test(String(member ?? ""));
  return (
    typeof value.device_code === "string" &&
    value.device_code !== "" &&
    /^[ -~]*[!-~][ -~]*$/.test(String(value.user_code ?? "")) &&
    visible(value.verification_uri) &&
    isAddress(String(value.verification_uri)) &&
    (value.expires_in == null || /^\d+(\.\d+)?$/.test(String(value.expires_in)))
  );
}

describe("names of members", () => {
  it("the first name of the next list stands for nothing in this one", () => {
    // ERRORS lies behind MEMBERS, whose last is interval, and begins with a letter that no name has.
    const bench = answered(`{"device_code":"dc",${REST},"Bauthorization_pending":60}`);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.device.intervalMs).toBe(5000);
  });
});

describe("RFC 8259 §7: strings", () => {
  const deviceCode = (quoted: string): string =>
    answered(`{"device_code":${quoted},${REST}}`).text(Field.DEVICE_CODE);

  it("every character, as itself and behind a backslash", () => {
    const judge = new Judge();
    for (const c of ASCII) {
      judge.sameAsParse(`"${c}"`);
      judge.sameAsParse(`"\\${c}"`);
      for (const quoted of [`"a${c}b"`, `"a\\${c}b"`]) {
        if (isJson(quoted)) expect(deviceCode(quoted)).toBe(JSON.parse(quoted));
      }
    }
  });

  it("every character as a digit of an escape, in each of the four places", () => {
    const judge = new Judge();
    for (const c of ASCII) {
      for (const place of [0, 1, 2, 3]) {
        const digits = `${"0041".slice(0, place)}${c}${"0041".slice(place + 1)}`;
        judge.sameAsParse(`"\\u${digits}"`);
      }
    }
  });

  it("escapes, pairs and halves of pairs, in digits of both cases", () => {
    const units = ["d800", "dbff", "dc00", "dfff", "d7ff", "e000", "ffff", "0000", "0041", "0022"];
    const more = ["007f", "0080", "07ff", "0800", "d83d", "de00", "005c", "FEFF", "DbFf", "dC00"];
    const unit = fc.constantFrom(...units, ...more).map((digits) => `\\u${digits}`);
    const piece = fc.oneof(unit, unit, fc.constantFrom("a", "é", "😀", "\\n", "\\/", '\\"'));
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        const quoted = `"${pieces.join("")}"`;
        expect(deviceCode(quoted)).toBe(Buffer.from(JSON.parse(quoted)).toString());
      }),
      { numRuns: isFullRun ? 500 : 100 },
    );
  });

  it("names may be written with escapes too", () => {
    const body = `{"\\u0064evice\\u005fcode":"dc",${REST}}`;
    expect(answered(body).text(Field.DEVICE_CODE)).toBe("dc");
  });
});

describe("RFC 8259 §4: which members count", () => {
  const values: [members: string, deviceCode: string][] = [
    ['"device_code":"one","device_code":"two"', "two"],
    ['"device_code":"one","device_code":""', ""],
    ['"device_code":"one","device_code":null', ""],
    ['"device_code":"one","device_code":{}', ""],
    ['"device_code":"one","device_code":[]', ""],
    ['"device_code":"one","x":"two"', "one"],
    // A code in a list is no code, not even where it is the only one.
    ['"device_code":["a"]', ""],
    ['"device_code":["a","b"]', ""],
    ['"device_code":[["a"],"b"]', ""],
    ['"device_code":["a"],"x":"b"', ""],
    ['"device_code":["a",{"device_code":"b"}]', ""],
    ['"device_code":7', "7"],
    ['"device_code":-1.5e+3', "-1.5e+3"],
    ['"device_code":{"device_code":"a"}', ""],
    ['"x":{"device_code":"a"}', ""],
    ['"x":[{"device_code":"a"}],"y":["z"]', ""],
    ['"device_code":"a","x":{"device_code":"b"}', "a"],
    ['"device_code":"a","x":[{"device_code":"b"}]', "a"],
    ['"Device_code":"a"', ""],
    ['"device_cod":"a"', ""],
    ['"device_code ":"a"', ""],
    ['"device_code_":"a"', ""],
    ['"evice_code":"a"', ""],
    ['"":"a"', ""],
    ['"Bdevice_code":"a"', ""],
    ['" ":"a"', ""],
    ['"*":"a"', ""],
    ['"device_code\\u0000":"a"', ""],
  ];
  it.each(values)("{%s}: %j", (members, deviceCode) => {
    for (const body of [`{${members},${REST}}`, `{${REST},${members}}`]) {
      expect(isJson(body)).toBe(true);
      const bench = answered(body);
      expect(bench.device.state).toBe(deviceCode ? State.PENDING : State.REQUESTING);
      if (deviceCode) expect(bench.text(Field.DEVICE_CODE)).toBe(deviceCode);
    }
  });

  it.each([87, 88, 89, 200])("a name of %i characters is another one", (length) => {
    const body = `{"${"device_code".padEnd(length, "x")}":"no","device_code":"dc",${REST}}`;
    expect(answered(body).text(Field.DEVICE_CODE)).toBe("dc");
    const twice = `{"device_code":"dc",${REST},"${"device_code".padEnd(length, "x")}":"no"}`;
    expect(answered(twice).text(Field.DEVICE_CODE)).toBe("dc");
  });

  it.each([
    ['{"error":{"errors":[{"reason":"r"}]}}', "r"],
    ['{"error":{"errors":[{"x":{"reason":"r"}}]}}', ""],
    ['{"error":{"errors":[[{"reason":"r"}]]}}', ""],
    ['{"reason":"r"}', "r"],
  ])("of a call's answer %s the reason is %j: four deep, no deeper", (body, reason) => {
    const bench = session([{ status: 403, body }]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.text(Field.VALUE_B)).toBe(reason);
  });
});

describe("limits.ts JSON_DEPTH_MAX: nesting", () => {
  const nested = (depth: number, open: string, close: string, inner = "1"): string =>
    open.repeat(depth) + inner + close.repeat(depth);
  // The document itself is the first level.
  it.each([
    ["[", "]", "1"],
    ["[", "]", ""],
    ['{"a":', "}", "1"],
    ['[{"a":', "}]", "1"],
  ])("24 levels of %s…%s are read, 25 are not", (open, close, inner) => {
    const judge = new Judge();
    const levels = open.length > 5 ? 2 : 1;
    for (const depth of [1, 2, 22, 23, 24, 25, 30, 40]) {
      if (levels === 2 && depth % 2 === 0) continue;
      const value = nested(Math.floor((depth - 1) / levels), open, close, inner || undefined);
      for (const body of around(value))
        expect([depth, judge.isTaken(body)]).toEqual([depth, depth <= 24]);
    }
  });

  it("a closing bracket must be the one that was opened, at every level", () => {
    const judge = new Judge();
    for (let kinds = 0; kinds < 64; kinds++) {
      const opened = Array.from({ length: 6 }, (_, i) => (kinds >> i) & 1);
      const open = opened.map((kind) => (kind ? '{"a":' : "[")).join("");
      const close = opened.map((kind) => (kind ? "}" : "]")).reverse();
      judge.sameAsParse(`${open}1${close.join("")}`);
      for (let at = 0; at < close.length; at++) {
        const wrong = close.map((c, i) => (i === at ? (c === "}" ? "]" : "}") : c)).join("");
        judge.sameAsParse(`${open}1${wrong}`);
      }
    }
  });
});

describe("documents that were changed and are documents still", () => {
  it("say the same to the scanner as to JSON.parse, however they are cut", () => {
    const whole = `{"device_code":"d\\u0063 é","user_code":"ABCD","scope":["a","b"],${REST}}`;
    const change = fc.record({
      at: fc.nat(whole.length),
      gone: fc.nat(6),
      put: fc.constantFrom(
        "",
        '"',
        ",",
        ":",
        "{",
        "}",
        "[",
        "]",
        "\\",
        "1",
        " ",
        "x",
        '","',
        '":"',
      ),
    });
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        (changes, piece) => {
          let body = whole;
          for (const { at, gone, put } of changes) {
            body = body.slice(0, at) + put + body.slice(at + gone);
          }
          const bench = answered(body, piece);
          if (!isJson(body)) {
            expect(bench.device.error).toBe(ErrorCode.MALFORMED_RESPONSE);
            return;
          }
          const parsed = JSON.parse(body) as Record<string, unknown>;
          const usual = ["device_code", "user_code", "verification_uri"] as const;
          if (usual.some((name) => typeof parsed[name] !== "string")) return;
          // A code that has no time to live is replaced at once.
          if (Number(parsed.expires_in) === 0) return;
          expect(bench.device.state === State.PENDING).toBe(hasCode(body));
          if (bench.device.state !== State.PENDING) return;
          expect(bench.text(Field.DEVICE_CODE)).toBe(parsed.device_code);
          expect(bench.text(Field.USER_CODE)).toBe(parsed.user_code);
          expect(bench.text(Field.VERIFICATION_URI)).toBe(parsed.verification_uri);
        },
      ),
      { numRuns: isFullRun ? 600 : 150 },
    );
  });

  it("an answer is over with its document: white space may follow, nothing else", () => {
    const judge = new Judge();
    const { body } = json(200, JSON.parse(`{"device_code":"dc",${REST}}`));
    for (const c of ASCII) expect([c, judge.isTaken(body + c)]).toEqual([c, isJson(body + c)]);
    for (const c of ASCII) expect([c, judge.isTaken(c + body)]).toEqual([c, isJson(c + body)]);
  });
});
