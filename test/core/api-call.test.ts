// What a session is good for, over the border: calls to an API, their pages, and what a 401 leads to.
// Complete build only.

import { describe, expect, it } from "vitest";
import { ErrorCode, Field, State } from "../../core/complete.ts";
import { Bench, code, error, json, tokens } from "./bench.ts";
import { bytesOf, call, LIST, outcome, PUBLISHER_API, session, VIDEO_API } from "./session.ts";

describe("device doc §4.5 and §5.3: a call to an API", () => {
  it("device doc §4.5 row part: and mine; GET with the token in the header only", () => {
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
    expect(core.sendCall(device, VIDEO_API, 1, null, 0, 0)).toBe(1);
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
    bench.core.sendCall(bench.device, VIDEO_API, 1, null, 0, 0);
    bench.pass(0);
    expect(bench.sent[0]!.target).toBe(encoded);
  });

  it("device doc §5.3 row 401: refreshed and sent again once, with the new token", () => {
    const bench = session([
      json(401, { error: { code: 401, message: "Invalid Credentials" } }),
      tokens({ access_token: "second" }),
      json(200, { items: [] }),
    ]);
    call(bench, LIST);
    bench.pass(5000);
    expect(bench.sent.map(({ endpoint, bearer }) => [endpoint, bearer])).toEqual([
      [VIDEO_API, "access"],
      [1, ""],
      [VIDEO_API, "second"],
    ]);
    expect(bench.sent[2]!.target).toBe(LIST);
    expect(outcome(bench)).toEqual({ error: 0, status: 200 });
  });

  it("device doc §5.3 row 401: a second one ends the call, not the session, and no third is sent", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), json(401, {})]);
    call(bench, LIST);
    bench.pass(60_000);
    expect(bench.sent).toHaveLength(3);
    expect(outcome(bench)).toEqual({ error: ErrorCode.INVALID_TOKEN, status: 401 });
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §5.3 row 401: without a refresh token the session is over", () => {
    const bench = session([json(401, {})], { refresh_token: undefined });
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench)).toEqual({ error: ErrorCode.INVALID_TOKEN, status: 401 });
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });

  it("device doc §5.3 row 401: a refresh that is refused ends call and session", () => {
    const bench = session([json(401, {}), error(400, "invalid_grant")]);
    call(bench, LIST);
    bench.pass(5000);
    expect(outcome(bench).error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.device.state).toBe(State.FAILED);
  });

  it("device doc §5.3 row 401: a POST with a lent body is sent again with the same body", () => {
    const bench = session([json(401, {}), tokens({ access_token: "second" }), json(200, {})]);
    call(bench, "/x", '{"a":1}', PUBLISHER_API);
    bench.pass(5000);
    const posts = bench.sent.filter(({ endpoint }) => endpoint === PUBLISHER_API);
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
    expect(bench.text(Field.MESSAGE)).toBe(message);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("device doc §4.5 row pages: nextPage repeats the call with the token, until there is none", () => {
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
    [{ status: 200, body: "<html>" }, ErrorCode.MALFORMED_RESPONSE, 200],
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

  it("device doc §9: the path goes out with its version, as the application gives it", () => {
    const bench = session([json(200, {})]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.sent[0]!.target).toContain("/v3/");
  });
});
