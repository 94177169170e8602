// What the user may ask for, in every state: the move that it makes, or that nothing happens at all.

import { describe, expect, it } from "vitest";
import { ErrorCode, Event, Field, State } from "../../core/complete.ts";
import { Bench, code, error, json, publicState, type Reaction, tokens } from "./bench.ts";

/** A device in each state; of tokens that the server refuses to refresh, before and after the user has asked. */
const situations: Record<string, () => Bench> = {
  STARTING: () => new Bench([], { autoStart: 0, storageHangs: true }),
  SIGNED_OUT: () => new Bench([], { autoStart: 0 }),
  REQUESTING: () => new Bench([]),
  PENDING: () => answered(1, [code()]),
  SIGNED_IN: () => answered(2, [code(), tokens()]),
  REFRESHING: () => answered(3, [code(), tokens(), "hang"]),
  REVOKING: () => {
    const bench = answered(2, [code(), tokens(), "hang"]);
    bench.core.signOut(bench.device);
    bench.run(0);
    return bench;
  },
  FAILED: () => answered(2, [code(), error(403, "access_denied")]),
  refused: () => refused(),
  "refused again": () => {
    const bench = refused();
    bench.core.signIn(bench.device);
    bench.run(0);
    return bench;
  },
  // What was refused once is no more, wherever the device has gone since.
  "REVOKING what was refused": () => signedOutOfRefused("hang"),
  "SIGNED_OUT of what was refused": () => signedOutOfRefused(json(200, {})),
};

function signedOutOfRefused(answer: Reaction): Bench {
  const bench = refused();
  bench.answers = [answer];
  bench.core.signOut(bench.device);
  bench.run(0);
  return bench;
}

function refused(): Bench {
  const bench = answered(2, [code(), tokens({ expires_in: 60 })]);
  bench.answers = Array(60).fill(error(401, "invalid_client"));
  bench.pass(20_000_000);
  return bench;
}

function answered(requests: number, answers: ConstructorParameters<typeof Bench>[0]): Bench {
  const bench = new Bench(answers);
  bench.until(requests);
  bench.run(0);
  return bench;
}

type Act = "signIn" | "cancel" | "signOut";
const { REQUESTING, SIGNED_OUT, REVOKING } = State;
/** Where signIn, cancel and signOut lead; null: nothing happens. */
const moves: [situation: string, signIn: State | null, cancel: State | null, out: State | null][] =
  [
    ["STARTING", null, null, null],
    ["SIGNED_OUT", REQUESTING, null, null],
    ["REQUESTING", REQUESTING, SIGNED_OUT, SIGNED_OUT],
    ["PENDING", REQUESTING, SIGNED_OUT, SIGNED_OUT],
    ["SIGNED_IN", null, null, REVOKING],
    ["REFRESHING", null, null, REVOKING],
    ["REVOKING", null, SIGNED_OUT, null],
    ["FAILED", REQUESTING, SIGNED_OUT, SIGNED_OUT],
    ["refused again", REQUESTING, SIGNED_OUT, REVOKING],
    ["REVOKING what was refused", null, SIGNED_OUT, null],
    ["SIGNED_OUT of what was refused", REQUESTING, null, null],
  ];
const cases = moves.flatMap(([situation, signIn, cancel, out]) => [
  { situation, act: "signIn" as Act, to: signIn },
  { situation, act: "cancel" as Act, to: cancel },
  { situation, act: "signOut" as Act, to: out },
]);

