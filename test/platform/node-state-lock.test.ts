// Tests the lock of a state directory on Node. The lock has at most one holder, and a holder that was killed blocks the
// directory for at most ten seconds.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { lockDirectory, StateLock } from "../../platform/node/state-lock.ts";
import { temporaryFolder } from "../listening.ts";
import { TIMEOUT_MS } from "../timeouts.ts";

let root: string;
let directory: string;
let count = 0;

beforeAll(() => {
  root = temporaryFolder();
});
beforeEach(() => {
  directory = path.join(root, `state-${count++}`);
  fs.mkdirSync(directory);
});

const files = (): string[] => fs.readdirSync(directory);
const leave = (name: string): void => fs.writeFileSync(path.join(directory, name), "");
/** The name of the lock file of a holder, in this process or another. */
function nameOf(pid?: number, space?: string): string {
  const lock = new StateLock(directory);
  lock.tryTake();
  const [, ownPid, ownStarted, ownSpace] = files()[0]!.split("-");
  lock.release();
  return `lock-${pid ?? ownPid}-${ownStarted}-${space ?? ownSpace}-0123456789abcdef`;
}

describe("the lock of a state directory", () => {
  it("has one holder at a time, and no file after its release", () => {
    const [one, other] = [new StateLock(directory), new StateLock(directory)];
    expect([one.isHeld, one.isSure]).toEqual([false, false]);
    const listeners = process.listenerCount("exit");
    for (let round = 0; round < 30; round++) {
      expect([one.tryTake(), one.isHeld]).toEqual([0, true]);
      const before = files();
      expect([one.tryTake(), files()]).toEqual([0, before]);
      expect([other.tryTake(), other.isHeld, other.isSure]).toEqual([process.pid, false, true]);
      other.release();
      expect(one.isHeld).toBe(true);
      one.release();
      expect([one.isHeld, files()]).toEqual([false, []]);
      expect(other.tryTake()).toBe(0);
      other.release();
    }
    expect(process.listenerCount("exit")).toBe(listeners);
  });

  it("never has two holders, whatever the first one is doing when the second one starts", () => {
    let both = 0;
    for (const method of ["openSync", "closeSync", "readdirSync", "rmSync", "statSync"] as const) {
      for (let at = 0; at < 6; at++) {
        for (const dead of [0, 1, 3]) {
          for (let one = 0; one < dead; one++) {
            leave(`lock-${2 ** 22 + 1}-7-${nameOf().split("-")[3]}-000000000000000${one}`);
          }
          const [first, second] = [new StateLock(directory), new StateLock(directory)];
          const real = fs[method] as (...args: unknown[]) => unknown;
          let calls = 0;
          const spy = vi.spyOn(fs, method).mockImplementation(((...args: unknown[]) => {
            const result = real(...args);
            if (calls++ === at) second.tryTake();
            return result;
          }) as never);
          first.tryTake();
          spy.mockRestore();
          const holders = [first, second].filter(({ isHeld }) => isHeld).length;
          expect(holders, `${method} ${at}, ${dead} dead`).toBeLessThan(2);
          both += holders;
          first.release();
          second.release();
          expect(files()).toEqual([]);
        }
      }
    }
    expect(both).toBeGreaterThan(0);
  });

  /** Runs `then` during each wait. @returns the waits in ms */
  const waiting = (then: (waits: number[]) => void): number[] => {
    const waits: number[] = [];
    vi.spyOn(Atomics, "wait").mockImplementation(((...args: unknown[]) => {
      waits.push(args[3] as number);
      then(waits);
      return "timed-out";
    }) as never);
    return waits;
  };

  it("waits three times for another process, because two that start together both step back", () => {
    const other = new StateLock(directory);
    other.tryTake();
    const waits = waiting(() => {});
    const random = vi.spyOn(Math, "random");
    for (const value of [0, 0.2, 1]) random.mockReturnValueOnce(value);
    expect(() => lockDirectory(directory)).toThrow(
      `${directory}: in use by process ${process.pid}; stop it or choose another directory`,
    );
    expect(waits).toEqual([5, 14, 50]);
    waiting((seen) => seen.length === 3 && other.release());
    lockDirectory(directory)();
    expect(files()).toEqual([]);
  });

  it("waits ten seconds without an update for a holder that it only knows by its file's updates", () => {
    const name = "lock-7-1-abcabcabcabc-0123456789abcdef";
    leave(name);
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const waits = waiting(({ length }) => {
      nowMs += 1000;
      fs.utimesSync(path.join(directory, name), length, length);
    });
    expect(() => lockDirectory(directory)).toThrow("in use by process 7;");
    expect(waits).toHaveLength(12);
    nowMs = 0;
    waiting(() => {
      nowMs += 1000;
    });
    lockDirectory(directory)();
    expect([nowMs, files()]).toEqual([10_000, []]);
  });

  it("has no holder if its file disappears before it can be read", () => {
    vi.spyOn(fs, "readdirSync").mockReturnValue(["lock-7-1-abc-0123456789abcdef"] as never);
    const lock = new StateLock(directory);
    expect(lock.tryTake()).toBe(0);
    lock.release();
  });

  it("of an unknown holder stays while its file is updated, and is free ten seconds later", () => {
    let nowMs = 1000;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const name = nameOf(1, "ffff00000000");
    leave(name);
    const file = path.join(directory, name);
    const lock = new StateLock(directory);
    for (let sign = 0; sign < 30; sign++) {
      fs.utimesSync(file, sign, sign % 2 ? 1e9 + sign : 4e9 + sign);
      expect([lock.tryTake(), lock.isSure]).toEqual([1, false]);
      nowMs += 9900;
    }
    expect(lock.tryTake()).toBe(1);
    nowMs += 200;
    expect(lock.tryTake()).toBe(0);
    expect(fs.existsSync(file)).toBe(false);
    lock.release();
  });

  it("updates its file every second; after a long sleep the holder knows that it has lost the lock", async () => {
    const lock = new StateLock(directory);
    lock.tryTake();
    const file = path.join(directory, files()[0]!);
    fs.utimesSync(file, 1, 1);
    await vi.waitFor(() => expect(fs.statSync(file).mtimeMs).toBeGreaterThan(1000), TIMEOUT_MS);
    fs.rmSync(file);
    expect(lock.isHeld).toBe(false);
    lock.release();
  });
});

