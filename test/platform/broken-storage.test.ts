// The storage suite against storages broken in one way each.

import { storageConformance } from "../../platform/conformance.ts";
import type { Bytes, Storage } from "../../platform/contracts.ts";
import { ManualClock, MemoryStorage } from "../../platform/fake/index.ts";
import { describeBreakages } from "./breakage.ts";
import { manualWorld } from "./worlds.ts";

const CAPACITY = 300;

/** A storage whose operations may be replaced one by one. */
function storageSuite(spoil: (good: MemoryStorage) => Partial<Storage>) {
  return storageConformance(() => {
    const clock = new ManualClock();
    const good = new MemoryStorage({ capacity: CAPACITY });
    const whole = (inner: MemoryStorage): Storage => ({
      capacity: CAPACITY,
      read: (slot, into, from, to, done) => inner.read(slot, into, from, to, done),
      write: (slot, bytes, from, to, done) => inner.write(slot, bytes, from, to, done),
      erase: (slot, done) => inner.erase(slot, done),
      ...spoil(inner),
    });
    const restart = (): Storage => whole(good.clone());
    return { storage: whole(good), world: manualWorld(clock), restart };
  });
}

const slice = (bytes: Bytes, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => bytes[from + i]!);

/** Writes a changed version of the record. */
function changing(change: (record: number[], slot: number) => number[]) {
  return storageSuite((good) => ({
    write(slot, bytes, from, to, done) {
      const record = change(slice(bytes, from, to), slot);
      good.write(slot, record, 0, record.length, done);
    },
  }));
}

