// Proof Key for Code Exchange (RFC 7636) with the device grant: a challenge in the request for a code, the verifier in
// each poll. The host makes both when the core asks for them.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ConfigMember, configError, ErrorCode, Region, State } from "../../core/index.ts";
import { type Answer, Bench, code, config, error, type Reaction, tokens } from "./bench.ts";
import { fieldsOf } from "./record-bytes.ts";
import { fields, polls } from "./session.ts";

const ALWAYS = { pkce: 1 };
/** RFC 7636 Appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

const s256 = (verifier: string): string =>
  createHash("sha256").update(verifier).digest("base64url");
const challenges = (bench: Bench): (string | undefined)[] =>
  bench.sent.filter(({ endpoint }) => endpoint === 0).map((sent) => fields(sent).code_challenge);
const verifiers = (bench: Bench): (string | undefined)[] =>
  polls(bench).map((sent) => fields(sent).code_verifier);

function pending(answers: Reaction[] = [], settings: object = {}): Bench {
  const bench = new Bench([code(), ...answers], { ...ALWAYS, ...settings });
  bench.until(1);
  bench.run(0);
  expect(bench.device.state).toBe(State.PENDING);
  return bench;
}

/** The verifier that lies in the memory, or what is left of it: bytes that are not 0. */
function bytesLeft(bench: Bench): number {
  const at = bench.device.start[Region.CODE_VERIFIER]!;
  return bench.memory.slice(at, at + 43).filter((byte) => byte !== 0).length;
}

describe("SPEC Records: CHALLENGE ends as storage does, and stores nothing", () => {
  it.each([1, 0, -1])("so behind its result %i there is nothing to erase", (challengeResult) => {
    const bench = new Bench(["hang"], { ...ALWAYS, challengeResult });
    bench.pass(10_000);
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.SIGNED_OUT);
    expect([bench.writes, bench.erases]).toEqual([0, 0]);
  });

  it("and a job that came meanwhile has all of its tries", () => {
    const bench = pending();
    bench.challengeHangs = true;
    bench.core.signIn(bench.device);
    bench.run(0);
    bench.core.cancel(bench.device);
    bench.storageFails = true;
    bench.makeChallenge();
    bench.run(0);
    // Of the one slot that is used.
    expect(bench.device.notErased).toBe(1);
    bench.storageFails = false;
    bench.pass(61_000);
    expect(bench.device.notErased).toBe(0);
    expect(bench.slots.every((slot) => slot.length === 0)).toBe(true);
  });
});

