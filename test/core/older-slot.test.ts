// What lies in the slots beside the newest record (SPEC.md, Records): nothing that is spent, nothing under a name that
// another server could have, whenever the power is cut.

import { describe, expect, it } from "vitest";
import { type Config, Region, State } from "../../core/complete.ts";
import { Bench, code, config, error, tokens } from "./bench.ts";
import { Kind, recordOf } from "./record-bytes.ts";

const NONE = new Uint8Array();
const SPENT = "a-device-code-that-is-spent";
const ORIGIN = "https://auth.test";
const TENANT_A = `${ORIGIN}/a/token`;
const TENANT_B = `${ORIGIN}/b/token`;

const textOf = (slots: readonly Uint8Array[]): string =>
  slots.map((slot) => Buffer.from(slot).toString("latin1")).join("|");

/** A device, and what lay in its slots after each storage command: so it is where the power is cut then. */
function momentsOf(settings: Partial<Config>, answers: Bench["answers"], first: Uint8Array[]) {
  const moments: Uint8Array[][] = [];
  const slots = new Proxy([...first], {
    set(into, place, bytes: Uint8Array): boolean {
      into[Number(place)] = bytes;
      moments.push([...into]);
      return true;
    },
  });
  return { bench: new Bench(answers, { ...settings, slots }), moments };
}

describe("a spent device code does not stay (RFC 8628 §5.2)", () => {
  const sharp = { device_code: SPENT };

  it.each([["refresh"], [undefined]])("signed in with refresh token %s: it is gone", (refresh) => {
    const bench = new Bench([code(sharp), tokens({ refresh_token: refresh })]);
    bench.until(2);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    expect(textOf(bench.slots)).not.toContain(SPENT);
    // An erasure is no write: a code and its tokens are still two records.
    expect(bench.writes).toBe(2);
  });

  it("a code that another took the place of is gone as well", () => {
    const bench = new Bench([code(sharp), error(400, "expired_token"), code()]);
    bench.until(3);
    bench.pass(0);
    expect(bench.device.state).toBe(State.PENDING);
    expect(textOf(bench.slots)).not.toContain(SPENT);
  });

  it("at every power cut: the next start goes on, and once it is signed in the code is gone", () => {
    const { bench, moments } = momentsOf({}, [code(sharp), tokens()], [NONE, NONE]);
    bench.until(2);
    bench.pass(0);
    let withBoth = 0;
    for (const slots of moments) {
      const text = textOf(slots);
      if (text.includes(SPENT) && text.includes("refresh")) withBoth++;
      const found = text.includes("refresh");
      const after = new Bench([], { slots: slots.map((slot) => slot.slice()), autoStart: 0 });
      after.pass(0);
      if (!found) continue;
      expect(after.device.state).toBe(State.REFRESHING);
      expect(after.text(Region.REFRESH_TOKEN)).toBe("refresh");
      expect(textOf(after.slots)).not.toContain(SPENT);
    }
    // The moment between writing and erasing was among them.
    expect(withBoth).toBeGreaterThan(0);
  });

  it("the refresh token before the present one stays: it is tried where the newer is refused", () => {
    const again = tokens({ refresh_token: "second", expires_in: 3600 });
    const bench = new Bench([code(), tokens({ expires_in: 60 }), again]);
    bench.until(3);
    bench.pass(0);
    expect(textOf(bench.slots)).toContain("second");
    expect(textOf(bench.slots)).toContain("refresh");
  });

  it("signing out leaves no record of the session beside that of the token to revoke: it would come back to life", () => {
    const bench = new Bench([code(), tokens({ expires_in: 60, refresh_token: "first-one" })]);
    bench.until(2);
    bench.answers = [tokens({ refresh_token: "second-one" })];
    bench.pass(61_000);
    expect(textOf(bench.slots)).toContain("first-one");
    bench.answers = ["hang"];
    bench.core.signOut(bench.device);
    bench.pass(0);
    expect(bench.device.state).toBe(State.REVOKING);
    expect(bench.slots.filter((slot) => slot.length > 0)).toHaveLength(1);
    expect(textOf(bench.slots)).toContain("second-one");
  });

  it("a slot that cannot be read at the start is not erased then: it may hold the newer", () => {
    const newest = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 6, values: ["here"] });
    const bench = new Bench([], { autoStart: 0, storageHangs: true });
    // A read that fails is tried again, with waits between the tries.
    for (let seconds = 0; bench.device.state === State.STARTING; seconds++) {
      if (seconds > 60) throw new Error("no end of starting");
      if (bench.device.slot === 0) bench.memory.set(newest, bench.device.data);
      bench.core.storageDone(bench.device, bench.device.slot === 0 ? newest.length : -1);
      bench.pass(1000);
    }
    bench.storageHangs = false;
    bench.pass(0);
    expect(bench.device.state).toBe(State.REFRESHING);
    expect(bench.erases).toBe(0);
  });
});

