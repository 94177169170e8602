// The lock on a state directory, on Node: never two holders, whenever the second comes; nobody is kept out by the dead;
// and the same with real processes, in containers with process numbers, host names and networks of their own.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { lockDirectory, StateLock } from "../../platform/node/state-lock.ts";
import { isFullRun } from "../full-run.ts";
import { PATIENCE_MS } from "../patience.ts";

let root: string;
let directory: string;
let count = 0;

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-lock-"));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  directory = path.join(root, `state-${count++}`);
  fs.mkdirSync(directory);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const files = (): string[] => fs.readdirSync(directory);
const leave = (name: string): void => fs.writeFileSync(path.join(directory, name), "");
/** Of a holder in this process, with another process in its place. */
function nameOf({
  pid,
  started,
  space,
}: {
  pid?: number;
  started?: string;
  space?: string;
}): string {
  const lock = new StateLock(directory);
  lock.tryTake();
  const [, ownPid, ownStarted, ownSpace] = files()[0]!.split("-");
  lock.release();
  return `lock-${pid ?? ownPid}-${started ?? ownStarted}-${space ?? ownSpace}-0123456789abcdef`;
}

describe("the lock of a state directory", () => {
  it("is one's at a time, again and again, and leaves nothing behind", () => {
    const [one, other] = [new StateLock(directory), new StateLock(directory)];
    for (let round = 0; round < 30; round++) {
      expect([one.tryTake(), one.tryTake(), one.isHeld]).toEqual([0, 0, true]);
      expect([other.tryTake(), other.isHeld, other.isSure]).toEqual([process.pid, false, true]);
      other.release();
      expect(one.isHeld).toBe(true);
      one.release();
      expect([one.isHeld, files()]).toEqual([false, []]);
      expect(other.tryTake()).toBe(0);
      other.release();
    }
    expect(process.listenerCount("exit")).toBeLessThan(10);
  });

  it("is never two's, whichever of its operations the second meets", () => {
    let both = 0;
    for (const method of ["openSync", "closeSync", "readdirSync", "rmSync", "statSync"] as const) {
      for (let at = 0; at < 6; at++) {
        for (const dead of [0, 1, 3]) {
          for (let one = 0; one < dead; one++) {
            leave(`lock-${2 ** 22 + 1}-7-${nameOf({}).split("-")[3]}-000000000000000${one}`);
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

  /** What happens while it waits; the waits so far, in ms. */
  const waiting = (then: (waits: number[]) => void): number[] => {
    const waits: number[] = [];
    vi.spyOn(Atomics, "wait").mockImplementation(((...args: unknown[]) => {
      waits.push(args[3] as number);
      then(waits);
      return "timed-out";
    }) as never);
    return waits;
  };

  it("that another has is asked for three times more: of two that come at once both step back", () => {
    const other = new StateLock(directory);
    other.tryTake();
    const waits = waiting(() => {});
    expect(() => lockDirectory(directory)).toThrow(
      `${directory}: in use by process ${process.pid}; stop it or choose another directory`,
    );
    expect(waits).toHaveLength(3);
    for (const ms of waits) expect(ms >= 5 && ms <= 50).toBe(true);
    waiting((seen) => seen.length === 3 && other.release());
    lockDirectory(directory)();
    expect(files()).toEqual([]);
  });

  it("of whom only signs are seen is waited for until ten seconds of silence would show, and one sign more", () => {
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
    // It gives no sign any more.
    waiting(() => {
      nowMs += 1000;
    });
    lockDirectory(directory)();
    expect([nowMs, files()]).toEqual([10_000, []]);
  });

  it("whose file is gone before it has been looked at is nobody's", () => {
    vi.spyOn(fs, "readdirSync").mockReturnValue(["lock-7-1-abc-0123456789abcdef"] as never);
    const lock = new StateLock(directory);
    expect(lock.tryTake()).toBe(0);
    lock.release();
  });

  it("of a process that is gone is taken at once: by its number, and by a number given anew", () => {
    for (const gone of [{ pid: 2 ** 22 + 1 }, { pid: process.ppid, started: "1" }]) {
      leave(nameOf(gone));
      const lock = new StateLock(directory);
      expect(lock.tryTake(), JSON.stringify(gone)).toBe(0);
      expect(files()).toHaveLength(1);
      lock.release();
    }
    const started = fs.readFileSync(`/proc/${process.ppid}/stat`, "latin1").split(") ")[1]!;
    leave(nameOf({ pid: process.ppid, started: started.split(" ")[19]! }));
    const lock = new StateLock(directory);
    expect([lock.tryTake(), lock.isSure]).toEqual([process.ppid, true]);
  });

  it("of whom nothing is known is his while he gives signs, and nobody's after ten seconds without", () => {
    let nowMs = 1000;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const name = nameOf({ pid: 1, space: "ffff00000000" });
    leave(name);
    const file = path.join(directory, name);
    const lock = new StateLock(directory);
    for (let sign = 0; sign < 30; sign++) {
      // Whatever the other machine's clock says.
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

  it("gives a sign every second, and a holder who was asleep for too long knows that it is another's", async () => {
    const lock = new StateLock(directory);
    lock.tryTake();
    const file = path.join(directory, files()[0]!);
    fs.utimesSync(file, 1, 1);
    await vi.waitFor(() => expect(fs.statSync(file).mtimeMs).toBeGreaterThan(1000), PATIENCE_MS);
    fs.rmSync(file);
    expect(lock.isHeld).toBe(false);
    lock.release();
  });

  it("for as long as a process runs: refused at once to a second, given back once", () => {
    const unlock = lockDirectory(directory);
    expect(() => lockDirectory(directory)).toThrow(
      `${directory}: in use by process ${process.pid}; stop it or choose another directory`,
    );
    unlock();
    const again = lockDirectory(directory);
    unlock();
    expect(() => lockDirectory(directory)).toThrow("in use");
    again();
    expect(files()).toEqual([]);
  });
});

const hasNamespaces =
  spawnSync("unshare", ["--pid", "--uts", "--net", "--fork", "--mount-proc", "true"]).status === 0;

describe("processes", () => {
  let program: string;
  const children: ChildProcess[] = [];

  beforeAll(() => {
    program = path.join(root, "holder.mjs");
    const source = fileURLToPath(new URL("../../platform/node/state-lock.ts", import.meta.url));
    const contents = `import { StateLock } from ${JSON.stringify(source)};
      const lock = new StateLock(process.argv[2]);
      const attempt = () => {
        if (lock.tryTake() !== 0) return setTimeout(attempt, 50);
        process.stdout.write("held\\n");
        if (process.argv[3] === "exit") process.exit();
      };
      attempt();
      setInterval(() => {}, 1000);`;
    buildSync({
      stdin: { contents, resolveDir: root, loader: "ts" },
      ...{ outfile: program, bundle: true, platform: "node", format: "esm" },
    });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  /** Resolves when it has the lock. */
  function holder(prefix: readonly string[] = [], mode = ""): [ChildProcess, Promise<void>] {
    const [command, ...args] = [...prefix, process.execPath, program, directory, mode];
    const child = spawn(command!, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return [child, new Promise((done) => child.stdout!.once("data", () => done()))];
  }

  it("killed while it holds the lock, it keeps nobody out; ended, it leaves nothing", async () => {
    const [child, isHeld] = holder();
    await isHeld;
    const lock = new StateLock(directory);
    expect([lock.tryTake(), lock.isSure]).toEqual([child.pid, true]);
    child.kill("SIGKILL");
    await new Promise((done) => child.once("close", done));
    expect(lock.tryTake()).toBe(0);
    lock.release();
    const [leaving] = holder([], "exit");
    await new Promise((done) => leaving.once("close", done));
    expect(files()).toEqual([]);
  });

  it.skipIf(!isFullRun || !hasNamespaces)(
    "in containers: one at a time, and after a kill with another host name the next has it",
    async () => {
      const container = (name: string): string[] => [
        ...["unshare", "--pid", "--uts", "--net", "--fork", "--kill-child", "--mount-proc"],
        ...["sh", "-c", `hostname ${name}; exec "$@"`, "sh"],
      ];
      const [first, isHeld] = holder(container("one"));
      await isHeld;
      const lock = new StateLock(directory);
      const endMs = performance.now() + 11_500;
      while (performance.now() < endMs) {
        expect([lock.tryTake() > 0, lock.isSure]).toEqual([true, false]);
        await new Promise((done) => setTimeout(done, 200));
      }
      const [, second] = holder(container("another"));
      first.kill("SIGKILL");
      await second;
      expect(files()).toHaveLength(1);
      expect(lock.tryTake()).toBeGreaterThan(0);
    },
  );
});