describe("RFC 7636 §4.3, §4.5: what is sent", () => {
  it("Appendix B: the challenge with the request, the verifier with each poll", () => {
    const bench = new Bench([], ALWAYS);
    bench.challengeHangs = true;
    bench.pass(10_000);
    expect(bench.sent).toEqual([]);
    bench.challengeHangs = false;
    bench.answers = [code(), error(400, "authorization_pending"), tokens()];
    bench.makeChallenge(VERIFIER);
    bench.until(3);
    const { body } = bench.sent[0]!;
    const parameters = `code_challenge_method=S256&code_challenge=${CHALLENGE}`;
    expect(body).toBe(`${parameters}&scope=email&client_id=printer`);
    expect(verifiers(bench)).toEqual([VERIFIER, VERIFIER]);
    expect(polls(bench)[0]!.body).toBe(
      `client_id=printer&client_secret=secret&code_verifier=${VERIFIER}` +
        "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc",
    );
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("never unasked: without the setting no host is asked, and nothing is sent", () => {
    for (const settings of [{}, { pkce: 0 }]) {
      const bench = new Bench([code(), tokens()], settings);
      bench.until(2);
      expect(bench.verifiers).toEqual([]);
      expect(challenges(bench)).toEqual([undefined]);
      expect(verifiers(bench)).toEqual([undefined]);
    }
  });

  it("a host that says that none are wanted is asked once for each request", () => {
    const bench = pending([tokens()], { challengeResult: 0 });
    bench.until(2);
    expect(challenges(bench)).toEqual([undefined]);
    expect(verifiers(bench)).toEqual([undefined]);
    expect(bench.device.state).toBe(State.SIGNED_IN);
  });

  it("no refresh and no revocation has a verifier", () => {
    const bench = pending([tokens(), tokens(), { status: 200, body: "" }]);
    bench.until(3);
    bench.core.signOut(bench.device);
    bench.until(4);
    for (const { body } of bench.sent.slice(2)) expect(body).not.toContain("code_verifier");
  });

  it.each([0, 1, 2, 3])(
    "with client authentication %i the request is whole behind it",
    (method) => {
      const settings = { clientAuthentication: method };
      const plain = new Bench([], settings);
      const bench = new Bench([], { ...settings, ...ALWAYS });
      plain.until(1);
      bench.until(1);
      const { body } = bench.sent[0]!;
      const parameters = `code_challenge_method=S256&code_challenge=${s256(bench.verifiers[0]!)}&`;
      expect(body).toBe(parameters + plain.sent[0]!.body);
    },
  );
});

describe("RFC 7636 §7.1: a verifier of its own for each code", () => {
  it.each<[string, Reaction[]]>([
    ["failed", [null]],
    ["was refused for now", [error(503, "busy")]],
    ["brought no code", [{ status: 200, body: "{}" }]],
    ["brought one that has run out", [code(), error(400, "expired_token")]],
  ])("also where the request before it %s", (_, before) => {
    const bench = new Bench([...before, code()], ALWAYS);
    for (let i = 0; challenges(bench).length < 2 && i < 1000; i++) bench.pass(1000);
    expect(bench.verifiers).toHaveLength(2);
    expect(new Set(bench.verifiers).size).toBe(2);
    expect(challenges(bench)).toEqual(bench.verifiers.map(s256));
    bench.pass(10_000);
    expect(verifiers(bench).at(-1)).toBe(bench.verifiers[1]);
  });

  it("a user who asks for another code has one with another verifier", () => {
    const bench = pending();
    bench.core.signIn(bench.device);
    bench.answers = [code()];
    bench.pass(10_000);
    expect(challenges(bench)).toEqual(bench.verifiers.map(s256));
    expect(new Set(bench.verifiers).size).toBe(2);
    expect(verifiers(bench).at(-1)).toBe(bench.verifiers[1]);
  });
});

describe("SPEC CHALLENGE", () => {
  it("a host that cannot make them: the device fails, says so, and sends nothing", () => {
    const bench = new Bench([], { ...ALWAYS, challengeResult: -1 });
    bench.pass(200_000);
    expect(bench.device.state).toBe(State.FAILED);
    expect(bench.device.error).toBe(ErrorCode.NO_CODE_CHALLENGE);
    expect(bench.frame().join(" ")).toContain("Wrong setup");
    expect(bench.sent).toEqual([]);
    bench.challengeResult = 1;
    bench.core.signIn(bench.device);
    bench.until(1);
    expect(challenges(bench)).toEqual([s256(bench.verifiers[0]!)]);
  });

  it.each([
    ["cancels", State.SIGNED_OUT, 0],
    ["cancels and signs in", State.REQUESTING, 1],
  ])("the user %s while the host is at it", (_, state, requests) => {
    const bench = new Bench([code()], ALWAYS);
    bench.challengeHangs = true;
    bench.pass(10_000);
    bench.core.cancel(bench.device);
    if (requests) bench.core.signIn(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(state);
    expect(bench.sent).toEqual([]);
    bench.makeChallenge(VERIFIER);
    bench.challengeHangs = false;
    bench.pass(2000);
    expect(bench.sent).toHaveLength(requests);
    if (requests) expect(challenges(bench)).toEqual([CHALLENGE]);
    else expect(bytesLeft(bench)).toBe(0);
  });

  it("what is to be erased when the user cancels meanwhile is tried three times", () => {
    const strange = [Uint8Array.of(1, 2, 3), new Uint8Array()];
    const bench = new Bench([], { ...ALWAYS, slots: strange });
    bench.challengeHangs = bench.erasesFail = true;
    bench.pass(10_000);
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.erases).toBe(0);
    bench.makeChallenge();
    bench.run(0);
    expect(bench.erases).toBe(3);
  });

  it("the setting is 0 or 1", () => {
    for (const pkce of [0, 1, undefined]) {
      expect(configError({ ...config, ...(pkce === undefined ? {} : { pkce }) })).toBe(0);
    }
    for (const pkce of [2, -1, 0.5, "S256", true, null]) {
      const wrong = { ...config, pkce: pkce as number };
      expect(configError(wrong), String(pkce)).toBe(ConfigMember.PKCE);
    }
  });
});

describe("SPEC Records: a code's verifier", () => {
  const restarted = (slots: Uint8Array[], settings: object = ALWAYS): Bench => {
    const bench = new Bench([tokens()], { slots: slots.map((slot) => slot.slice()), ...settings });
    bench.pass(30_000);
    return bench;
  };

  it("is kept over a restart, and lies behind the addresses", () => {
    const before = pending();
    const record = before.slots.find((slot) => slot.length > 0)!;
    expect(fieldsOf(record).values.slice(4)).toEqual(before.verifiers);
    const after = restarted(before.slots);
    expect(challenges(after)).toEqual([]);
    expect(verifiers(after)).toEqual(before.verifiers);
    expect(after.device.state).toBe(State.SIGNED_IN);
  });

  it("without one a record is what it was before there were any, and is read by every setting", () => {
    const without = new Bench([code()]);
    without.until(1);
    without.run(0);
    const unwanted = pending([], { challengeResult: 0 });
    expect(unwanted.slots).toEqual(without.slots);
    for (const settings of [{}, ALWAYS]) {
      const after = restarted(without.slots, settings);
      expect(verifiers(after)).toEqual([undefined]);
      expect(after.device.state).toBe(State.SIGNED_IN);
    }
  });

  it("a device without the setting drops the code, since it could not prove it", () => {
    const after = restarted(pending().slots, { autoStart: 0 });
    expect(after.device.state).toBe(State.SIGNED_OUT);
    expect(after.sent).toEqual([]);
  });

  it("cut anywhere, the record is none, and another code comes with a verifier of its own", () => {
    const before = pending();
    const at = before.slots.findIndex((slot) => slot.length > 0);
    const record = before.slots[at]!;
    for (let size = 0; size < record.length; size++) {
      const slots = [new Uint8Array(), new Uint8Array()];
      slots[at] = record.slice(0, size);
      const after = new Bench([code()], { slots, ...ALWAYS });
      after.pass(30_000);
      expect(challenges(after), String(size)).toEqual(after.verifiers.map(s256));
      expect(after.verifiers).toHaveLength(1);
      expect(verifiers(after)).not.toContain(before.verifiers[0]);
    }
  });

  it("a newer record without one: the verifier of the older code is not its own", () => {
    const [slot] = pending().slots as [Uint8Array];
    // The record of another program, in the other slot: it knows of no verifiers.
    const other = new Bench([code({ device_code: "newer" })], {
      slots: [slot.slice(), new Uint8Array()],
    });
    other.erasesFail = true;
    other.until(1);
    other.run(0);
    const after = restarted(other.slots);
    expect(fields(polls(after)[0]!).device_code).toBe("newer");
    expect(verifiers(after)).toEqual([undefined]);
  });
});

describe("SPEC Regions: a verifier that is of no use any more is overwritten", () => {
  it.each<[string, Answer[], (bench: Bench) => void]>([
    ["there is a session", [tokens()], (bench) => bench.until(2)],
    ["the user cancels", [], (bench) => bench.core.cancel(bench.device)],
    ["the user refuses", [error(403, "access_denied")], (bench) => bench.until(2)],
  ])("once %s", (_, answers, end) => {
    const bench = pending(answers);
    expect(bytesLeft(bench)).toBe(43);
    end(bench);
    bench.run(0);
    expect(bytesLeft(bench)).toBe(0);
  });
});
