// The flash storage on the flash model: the power is cut at every byte of every operation, in order and out
// of order, and each time the device started after it must find the old record or the new one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { storageConformance } from "../../platform/conformance.ts";
import { ManualClock } from "../../platform/fake/index.ts";
import { FlashChip, PowerCut, type TearStyle } from "../../platform/flash/chip.ts";
import type { FlashGeometry } from "../../platform/flash/device.ts";
import { FlashStorage } from "../../platform/flash/flash-storage.ts";
import { manualWorld, rows } from "./worlds.ts";

/** The smallest that is allowed but for its pages per block: every cut can be tried. */
const TINY: FlashGeometry = { pageBytes: 16, blockBytes: 64, blockCount: 4 };
/** As common SPI NOR has it, with three blocks for each slot. */
const USUAL: FlashGeometry = { pageBytes: 256, blockBytes: 4096, blockCount: 6 };

type Action = { slot: 0 | 1; record: Uint8Array } | { slot: 0 | 1; record: "erase" };
const EMPTY = new Uint8Array(0);

const recordOf = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 37 + seed * 101 + 1) & 0xff);

function perform(chip: FlashChip, { slot, record }: Action): boolean {
  const storage = new FlashStorage(chip);
  let answer = false;
  const done = (ok: boolean): void => {
    answer = ok;
  };
  if (record === "erase") storage.erase(slot, done);
  else storage.write(slot, record, 0, record.length, done);
  return answer;
}

/** What a device started on this chip reads; undefined for unreadable. */
function slotOf(chip: FlashChip, slot: number): Uint8Array | undefined {
  const storage = new FlashStorage(chip);
  const into = new Uint8Array(storage.capacity);
  let result: Uint8Array | undefined;
  storage.read(slot, into, 0, into.length, (length) => {
    result = length < 0 ? undefined : into.slice(0, length);
  });
  return result;
}

const contentOf = ({ record }: Action): Uint8Array => (record === "erase" ? EMPTY : record);
const isOneOf = (bytes: Uint8Array | undefined, ...wanted: Uint8Array[]): boolean =>
  bytes !== undefined && wanted.some((one) => Buffer.from(one).equals(Buffer.from(bytes)));

/** A short life of the tiny chip that meets every situation: fresh, appending, full block, erasing. */
const LIFE: Action[] = [
  { slot: 0, record: recordOf(5, 1) },
  { slot: 1, record: recordOf(30, 2) },
  { slot: 0, record: recordOf(20, 3) },
  { slot: 0, record: recordOf(50, 4) },
  { slot: 0, record: "erase" },
  { slot: 1, record: recordOf(1, 5) },
  { slot: 1, record: "erase" },
  { slot: 1, record: "erase" },
  { slot: 1, record: Uint8Array.of(0xff, 0xff, 0x5a, 0xa5) },
  { slot: 0, record: recordOf(4, 6) },
  { slot: 0, record: recordOf(5, 7) },
];

/** The chip and its two records before each action of a life. */
function moments(geometry: FlashGeometry, reorder: boolean, life: readonly Action[]) {
  const chip = new FlashChip(geometry, { reorder });
  const records: [Uint8Array, Uint8Array] = [EMPTY, EMPTY];
  return life.map((action) => {
    const before = { chip: chip.clone(), records: [...records] as typeof records, action };
    expect(perform(chip, action)).toBe(true);
    records[action.slot] = contentOf(action);
    return before;
  });
}

function touchedBy(chip: FlashChip, action: Action): number {
  const twin = chip.clone();
  const before = twin.touchedBytes;
  perform(twin, action);
  return twin.touchedBytes - before;
}