describe("SPEC States: what the user asks for", () => {
  it.each(cases.filter(({ to }) => to === null))("$act in $situation: nothing happens", (row) => {
    const bench = situations[row.situation]!();
    const before = publicState(bench);
    const sent = bench.sent.length;
    bench.core[row.act](bench.device);
    expect(publicState(bench)).toEqual(before);
    bench.run(0);
    expect(publicState(bench)).toEqual(before);
    expect(bench.sent).toHaveLength(sent);
    expect(bench.aborts).toBe(0);
  });

  it.each(cases.filter(({ to }) => to !== null))("$act in $situation: one move", (row) => {
    const bench = situations[row.situation]!();
    const before = bench.device.moves;
    bench.core[row.act](bench.device);
    expect(bench.device.moves).toBe(before + 1);
    expect(State[bench.device.state]).toBe(State[row.to!]);
    const event =
      row.act === "signIn" ? Event.SIGN_IN : row.to === SIGNED_OUT ? Event.CANCEL : Event.SIGN_OUT;
    expect(bench.device.event).toBe(event);
    expect(bench.core.wakeIn(bench.device)).toBe(0);
  });

  it("signIn while the records are being read asks for a code where there are none", () => {
    const bench = situations.STARTING!();
    bench.core.signIn(bench.device);
    bench.storageHangs = false;
    bench.answers = [code()];
    bench.core.storageDone(bench.device, 0);
    bench.pass(5000);
    expect(bench.device.state).toBe(State.PENDING);
  });

  it.each(["cancel", "signOut"] as const)(
    "%s while the records are being read asks for no code, and erases none",
    (act) => {
      const bench = situations.STARTING!();
      bench.core[act](bench.device);
      bench.storageHangs = false;
      bench.core.storageDone(bench.device, 0);
      bench.pass(60_000);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.sent).toHaveLength(0);
      expect(bench.writes).toBe(0);
    },
  );

  /** A device whose first record is being read, with what an earlier life has left. */
  function starting(before: Bench, settings: object = {}): Bench {
    return new Bench([], { slots: before.slots, storageHangs: true, ...settings });
  }

  /** Now the records are read. */
  function goOn(bench: Bench): void {
    bench.storageHangs = false;
    const record = bench.slots[bench.device.slot]!;
    bench.memory.set(record, bench.device.data);
    bench.core.storageDone(bench.device, record.length);
    bench.run(0);
  }

  it.each([{}, { refresh_token: undefined }])(
    "SPEC Functions: signOut is noted while the records are read: tokens %j are revoked",
    (members) => {
      const bench = starting(answered(2, [code(), tokens(members)]));
      bench.answers = [json(200, {})];
      bench.core.signOut(bench.device);
      goOn(bench);
      expect(bench.device.event).toBe(Event.REVOKED);
      expect(bench.sent[0]).toMatchObject({ endpoint: 2 });
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
      bench.pass(60_000);
      expect(bench.sent).toHaveLength(1);
    },
  );

  it("SPEC Functions: cancel is noted, too, and does not take signOut back", () => {
    const kept = starting(answered(2, [code(), tokens()]));
    kept.core.cancel(kept.device);
    goOn(kept);
    expect(kept.device.state).toBe(State.REFRESHING);
    const out = starting(answered(2, [code(), tokens()]));
    out.core.signOut(out.device);
    out.core.cancel(out.device);
    goOn(out);
    expect(out.device.state).toBe(State.REVOKING);
  });

  it.each(["cancel", "signOut"] as const)(
    "SPEC Functions: %s is noted while the record of a code is read: it is given up",
    (act) => {
      const bench = starting(answered(1, [code()]));
      bench.core[act](bench.device);
      goOn(bench);
      expect(bench.device.state).toBe(State.SIGNED_OUT);
      expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
      bench.pass(60_000);
      expect(bench.sent).toHaveLength(0);
    },
  );

  it("SPEC Functions: signIn behind cancel gives up the code of the record for a new one", () => {
    const bench = starting(answered(1, [code()]), { autoStart: 0 });
    bench.answers = [code({ user_code: "NEW" })];
    bench.core.cancel(bench.device);
    bench.core.signIn(bench.device);
    goOn(bench);
    expect(bench.text(Field.USER_CODE)).toBe("NEW");
  });

  it("SPEC Functions: where nothing is found, signIn behind signOut asks for a code", () => {
    const bench = situations.STARTING!();
    bench.core.signOut(bench.device);
    bench.core.signIn(bench.device);
    bench.answers = [code()];
    goOn(bench);
    // There is nothing to be signed out of: one move, and the wait of a start.
    expect([bench.device.moves, bench.device.state]).toEqual([1, State.REQUESTING]);
    bench.pass(5000);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.aborts).toBe(0);
  });

  it("SPEC Records: what cancel wipes is wiped, though signIn follows and the first try fails", () => {
    const bench = situations.PENDING!();
    const { core, device } = bench;
    bench.answers = ["hang"];
    bench.storageHangs = true;
    core.cancel(device);
    bench.run(0);
    core.signIn(device);
    bench.storageHangs = false;
    core.storageDone(device, 0);
    bench.pass(1000);
    expect(device.state).toBe(State.REQUESTING);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it("SPEC Records: a code that was given up is not written at a second try", () => {
    const bench = new Bench([code(), "hang"]);
    const { core, device } = bench;
    bench.storageHangs = true;
    bench.until(1);
    expect(device.state).toBe(State.PENDING);
    core.signIn(device);
    bench.storageHangs = false;
    core.storageDone(device, 0);
    bench.pass(1000);
    expect(bench.sent).toHaveLength(2);
    expect(bench.writes).toBe(0);
  });

  it.each(["PENDING", "FAILED"])("cancel in %s wipes storage", (situation) => {
    const bench = situations[situation]!();
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });

  it.each(["cancel", "signIn"] as const)("%s ends the request under way, once", (act) => {
    const bench = new Bench(["hang", code()]);
    bench.until(1);
    bench.core[act](bench.device);
    bench.run(0);
    expect(bench.aborts).toBe(1);
    bench.run(0);
    expect(bench.aborts).toBe(1);
  });

  it("where the refresh is refused, signIn tries the same tokens again at once", () => {
    const bench = situations.refused!();
    expect(bench.device.error).toBe(ErrorCode.INVALID_CLIENT);
    bench.answers = [tokens({ access_token: "again" })];
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.sent.at(-1)!.body).toContain("refresh_token=refresh");
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("again");
  });

  it.each(["refused", "refused again"])(
    "where the refresh is %s, signOut revokes the tokens",
    (situation) => {
      const bench = situations[situation]!();
      bench.answers = [json(200, {})];
      bench.core.signOut(bench.device);
      bench.run(0);
      expect(bench.sent.at(-1)).toMatchObject({ endpoint: 2, target: "?token=refresh" });
      expect(bench.device.state).toBe(State.SIGNED_OUT);
    },
  );

  it("signIn gives the device its renewals back", () => {
    const bench = new Bench([], { autoStart: 0, renewalsMax: 1 });
    const expired = code({ expires_in: 0 });
    for (const round of [1, 2]) {
      bench.answers = [expired, null, expired, null];
      bench.core.signIn(bench.device);
      bench.pass(60_000);
      expect(bench.device.error).toBe(ErrorCode.RENEWALS_EXHAUSTED);
      expect(bench.sent).toHaveLength(4 * round);
    }
  });
});

