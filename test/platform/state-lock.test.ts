// The rules of the state directory's lock (platform/state-lock.ts), with every interleaving of two processes: at
// each single operation of the first, the second comes and goes through all of its own.

import { describe, expect, it } from "vitest";
import { LockRefused, type StateLockSystem, takeStateLock } from "../../platform/state-lock.ts";

/** Files and processes in memory. */
class Machine {
  readonly files = new Map<string, string>();
  readonly alive = new Set<number>([1]);
  boot = 1;
  /** Where the system can make a file appear with its content at once. */
  hasLinks = true;

  system(pid: number, before: () => void): StateLockSystem {
    this.alive.add(pid);
    const startOf = (other: number): string | undefined =>
      this.alive.has(other) ? `${this.boot}/${other}` : undefined;
    return {
      self: { pid, started: startOf(pid)!, host: "here", nonce: `${this.boot}-${pid}` },
      publish: (file, content) => {
        before();
        if (this.files.has(file)) return false;
        this.files.set(file, this.hasLinks ? content : "");
        if (!this.hasLinks) {
          before();
          // Whoever removed the file meanwhile has removed it: this writes to one without a name.
          if (this.files.get(file) === "") this.files.set(file, content);
        }
        return true;
      },
      read: (file) => {
        before();
        return this.files.get(file);
      },
      remove: (file) => {
        before();
        this.files.delete(file);
      },
      ageS: () => 0,
      startOf,
    };
  }

  /** Whether the process gets the lock. */
  tries(pid: number, before: () => void = () => {}): boolean {
    try {
      takeStateLock(this.system(pid, before), "lock");
      return true;
    } catch (error) {
      if (error instanceof LockRefused) return false;
      throw error;
    }
  }
}

/** A machine whose last holder, and whoever was in the middle of taking over, was killed. */
function afterKill(killedAt: number, hasLinks: boolean): Machine {
  const machine = new Machine();
  machine.hasLinks = hasLinks;
  machine.tries(7);
  machine.alive.delete(7);
  let operations = 0;
  try {
    machine.tries(8, () => {
      if (operations++ === killedAt) throw new Error("killed");
    });
  } catch {
    // As a SIGKILL does: nothing is cleaned up. (The guard's `finally` runs here; that is one more history.)
  }
  machine.alive.delete(8);
  return machine;
}

describe.each([
  ["with hard links", true],
  ["without", false],
])("a stale lock, %s", (_, hasLinks) => {
  it("is never given to two, whenever the second comes", () => {
    let histories = 0;
    for (let killedAt = 0; killedAt < 14; killedAt++) {
      for (let meets = 0; meets < 20; meets++) {
        const machine = afterKill(killedAt, hasLinks);
        const outcome = { first: false, second: false };
        let operations = 0;
        outcome.first = machine.tries(10, () => {
          if (operations++ === meets) outcome.second = machine.tries(11);
        });
        histories++;
        expect(outcome.first && outcome.second, `killed at ${killedAt}, met at ${meets}`).toBe(
          false,
        );
      }
    }
    expect(histories).toBe(280);
  });

  it("is given to whoever comes next alone, wherever the one before was killed", () => {
    for (let killedAt = 0; killedAt < 14; killedAt++) {
      const machine = afterKill(killedAt, true);
      expect(machine.tries(10), `killed at ${killedAt}`).toBe(true);
      expect(machine.tries(11)).toBe(false);
    }
  });
});

it("a board that boots the same way each time does not meet its own lock", () => {
  const machine = new Machine();
  expect(machine.tries(100)).toBe(true);
  machine.boot = 2;
  expect(machine.tries(100)).toBe(true);
});

it("of a killed process is taken over though the machine has another name since", () => {
  const machine = new Machine();
  const named = (pid: number, host: string): StateLockSystem => {
    const system = machine.system(pid, () => {});
    return { ...system, self: { ...system.self, host } };
  };
  takeStateLock(named(5, "before"), "lock");
  expect(() => takeStateLock(named(6, "after"), "lock")).toThrow("in use by process 5");
  machine.alive.delete(5);
  takeStateLock(named(6, "after"), "lock")();
  // Another machine's process cannot be seen from here.
  takeStateLock(named(7, "before"), "lock");
  machine.boot = 2;
  expect(() => takeStateLock(named(8, "after"), "lock")).toThrow("in use by process 7 on before");
});

it("the same process does not get its lock twice, and gives back only its own", () => {
  const machine = new Machine();
  const system = machine.system(5, () => {});
  const unlock = takeStateLock(system, "lock");
  expect(() => takeStateLock(system, "lock")).toThrow("in use by process 5");
  machine.files.set("lock", "somebody else's");
  unlock();
  expect(machine.files.get("lock")).toBe("somebody else's");
});
