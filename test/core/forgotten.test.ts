// What lies in the memory once it is of no use any more: nothing. Whoever reads a device's memory later (a debug
// port, a core dump, another program on the same board) finds no token and no code that has ended.

import { describe, expect, it } from "vitest";
import { Event, Field, Region, State } from "../../core/complete.ts";
import { setLength, shorten } from "../../core/device/regions.ts";
import { type Answer, Bench, code, error, json, tokens } from "./bench.ts";
import { claims, VERIFICATION } from "./security-events.ts";
import { call } from "./session.ts";

const DEVICE_CODE = "device-code-7Hq2Zr9Lm4XwPd";
const FIRST = { access_token: "first-access-5Tn8Vb3Kc6YdQw", refresh_token: "first-refresh-8Jr4" };
const SECOND = { access_token: "second-acc", refresh_token: "second-refresh-2Gk9" };
const THIRD = { access_token: "third-acce", refresh_token: "third-refresh-6Ws3" };

/** The ends of texts count too: a shorter value must not leave the rest of a longer one. */
function remains(bench: Bench, text: string): string[] {
  const memory = Buffer.from(bench.memory).toString("latin1");
  return [text.slice(0, 10), text.slice(-10)].filter((part) => memory.includes(part));
}

function expectForgotten(bench: Bench, ...texts: string[]): void {
  for (const text of texts) expect(remains(bench, text), text).toEqual([]);
}

function signedIn(...answers: Answer[]): Bench {
  const bench = new Bench([code({ device_code: DEVICE_CODE }), tokens(FIRST), ...answers]);
  bench.until(2);
  bench.run(0);
  expect(bench.device.state).toBe(State.SIGNED_IN);
  return bench;
}

const event = (id: string): string =>
  `e30.${Buffer.from(JSON.stringify(claims(VERIFICATION, {}, id))).toString("base64url")}.c2ln`;

const everyToken = [FIRST, SECOND, THIRD].flatMap((set) => Object.values(set));

