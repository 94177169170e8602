// Whose bytes are whose (SPEC.md, Regions): what is asked for while something else waits or arrives changes neither
// that nor what the host is told of it. Complete build only.

import { describe, expect, it } from "vitest";
import { CallState, Command, ErrorCode, Field, Region, State } from "../../core/complete.ts";
import { type Answer, Bench, code, error, json, tokens } from "./bench.ts";
import { damaged } from "./damaged.ts";
import { discover, ISSUER, METADATA } from "./discovered.ts";
import {
  ACCOUNT_DISABLED,
  claims,
  delivery,
  SESSIONS_REVOKED,
  TOKEN_REVOKED,
  VERIFICATION,
} from "./security-events.ts";
import { bytesOf, call, LIST, outcome, session, shown } from "./session.ts";

describe("SPEC Regions: an answer can be read until tick has answered NONE", () => {
  it("also where something is erased meanwhile, for which nobody needs its bytes", () => {
    const bench = session([json(200, {})]);
    const { core, device } = bench;
    bench.storageFails = true;
    core.signOut(device);
    bench.pass(0);
    expect(device.state).toBe(State.SIGNED_OUT);
    expect(device.notErased).toBe(1);
    // What is left would be erased in the tick in which the addresses are asked for.
    discover(bench);
    bench.answers = ["hang"];
    bench.storageHangs = true;
    bench.run(60_000);
    expect(bench.sent.at(-1)!.endpoint).toBe(3);
    bench.give(bench.sent.at(-1)!.id, json(200, METADATA));
    // The command that is not about the display.
    const next = (): Command => {
      let command = core.tick(device, 0);
      while (command === Command.SHOW) command = core.tick(device, 0);
      return command;
    };
    // One slot, and the other.
    expect(next()).toBe(Command.ERASE);
    core.storageDone(device, 1);
    expect(next()).toBe(Command.ERASE);
    core.signIn(device);
    core.storageDone(device, 1);
    // Not yet the request for a code.
    expect(next()).toBe(Command.NONE);
    expect(bench.text(Field.VALUE_A)).toBe(ISSUER);
    expect(next()).toBe(Command.SEND);
  });
});

describe("SPEC Security events: an event that ends the session is acknowledged first", () => {
  it.each([
    ["sessions-revoked", SESSIONS_REVOKED, {}],
    [
      "token-revoked with a hash",
      TOKEN_REVOKED,
      { token_identifier_alg: "hash_SHA512_double", token: "x" },
    ],
  ])("%s, of a session without a refresh token", (_, type, members) => {
    const event = delivery(claims(type as string, members as object, "the-one"));
    const bench = session([event, json(200, { sets: {} })], { refresh_token: undefined });
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(2);
    expect(bench.sent[1]!.body).toContain('"ack":["the-one"]');
    expect([bench.device.state, bench.device.error]).toEqual([
      State.FAILED,
      ErrorCode.SESSION_ENDED,
    ]);
  });

  it("whatever the application hands in before that", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED, {}, "the-one")), json(200, {})]);
    bench.verifyHangs = true;
    const { core, device } = bench;
    core.pollEvents(device);
    bench.pass(0);
    core.eventVerified(device, device.requestId, 1);
    const event = bytesOf(JSON.stringify(claims(VERIFICATION, {}, "another")));
    expect(core.applySecurityEvent(device, event, 0, event.length)).toBe(1);
    expect(device.state).toBe(State.SIGNED_IN);
    bench.pass(1000);
    expect(bench.sent.at(-1)!.body).toContain('"ack":["the-one"]');
    expect(device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });
});

describe("RFC 8936 §2.3: events are the members of sets", () => {
  const jwsOf = (answer: Answer): object => (JSON.parse(answer.body) as { sets: object }).sets;
  const event = delivery(claims(ACCOUNT_DISABLED, {}, "the-one")) as Answer;
  it.each([
    ["in front", { requestId: "abc", sets: jwsOf(event) }],
    ["behind", { sets: jwsOf(event), requestId: "abc", sub: { other: "x" } }],
    ["with members of its own", { other: { x: "abc", sets: "y" }, sets: jwsOf(event) }],
  ])("a member beside them is none: %s", (_, answer) => {
    const bench = session([json(200, answer), json(200, { requestId: "def", sets: {} })]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.verified).toHaveLength(1);
    expect(bench.sent[1]!.body).toContain('"ack":["the-one"]');
    expect(bench.device.error).toBe(ErrorCode.ACCOUNT_DISABLED);
  });

  it("an event may be named as they are", () => {
    const [jws] = Object.values(jwsOf(event)) as string[];
    const bench = session([json(200, { sets: { sets: jws } }), json(200, { sets: {} })]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.verified).toEqual([jws]);
  });

  it("nothing is one where there are no sets", () => {
    const bench = session([json(200, { requestId: "abc", a: { b: "c" } })]);
    bench.core.pollEvents(bench.device);
    bench.pass(1000);
    expect(bench.verified).toHaveLength(0);
    expect(outcome(bench).error).toBe(ErrorCode.NONE);
  });
});

