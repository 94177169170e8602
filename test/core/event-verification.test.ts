// The host verifies each security event that the device fetches (VERIFY): who waits for its answer, and for how long.
// Complete build only.

import { describe, expect, it } from "vitest";
import { CallState, ErrorCode, State } from "../../core/complete.ts";
import {
  type Answer,
  Bench,
  call,
  code,
  json,
  LIST,
  outcome,
  publicState,
  session,
  tokens,
} from "./bench.ts";
import {
  ACCOUNT_DISABLED,
  claims,
  delivery,
  EMPTY,
  hand,
  SESSIONS_REVOKED,
  VERIFICATION,
} from "./security-events.ts";

describe("the host's answer to VERIFY", () => {
  it("that nobody waits for changes nothing", () => {
    const bench = session();
    const before = publicState(bench);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    bench.core.eventVerified(bench.device, bench.device.requestId, 0);
    expect(publicState(bench)).toEqual(before);
  });

  it("is asked for without delay", () => {
    const bench = session(["hang"]);
    bench.core.pollEvents(bench.device);
    bench.run(0);
    bench.give(bench.sent[0]!.id, delivery(claims(VERIFICATION)) as Answer);
    expect(bench.core.wakeIn(bench.device)).toBe(0);
  });

  it("keeps everything else waiting until it is there, and is asked for once", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED)), EMPTY]);
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    bench.pass(119_000);
    expect(bench.verified).toHaveLength(1);
    expect(bench.device.callState).toBe(CallState.VERIFYING);
    expect(call(bench, LIST)).toBe(0);
    expect(hand(bench, claims(VERIFICATION))).toBe(0);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    bench.run(0);
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it("counts once, and then the host has nothing to end", () => {
    const bench = session([delivery(claims(VERIFICATION)), "hang"]);
    const { core, device } = bench;
    bench.verifyHangs = true;
    core.pollEvents(device);
    bench.pass(0);
    core.eventVerified(device, device.requestId, 1);
    const id = device.requestId;
    const after = publicState(bench);
    core.eventVerified(device, id, 0);
    expect(publicState(bench)).toEqual(after);
    bench.run(0);
    bench.give(bench.sent.at(-1)!.id, EMPTY as Answer);
    bench.pass(0);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
    expect(bench.aborts).toBe(0);
  });

  it("keeps tokens waiting that storage has refused, and lets the host sleep meanwhile", () => {
    const bench = new Bench([code(), tokens()]);
    bench.storageFails = true;
    bench.until(2);
    expect(bench.device.notSaved).toBe(1);
    bench.storageFails = false;
    bench.answers = [delivery(claims(VERIFICATION)), EMPTY];
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    // SPEC, Times: they are offered again after a minute.
    bench.pass(119_000);
    expect(bench.device.callState).toBe(CallState.VERIFYING);
    expect([bench.writes, bench.device.notSaved]).toEqual([0, 1]);
    expect(bench.core.wakeIn(bench.device)).toBeGreaterThan(0);
    bench.core.eventVerified(bench.device, bench.device.requestId, 1);
    bench.pass(1000);
    expect([bench.writes, bench.device.notSaved]).toEqual([1, 0]);
  });

  it("that never comes is given up after 120 s, as a request is: the event is offered again", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED))]);
    bench.verifyHangs = true;
    bench.core.pollEvents(bench.device);
    bench.pass(0);
    const id = bench.device.requestId;
    bench.pass(119_999);
    expect(bench.device.callState).toBe(CallState.VERIFYING);
    expect(bench.core.wakeIn(bench.device)).toBe(1);
    bench.pass(1);
    expect(bench.aborts).toBe(1);
    expect(bench.device.callState).toBe(CallState.DONE);
    expect(bench.device.callError).toBe(ErrorCode.UNREACHABLE);
    bench.core.eventVerified(bench.device, id, 1);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    // What waited for it goes on.
    bench.answers = [json(200, {})];
    expect(call(bench, LIST)).toBe(1);
    bench.pass(0);
    expect(bench.device.callError).toBe(ErrorCode.NONE);
  });

  it.each([
    ["ends the session", ACCOUNT_DISABLED],
    ["asks for a refresh", SESSIONS_REVOKED],
  ])(
    "to an event that %s comes after the user has signed out, and undoes nothing of it",
    (_, type) => {
      const bench = session([delivery(claims(type))]);
      bench.verifyHangs = true;
      bench.core.pollEvents(bench.device);
      bench.pass(0);
      bench.core.signOut(bench.device);
      bench.core.eventVerified(bench.device, bench.device.requestId, 1);
      expect(bench.device.state).toBe(State.REVOKING);
      bench.answers = [json(200, {})];
      bench.pass(1000);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.device.error).toBe(ErrorCode.NONE);
      expect(bench.device.callState).toBe(CallState.DONE);
    },
  );
});
