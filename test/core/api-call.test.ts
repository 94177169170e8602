// What a session is good for, over the border: calls to an API, their pages, and what a 401 leads to.
// Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, State } from "../../core/complete.ts";
import {
  Bench,
  bytesOf,
  call,
  code,
  error,
  json,
  LIST,
  outcome,
  RESOURCE,
  SECOND_RESOURCE,
  session,
  tokens,
} from "./bench.ts";

describe("device doc §4.5 and §5.3: a call to an API", () => {
  it("device doc §4.5 row part and mine: GET with the token in the header only (RFC 6750 §2)", () => {
    const bench = session([json(200, { items: [] })]);
    const { core, device } = bench;
    expect(core.beginCall(device)).toBe(1);
    const add = (write: typeof core.addPath, text: string): void => {
      write(device, bytesOf(text), 0, bytesOf(text).length);
    };
    add(core.addPath, "/video/v3/liveBroadcasts?part=");
    add(core.addQueryValue, "id,snippet");
    add(core.addPath, "&mine=");
    add(core.addQueryValue, "true");
    expect(core.sendCall(device, RESOURCE, 1, null, 0, 0)).toBe(1);
    bench.pass(0);
    expect(bench.sent).toHaveLength(1);
    expect(bench.sent[0]).toMatchObject({ target: LIST, isGet: 1, bearer: "access", body: "" });
    expect(bench.sent[0]!.target).not.toContain("access_token");
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it.each([
    ["addSegment", "a/b c%é?#", "a%2Fb%20c%25%C3%A9%3F%23"],
    ["addQueryValue", "a/b c%é&=+", "a%2Fb+c%25%C3%A9%26%3D%2B"],
  ] as const)("device doc §4.5: %s encodes %s", (name, text, encoded) => {
    const bench = session([json(200, {})]);
    bench.core.beginCall(bench.device);
    bench.core[name](bench.device, bytesOf(text), 0, bytesOf(text).length);
    bench.core.sendCall(bench.device, RESOURCE, 1, null, 0, 0);
    bench.pass(0);
    expect(bench.sent[0]!.target).toBe(encoded);
  });

  it("device doc §4.5: every ASCII character is encoded as the standards have it", () => {
    const bench = session();
    for (let c = 0; c < 128; c++) {
      const character = String.fromCharCode(c);
      const percent = `%${c.toString(16).toUpperCase().padStart(2, "0")}`;
      const inQuery = new URLSearchParams({ q: character }).toString().slice(2);
      const inPath = /[A-Za-z0-9\-._~]/.test(character) ? character : percent;
      for (const [name, encoded] of [
        ["addQueryValue", inQuery],
        ["addSegment", inPath],
        ["addPath", character],
      ] as const) {
        bench.answers = [json(200, {})];
        bench.core.beginCall(bench.device);
        bench.core[name](bench.device, [c], 0, 1);
        bench.core.sendCall(bench.device, RESOURCE, 1, null, 0, 0);
        bench.run(0);
        expect([c, bench.sent.at(-1)!.target]).toEqual([c, encoded]);
      }
    }
  });

  it("device doc §5.3 row bearer credential: refreshed after 401, and sent again once with the new token", () => {
    const bench = session([
      json(401, { error: { code: 401, message: "Invalid Credentials" } }),
      tokens({ access_token: "second" }),
      json(200, { items: [] }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(bench.sent.map(({ endpoint, bearer }) => [endpoint, bearer])).toEqual([
      [RESOURCE, "access"],
      [1, ""],
      [RESOURCE, "second"],
    ]);
    expect(bench.sent[2]!.target).toBe(LIST);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("device doc §5.3 row bearer credential: a second 401 ends the call, not the session, and no third is sent", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), json(401, {})]);
    call(bench, LIST);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(3);
    expect(outcome(bench)).toEqual({ error: ErrorCode.INVALID_TOKEN, status: 401 });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §5.3 row bearer credential: 401 without a refresh token ends the session", () => {
    const bench = session([json(401, {})], { refresh_token: undefined });
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench)).toEqual({ error: ErrorCode.INVALID_TOKEN, status: 401 });
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });

  it("device doc §5.3 row bearer credential: a refresh that is refused after 401 ends call and session", () => {
    const bench = session([json(401, {}), error(400, "invalid_grant")]);
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench).error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.device.state).toBe(State.FAILED);
  });

  it("device doc §5.3 row bearer credential: a POST with a lent body is sent again with it after 401", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), json(200, {})]);
    call(bench, "/x", '{"a":1}', SECOND_RESOURCE);
    bench.pass(5000);
    const posts = bench.sent.filter(({ endpoint }) => endpoint === SECOND_RESOURCE);
    expect(posts.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
  });

  it("device doc §5.7 row NoLinkedVideoAccount: told to the application, the session stays", () => {
    const message = "The user is not enabled for live streaming.";
    const reason = "NoLinkedVideoAccount";
    const bench = session([
      json(401, {}),
      tokens({ access_token: "second" }),
      json(403, { error: { code: 403, message, errors: [{ message, domain: "video", reason }] } }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench).status).toBe(403);
    expect(bench.text(Field.VALUE_B)).toBe(reason);
    expect(bench.text(Field.VALUE_C)).toBe(message);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("second");
  });

  it("device doc §4.5: nextPage repeats the call with the token, until there is none", () => {
    const bench = session([
      json(200, { items: [], nextPageToken: "p/2&+" }),
      json(200, { nextPageToken: "p3" }),
      json(200, {}),
    ]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.device.hasNextPage).toBe(1);
    expect(bench.core.nextPage(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.core.nextPage(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.device.hasNextPage).toBe(0);
    expect(bench.core.nextPage(bench.device)).toBe(0);
    expect(bench.sent.map(({ target }) => target)).toEqual([
      LIST,
      `${LIST}&pageToken=p%2F2%26%2B`,
      `${LIST}&pageToken=p3`,
    ]);
  });

  it.each([
    ["/v1/items", "/v1/items?pageToken=p"],
    ["/v1/items?", "/v1/items?&pageToken=p"],
    ["/v1/items?a=b", "/v1/items?a=b&pageToken=p"],
  ])("RFC 3986 §3.4: the next page of %s is %s", (target, next) => {
    const bench = session([json(200, { nextPageToken: "p" })]);
    call(bench, target);
    bench.pass(0);
    expect(bench.core.nextPage(bench.device)).toBe(1);
    bench.pass(0);
    expect(bench.sent.map((request) => request.target)).toEqual([target, next]);
  });

  it.each([
    ["CALL", "p".repeat(400)],
    ["OUTPUT", "p".repeat(5000)],
    ["CALL, once encoded", "&".repeat(120)],
  ])(
    "a page token that does not fit %s is told: a list does not end there by itself",
    (_, token) => {
      const bench = session([
        json(200, { nextPageToken: token }),
        json(200, { nextPageToken: "p" }),
      ]);
      call(bench, LIST);
      bench.pass(0);
      expect(outcome(bench)).toEqual({ error: ErrorCode.VALUE_TOO_LONG, status: 200 });
      expect(bench.device.callErrorField).toBe(Field.VALUE_A);
      expect(bench.device.hasNextPage).toBe(0);
      expect(bench.core.nextPage(bench.device)).toBe(0);
      call(bench, LIST);
      bench.pass(0);
      expect(outcome(bench).error).toBe(ErrorCode.NONE);
      expect(bench.device.callErrorField).toBe(Field.NONE);
      expect(bench.device.hasNextPage).toBe(1);
    },
  );

  it.each([
    "",
    "plain text",
    "\u0089PNG\r\n",
    '{"nextPageToken":"p"',
    '{"a":1} {"nextPageToken":"p"}',
  ])("a success whose body is %j is one: the body is the host's, and no page follows", (body) => {
    const bench = session([{ status: 200, body }]);
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.NONE, status: 200 });
    expect(bench.device.hasNextPage).toBe(0);
  });

  it("a success of any length is one, and its page token counts wherever it stands", () => {
    const items = ["x".repeat(70_000)];
    const bench = session([json(200, { items, nextPageToken: "p" })]);
    bench.piece = 4096;
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.NONE, status: 200 });
    expect(bench.device.hasNextPage).toBe(1);
  });

  it("device doc §4.5: one at a time, and only for somebody who is signed in", () => {
    const bench = session(["hang"]);
    expect(call(bench, LIST)).toBe(1);
    bench.pass(0);
    expect(call(bench, LIST)).toBe(0);
    const nobody = new Bench([code()]);
    nobody.until(1);
    expect(call(nobody, LIST)).toBe(0);
  });

  it("device doc §4.5: a target that does not fit is not sent, nor cut", () => {
    const bench = session();
    expect(call(bench, `/${"x".repeat(4000)}`)).toBe(0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it.each([
    [null, ErrorCode.UNREACHABLE, 0],
    [json(500, {}), ErrorCode.UNAVAILABLE, 500],
    [{ status: 200, body: "<html>" }, ErrorCode.NONE, 200],
    [{ status: 500, body: "<html>" }, ErrorCode.UNAVAILABLE, 500],
    [{ status: 204, body: "" }, ErrorCode.NONE, 204],
    [{ status: 302, body: "" }, ErrorCode.UNAVAILABLE, 302],
  ])("device doc §4.5: the call's answer %j is told and not repeated", (answer, number, status) => {
    const bench = session([answer]);
    call(bench, LIST);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(1);
    expect(outcome(bench)).toEqual({ error: number, status });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §9 row the path carries v3: it goes out with its version, as the application gives it", () => {
    const bench = session([json(200, {})]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.sent[0]!.target).toContain("/v3/");
  });
});

describe("RFC 6750 §3: what an answer to a call means", () => {
  const refusal = { error: { code: 403, status: "PERMISSION_DENIED" } };
  it.each([
    [200, ErrorCode.NONE, ""],
    [299, ErrorCode.NONE, ""],
    [199, ErrorCode.UNKNOWN_ERROR, "PERMISSION_DENIED"],
    [300, ErrorCode.UNKNOWN_ERROR, "PERMISSION_DENIED"],
  ])("only 200 to 299 are a success: %i", (status, number, kept) => {
    const bench = session([json(status, refusal)]);
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench)).toEqual({ error: number, status });
    expect(bench.text(Field.VALUE_A)).toBe(kept);
  });
});
