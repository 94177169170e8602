// What is a call's own (SPEC.md, Calls and Regions): its target, its pages, its body and what it was answered. Nothing
// else changes them, and they change nothing else. Complete build only.

import { describe, expect, it } from "vitest";
import { Command, ErrorCode, Field, OfferError, State } from "../../core/complete.ts";
import { type Answer, Bench, code, error, json, tokens } from "./bench.ts";
import { discover, ISSUER, METADATA } from "./discovered.ts";
import { claims, VERIFICATION } from "./security-events.ts";
import { bytesOf, call, LIST, outcome, polls, session, shown } from "./session.ts";

const offer = (bench: Bench, names: string): OfferError => {
  const [lines, body] = [bytesOf(names), bytesOf("{}")];
  return bench.core.createOffer(bench.device, lines, 0, lines.length, body, 0, body.length);
};
/** A session with a call that has a next page. */
const withPages = (): Bench => {
  const bench = session([json(200, { nextPageToken: "next" })]);
  call(bench, LIST);
  bench.pass(0);
  expect(bench.device.hasNextPage).toBe(1);
  return bench;
};

describe("SPEC Calls: the pages of a call end where another target is begun", () => {
  it("by an offer that is refused for its names", () => {
    const bench = withPages();
    expect(offer(bench, "com")).not.toBe(OfferError.NONE);
    expect(bench.device.hasNextPage).toBe(0);
    expect(bench.core.nextPage(bench.device)).toBe(0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(1);
  });

  it("by a target that does not fit", () => {
    const bench = withPages();
    const { core, device } = bench;
    expect(core.beginCall(device)).toBe(1);
    for (let i = 0; i < 200; i++) core.addPath(device, bytesOf("/Z"), 0, 2);
    expect(core.nextPage(device)).toBe(0);
    expect(core.sendCall(device, 5, 1, null, 0, 0)).toBe(0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(1);
  });

  it("and an offer that was refused leaves no target that sendCall could send", () => {
    const bench = session();
    const { core, device } = bench;
    core.beginCall(device);
    core.addPath(device, bytesOf("/x"), 0, 2);
    expect(offer(bench, "com")).not.toBe(OfferError.NONE);
    expect(core.sendCall(device, 5, 1, null, 0, 0)).toBe(0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(0);
  });

  it("a resource server is one of the endpoints from 5 on: a target goes to no other", () => {
    for (const endpoint of [0, 1, 2, 3, 4]) {
      expect(call(session(), "/x", undefined, endpoint)).toBe(0);
    }
  });
});

describe("SPEC Regions: a call that waits has claimed no bytes", () => {
  it.each([
    ["before", METADATA],
    ["behind", Object.fromEntries(Object.entries(METADATA).reverse())],
  ])(
    "an event between discover and its request changes nothing of the answer: addresses %s the issuer",
    (_, answer) => {
      const bench = session([json(200, answer)]);
      discover(bench);
      const event = bytesOf(JSON.stringify(claims(VERIFICATION)));
      bench.core.applySecurityEvent(bench.device, event, 0, event.length);
      bench.pass(0);
      expect(outcome(bench).error).toBe(ErrorCode.NONE);
      expect(bench.text(Field.VALUE_A)).toBe(ISSUER);
      expect(bench.text(Field.VALUE_B)).toBe(METADATA.device_authorization_endpoint);
    },
  );

  it.each([
    ["cut off", { status: 200, body: '{"access_token":"ZZZZZZZ' }],
    ["pending", json(400, { error: "authorization_pending", access_token: "n/a" })],
    ["of nothing useful", json(200, { access_token: "Z Z" })],
  ] as [string, Answer][])(
    "a poll is of the code, behind an answer with a token that is %s",
    (_, answer) => {
      const bench = new Bench([code({ device_code: "dc-0123456789" }), answer]);
      bench.until(2);
      discover(bench);
      bench.pass(200_000);
      expect(polls(bench).length).toBeGreaterThan(3);
      for (const { body } of polls(bench)) expect(body).toContain("device_code=dc-0123456789");
      bench.answers = [tokens()];
      bench.pass(100_000);
      expect(bench.device.state).toBe(State.SIGNED_IN);
    },
  );

  it("the addresses that discovery found can be read although a poll is due at once", () => {
    const bench = new Bench([code()]);
    bench.until(1);
    const sent = bench.sent.length;
    bench.answers = ["hang"];
    discover(bench);
    bench.run(0);
    const revocation_endpoint = "https://accounts.b.example/revoke";
    bench.give(bench.sent[sent]!.id, json(200, { ...METADATA, revocation_endpoint }));
    expect(bench.text(Field.VALUE_D)).toBe(revocation_endpoint);
    // A poll is due before the host has read: it does after its loop.
    bench.run(5000);
    expect(bench.sent).toHaveLength(sent + 1);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
    expect(bench.text(Field.VALUE_B)).toBe(METADATA.device_authorization_endpoint);
    expect(bench.core.wakeIn(bench.device)).toBe(0);
    bench.run(0);
    expect(bench.sent.at(-1)!.endpoint).toBe(1);
    for (let field = Field.VALUE_A; field <= Field.VALUE_D; field++) {
      expect(bench.device.length[field]).toBe(-1);
    }
  });
});

describe("SPEC Regions: the host reads the target of a call until ABORT is given", () => {
  it("also where the user signs out meanwhile, and then it is forgotten", () => {
    const bench = session(["hang"]);
    const { core, device } = bench;
    call(bench, LIST);
    bench.run(0);
    core.signOut(device);
    expect(bench.range(device.target, device.targetLength)).toBe(LIST);
    expect(core.tick(device, 0)).toBe(Command.ABORT);
    const left = bench.range(device.target, device.targetLength);
    expect(left).toHaveLength(LIST.length);
    // Not a byte of it, whatever is there instead.
    expect([...left].filter((character, at) => character === LIST[at])).toEqual([]);
  });
});

describe("SPEC The loop: what belongs to a call belongs to no other request", () => {
  it("callBody is there for the request that has it, and for no refresh before it", () => {
    const bench = session(["hang"], { expires_in: 60 });
    bench.pass(50_000);
    bench.run(11_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    const { core, device } = bench;
    core.beginCall(device);
    core.addPath(device, bytesOf("/x"), 0, 2);
    const body = bytesOf("{}");
    expect(core.sendCall(device, 5, 0, body, 0, 2)).toBe(1);
    expect(device.callBody).toBeNull();
    bench.run(0);
    expect(device.callBody).toBeNull();
    bench.answers = ["hang"];
    bench.give(bench.sent.at(-1)!.id, tokens({ access_token: "second" }));
    bench.run(0);
    expect(device.endpoint).toBe(5);
    expect(device.callBody).toBe(body);
    bench.give(bench.sent.at(-1)!.id, json(200, {}));
    expect(device.callBody).toBeNull();
  });

  it("callBody is not there for the refresh that a 401 leads to, and again for the second try", () => {
    const bench = session([json(401, {}), "hang", "hang"]);
    const { device } = bench;
    expect(call(bench, "/x", "{}")).toBe(1);
    bench.run(0);
    expect(bench.sent.map(({ endpoint }) => endpoint)).toEqual([5, 1]);
    expect(device.callBody).toBeNull();
    bench.give(bench.sent[1]!.id, tokens({ access_token: "second" }));
    bench.run(0);
    expect(bench.sent[2]).toMatchObject({ endpoint: 5, body: "{}", bearer: "second" });
    expect(device.callBody).not.toBeNull();
  });

  it("the error that is shown keeps its name, whatever a call is answered", () => {
    const bench = new Bench([error(400, "no_such_thing")]);
    bench.until(1);
    expect(bench.device.state).toBe(State.FAILED);
    expect(shown(bench)).toContain("no_such_thing");
    bench.answers = [json(403, { error: "another_thing" })];
    discover(bench);
    bench.pass(10_000);
    expect(outcome(bench).error).toBe(ErrorCode.UNKNOWN_ERROR);
    expect(bench.text(Field.ERROR)).toBe("no_such_thing");
    expect(shown(bench)).toContain("no_such_thing");
  });

  it("the field that did not fit keeps its number", () => {
    const bench = new Bench([code({ user_code: "v".repeat(100) })]);
    bench.until(1);
    expect(bench.device.errorField).toBe(Field.USER_CODE);
    bench.answers = [json(200, METADATA)];
    discover(bench);
    bench.pass(1000);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
    expect(bench.device.errorField).toBe(Field.USER_CODE);
  });

  it("a call that nobody answers has none of the names of the one before it", () => {
    const bench = session([
      json(403, { error: { status: "FIRST", message: "of the first" } }),
      null,
    ]);
    call(bench, LIST);
    bench.pass(0);
    expect(bench.text(Field.VALUE_A)).toBe("FIRST");
    expect(bench.text(Field.VALUE_C)).toBe("of the first");
    call(bench, LIST);
    bench.pass(0);
    expect(outcome(bench).error).toBe(ErrorCode.UNREACHABLE);
    for (const field of [Field.ERROR, Field.VALUE_A, Field.VALUE_B, Field.VALUE_C]) {
      expect(bench.text(field)).not.toContain("irst".slice(1));
    }
    expect(bench.device.length[Field.VALUE_A]).toBe(-1);
  });

  it("a call that ends because the user signs out says that, not what the last refresh met", () => {
    const bench = session([error(503, "x"), "hang"], { expires_in: 60 });
    bench.pass(61_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(call(bench, LIST)).toBe(1);
    bench.core.signOut(bench.device);
    bench.run(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.SESSION_ENDED, status: 0 });
  });

  it("a call that ends while its answer arrives had none", () => {
    const bench = session(["hang"]);
    call(bench, LIST);
    bench.run(0);
    bench.core.responseStart(bench.device, bench.device.requestId, 200, -1);
    bench.core.signOut(bench.device);
    bench.run(0);
    expect(outcome(bench)).toEqual({ error: ErrorCode.SESSION_ENDED, status: 0 });
  });
});
