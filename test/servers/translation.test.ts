// The common part of translations: what is not the grant's passes untouched, what goes wrong on the way
// is reported as the contract of HTTP says, and nothing is kept from one exchange to the next.

import { expect, it } from "vitest";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import type { Below } from "../../platform/exchange/filter.ts";
import { type FakeAnswer, FakeHttp } from "../../platform/fake/index.ts";
import { Translating, type Translation } from "../../platform/servers/translation.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { ear, type Told, through } from "../platform/raw-server.ts";

const ADDRESSES = {
  deviceAuthorization: "https://s.example/code",
  token: "https://s.example/token",
  revocation: "https://s.example/revoke",
};

/** What a sink was told, in words. */
const wordsOf = (told: readonly Told[]): string[] =>
  told.map(([event, ...values]) => (event === "end" ? event : values.slice(0, 2).join(" ")));

const requestTo = (url: string, body = ""): HttpRequest => {
  const bytes = bytesOf(`##${body}##`);
  return {
    ...{ method: "POST", url, authorization: "Bearer t" },
    contentType: "application/x-www-form-urlencoded",
    ...{ body: bytes, bodyFrom: 2, bodyTo: bytes.length - 2 },
  };
};

const upper: Translation = {
  request: (_, url, fields) => ({ url, fields: { ...fields, extra: "a b&ü" } }),
  answer: (purpose, { status, members, isObject }) =>
    isObject ? { status: status + 1, members: { purpose, ...members } } : undefined,
};

function exchange(
  url: string,
  body: string,
  answer: FakeAnswer,
  translation = upper,
): { words: string[]; http: FakeHttp } {
  const http = new FakeHttp({ script: [answer], chunkBytes: 3 });
  const { sink, told } = ear();
  through(http, [new Translating(ADDRESSES, translation)], requestTo(url, body), sink);
  return { words: wordsOf(told), http };
}

it.each([
  ["https://s.example/code", "scope=a", "code"],
  ["https://s.example/token", "grant_type=urn%3Aietf&device_code=d", "poll"],
  ["https://s.example/token", "grant_type=refresh_token", "refresh"],
  ["https://s.example/revoke", "token=t", "revocation"],
])("%s %s is a %s", (url, body, purpose) => {
  const { words, http } = exchange(url, body, { body: { a: "ü" }, retryAfterSeconds: 7 });
  expect(words[0]).toBe("201 7");
  const text = Buffer.from(words.slice(1, -1).join(""), "latin1").toString("utf8");
  expect(JSON.parse(text)).toEqual({ purpose, a: "ü" });
  expect(words.at(-1)).toBe("end");
  const sent = Object.fromEntries(http.requests[0]!.form);
  expect(sent).toEqual({ ...Object.fromEntries(new URLSearchParams(body)), extra: "a b&ü" });
  expect(http.requests[0]!.authorization).toBe("Bearer t");
});

it("a call of an API passes as it is, piece by piece", () => {
  const { words, http } = exchange("https://api.example/", "x=1", { body: "abcdef" });
  expect(words).toEqual(["200 -1", "abc", "def", "end"]);
  expect(http.requests[0]!.text).toBe("x=1");
});

it("a page of HTML, an empty body and an array pass with their status", () => {
  for (const body of ["<html>", "", "[1]"]) {
    const { words } = exchange(ADDRESSES.token, "", { status: 502, body });
    expect([words[0], words.slice(1, -1).join(""), words.at(-1)]).toEqual(["502 -1", body, "end"]);
    // No empty range is handed on.
    expect(words).not.toContain("");
  }
});

/** A translation over an adapter whose answers the test gives itself. */
function byHand(): {
  translating: Below;
  words: () => string[];
  sinks: HttpSink[];
  aborts(): number;
} {
  const sinks: HttpSink[] = [];
  let aborts = 0;
  const http: Http = {
    send: (_, sink) => void sinks.push(sink),
    abort: () => void aborts++,
  };
  const { sink, told } = ear();
  const filters = [new Translating(ADDRESSES, upper)];
  const { top } = through(http, filters, requestTo(ADDRESSES.token), sink);
  return { translating: top, words: () => wordsOf(told), sinks, aborts: () => aborts };
}

const LONGEST = 65_536;

it("contracts.ts: an exchange is over once, whatever a broken adapter says behind it", () => {
  const pieces = [bytesOf("x".repeat(LONGEST)), bytesOf("x")] as const;
  const endings: Record<string, (sink: HttpSink) => void> = {
    end: (sink) => sink.end(),
    // Of what was cut off nothing is passed on.
    failed: (sink) => {
      sink.body(pieces[1], 0, 1);
      sink.failed("timeout");
    },
    "too long": (sink) => {
      for (const piece of pieces) sink.body(piece, 0, piece.length);
    },
  };
  for (const [first, one] of Object.entries(endings)) {
    for (const other of Object.values(endings)) {
      const { words, sinks, aborts } = byHand();
      const sink = sinks[0]!;
      sink.status(200, -1);
      one(sink);
      const before = words();
      other(sink);
      expect(words()).toEqual(before);
      expect(before).toEqual(
        { end: ["200 -1", "end"], failed: ["timeout"], "too long": ["too-large"] }[first],
      );
      expect(aborts()).toBe(first === "too long" ? 1 : 0);
    }
  }
});

it("an answer of 64 KiB is not too long", () => {
  const { words, sinks } = byHand();
  sinks[0]!.status(200, -1);
  sinks[0]!.body(bytesOf("x".repeat(LONGEST)), 0, LONGEST);
  sinks[0]!.end();
  expect(words().map((word) => word.length)).toEqual([6, LONGEST, 3]);
});

it("an exchange that is aborted is aborted below, and nothing more is heard of it", () => {
  const { translating, words, sinks, aborts } = byHand();
  sinks[0]!.status(200, -1);
  translating.abort();
  expect(aborts()).toBe(1);
  sinks[0]!.body(bytesOf("{}"), 0, 2);
  sinks[0]!.end();
  sinks[0]!.failed("unreachable");
  expect(words()).toEqual([]);
});

it("where there is nothing to ask, the core hears of a success", () => {
  const nothing: Translation = { ...upper, request: () => "nothing" };
  const { words, http } = exchange(ADDRESSES.revocation, "token=t", {}, nothing);
  expect(words).toEqual(["200 -1", "end"]);
  expect(http.requests.length).toBe(0);
});
