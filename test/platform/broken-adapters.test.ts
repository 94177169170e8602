// The timers, entropy and display suites against adapters broken in one way each.

import {
  displayConformance,
  entropyConformance,
  timersConformance,
} from "../../platform/conformance.ts";
import type { Bytes, Display, Entropy, Timers } from "../../platform/contracts.ts";
import { ManualClock, RecordedDisplay, SeededEntropy } from "../../platform/fake/index.ts";
import { describeBreakages } from "./breakage.ts";
import { manualWorld } from "./worlds.ts";

const slice = (bytes: Bytes, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => bytes[from + i]!);

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
