// What a record needs room for, and what becomes of one that does not fit.

import { describe, expect, it } from "vitest";
import * as core from "../../core/complete.ts";
import { Field, Region, State } from "../../core/complete.ts";
import { Bench, code, config, error, tokens } from "./bench.ts";
import { EMPTY, found, present, token } from "./made-records.ts";
import { fieldsOf, Kind, recordOf } from "./record-bytes.ts";
import { makeCore, scarce } from "./subject.ts";

describe("SPEC Records: room", () => {
  it("a token may fill its region; a longer one, from a device with more memory, is none", () => {
    const room = found([EMPTY, EMPTY]).device.capacity[Field.RECEIVED_REFRESH_TOKEN]!;
    const full = found([token("v".repeat(room), 1), EMPTY]);
    expect(present(full)).toBe("v".repeat(room));
    const over = found([token("v".repeat(room + 1), 1), EMPTY]);
    expect(over.device.state).toBe(State.SIGNED_OUT);
    expect(over.device.length[Region.REFRESH_TOKEN]).toBe(-1);
  });

  it.each([0, 1, 2, 3, 4, 15, 16, 19, 20])("%i bytes of a record are none", (size) => {
    const { length } = recordOf({ kind: Kind.REFRESH_TOKEN, values: [undefined] });
    expect(length).toBe(21);
    const whole = recordOf({ kind: Kind.REFRESH_TOKEN });
    expect(found([whole.slice(0, size), EMPTY]).device.state).toBe(State.SIGNED_OUT);
    const bench = found([whole, EMPTY]);
    expect(bench.device.state).toBe(State.REFRESHING);
  });

  it("a value that claims to be longer than the record is none", () => {
    for (const length of [0, 1, 7, 9, 14, 300, 0xffff]) {
      const record = recordOf({ kind: Kind.REFRESH_TOKEN, values: ["token"] });
      const forged = recordOf({ kind: Kind.REFRESH_TOKEN, values: ["token"] });
      forged[16] = length >> 8;
      forged[17] = length & 255;
      expect(found([forged, EMPTY]).device.state).toBe(State.SIGNED_OUT);
      expect(found([record, EMPTY]).device.state).toBe(State.REFRESHING);
    }
  });

  it("a record that does not fit leaves the session in memory, and says so", () => {
    const most = (field: number): number =>
      new Bench([], { autoStart: 0, memoryBytes: scarce(2377) }).device.capacity[field]!;
    const values = {
      device_code: "d".repeat(most(Field.DEVICE_CODE)),
      verification_url: `https://${"v".repeat(120)}`,
      verification_uri_complete: `https://${"c".repeat(168)}`,
    };
    // The header, four lengths and the checksum beside them.
    const size = values.device_code.length + 128 + 176 + "ABCD-EFGH".length + 27;
    expect(size).toBeGreaterThan(most(Region.OUTPUT));
    const bench = new Bench([code(values)], { autoStart: 0, memoryBytes: scarce(2377) });
    bench.core.signIn(bench.device);
    bench.run(0);
    expect(bench.device.state).toBe(State.PENDING);
    expect(bench.device.notSaved).toBe(1);
    expect(bench.writes).toBe(0);
  });

  it.each(["cancel", "signIn"] as const)(
    "what has been given up by %s need not be saved any more",
    (act) => {
      const device_code = "d".repeat(
        new Bench([], { autoStart: 0, memoryBytes: scarce(2377) }).device.capacity[
          Field.DEVICE_CODE
        ]!,
      );
      const values = {
        device_code,
        verification_url: `https://${"v".repeat(120)}`,
        verification_uri_complete: `https://${"c".repeat(168)}`,
      };
      const bench = new Bench([code(values), "hang"], { autoStart: 0, memoryBytes: scarce(2377) });
      bench.core.signIn(bench.device);
      bench.run(0);
      expect(bench.device.notSaved).toBe(1);
      bench.core[act](bench.device);
      bench.run(0);
      expect(bench.device.notSaved).toBe(0);
    },
  );

  it("tokens that storage refused are not taken for saved when something is erased", () => {
    const bench = new Bench([code(), tokens()]);
    bench.storageFails = true;
    bench.until(2);
    bench.run(0);
    expect(bench.device.notSaved).toBe(1);
    // Nothing was to be erased.
    expect(bench.device.notErased).toBe(0);
    bench.storageFails = false;
    bench.pass(60_000);
    expect(bench.device.notSaved).toBe(0);
    expect(bench.slots.some((slot) => slot[0] === Kind.REFRESH_TOKEN)).toBe(true);
  });

  it("tokens that are being written once more are not saved before that is done", () => {
    const bench = new Bench([code(), tokens()]);
    bench.storageFails = true;
    bench.until(2);
    bench.run(0);
    bench.storageFails = false;
    bench.storageHangs = true;
    bench.pass(60_000);
    expect(bench.frame().join("")).toContain("Not saved");
    expect(bench.device.notSaved).toBe(1);
    bench.core.storageDone(bench.device, 1);
    expect(bench.device.notSaved).toBe(0);
  });

  it("SPEC Records: what is not erased is tried again in a minute, however long the server's interval is", () => {
    const bench = new Bench([
      code({ interval: 3600, expires_in: 9000 }),
      error(400, "authorization_pending"),
    ]);
    bench.until(2);
    bench.storageFails = true;
    bench.core.cancel(bench.device);
    bench.run(0);
    expect(bench.device.notErased).toBe(1);
    bench.storageFails = false;
    bench.pass(60_000);
    expect(bench.device.notErased).toBe(0);
    expect(bench.slots).toEqual([EMPTY, EMPTY]);
  });

  it("a record that does not fit is not written beyond the memory", () => {
    const tested = makeCore();
    for (let more = 0; more < 6; more++) {
      const bytes = scarce(2377);
      const memory: number[] = Array(bytes).fill(0);
      const device = tested.create(memory, { ...config, autoStart: 0 })!;
      const { capacity } = device;
      const device_code = "d".repeat(capacity[Field.DEVICE_CODE]!);
      const rest = capacity[Region.OUTPUT]! - 27 - "ABCD-EFGH".length - 128 - device_code.length;
      const body = code({
        device_code,
        verification_url: "https://v".padEnd(128, "v"),
        verification_uri_complete: "https://c".padEnd(rest + more, "c"),
      }).body;
      const answer = new TextEncoder().encode(body);
      for (let step = 0; step < 20; step++) {
        if (device.state === State.SIGNED_OUT) tested.signIn(device);
        const command = tested.tick(device, 0);
        if (command === core.Command.LOAD) tested.storageDone(device, 0);
        if (command === core.Command.STORE) tested.storageDone(device, 1);
        if (command !== core.Command.SEND) continue;
        tested.responseStart(device, device.requestId, 200, -1);
        tested.responseBody(device, device.requestId, answer, 0, answer.length);
        tested.responseEnd(device, device.requestId);
      }
      expect(device.state).toBe(State.PENDING);
      expect(device.notSaved).toBe(more ? 1 : 0);
      expect(memory).toHaveLength(bytes);
    }
  });

  it("a record may fill its room to the last byte", () => {
    const settings = { autoStart: 0, memoryBytes: scarce(2377) };
    const { capacity } = new Bench([], settings).device;
    const rest = capacity[Region.OUTPUT]! - 27 - "ABCD-EFGH".length - 128;
    const device_code = "d".repeat(capacity[Field.DEVICE_CODE]!);
    for (const [more, notSaved] of [
      [0, 0],
      [1, 1],
    ] as const) {
      const complete = "https://c".padEnd(rest - device_code.length + more, "c");
      const bench = new Bench(
        [
          code({
            device_code,
            verification_url: "https://v".padEnd(128, "v"),
            verification_uri_complete: complete,
          }),
        ],
        settings,
      );
      bench.core.signIn(bench.device);
      bench.run(0);
      expect(bench.device.state).toBe(State.PENDING);
      expect(bench.device.notSaved).toBe(notSaved);
      if (notSaved) continue;
      expect(bench.slots[0]).toHaveLength(capacity[Region.OUTPUT]!);
      const after = new Bench([], { ...settings, slots: bench.slots });
      expect(after.device.state).toBe(State.PENDING);
      expect(after.text(Field.DEVICE_CODE)).toBe(device_code);
    }
  });

  it("the records of a session read back as they were meant", () => {
    const bench = new Bench([code({ interval: 7 }), tokens({ refresh_token_expires_in: 99_000 })]);
    bench.until(2);
    const record = bench.slots.find((slot) => slot[0] === Kind.REFRESH_TOKEN)!;
    expect(fieldsOf(record)).toMatchObject({ values: ["refresh"], refreshLife: 99_000 });
    expect(record).toEqual(
      recordOf({
        ...{ kind: Kind.REFRESH_TOKEN, values: ["refresh"], sequence: fieldsOf(record).sequence },
        ...{ refreshLifeS: 99_000, codeLifeS: fieldsOf(record).codeLife, intervalMs: 7000 },
      }),
    );
  });
});