/** After a cut: old or new in the slot, the other as it was, and a write works and sticks. */
function mustHold(chip: FlashChip, records: [Uint8Array, Uint8Array], action: Action, at: string) {
  const other = (1 - action.slot) as 0 | 1;
  const found = slotOf(chip, action.slot);
  if (!isOneOf(found, records[action.slot], contentOf(action))) {
    throw new Error(`${at}: slot ${action.slot} holds ${found}, neither old nor new`);
  }
  if (!isOneOf(slotOf(chip, other), records[other])) throw new Error(`${at}: other slot harmed`);
  const next = recordOf(7, 99);
  const works = perform(chip, { slot: action.slot, record: next });
  if (!works || !isOneOf(slotOf(chip, action.slot), next)) throw new Error(`${at}: no write after`);
  if (!isOneOf(slotOf(chip, other), records[other]))
    throw new Error(`${at}: other slot harmed later`);
}

const TEARS: [string, TearStyle, number][] = [
  ["untouched rest", "clean", 1],
  ["mixed bits", "mixed-bits", 1],
  ["other mixed bits", "mixed-bits", 77],
];

describe("power cut at every byte of every operation", () => {
  it.each(TEARS)("in order, %s: old or new, other slot unharmed", (_, tear, seed) => {
    let cuts = 0;
    const whole = new FlashChip(TINY);
    for (const action of LIFE) perform(whole, action);
    for (const [index, { chip, records, action }] of moments(TINY, false, LIFE).entries()) {
      const total = touchedBy(chip, action);
      for (let cut = 0; cut < total; cut++) {
        const twin = chip.clone();
        twin.cutAfter(cut, tear, seed + cut);
        expect(perform(twin, action)).toBe(false);
        twin.powerOn();
        mustHold(twin, records, action, `action ${index} cut at byte ${cut}`);
        cuts++;
      }
    }
    // Not one byte that is programmed or erased in this life was left out.
    expect(cuts).toBe(whole.touchedBytes);
    expect(whole.eraseCount).toBeGreaterThan(8);
  });

  it("a second cut while the first is being recovered from", () => {
    for (const [index, { chip, records, action }] of moments(TINY, false, LIFE).entries()) {
      const total = touchedBy(chip, action);
      for (let cut = 0; cut < total; cut += 5) {
        const torn = chip.clone();
        torn.cutAfter(cut, "mixed-bits", cut);
        perform(torn, action);
        torn.powerOn();
        const middle = slotOf(torn, action.slot);
        expect(middle).toBeDefined();
        const again = touchedBy(torn, action);
        for (let second = 0; second < again; second += 3) {
          const twin = torn.clone();
          twin.cutAfter(second, "mixed-bits", second);
          perform(twin, action);
          twin.powerOn();
          const now: [Uint8Array, Uint8Array] = [...records];
          now[action.slot] = middle!;
          mustHold(twin, now, action, `action ${index} cut at ${cut}, then at ${second}`);
        }
      }
    }
  });

  it.each(TEARS)("out of order until sync, every subset, %s", (_, tear, seed) => {
    let futures = 0;
    for (const [index, { chip, records, action }] of moments(TINY, true, LIFE).entries()) {
      const total = touchedBy(chip, action);
      for (let cut = 0; cut < total; cut++) {
        const torn = chip.clone();
        torn.cutAfter(cut, tear, seed + cut);
        perform(torn, action);
        const pending = torn.unsyncedOperations;
        expect(pending).toBeLessThanOrEqual(6);
        for (let subset = 0; subset < 2 ** pending; subset++) {
          const twin = torn.clone();
          twin.powerOn((operation) => (subset & (1 << operation)) !== 0);
          const at = `action ${index} cut at ${cut}, subset ${subset}`;
          mustHold(twin, records, action, at);
          futures++;
        }
      }
    }
    expect(futures).toBeGreaterThan(2000);
  });

  it("random lives on a usual chip with cuts anywhere: the model's old or new", () => {
    const action = fc.record({
      slot: fc.constantFrom<0 | 1>(0, 1),
      record: fc.oneof(
        { weight: 5, arbitrary: fc.uint8Array({ maxLength: 900 }) },
        { weight: 1, arbitrary: fc.constant("erase" as const) },
      ),
    });
    const step = fc.record({
      action,
      cut: fc.option(fc.record({ at: fc.nat(30_000), seed: fc.nat() })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const chip = new FlashChip(USUAL);
        const records: [Uint8Array, Uint8Array] = [EMPTY, EMPTY];
        for (const { action: one, cut } of steps) {
          const wanted = contentOf(one);
          if (cut !== null) chip.cutAfter(cut.at, "mixed-bits", cut.seed);
          const ok = perform(chip, one);
          chip.powerOn();
          const found = slotOf(chip, one.slot);
          expect(isOneOf(found, wanted, ...(ok ? [] : [records[one.slot]]))).toBe(true);
          records[one.slot] = found!;
          const other = (1 - one.slot) as 0 | 1;
          expect(isOneOf(slotOf(chip, other), records[other])).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("wear", () => {
  it("a block is erased once for as many records as fit, all blocks of the slot alike", () => {
    const chip = new FlashChip(USUAL);
    const storage = new FlashStorage(chip);
    const record = recordOf(500, 1);
    // Two pages for each record, sixteen pages in a block: eight records.
    for (let i = 0; i < 240; i++) storage.write(0, record, 0, record.length, () => {});
    expect(chip.eraseCounts).toEqual([10, 10, 10, 0, 0, 0]);
    expect(chip.programCount).toBe(2 * 240);
  });

  it("erasing a slot leaves nothing of its records in the cells", () => {
    const chip = new FlashChip(USUAL);
    const secret = new TextEncoder().encode("refresh-token-1//0secret");
    for (let i = 0; i < 40; i++) perform(chip, { slot: 1, record: secret });
    expect(Buffer.from(chip.image()).includes(Buffer.from(secret))).toBe(true);
    expect(perform(chip, { slot: 1, record: "erase" })).toBe(true);
    expect(Buffer.from(chip.image()).includes(Buffer.from(secret))).toBe(false);
  });

  it("reading and starting neither program nor erase", () => {
    const chip = new FlashChip(USUAL);
    perform(chip, { slot: 0, record: recordOf(9, 1) });
    const before = [chip.programCount, chip.eraseCount];
    slotOf(chip, 0);
    slotOf(chip, 1);
    expect([chip.programCount, chip.eraseCount]).toEqual(before);
  });
});

describe("bad flash", () => {
  it("a block whose cells do not take a record is passed over", () => {
    const chip = new FlashChip(USUAL);
    perform(chip, { slot: 0, record: recordOf(5, 1) });
    const program = chip.program.bind(chip);
    // A cell of the page that comes next is stuck.
    chip.program = (at, bytes) => {
      program(at, bytes);
      if (at === USUAL.pageBytes) chip.corrupt(at + 20, 0);
    };
    expect(perform(chip, { slot: 0, record: recordOf(50, 2) })).toBe(true);
    expect(slotOf(chip, 0)).toEqual(recordOf(50, 2));
  });

  it("where no block takes it: false, and the old record stays", () => {
    const chip = new FlashChip(USUAL);
    perform(chip, { slot: 0, record: recordOf(50, 1) });
    chip.program = () => {};
    expect(perform(chip, { slot: 0, record: recordOf(50, 2) })).toBe(false);
    expect(slotOf(chip, 0)).toEqual(recordOf(50, 1));
    // With a full block, or erasing, all blocks are tried in turn: all but the one with the record.
    expect(perform(chip, { slot: 0, record: "erase" })).toBe(false);
    expect(slotOf(chip, 0)).toEqual(recordOf(50, 1));
  });

  it("a newest record gone bad while running reads as -1, and may be replaced", () => {
    const chip = new FlashChip(USUAL);
    const storage = new FlashStorage(chip);
    storage.write(0, recordOf(50, 1), 0, 50, () => {});
    chip.corrupt(30, 0);
    const heard: (number | boolean)[] = [];
    storage.read(0, new Uint8Array(99), 0, 99, (length) => heard.push(length));
    storage.write(0, recordOf(50, 2), 0, 50, (ok) => heard.push(ok));
    storage.read(0, new Uint8Array(99), 0, 99, (length) => heard.push(length));
    expect(heard).toEqual([-1, true, 50]);
  });

  it("a driver that fails half-way: false, the old record stays, and the next write works", () => {
    const chip = new FlashChip(USUAL);
    const storage = new FlashStorage(chip);
    const heard: (number | boolean)[] = [];
    const write = (seed: number): void =>
      storage.write(0, recordOf(400, seed), 0, 400, (ok) => heard.push(ok));
    const program = chip.program.bind(chip);
    const breakProgram = (): void => {
      chip.program = (at, bytes) => {
        program(at, bytes.subarray(0, bytes.length >> 1));
        throw new Error("bus fault");
      };
    };
    write(1);
    breakProgram();
    write(2);
    expect(slotOf(chip, 0)).toEqual(recordOf(400, 1));
    chip.program = program;
    // Behind the page that was half programmed, which takes nothing any more.
    write(3);
    expect(slotOf(chip, 0)).toEqual(recordOf(400, 3));
    breakProgram();
    storage.erase(0, (ok) => heard.push(ok));
    chip.program = program;
    storage.read(0, new Uint8Array(400), 0, 400, (length) => heard.push(length));
    expect(heard).toEqual([true, false, true, false, 400]);
    chip.read = () => {
      throw new Error("bus fault");
    };
    expect(slotOf(chip, 0)).toBeUndefined();
  });

  it("any damage whatever to the cells: never a record that nobody wrote, never an exception", () => {
    const life = LIFE.slice(0, 4);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(255), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        (damage) => {
          const chip = new FlashChip(TINY);
          for (const action of life) perform(chip, action);
          for (const [at, value] of damage) chip.corrupt(at, value);
          for (const slot of [0, 1] as const) {
            const own = life.filter((action) => action.slot === slot).map(contentOf);
            const found = slotOf(chip, slot);
            expect(found === undefined || isOneOf(found, EMPTY, ...own)).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a record that contains the pages of an entry does not become that entry, torn or not", () => {
    const source = new FlashChip(TINY);
    for (let i = 0; i < 9; i++) perform(source, { slot: 0, record: Uint8Array.of(66) });
    const image = source.image();
    const old = Uint8Array.of(1, 2, 3);
    // A newer entry in one page, placed so in the record that it begins where the record's second page does.
    const second = TINY.pageBytes - 1 - 10;
    for (let page = 0; page < 4; page++) {
      const forged = new Uint8Array(33);
      forged.set(image.subarray(16 * page + 1, 16 * page + 16), second);
      const action: Action = { slot: 0, record: forged };
      const before = new FlashChip(TINY);
      perform(before, { slot: 0, record: old });
      for (let cut = 0; cut <= touchedBy(before, action); cut++) {
        const chip = before.clone();
        chip.cutAfter(cut);
        perform(chip, action);
        chip.powerOn();
        expect(isOneOf(slotOf(chip, 0), old, forged), `page ${page}, cut at ${cut}`).toBe(true);
      }
    }
  });
});

describe("limits", () => {
  it.each([
    ["three blocks", { ...TINY, blockCount: 3 }],
    ["blocks smaller than a page", { pageBytes: 64, blockBytes: 0, blockCount: 4 }],
    ["pages of 8 bytes", { pageBytes: 8, blockBytes: 64, blockCount: 4 }],
  ])("refuses %s", (_, geometry) => {
    expect(() => new FlashStorage(new FlashChip(geometry))).toThrow(RangeError);
  });

  it("takes what fits into one block and no more", () => {
    expect(new FlashStorage(new FlashChip(TINY)).capacity).toBe(50);
    expect(() => new FlashStorage(new FlashChip(TINY), { capacity: 51 })).toThrow("1 to 50");
    expect(() => new FlashStorage(new FlashChip(TINY), { capacity: 0 })).toThrow(RangeError);
  });
});

describe.each([
  ["tiny", TINY],
  ["usual", USUAL],
])("flash storage on a %s chip: conformance", (_, geometry) => {
  const cases = storageConformance(() => {
    const chip = new FlashChip(geometry);
    const options = geometry === USUAL ? { capacity: 700 } : {};
    const start = (): FlashStorage => new FlashStorage(chip, options);
    return { storage: start(), world: manualWorld(new ManualClock()), restart: start };
  });
  it.each(rows(cases))("%s", (_, one) => one.run());
});

describe("the flash model itself", () => {
  it("programs only from 1 to 0, within a page; erases whole blocks and counts", () => {
    const chip = new FlashChip(TINY);
    chip.program(3, Uint8Array.of(0x0f));
    chip.program(3, Uint8Array.of(0x0d));
    expect(chip.image()[3]).toBe(0x0d);
    expect(() => chip.program(3, Uint8Array.of(0x1d))).toThrow("needs an erase");
    expect(() => chip.program(15, Uint8Array.of(0, 0))).toThrow("crosses a page");
    expect(() => chip.program(256, Uint8Array.of(0))).toThrow("outside");
    expect(() => chip.eraseBlock(4)).toThrow("no block");
    chip.eraseBlock(0);
    expect([chip.image()[3], chip.eraseCounts[0], chip.eraseCounts[1]]).toEqual([0xff, 1, 0]);
  });

  it("dies at the cut with as many bytes done, and answers nothing until it has power", () => {
    const chip = new FlashChip(TINY);
    chip.cutAfter(2);
    expect(() => chip.program(0, Uint8Array.of(1, 2, 3))).toThrow(PowerCut);
    expect(() => chip.read(0, new Uint8Array(1), 0, 1)).toThrow(PowerCut);
    chip.powerOn();
    expect(Array.from(chip.image().subarray(0, 4))).toEqual([1, 2, 0xff, 0xff]);
    const erasing = new FlashChip(TINY);
    for (let at = 0; at < 64; at++) erasing.program(at, Uint8Array.of(0));
    erasing.cutAfter(10);
    expect(() => erasing.eraseBlock(0)).toThrow(PowerCut);
    expect(
      erasing
        .image()
        .subarray(0, 64)
        .filter((byte) => byte === 0xff),
    ).toHaveLength(10);
  });

  it("mixed bits stay between what was and what was to be", () => {
    fc.assert(
      fc.property(
        fc.nat(16),
        fc.nat(),
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        (cut, seed, data) => {
          const chip = new FlashChip(TINY);
          chip.program(0, Uint8Array.of(0xf0));
          const wanted = data.map((byte, i) => (i === 0 ? byte & 0xf0 : byte));
          chip.cutAfter(cut, "mixed-bits", seed);
          if (cut < 16) expect(() => chip.program(0, wanted)).toThrow(PowerCut);
          chip.powerOn();
          for (const [i, cell] of chip.image().subarray(0, 16).entries()) {
            const before = i === 0 ? 0xf0 : 0xff;
            expect(cell & ~before).toBe(0);
            if (cut < 16) expect(wanted[i]! & ~cell).toBe(0);
          }
        },
      ),
    );
  });

  it("out of order, only what was synced is sure", () => {
    const chip = new FlashChip(TINY, { reorder: true });
    chip.program(0, Uint8Array.of(1));
    chip.sync();
    chip.program(1, Uint8Array.of(2));
    chip.program(2, Uint8Array.of(3));
    chip.cutAfter(0);
    expect(() => chip.program(3, Uint8Array.of(4))).toThrow(PowerCut);
    expect(chip.unsyncedOperations).toBe(3);
    chip.powerOn((operation) => operation === 1);
    expect(Array.from(chip.image().subarray(0, 4))).toEqual([1, 0xff, 3, 0xff]);
  });
});