describe("tenants of one origin do not share records (RFC 9700 §4.4)", () => {
  const of = (token: string) => ({ server: token, formerServer: ORIGIN, autoStart: 0 });
  const start = (slots: Uint8Array[], settings: Partial<Config>): Bench => {
    const bench = new Bench([], { ...settings, slots: slots.map((slot) => slot.slice()) });
    bench.pass(0);
    return bench;
  };
  const signedIn = (settings: Partial<Config>): Uint8Array[] => {
    const bench = new Bench([code(), tokens()], { ...settings, autoStart: 1 });
    bench.until(2);
    bench.pass(0);
    expect(bench.device.state).toBe(State.SIGNED_IN);
    return bench.slots;
  };

  it("what was stored for the one is nothing for the other", () => {
    const slots = signedIn(of(TENANT_A));
    expect(start(slots, of(TENANT_B)).device.state).toBe(State.SIGNED_OUT);
    expect(start(slots, of(TENANT_A)).device.state).toBe(State.REFRESHING);
  });

  it.each([
    ["a code", Kind.CODE, ["dc", "ABCD", "https://x", undefined], State.PENDING],
    ["an access token", Kind.ACCESS_TOKEN, ["kept"], State.SIGNED_IN],
    ["a refresh token", Kind.REFRESH_TOKEN, ["kept"], State.REFRESHING],
    ["an end of a session", Kind.REVOCATION, ["kept"], State.REVOKING],
  ])("an update keeps %s, which no other tenant finds from then on", (_, kind, values, state) => {
    for (const other of ["nothing", "an older one"] as const) {
      const older = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 6, values: ["older"] }, ORIGIN);
      const newer = recordOf({ kind, sequence: 7, values }, ORIGIN);
      for (const order of [0, 1]) {
        const slots = [newer, other === "nothing" ? NONE : older];
        const bench = start(order ? slots.reverse() : slots, of(TENANT_A));
        expect(bench.device.state).toBe(state);
        expect(bench.writes).toBe(1);
        expect([bench.device.notSaved, bench.device.notErased]).toEqual([0, 0]);
        expect(start(bench.slots, of(TENANT_B)).device.state).toBe(State.SIGNED_OUT);
        expect(start(bench.slots, of(TENANT_A)).device.state).toBe(state);
        expect(start(bench.slots, { server: ORIGIN, autoStart: 0 }).device.state).toBe(
          State.SIGNED_OUT,
        );
        // Written once: what has its name is left alone.
        expect(start(bench.slots, of(TENANT_A)).writes).toBe(0);
      }
    }
  });

  it("at every power cut of the update the session is there, and its start ends it", () => {
    const older = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 6, values: ["older"] }, ORIGIN);
    const newer = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 7, values: ["kept"] }, ORIGIN);
    const { moments } = momentsOf(of(TENANT_A), [], [older, newer]);
    // Written, and then the older erased.
    expect(moments).toHaveLength(2);
    for (const slots of moments) {
      const after = start(slots, of(TENANT_A));
      expect(after.device.state).toBe(State.REFRESHING);
      expect(after.text(Region.REFRESH_TOKEN)).toBe("kept");
      expect(start(after.slots, of(TENANT_B)).device.state).toBe(State.SIGNED_OUT);
    }
  });

  it("a torn write of the update leaves what was there", () => {
    const newer = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 7, values: ["kept"] }, ORIGIN);
    const { moments } = momentsOf(of(TENANT_A), [], [NONE, newer]);
    const written = moments.find(([first]) => first!.length > 0)![0]!;
    for (let size = 1; size < written.length; size++) {
      const after = start([written.slice(0, size), newer], of(TENANT_A));
      expect(after.text(Region.REFRESH_TOKEN)).toBe("kept");
      expect(start(after.slots, of(TENANT_B)).device.state).toBe(State.SIGNED_OUT);
    }
  });

  it("without a former name nothing is found under one", () => {
    const record = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 7, values: ["kept"] }, ORIGIN);
    for (const formerServer of [undefined, ""]) {
      const settings = {
        server: TENANT_A,
        autoStart: 0,
        ...(formerServer === "" && { formerServer }),
      };
      expect(start([record, NONE], settings).device.state).toBe(State.SIGNED_OUT);
    }
  });

  it("signing out while the records are read ends a session under the former name, too", () => {
    const record = recordOf({ kind: Kind.REFRESH_TOKEN, sequence: 7, values: ["kept"] }, ORIGIN);
    const bench = new Bench([], {
      ...of(TENANT_A),
      slots: [record, NONE],
      storageHangs: true,
    });
    bench.core.signOut(bench.device);
    bench.storageHangs = false;
    bench.memory.set(record, bench.device.data);
    bench.core.storageDone(bench.device, record.length);
    bench.pass(0);
    expect(bench.device.state).toBe(State.REVOKING);
    expect(start(bench.slots, of(TENANT_B)).device.state).toBe(State.SIGNED_OUT);
    expect(start(bench.slots, of(TENANT_A)).device.state).toBe(State.REVOKING);
  });

  it("the name of the client counts with both", () => {
    const record = recordOf(
      { kind: Kind.REFRESH_TOKEN, sequence: 7, values: ["kept"], clientId: `${config.clientId}2` },
      ORIGIN,
    );
    expect(start([record, NONE], of(TENANT_A)).device.state).toBe(State.SIGNED_OUT);
  });
});
