// The storage, timers, entropy and display suites against adapters broken in one way each.

import {
  displayConformance,
  entropyConformance,
  storageConformance,
  timersConformance,
} from "../../platform/conformance.ts";
import type { Bytes, Display, Entropy, Storage, Timers } from "../../platform/contracts.ts";
import {
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/fake/index.ts";
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

function timersSuite(spoil: (good: Timers, clock: ManualClock) => Partial<Timers>) {
  return timersConformance(() => {
    const clock = new ManualClock(1000);
    const good = clock.timers();
    const whole: Timers = {
      now: () => good.now(),
      alarm: (afterMs, ring) => good.alarm(afterMs, ring),
      cancel: () => good.cancel(),
      ...spoil(good, clock),
    };
    return { timers: whole, world: manualWorld(clock) };
  });
}

describeBreakages(
  "timers",
  timersSuite(() => ({})),
  [
    {
      name: "shows fractions of a millisecond",
      caughtBy: ["now is an integer"],
      cases: timersSuite((good) => ({ now: () => good.now() + 0.5 })),
    },
    {
      name: "follows a wall clock that is set back",
      caughtBy: ["now is an integer"],
      cases: timersSuite((good, clock) => ({
        now: () => good.now() - (clock.elapsedMs > 3 ? 500 : 0),
      })),
    },
    {
      name: "stands still",
      caughtBy: ["now goes on"],
      cases: timersSuite(() => ({ now: () => 5 })),
    },
    {
      name: "rings a millisecond early",
      caughtBy: ["an alarm rings once"],
      cases: timersSuite((good) => ({
        alarm: (afterMs, ring) => good.alarm(Math.max(0, afterMs - 1), ring),
      })),
    },
    {
      name: "rings again and again",
      caughtBy: ["an alarm rings once"],
      cases: timersSuite((_, clock) => ({
        alarm(afterMs, ring) {
          const again = (): void => {
            clock.after(Math.max(1, afterMs), again);
            ring();
          };
          clock.after(afterMs, again);
        },
      })),
    },
    {
      name: "rings before alarm(0) returns",
      caughtBy: ["alarm(0) rings"],
      cases: timersSuite((good) => ({
        alarm(afterMs, ring) {
          if (afterMs === 0) ring();
          else good.alarm(afterMs, ring);
        },
      })),
    },
    {
      name: "never rings alarm(0)",
      caughtBy: ["alarm(0) rings"],
      cases: timersSuite((good) => ({
        alarm(afterMs, ring) {
          if (afterMs > 0) good.alarm(afterMs, ring);
        },
      })),
    },
    {
      name: "keeps both of two alarms",
      caughtBy: ["a second alarm replaces"],
      cases: timersSuite((_, clock) => ({
        alarm(afterMs, ring) {
          clock.after(afterMs, ring);
        },
      })),
    },
    {
      name: "cannot take an alarm back",
      caughtBy: ["cancel takes the alarm back"],
      cases: timersSuite(() => ({ cancel: () => {} })),
    },
    {
      name: "rings long alarms at once, as an overflow does",
      caughtBy: ["the longest alarm"],
      cases: timersSuite((good) => ({
        alarm: (afterMs, ring) => good.alarm(afterMs > 16_777_216 ? 0 : afterMs, ring),
      })),
    },
    {
      name: "forgets an alarm set while it rings",
      caughtBy: ["an alarm may be set from within"],
      cases: timersSuite((good) => ({
        alarm: (afterMs, ring) =>
          good.alarm(afterMs, () => {
            ring();
            good.cancel();
          }),
      })),
    },
    {
      name: "breaks when cancelled while it rings",
      caughtBy: ["cancel from within a ring"],
      cases: timersSuite((good) => {
        let broken = false;
        let ringing = false;
        return {
          alarm(afterMs, ring) {
            if (!broken) {
              good.alarm(afterMs, () => {
                ringing = true;
                ring();
                ringing = false;
              });
            }
          },
          cancel() {
            broken = ringing;
            good.cancel();
          },
        };
      }),
    },
  ],
);

function entropySuite(fill: (good: Entropy, into: Bytes, from: number, to: number) => boolean) {
  return entropyConformance(() => {
    const good = new SeededEntropy(3);
    return { entropy: { fill: (into, from, to) => fill(good, into, from, to) } };
  });
}

describeBreakages(
  "entropy",
  entropySuite((good, into, from, to) => good.fill(into, from, to)),
  [
    {
      name: "fills one byte too many",
      caughtBy: ["fills its range", "an empty range"],
      cases: entropySuite((good, into, from, to) => good.fill(into, from - 1, to)),
    },
    {
      name: "gives numbers that are no bytes",
      caughtBy: ["fills its range"],
      cases: entropySuite((good, into, from, to) => {
        good.fill(into, from, to);
        for (let i = from; i < to; i++) into[i] = into[i]! / 256;
        return true;
      }),
    },
    {
      name: "starts anew at every call",
      caughtBy: ["never says the same twice"],
      cases: entropySuite((_, into, from, to) => new SeededEntropy(9).fill(into, from, to)),
    },
    {
      name: "gives letters",
      caughtBy: ["every bit of a byte"],
      cases: entropySuite((good, into, from, to) => {
        good.fill(into, from, to);
        for (let i = from; i < to; i++) into[i] = 97 + (into[i]! & 15);
        return true;
      }),
    },
    {
      name: "stops at 65536 bytes",
      caughtBy: ["fills more than 65536"],
      cases: entropySuite((good, into, from, to) =>
        good.fill(into, from, Math.min(to, from + 65_536)),
      ),
    },
  ],
);

function displaySuite(spoil: (good: RecordedDisplay) => Partial<Display>) {
  return displayConformance(() => {
    const good = new RecordedDisplay(20, 4);
    const display: Display = {
      columns: 20,
      rows: 4,
      show: (cells, from) => good.show(cells, from),
      ...spoil(good),
    };
    const world = manualWorld(new ManualClock());
    return { display, world, look: () => good.text.split("\n") };
  });
}

describeBreakages(
  "display",
  displaySuite(() => ({})),
  [
    {
      name: "is too narrow",
      caughtBy: ["has 16..80 columns"],
      cases: displaySuite(() => ({ columns: 12 })),
    },
    {
      name: "has no backslash and no tilde, as many controllers",
      caughtBy: ["shows every printable"],
      cases: displaySuite((good) => ({
        show: (cells, from) =>
          good.show(
            slice(cells, from, from + 80).map((code) => (code === 92 || code === 126 ? 32 : code)),
            0,
          ),
      })),
    },
    {
      name: "swaps rows 1 and 2, as 20x4 controllers address them",
      caughtBy: ["shows every printable"],
      cases: displaySuite((good) => ({
        show(cells, from) {
          const row = (i: number) => slice(cells, from + 20 * i, from + 20 * i + 20);
          good.show([...row(0), ...row(2), ...row(1), ...row(3)], 0);
        },
      })),
    },
    {
      name: "ignores where the frame begins",
      caughtBy: ["reads its frame at `from`"],
      cases: displaySuite((good) => ({ show: (cells) => good.show(cells, 0) })),
    },
    {
      name: "keeps the caller's cells",
      caughtBy: ["keeps a copy"],
      cases: displayConformance(() => {
        let kept: Bytes = [];
        const row = (i: number) => String.fromCharCode(...slice(kept, 20 * i, 20 * i + 20));
        const show = (cells: Bytes): void => {
          kept = cells;
        };
        const world = manualWorld(new ManualClock());
        return {
          display: { columns: 20, rows: 4, show },
          world,
          look: () => [0, 1, 2, 3].map(row),
        };
      }),
    },
    {
      name: "drops frames that come too fast",
      caughtBy: ["the last of many frames"],
      cases: displaySuite((good) => ({
        show(cells, from) {
          if (good.history.length < 10) good.show(cells, from);
        },
      })),
    },
    {
      name: "changes its size",
      caughtBy: ["columns and rows do not change"],
      cases: displayConformance(() => {
        let shown = false;
        const display: Display = {
          get columns() {
            return shown ? 40 : 20;
          },
          rows: 4,
          show() {
            shown = true;
          },
        };
        return { display, world: manualWorld(new ManualClock()) };
      }),
    },
  ],
);
