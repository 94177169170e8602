// The scanner by itself against JSON.parse, exhaustively on small documents: which of them it takes,
// and what strings become of escapes. Through the whole device: properties.test.ts.

import { describe, expect, it } from "vitest";
import { create } from "../../core/complete.ts";
import { type Device, Field, Literal, Region } from "../../core/device/memory.ts";
import { DocumentLiteral } from "../../core/documents/literals.ts";
import { scanBegin, scanByte, scanEnd } from "../../core/text/json-scanner.ts";
import { deviceConfig } from "../../platform/fake/config.ts";
import { isFullRun } from "../full-run.ts";
import { freshSeed } from "../seeds.ts";

let memory: Uint8Array;
let device: Device;
const encoder = new TextEncoder();

/** For each test its own, made in it: what is made while this file loads is not tested by mutants. */
function makeDevice(): void {
  memory = new Uint8Array(8192);
  device = create(memory, deviceConfig)!;
}

function takes(document: string): boolean {
  return takesBytes(encoder.encode(document));
}

function takesBytes(document: Uint8Array): boolean {
  scanBegin(device, Literal.MEMBERS, 1 << Field.SCOPE, 2, Field.NONE);
  for (const byte of document) scanByte(device, byte);
  return scanEnd(device);
}

function scopeOf(document: string): string | undefined {
  const at = device.start[Field.SCOPE]!;
  return takes(document)
    ? Buffer.from(memory.subarray(at, at + device.length[Field.SCOPE]!)).toString()
    : undefined;
}

function parses(document: string): boolean {
  try {
    JSON.parse(document);
    return true;
  } catch {
    return false;
  }
}

/** Every row of up to `length` of the pieces. */
function* rowsOf(pieces: readonly string[], length: number): Generator<string> {
  yield "";
  if (length === 0) return;
  for (const rest of rowsOf(pieces, length - 1)) {
    for (const piece of pieces) yield piece + rest;
  }
}

/** Of every so many documents one is tried; the gate tries all. Which ones is another matter each time. */
const STRIDE = isFullRun ? 1 : 16;

/** Those that the scanner and JSON.parse do not agree about. */
function misjudged(documents: Iterable<string>): string[] {
  const all = [...documents];
  const first = freshSeed() % STRIDE;
  // JSON.parse refuses most of them: what takes longest is the list of calls that an error carries.
  const depth = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    const wrong: string[] = [];
    for (let at = first; at < all.length; at += STRIDE) {
      const document = all[at]!;
      if (takes(document) !== parses(document)) wrong.push(document);
    }
    return wrong;
  } finally {
    Error.stackTraceLimit = depth;
  }
}

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