describe("SPEC The loop: what is shown", () => {
  it("signing in where the server refuses to refresh the tokens hides the refusal", () => {
    const bench = session(Array(9).fill(error(400, "invalid_client")), { expires_in: 60 });
    bench.pass(61_000);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(shown(bench)).toContain("Device refused");
    bench.answers = ["hang"];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.device.error).toBe(ErrorCode.NONE);
    expect(shown(bench)).not.toContain("Device refused");
  });

  it.each([
    ["is no access yet", "Connecting"],
    ["takes none away", "Signed in"],
  ])("a refresh's answer that is arriving %s", (_, text) => {
    // A token that was refused is none any more; one that is to be refreshed is good for some seconds yet.
    const isRefused = text === "Connecting";
    const bench = session(isRefused ? [json(401, {}), "hang"] : ["hang"], { expires_in: 60 });
    if (isRefused) call(bench, LIST);
    while (bench.device.state !== State.REFRESHING) bench.run(1000);
    const { core, device } = bench;
    expect(shown(bench)).toContain(text);
    const { id } = bench.sent.at(-1)!;
    const half = bytesOf('{"access_token":"h');
    core.responseStart(device, id, 200, -1);
    for (let at = 0; at < half.length; at++) {
      core.responseBody(device, id, half, at, at + 1);
      damaged(device).frameDue = 1;
      bench.run(0);
      expect(shown(bench)).toContain(text);
    }
    core.responseFailed(device, id);
    bench.run(0);
    // Half of a token is in the place of the old one.
    expect(device.length[Field.ACCESS_TOKEN]).toBe(-1);
    expect(shown(bench)).not.toContain("Signed in");
  });

  it("wakeIn knows the moment of the warning that the session will end", () => {
    const bench = session([], { expires_in: 90_000, refresh_token_expires_in: 259_200 + 1000 });
    expect(shown(bench)).not.toContain("Sign in again soon");
    bench.pass(1000 * 1000);
    const before = session([], { expires_in: 90_000, refresh_token_expires_in: 259_200 + 1000 });
    for (let i = 0; i < 100 && !shown(before).includes("Sign in again soon"); i++) {
      const wake = before.core.wakeIn(before.device);
      before.nowMs += wake;
      before.run(wake);
    }
    expect(before.device.refreshLifeS).toBe(259_199);
  });
});

describe("SPEC The loop: a range stays as it is until the command is done", () => {
  it("the event that is being verified, although the user signs out: ABORT comes first", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED))]);
    bench.verifyHangs = true;
    const { core, device } = bench;
    core.pollEvents(device);
    bench.pass(0);
    const [jws] = bench.verified;
    const at = device.data;
    core.signOut(device);
    expect(bench.range(at, jws!.length)).toBe(jws);
    expect(core.tick(device, 0)).toBe(2);
    expect(device.callState).toBe(CallState.DONE);
    expect(core.tick(device, 0)).toBe(5);
  });

  it("a verification that ends late says nothing of the next event", () => {
    const bench = session([delivery(claims(ACCOUNT_DISABLED, {}, "first"))]);
    bench.verifyHangs = true;
    const { core, device } = bench;
    core.pollEvents(device);
    bench.pass(0);
    const late = device.requestId;
    core.signOut(device);
    bench.answers = [json(200, {}), code(), tokens()];
    bench.pass(1000);
    core.signIn(device);
    bench.pass(10_000);
    expect(device.state).toBe(State.SIGNED_IN);
    bench.answers = [delivery(claims(ACCOUNT_DISABLED, {}, "forged"))];
    core.pollEvents(device);
    bench.pass(0);
    expect(bench.verified).toHaveLength(2);
    core.eventVerified(device, late, 1);
    expect(device.callState).toBe(CallState.VERIFYING);
    core.eventVerified(device, device.requestId, 0);
    bench.pass(1000);
    expect(device.state).toBe(State.SIGNED_IN);
  });

  it("the body of a request that was given up, until ABORT has been given", () => {
    const bench = session(["hang"], { expires_in: 60 });
    bench.pass(61_000);
    const { core, device } = bench;
    const body = bench.range(device.body, device.bodyLength);
    expect(body).toContain("refresh_token=");
    core.signOut(device);
    expect(bench.range(device.body, device.bodyLength)).toBe(body);
    expect(core.tick(device, 0)).toBe(2);
  });
});

describe("SPEC Functions: the user while the device starts", () => {
  it("who takes signIn back is not asked for a code", () => {
    const bench = new Bench([], { autoStart: 0, storageHangs: true });
    bench.core.signIn(bench.device);
    bench.core.cancel(bench.device);
    bench.storageHangs = false;
    for (let i = 0; i < 4; i++) {
      bench.core.storageDone(bench.device, 0);
      bench.run(0);
    }
    bench.pass(10_000);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect(bench.sent).toHaveLength(0);
  });
});

describe("SPEC Regions: a place that two values take turns in", () => {
  it("the device code is given up with its state, and the refresh token comes whole", () => {
    const { capacity } = session().device;
    const refresh_token = "r".repeat(capacity[Field.RECEIVED_REFRESH_TOKEN]!);
    const device_code = "d".repeat(capacity[Field.DEVICE_CODE]!);
    const bench = new Bench([code({ device_code }), tokens({ refresh_token })]);
    bench.until(2);
    expect(bench.sent[1]!.body).toContain(`device_code=${device_code}&`.slice(0, -1));
    expect(bench.text(Region.REFRESH_TOKEN)).toBe(refresh_token);
    expect(bench.device.length[Field.DEVICE_CODE]).toBe(-1);
    expect(bench.device.length[Field.USER_CODE]).toBe(-1);
  });
});