describeBreakages(
  "storage",
  storageSuite(() => ({})),
  [
    {
      name: "begins with something in its slots",
      caughtBy: ["both slots are empty"],
      cases: storageSuite((good) => {
        good.poke(1, Uint8Array.of(255));
        return {};
      }),
    },
    {
      name: "keeps lengths in one byte",
      caughtBy: ["reads back", "does what 200"],
      cases: changing((record) => record.slice(0, record.length & 0xff)),
    },
    {
      name: "takes 0xff at the end for erased flash",
      caughtBy: ["keeps bytes of every value"],
      cases: changing((record) => {
        while (record[record.length - 1] === 0xff) record.pop();
        return record;
      }),
    },
    {
      name: "writes over the old record without its length",
      caughtBy: ["a shorter record"],
      cases: storageSuite((good) => ({
        write(slot, bytes, from, to, done) {
          const old = good.peek(slot);
          const record = [...slice(bytes, from, to), ...old.subarray(to - from)];
          good.write(slot, record, 0, record.length, done);
        },
      })),
    },
    {
      name: "has one slot under two names",
      caughtBy: ["the slots are apart", "does what 200"],
      cases: storageSuite((good) => ({
        read: (_, into, from, to, done) => good.read(0, into, from, to, done),
        write: (_, bytes, from, to, done) => good.write(0, bytes, from, to, done),
        erase: (_, done) => good.erase(0, done),
      })),
    },
    {
      name: "erases by writing a zero",
      caughtBy: ["erasing empties", "the slots are apart"],
      cases: storageSuite((good) => ({ erase: (slot, done) => good.write(slot, [0], 0, 1, done) })),
    },
    {
      name: "fails to erase what is empty",
      caughtBy: ["erasing empties"],
      cases: storageSuite((good) => ({
        erase(slot, done) {
          if (good.peek(slot).length === 0) done(false);
          else good.erase(slot, done);
        },
      })),
    },
    {
      name: "is full after fifty writes",
      caughtBy: ["does what 200"],
      cases: storageSuite((good) => ({
        write(slot, bytes, from, to, done) {
          if (good.counts.writes >= 50) done(false);
          else good.write(slot, bytes, from, to, done);
        },
      })),
    },
    {
      name: "ignores where the range begins",
      caughtBy: ["writes `bytes[from..to)`"],
      cases: storageSuite((good) => ({
        write: (slot, bytes, from, to, done) => good.write(slot, bytes, 0, to - from, done),
      })),
    },
    {
      name: "reads to the start of the caller's array",
      caughtBy: ["writes `bytes[from..to)`"],
      cases: storageSuite((good) => ({
        read: (slot, into, from, to, done) => good.read(slot, into, 0, to - from, done),
      })),
    },
    {
      name: "fills the rest of the caller's range",
      caughtBy: ["writes `bytes[from..to)`", "takes plain arrays"],
      cases: storageSuite((good) => ({
        read: (slot, into, from, to, done) =>
          good.read(slot, into, from, to, (length) => {
            for (let i = from + Math.max(0, length); i <= to; i++) into[i] = 1;
            done(length);
          }),
      })),
    },
    {
      name: "cuts a record that is longer than the range",
      caughtBy: ["a record longer than the range"],
      cases: storageSuite((good) => ({
        read(slot, into, from, to, done) {
          const record = good.peek(slot).subarray(0, to - from);
          for (let i = 0; i < record.length; i++) into[from + i] = record[i]!;
          done(record.length);
        },
      })),
    },
    {
      name: "cannot read into an empty range",
      caughtBy: ["an empty slot reads as 0"],
      cases: storageSuite((good) => ({
        read(slot, into, from, to, done) {
          if (from === to) done(-1);
          else good.read(slot, into, from, to, done);
        },
      })),
    },
    {
      name: "knows typed arrays only",
      caughtBy: ["takes plain arrays"],
      cases: storageSuite((good) => ({
        read(slot, into, from, to, done) {
          if (!(into instanceof Uint8Array)) throw new TypeError("into.set is not a function");
          good.read(slot, into, from, to, done);
        },
      })),
    },
    {
      name: "keeps the caller's array",
      caughtBy: ["keeps a copy"],
      cases: storageSuite((good) => {
        let kept: Bytes = [];
        return {
          write(slot, bytes, from, to, done) {
            kept = bytes;
            good.write(slot, bytes, from, to, done);
          },
          read(slot, into, from, to, done) {
            good.poke(slot, Uint8Array.from(slice(kept, 0, kept.length)));
            good.read(slot, into, from, to, done);
          },
        };
      }),
    },
    {
      name: "calls back twice",
      caughtBy: ["calls back exactly once"],
      cases: storageSuite((good) => ({
        erase: (slot, done) =>
          good.erase(slot, (ok) => {
            done(ok);
            done(ok);
          }),
      })),
    },
    {
      name: "never calls back",
      caughtBy: ["calls back exactly once"],
      cases: storageSuite(() => ({ write: () => {} })),
    },
    {
      name: "is still busy while it calls back",
      caughtBy: ["the next operation may start"],
      cases: storageSuite((good) => {
        let busy = false;
        return {
          write(slot, bytes, from, to, done) {
            if (busy) throw new Error("busy");
            busy = true;
            good.write(slot, bytes, from, to, done);
            busy = false;
          },
        };
      }),
    },
    {
      name: "cuts records over its capacity",
      caughtBy: ["a record over capacity"],
      cases: storageSuite((good) => ({
        write: (slot, bytes, from, to, done) =>
          good.write(slot, bytes, from, Math.min(to, from + CAPACITY), done),
      })),
    },
    {
      name: "takes any number for a slot",
      caughtBy: ["slots other than 0 and 1"],
      cases: storageSuite((good) => ({
        write: (slot, bytes, from, to, done) => good.write(slot & 1, bytes, from, to, done),
        erase: (slot, done) => good.erase(slot & 1, done),
      })),
    },
    {
      name: "forgets when the power goes",
      caughtBy: ["records and erasures survive"],
      cases: storageConformance(() => {
        const clock = new ManualClock();
        const make = () => new MemoryStorage({ capacity: CAPACITY });
        return { storage: make(), world: manualWorld(clock), restart: make };
      }),
    },
  ],
);
