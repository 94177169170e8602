// Both slots of a device in one value of a program's (platform/session/value-storage.ts): what is kept, and what is said
// where it cannot be.

import { describe, expect, it } from "vitest";
import { ValueSlots, type ValueStorage } from "../../platform/session/value-storage.ts";
// @ts-expect-error An example is plain JavaScript.
import { memory } from "../../targets/examples/own-storage.mjs";

const bytes = Uint8Array.of(1, 2, 255, 0);
const write = (slots: ValueSlots, slot: number, what: Uint8Array = bytes): Promise<boolean> =>
  new Promise((done) => slots.write(slot, what, 0, what.length, done));
const read = (slots: ValueSlots, slot: number, room = 8): Promise<number> =>
  new Promise((done) => slots.read(slot, new Uint8Array(room), 0, room, done));
const erase = (slots: ValueSlots, slot: number): Promise<boolean> =>
  new Promise((done) => slots.erase(slot, done));

describe("what is kept", () => {
  it("is one line of printable ASCII: the format's name, and each slot in base64", async () => {
    const place = memory();
    const slots = new ValueSlots(place);
    expect(await write(slots, 0)).toBe(true);
    expect(place.load()).toBe("picogrant 1 AQL/AA== ");
    expect(await write(slots, 1, Uint8Array.of(7))).toBe(true);
    expect(place.load()).toBe("picogrant 1 AQL/AA== Bw==");
    expect(await erase(slots, 0)).toBe(true);
    expect(place.load()).toBe("picogrant 1  Bw==");
    expect(slots.lastFailure).toBe("");
  });

  it("is erased as a whole with the last of the two", async () => {
    const done: string[] = [];
    const place: ValueStorage = {
      load: () => Promise.resolve("picogrant 1 AA== "),
      save: (value) => Promise.resolve(done.push(value)),
      erase: () => Promise.resolve(done.push("erased")),
    };
    expect(await erase(new ValueSlots(place), 0)).toBe(true);
    expect(done).toEqual(["erased"]);
  });

  it("is a part of what was given, and comes back where it is wanted", async () => {
    const slots = new ValueSlots(memory());
    await new Promise((done) => slots.write(1, bytes, 1, 3, done));
    const into = new Uint8Array(6).fill(9);
    expect(await new Promise((done) => slots.read(1, into, 2, 6, done))).toBe(2);
    expect([...into]).toEqual([9, 9, 2, 255, 9, 9]);
    expect(await new Promise((done) => slots.read(1, into, 4, 6, done))).toBe(2);
    expect(await new Promise((done) => slots.read(1, into, 5, 6, done))).toBe(-1);
  });

  it("is asked for once, and again where a save has failed: it may have happened", async () => {
    let loads = 0;
    let isBroken = false;
    let value = "";
    const place: ValueStorage = {
      load: () => {
        loads++;
        return Promise.resolve(value);
      },
      save: (given) => {
        value = given;
        return isBroken ? Promise.reject(new Error("late")) : Promise.resolve();
      },
      erase: () => Promise.resolve(),
    };
    const slots = new ValueSlots(place);
    await read(slots, 0);
    await write(slots, 0);
    expect([await read(slots, 0), loads]).toEqual([4, 1]);
    isBroken = true;
    expect(await write(slots, 1)).toBe(false);
    expect([await read(slots, 1), loads]).toEqual([4, 2]);
  });

  it.each([undefined, null, ""])("%j is no value: both slots are empty", async (nothing) => {
    const slots = new ValueSlots({ ...memory(), load: () => Promise.resolve(nothing) });
    expect([await read(slots, 0), await read(slots, 1)]).toEqual([0, 0]);
  });

  it("the largest record is one of 131,072 bytes", async () => {
    const slots = new ValueSlots(memory());
    expect(slots.capacity).toBe(131_072);
    expect(await write(slots, 0, new Uint8Array(131_072))).toBe(true);
    expect(await write(slots, 0, new Uint8Array(131_073))).toBe(false);
    expect(await read(slots, 0, 131_072)).toBe(131_072);
    const behind = new Uint8Array(131_080);
    expect(await new Promise((done) => slots.write(1, behind, 131_072, 131_080, done))).toBe(true);
  });

  it.each([-1, 2, 0.5])("there is no slot %d", (slot) => {
    const slots = new ValueSlots(memory());
    const problem = new RangeError(`storage: no slot ${slot}`);
    expect(() => slots.read(slot, bytes, 0, 4, () => {})).toThrow(problem);
    expect(() => slots.write(slot, bytes, 0, 4, () => {})).toThrow(problem);
    expect(() => slots.erase(slot, () => {})).toThrow(problem);
  });
});