describe("SPEC Regions: what a life has ended of is overwritten", () => {
  it("the device code, once there is a session", () => {
    const bench = signedIn();
    expectForgotten(bench, DEVICE_CODE);
    for (const text of Object.values(FIRST)) expect(remains(bench, text)).toHaveLength(2);
  });

  it.each([
    ["the user cancels", (bench: Bench) => bench.core.cancel(bench.device)],
    ["the user refuses", (bench: Bench) => bench.pass(60_000)],
  ])("the device code, once %s", (_, end) => {
    const bench = new Bench([code({ device_code: DEVICE_CODE }), error(403, "access_denied")]);
    bench.until(1);
    bench.run(0);
    expect(bench.device.state).toBe(State.PENDING);
    expect(remains(bench, DEVICE_CODE)).toHaveLength(2);
    end(bench);
    bench.run(0);
    expect([State.SIGNED_OUT, State.FAILED]).toContain(bench.device.state);
    expectForgotten(bench, DEVICE_CODE);
  });

  it("all that was shown of a code, once the user cancels", () => {
    const values = {
      user_code: "WDJB-MJHT-01",
      verification_uri: "https://verify.example/device",
      verification_uri_complete: "https://complete.example/?code=WDJB-MJHT-02",
    };
    const bench = new Bench([code({ ...values, verification_url: undefined })]);
    bench.until(1);
    bench.run(0);
    for (const text of Object.values(values)) expect(remains(bench, text)).toHaveLength(2);
    bench.core.cancel(bench.device);
    bench.run(0);
    expectForgotten(bench, ...Object.values(values));
    for (let field = Field.DEVICE_CODE; field <= Field.VERIFICATION_URI_COMPLETE; field++) {
      expect(bench.device.length[field]).toBe(-1);
    }
  });

  it("a page's token, once a shorter one has come", () => {
    const first = "first-page-4Lx7Wm2Rt9Zk";
    const bench = signedIn(json(200, { nextPageToken: first }), json(200, { nextPageToken: "b" }));
    call(bench, "/list");
    bench.run(0);
    expect(remains(bench, first)).toHaveLength(2);
    bench.core.nextPage(bench.device);
    bench.run(0);
    expect(bench.text(Region.CALL)).toBe("/list?pageToken=b");
    expectForgotten(bench, first);
  });

  it("what is cut off a value, and no byte behind it", () => {
    const { memory, device } = new Bench([], { autoStart: 0 });
    const start = device.start[Region.CALL]!;
    memory.fill(7, start, start + 10);
    setLength(device, Region.CALL, 8);
    shorten(device, Region.CALL, 5);
    expect([...memory.subarray(start, start + 10)]).toEqual([7, 7, 7, 7, 7, 0, 0, 0, 7, 7]);
    expect(device.length[Region.CALL]).toBe(5);
  });

  it.each([
    ["is asked for and refused", error(503, "busy")],
    ["has come", code({ device_code: "other" })],
  ])("a device code, once another %s", (_, answer) => {
    const bench = new Bench([code({ device_code: DEVICE_CODE }), answer]);
    bench.until(1);
    bench.run(0);
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.sent).toHaveLength(2);
    expectForgotten(bench, DEVICE_CODE);
    bench.core.cancel(bench.device);
    bench.run(0);
    expectForgotten(bench, DEVICE_CODE);
  });

  it("RFC 6749 §10.3, §10.4: an access token, once another has come; of refresh tokens all but the present one and the one before", () => {
    const bench = signedIn(tokens(SECOND), tokens(THIRD));
    bench.until(3);
    expectForgotten(bench, FIRST.access_token);
    expect(remains(bench, FIRST.refresh_token)).toHaveLength(2);
    bench.until(4);
    expectForgotten(bench, FIRST.access_token, FIRST.refresh_token, SECOND.access_token);
    expect(remains(bench, SECOND.refresh_token)).toHaveLength(2);
    expect(remains(bench, THIRD.refresh_token)).toHaveLength(2);
  });

  it.each<[string, Answer]>([
    ["the server revokes", { status: 200, body: "" }],
    ["the server refuses", error(400, "invalid_request")],
  ])("every token, once signed out: %s", (_, answer) => {
    const bench = signedIn(tokens(SECOND), tokens(THIRD));
    bench.until(4);
    bench.answers = [answer, answer, answer];
    bench.core.signOut(bench.device);
    bench.pass(600_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expectForgotten(bench, DEVICE_CODE, ...everyToken);
  });

  it("every token, once the grant is refused", () => {
    const refusal = error(400, "invalid_grant");
    const bench = signedIn(tokens(SECOND), refusal, refusal, refusal);
    bench.until(4);
    bench.pass(60_000);
    expect(bench.device.event).toBe(Event.SESSION_ENDED);
    expectForgotten(bench, DEVICE_CODE, ...everyToken);
  });

  it("every token, once a session that was read from a record has ended", () => {
    const before = signedIn(tokens(SECOND));
    before.until(3);
    before.pass(1000);
    const bench = new Bench([tokens(THIRD), { status: 200, body: "" }], { slots: before.slots });
    bench.until(1);
    bench.run(0);
    bench.core.signOut(bench.device);
    bench.pass(60_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expectForgotten(bench, DEVICE_CODE, ...everyToken);
  });

  it.each([
    ["the code has run out", code({ device_code: DEVICE_CODE, expires_in: 7, interval: 90 })],
    ["it was of no use", code({ device_code: DEVICE_CODE, user_code: "" })],
    ["its answer was cut off", { status: 200, body: `{"device_code":"${DEVICE_CODE}","user` }],
    [
      "something beside it did not fit",
      code({ device_code: DEVICE_CODE, user_code: "U".repeat(90) }),
    ],
  ])("the device code, before another is asked for: %s", (_, answer) => {
    const bench = new Bench([answer], { renewalsMax: 3 });
    bench.until(1);
    for (let i = 0; i < 30 && bench.device.state === State.PENDING; i++) bench.pass(1000);
    bench.run(0);
    expect([State.REQUESTING, State.FAILED]).toContain(bench.device.state);
    expect(bench.sent).toHaveLength(1);
    expectForgotten(bench, DEVICE_CODE);
  });

  it("the device code of an attempt that the user begins anew", () => {
    const bench = new Bench([code({ device_code: DEVICE_CODE }), "hang"]);
    bench.until(1);
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.sent).toHaveLength(2);
    expectForgotten(bench, DEVICE_CODE);
  });

  it("path, query and page token of the last call, once signed out", () => {
    const bench = signedIn();
    const page = json(200, { nextPageToken: "page-token-3Xz7Lq" });
    bench.answers = [page, json(200, {}), json(200, {}), { status: 200, body: "" }];
    call(bench, "/first-path-9Kd2?query=secret-4Mv8Qe");
    bench.pass(0);
    bench.core.nextPage(bench.device);
    bench.pass(0);
    expect(remains(bench, "page-token-3Xz7Lq")).toHaveLength(2);
    // A shorter one, which does not overwrite the whole.
    call(bench, "/short-5Rt6Pw");
    bench.pass(0);
    bench.core.signOut(bench.device);
    bench.pass(1000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expectForgotten(
      bench,
      "/first-path-9Kd2",
      "secret-4Mv8Qe",
      "page-token-3Xz7Lq",
      "/short-5Rt6Pw",
    );
  });

  it("a refusal's message, once a refresh has needed its place, and failed", () => {
    const message = `message-of-a-refusal-${"x".repeat(200)}-6Tr9`;
    const bench = signedIn(json(403, { error: { message, errors: [] } }), error(503, "busy"));
    call(bench, "/list");
    bench.run(0);
    expect(remains(bench, message)).toHaveLength(2);
    bench.until(4);
    expect(bench.device.state).toBe(State.REFRESHING);
    expectForgotten(bench, message);
  });

  it("what a slot held that is no record, to the last byte of OUTPUT", () => {
    const room = new Bench([], { autoStart: 0 }).device.capacity[Region.OUTPUT]!;
    const slots = [new Uint8Array(room).fill(7), new Uint8Array()];
    const bench = new Bench([], { slots, autoStart: 0 });
    bench.pass(0);
    const { device, memory } = bench;
    const start = device.start[Region.OUTPUT]!;
    expect(memory.slice(start, start + room).filter((byte) => byte === 7)).toHaveLength(0);
  });

  it("a call's target that was begun and not sent, or that did not fit", () => {
    const bench = signedIn();
    const { core, device } = bench;
    const long = new TextEncoder().encode(`/begun-8Yh3Nc${"x".repeat(400)}end-2Jg5Bs`);
    core.beginCall(device);
    core.addPath(device, long, 0, long.length);
    expect(device.length[Region.CALL]).toBe(-1);
    bench.answers = [{ status: 200, body: "" }];
    core.signOut(device);
    bench.pass(1000);
    expectForgotten(bench, "/begun-8Yh3Nc");
  });

  it("an event poll's body, and the identifier in it", () => {
    const bench = signedIn();
    bench.answers = [json(200, { sets: { e: event("jti-7Vb1Kx9Qm2") } })];
    bench.answers.push(json(200, { sets: {} }), { status: 200, body: "" });
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    bench.core.signOut(bench.device);
    bench.pass(1000);
    expectForgotten(bench, "jti-7Vb1Kx9Qm2");
  });

  it("an access token that came with an answer of no use", () => {
    const useless = tokens({ ...THIRD, token_type: "mac" });
    const bench = new Bench([code({ device_code: DEVICE_CODE }), useless, useless, useless]);
    bench.pass(120_000);
    expect(bench.device.state).not.toBe(State.SIGNED_IN);
    expectForgotten(bench, ...Object.values(THIRD));
  });
});

describe("SPEC Regions: what is left of an offer that was refused", () => {
  it("the names, once signed out", () => {
    const name = "name-that-is-refused-4Kd8";
    const bench = signedIn();
    const names = Buffer.from(`test.picogrant.player\npremium\nmonthly\nintro-1\n${name} \u00e9`);
    const body = Buffer.from("{}");
    bench.core.createOffer(bench.device, names, 0, names.length, body, 0, body.length);
    bench.answers = [json(200, {})];
    bench.core.signOut(bench.device);
    bench.pass(10_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expectForgotten(bench, name);
  });
});
