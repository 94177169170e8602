// Tests the common part of translations: what they translate, and what passes unchanged.
// test/platform/driver-faults.test.ts tests translations with faulty adapters.

import { expect, it } from "vitest";
import type { HttpRequest } from "../../platform/contracts.ts";
import { Translating, type Translation } from "../../platform/servers/translation.ts";
import { FakeHttp, type FakeResponse } from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";
import { type ErrorText, recorder, through } from "../platform/raw-server.ts";

const ADDRESSES = {
  deviceAuthorization: "https://s.example/code",
  token: "https://s.example/token",
  revocation: "https://s.example/revoke",
};

const wordsOf = (reported: readonly ErrorText[]): string[] =>
  reported.map(([event, ...values]) => (event === "end" ? event : values.slice(0, 2).join(" ")));

const requestTo = (url: string, body = ""): HttpRequest => {
  const bytes = bytesOf(`##${body}##`);
  return {
    ...{ method: "POST", url, authorization: "Bearer t" },
    contentType: "application/x-www-form-urlencoded",
    ...{ body: bytes, bodyFrom: 2, bodyTo: bytes.length - 2 },
  };
};

const upper: Translation = {
  request: (_, fields) => ({ fields: { ...fields, extra: "a b&ü" } }),
  response: (purpose, { a, ...others }, status) =>
    a === undefined ? undefined : { status: status + 1, members: { purpose, a, ...others } },
};

function exchange(
  url: string,
  body: string,
  response: FakeResponse,
  translation = upper,
): { words: string[]; http: FakeHttp } {
  const http = new FakeHttp({ script: [response], chunkBytes: 3, sizeLimitBytes: 100_000 });
  const { sink, reported } = recorder();
  through(http, [new Translating(ADDRESSES, translation)], requestTo(url, body), sink);
  return { words: wordsOf(reported), http };
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

it("an API call passes unchanged, piece by piece", () => {
  const { words, http } = exchange("https://api.example/", "x=1", { body: "abcdef" });
  expect(words).toEqual(["200 -1", "abc", "def", "end"]);
  expect(http.requests[0]!.text).toBe("x=1");
});

it("a page of HTML, an empty body and an array pass with their status", () => {
  for (const body of ["<html>", "", "[1]"]) {
    const { words } = exchange(ADDRESSES.token, "", { status: 502, body });
    expect([words[0], words.slice(1, -1).join(""), words.at(-1)]).toEqual(["502 -1", body, "end"]);
    // The translation passes no empty part of the body.
    expect(words).not.toContain("");
  }
});

it("a response of 64 KiB is accepted, and a longer one is aborted", () => {
  const of = (length: number) => exchange(ADDRESSES.token, "", { body: "x".repeat(length) });
  expect(of(65_536).words.map(({ length }) => length)).toEqual([6, 65_536, 3]);
  const { words, http } = of(65_537);
  expect([words, http.aborts]).toEqual([["too-large"], 1]);
});

it("if no request is needed, the core receives a success", () => {
  const nothing: Translation = { ...upper, request: () => "nothing" };
  const { words, http } = exchange(ADDRESSES.revocation, "token=t", {}, nothing);
  expect(words).toEqual(["200 -1", "end"]);
  expect(http.requests.length).toBe(0);
});