describe("the name of a lock file", () => {
  type Processes = Readonly<Record<string, string>>;
  const GONE = 2 ** 22 + 1;
  /** Replaces /proc: the boot's identifier, and `stat` of each process. */
  const proc = (processes: Processes | undefined): void => {
    const { readFileSync } = fs;
    vi.spyOn(fs, "readFileSync").mockImplementation(((file: string, encoding: "latin1") => {
      const text = { ...processes, "sys/kernel/random/boot_id": "boot" }[file.slice(6)];
      if (!file.startsWith("/proc/")) return readFileSync(file, encoding);
      if (processes === undefined || text === undefined) throw new Error("ENOENT");
      return text;
    }) as never);
    vi.spyOn(fs, "readlinkSync").mockReturnValue("pid:[1]" as never);
  };
  /** proc(5): the process name may contain any character. The start time comes 19 fields after the state. */
  const stat = (name: string, state: string, started: number): string =>
    `1 (${name}) ${state} ${Array(18).fill("0").join(" ")} ${started} 0`;
  const SPACE = createHash("sha256").update("bootpid:[1]").digest("hex").slice(0, 12);
  const nameWith = (processes: Processes | undefined): string => {
    proc(processes);
    const lock = new StateLock(directory);
    lock.tryTake();
    const [name] = files();
    lock.release();
    return name!.replace(/-[0-9a-f]{16}$/, "");
  };

  it("contains the process, its start time, and the PID namespace", () => {
    expect(nameWith({ "self/stat": stat("a", "R", 77) })).toBe(`lock-${process.pid}-77-${SPACE}`);
    expect(nameWith({})).toBe(`lock-${process.pid}-0-${SPACE}`);
    expect(nameWith(undefined)).toBe(`lock-${process.pid}-0-0`);
  });

  it.each<[what: string, name: string, processes: Processes | undefined, verdict: string]>([
    ["one that runs", `7-70-${SPACE}`, { "7/stat": stat("a", "R", 70) }, "runs"],
    ["a file with another name", `7-70-${SPACE}`, { "7/stat": stat("a) Z 0", "S", 70) }, "runs"],
    ["a zombie", `7-70-${SPACE}`, { "7/stat": stat("a", "Z", 70) }, "dead"],
    ["a process that is ending", `7-70-${SPACE}`, { "7/stat": stat("a", "X", 70) }, "dead"],
    [
      "another process with the same number",
      `7-70-${SPACE}`,
      { "7/stat": stat("a", "R", 71) },
      "dead",
    ],
    ["a process that has ended", `7-70-${SPACE}`, {}, "dead"],
    ["an unknown process", `7-70-${"0".repeat(12)}`, {}, "unknown"],
    ["a system without process information", `${GONE}-0-0`, undefined, "unknown"],
    ["another thread of this process", `${process.pid}-70-${SPACE}`, {}, "unknown"],
  ])("%s", (_, name, processes, verdict) => {
    proc(processes);
    leave(`lock-${name}-0123456789abcdef`);
    const lock = new StateLock(directory);
    const holder = lock.tryTake();
    expect([holder, lock.isSure]).toEqual(
      verdict === "dead" ? [0, false] : [Number(name.split("-")[0]), verdict === "runs"],
    );
    lock.release();
    expect(files()).toHaveLength(verdict === "dead" ? 0 : 1);
  });

  it("that does not fit: the file is ignored, and stays", () => {
    const others = [
      ...["lock", "lock-7-70-0-0123456789abcde", "lock-7-70-0-0123456789abcdef0"],
      ...["a-lock-7-70-0-0123456789abcdef", "lock-7-70-0-0123456789abcdeg"],
      ...["lock-7-70-g-0123456789abcdef", "lock-x-70-0-0123456789abcdef"],
      "lock-7-x-0-0123456789abcdef",
    ];
    for (const name of others) leave(name);
    const lock = new StateLock(directory);
    expect(lock.tryTake()).toBe(0);
    lock.release();
    expect(files().sort()).toEqual(others.sort());
  });
});

it("is gone after the process has ended", () => {
  const source = new URL("../../platform/node/state-lock.ts", import.meta.url);
  const program = `import { readdirSync } from "node:fs";
    import { StateLock } from "${source}";
    new StateLock("${directory}").tryTake();
    console.log(readdirSync("${directory}").join());`;
  const words = ["--import", "tsx", "--input-type=module", "-e", program];
  expect(execFileSync(process.execPath, words, { encoding: "utf8" })).toMatch(/^lock-[\w-]+\n$/);
  expect(files()).toEqual([]);
});