describe("RFC 8259: takes exactly the documents that JSON.parse takes", () => {
  it("§2 structure, of up to five tokens", () => {
    makeDevice();
    const tokens = ["{", "}", "[", "]", ",", ":", '"a"', "1", " "];
    expect(misjudged(rowsOf(tokens, 5))).toEqual([]);
  });

  it.each([
    ["alone", "", ""],
    ["in a list", "[", "]"],
    ["in an object", '{"a":', "}"],
  ])("§6 numbers of up to five characters %s", (_, before, behind) => {
    makeDevice();
    const documents = [...rowsOf([..."01-+.eE"], 5)].map((row) => before + row + behind);
    expect(misjudged(documents)).toEqual([]);
  });

  it.each([
    '"\\##"',
    '"#"#',
    '"\\u00##"',
    '"\\u##00"',
    "tru##",
    "fals##",
    "nul##",
    "##ull",
    "[#1#]",
    '{"a"##}',
    '{#"a":1#}',
    "1##",
    "1.##",
    "1e##",
    "-##",
    "0##",
  ])("any two characters in %s", (shape) => {
    makeDevice();
    const documents = ascii.flatMap((first) =>
      ascii.map((second) =>
        shape.replace("#", () => first).replace(/#([^#]*)$/, (_, end) => second + end),
      ),
    );
    expect(misjudged(documents)).toEqual([]);
  });

  it("§9 but nothing nested deeper than 24", () => {
    makeDevice();
    for (const [open, inner, close] of [
      ["[", "", "]"],
      ['{"a":', "1", "}"],
    ] as const) {
      const nested = (depth: number) => open.repeat(depth) + inner + close.repeat(depth);
      expect([takes(nested(24)), takes(nested(25))]).toEqual([true, false]);
    }
  });
});

describe("RFC 8259 §7: strings come out as JSON.parse decodes them, in UTF-8", () => {
  const wellFormed = (text: string) => Buffer.from(text).toString();

  it("every escaped code unit", () => {
    makeDevice();
    const wrong: string[] = [];
    for (let unit = freshSeed() % STRIDE; unit < 65536; unit += STRIDE) {
      const document = `{"scope":"\\u${unit.toString(16).padStart(4, "0")}"}`;
      if (scopeOf(document) !== wellFormed(String.fromCharCode(unit))) wrong.push(document);
    }
    expect(wrong).toEqual([]);
  });

  it("surrogates in every order, across strings too", () => {
    makeDevice();
    const again = '","x":"\\ud83d","":"","scope":"';
    const units = [
      "\\ud800",
      "\\ude00",
      "\\udbff",
      "\\udfff",
      "\\udc00",
      "\u00e9",
      "a",
      "\ud83d\ude00",
      "\\n",
    ];
    const documents = [...rowsOf([...units, again], 4)].map((row) => `{"scope":"${row}"}`);
    const wrong = documents.filter((document) => {
      return scopeOf(document) !== wellFormed(JSON.parse(document).scope);
    });
    expect(wrong).toEqual([]);
  });

  it("a list of strings as one with spaces; what is in a list beside them leaves nothing", () => {
    makeDevice();
    expect(scopeOf('{"scope":["a","b"]}')).toBe("a b");
    expect(scopeOf('{"scope":["","a","",""]}')).toBe(" a  ");
    expect(scopeOf('{"scope":["\\ud83d","\\ude00"]}')).toBe("\ufffd \ufffd");
    expect(scopeOf('{"scope":["a",{"scope":"b"},null,"c"]}')).toBe("a");
    expect(scopeOf('{"scope":[["a"]],"x":["c"]}')).toBe("a");
    expect(scopeOf('{"scope":"a","scope":null}')).toBe("");
  });
});

describe("bytes that are no UTF-8 (SPEC.md, The loop)", () => {
  /** Of each kind one: RFC 3629 §3. */
  const ILL_FORMED = ["ff", "80", "c3", "e282", "f09f98", "c0af", "c0a2", "eda080", "f4908080"];
  const BYTE_ORDER_MARK = "efbbbf";
  const hex = (text: string): Buffer => Buffer.from(text, "hex");
  const ascii = (text: string): Buffer => Buffer.from(text, "latin1");

  it.each([...ILL_FORMED, BYTE_ORDER_MARK])("%s in a string stays as it came", (bytes) => {
    makeDevice();
    const document = Buffer.concat([ascii('{"scope":"a'), hex(bytes), ascii('\\ude00b"}')]);
    expect(takesBytes(document)).toBe(true);
    const at = device.start[Field.SCOPE]!;
    const scope = Buffer.from(memory.subarray(at, at + device.length[Field.SCOPE]!));
    // The surrogate behind it has no partner, whatever the bytes look like.
    expect(scope.toString("hex")).toBe(`61${bytes}efbfbd62`);
  });

  it.each([...ILL_FORMED, BYTE_ORDER_MARK])("with %s outside of strings it is no JSON", (bytes) => {
    makeDevice();
    const pieces = ["", "{", '"scope"', ":", '"a"', "}", ""].map(ascii);
    for (let place = 1; place < pieces.length; place++) {
      const before = pieces.slice(0, place);
      const document = Buffer.concat([...before, hex(bytes), ...pieces.slice(place)]);
      expect(takesBytes(document)).toBe(false);
    }
  });

  it("a name with them is not the name without them", () => {
    makeDevice();
    const document = Buffer.concat([ascii('{"scope'), hex("ff"), ascii('":"a"}')]);
    expect(takesBytes(document)).toBe(true);
    expect(device.length[Field.SCOPE]).toBe(-1);
  });
});

describe("values of fields without a region", () => {
  it("are written nowhere: claims with a text where an event's type stands", () => {
    makeDevice();
    const type = "https://schemas.openid.net/secevent/oauth/event-type/token-revoked";
    const before = memory.slice();
    scanBegin(device, DocumentLiteral.EVENT_MEMBERS, 1 << Field.TOKEN_REVOKED, 4, Field.NONE);
    const value = '"0123456789\\ud83d\\ude00"';
    for (const byte of encoder.encode(`{"${type}":[${value},${value},1]}`)) scanByte(device, byte);
    expect(scanEnd(device)).toBe(true);
    expect(device.scanSeen & (1 << Field.TOKEN_REVOKED)).not.toBe(0);
    const key = device.start[Region.KEY]!;
    const changed = [...memory.keys()].filter((at) => memory[at] !== before[at]);
    // The region of no field is nobody's.
    const none = device.start[Field.NONE]!;
    const isNobodys = (at: number): boolean =>
      at >= none && at <= none + device.capacity[Field.NONE]!;
    expect(
      changed.filter(
        (at) => !isNobodys(at) && (at < key || at > key + device.capacity[Region.KEY]!),
      ),
    ).toEqual([]);
  });
});