describe("what goes wrong", () => {
  it("a value of something else is no record, and is not written over", async () => {
    const other = memory();
    for (const value of [
      "a password",
      "picogrant 1 AA",
      "picogrant 2 AA AA",
      "picogrant 1 ! A",
      "xpicogrant 1 A A",
      "picogrant 1 A A!",
    ]) {
      other.save(value);
      const slots = new ValueSlots(other);
      expect(await read(slots, 0)).toBe(-1);
      expect(await write(slots, 0)).toBe(false);
      expect(slots.lastFailure).toContain("own storage has failed: Error");
      expect(other.load()).toBe(value);
    }
    other.save("picogrant 1 A AAAA");
    expect([await read(new ValueSlots(other), 0), await read(new ValueSlots(other), 1)]).toEqual([
      -1, 3,
    ]);
    expect(await read(new ValueSlots(other), 1, 2)).toBe(-1);
  });

  it("functions that throw or reject have failed, and what they say is not repeated", async () => {
    const secret = "picogrant 1 c2VjcmV0";
    for (const fail of [
      () => {
        throw new TypeError(secret);
      },
      () => Promise.reject(Object.assign(new Error(secret), { code: "ECONNRESET" })),
      () => Promise.reject(secret),
      () => Promise.reject(undefined),
    ]) {
      const slots = new ValueSlots({ ...memory(), load: fail });
      expect([await read(slots, 0), await write(slots, 1)]).toEqual([-1, false]);
      expect(slots.lastFailure).toMatch(/: (TypeError|ECONNRESET|unknown reason)$/);
    }
  });

  it("a save that fails leaves what was there, in both slots", async () => {
    const place = memory();
    const slots = new ValueSlots(place);
    expect([await write(slots, 0), await write(slots, 1)]).toEqual([true, true]);
    const kept = place.load();
    const real = place.save;
    place.save = () => Promise.reject(new Error("no"));
    expect(await write(slots, 1)).toBe(false);
    expect(await erase(slots, 0)).toBe(false);
    place.save = real;
    expect(place.load()).toBe(kept);
    expect([await read(slots, 0), await read(slots, 1)]).toEqual([4, 4]);
    expect(await erase(slots, 0)).toBe(true);
    expect([await read(slots, 0), await read(slots, 1)]).toEqual([0, 4]);
  });

  it.each<[what: unknown, why: string]>([
    [new TypeError("secret"), "TypeError"],
    [{ code: "SQLITE_BUSY", name: "Error" }, "SQLITE_BUSY"],
    [{ code: 5, name: "Error" }, "5"],
    [{ code: "a value with a secret", name: "DatabaseError" }, "DatabaseError"],
    [{ code: "" }, "unknown reason"],
    [{ name: "x".repeat(60) }, "x".repeat(60)],
    [{ name: "x".repeat(61) }, "unknown reason"],
    [{ name: "secret!" }, "unknown reason"],
    [{ name: "!secret" }, "unknown reason"],
    [null, "unknown reason"],
  ])("%j is told by its name alone", async (thrown, why) => {
    const slots = new ValueSlots({ ...memory(), load: () => Promise.reject(thrown) });
    expect(await read(slots, 0)).toBe(-1);
    expect(slots.lastFailure).toBe(`the program's own storage has failed: ${why}`);
  });
});