describe("what belongs to one session does not show in the next", () => {
  it("the application's line", () => {
    const bench = situations.SIGNED_IN!();
    const line = new TextEncoder().encode("XYZ playing");
    bench.core.setStatus(bench.device, line, 0, line.length);
    bench.run(0);
    expect(bench.frame().join("")).toContain("XYZ playing");
    bench.answers = [json(200, {}), code(), tokens()];
    bench.core.signOut(bench.device);
    bench.run(0);
    bench.core.signIn(bench.device);
    bench.pass(10_000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.frame().join("").trim()).toBe("Signed in");
  });

  it("its tokens, where the next has no refresh token", () => {
    const bench = situations.SIGNED_IN!();
    bench.answers = [json(200, {}), code(), tokens({ refresh_token: undefined })];
    bench.core.signOut(bench.device);
    bench.run(0);
    bench.core.signIn(bench.device);
    bench.pass(10_000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    // Nothing to renew it with: it lives its whole time, and then the session ends.
    bench.pass(3_580_000);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    bench.pass(20_000);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });
});

describe("RFC 6750 §3.1: the application's own request was answered 401", () => {
  it("the access token is renewed before anything else, and the display says so", () => {
    const bench = answered(2, [code(), tokens(), tokens({ access_token: "fresh" })]);
    bench.core.accessTokenRefused(bench.device);
    bench.run(0);
    expect(bench.sent.at(-1)?.body).toContain("grant_type=refresh_token");
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(bench.text(Field.ACCESS_TOKEN)).toBe("fresh");
  });

  it("without a refresh token the session ends", () => {
    const bench = answered(2, [code(), tokens({ refresh_token: undefined })]);
    bench.core.accessTokenRefused(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.SESSION_ENDED);
  });

  it("while a call is under way the refresh waits for its answer", () => {
    const bench = answered(2, [code(), tokens(), "hang"]);
    bench.core.beginCall(bench.device);
    bench.core.sendCall(bench.device, 5, 1, null, 0, 0);
    bench.run(0);
    bench.core.accessTokenRefused(bench.device);
    bench.run(0);
    expect(bench.sent).toHaveLength(3);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    // The range that SEND has promised stays until the exchange ends.
    expect(bench.text(Field.ACCESS_TOKEN)).not.toBe("");
  });

  const idle = Object.keys(situations).filter((name) => name !== "SIGNED_IN");
  it.each(idle)("in %s nothing happens", (name) => {
    const bench = situations[name]!();
    const before = publicState(bench);
    bench.core.accessTokenRefused(bench.device);
    expect(publicState(bench)).toEqual(before);
  });
});
