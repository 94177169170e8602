// File storage: states of the directory that a person has to be told about, the lock, and records under
// SIGKILL at random moments.

import { type ChildProcess, fork } from "node:child_process";
import { randomInt } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileStorage, StateDirectoryError } from "../../platform/node/file-storage.ts";
import { isFullRun } from "../full-run.ts";
import { patience } from "../patience.ts";
import { counterOf, recordOf } from "./kill-writer.ts";

let root: string;
let directory: string;

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-"));
  directory = path.join(root, "state");
});
afterEach(() => {
  vi.restoreAllMocks();
  fs.rmSync(root, { recursive: true, force: true });
});

const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;

function put(storage: FileStorage, slot: number, text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  let ok = false;
  storage.write(slot, bytes, 0, bytes.length, (done) => {
    ok = done;
  });
  return ok;
}

function get(storage: FileStorage, slot: number): string | undefined {
  const into = new Uint8Array(storage.capacity);
  let length = -2;
  storage.read(slot, into, 0, into.length, (count) => {
    length = count;
  });
  return length < 0 ? undefined : new TextDecoder().decode(into.subarray(0, length));
}

/** The error that opening gives; checked to be one line that names where. */
function refusal(): string {
  try {
    new FileStorage(directory).close();
  } catch (error) {
    if (!(error instanceof StateDirectoryError)) throw error;
    expect(error.message).toContain(directory);
    expect(error.message).not.toContain("\n");
    return error.message;
  }
  return "opened";
}

describe("file storage", () => {
  it("makes its directory 0700 and its files 0600, whatever the umask", () => {
    const before = process.umask(0);
    try {
      const storage = new FileStorage(path.join(directory, "deep"));
      put(storage, 0, "secret");
      expect(modeOf(path.join(directory, "deep"))).toBe(0o700);
      for (const name of fs.readdirSync(path.join(directory, "deep"))) {
        expect(modeOf(path.join(directory, "deep", name)), name).toBe(0o600);
      }
      storage.close();
    } finally {
      process.umask(before);
    }
  });

  it.skipIf(!fs.existsSync("/proc/self"))(
    "refuses a place where no directory can be made, instead of trying for ever",
    () => {
      for (const place of ["/proc/picogrant", "/proc/picogrant/deep/state"]) {
        directory = place;
        expect(refusal()).toMatch(/cannot keep state there: .*; choose another directory/);
      }
    },
  );

  it("leaves nothing but slots after use, and clears drafts of killed processes away", () => {
    fs.mkdirSync(directory, { mode: 0o700 });
    fs.writeFileSync(path.join(directory, "slot-0.draft"), "left over");
    const storage = new FileStorage(directory);
    expect(get(storage, 0)).toBe("");
    put(storage, 0, "a");
    put(storage, 1, "b");
    expect(fs.readdirSync(directory).sort()).toEqual([
      expect.stringMatching(/^lock-/),
      "slot-0",
      "slot-1",
    ]);
    storage.close();
    expect(fs.readdirSync(directory).sort()).toEqual(["slot-0", "slot-1"]);
  });

  it("reports failures of the running system, with a line that holds no secret", () => {
    const storage = new FileStorage(directory);
    put(storage, 0, "topsecret");
    fs.rmSync(directory, { recursive: true });
    expect(put(storage, 0, "topsecret")).toBe(false);
    expect(storage.lastFailure).toContain("cannot write a record: it does not exist");
    expect(storage.lastFailure).not.toContain("topsecret");
    fs.mkdirSync(path.join(directory, "slot-0"), { recursive: true });
    expect(get(storage, 0)).toBeUndefined();
    let erased = true;
    storage.erase(0, (ok) => {
      erased = ok;
    });
    expect(erased).toBe(false);
    storage.close();
    expect(put(storage, 1, "after close")).toBe(false);
  });

  it("a record that became unreadable while running reads as -1", () => {
    const storage = new FileStorage(directory);
    put(storage, 0, "good");
    fs.writeFileSync(path.join(directory, "slot-0"), "garbage");
    expect(get(storage, 0)).toBeUndefined();
    expect(put(storage, 0, "new")).toBe(true);
    expect(get(storage, 0)).toBe("new");
    storage.close();
  });

  type Spoil = () => void;
  const inside = (name: string) => path.join(directory, name);
  const cases: [string, Spoil, string][] = [
    ["a file in its place", () => fs.writeFileSync(directory, ""), "not a directory"],
    [
      "a file in its path",
      () => {
        fs.writeFileSync(path.join(root, "file"), "");
        directory = path.join(root, "file", "state");
      },
      "part of its path is not a directory",
    ],
    [
      "a directory that others can write to",
      () => {
        fs.mkdirSync(directory);
        fs.chmodSync(directory, 0o777);
      },
      "chmod 700",
    ],
    ["a foreign file as slot", () => seed("slot-0", "#!/bin/sh\n"), "not a record of picogrant"],
    ["an empty file as slot", () => seed("slot-1", ""), "not a record of picogrant"],
    [
      "a record that is too long",
      () => seed("slot-0", `picogrant slot\n${"x".repeat(131_073)}`),
      "more than 131072 bytes",
    ],
    [
      "a slot that others can read",
      () => {
        seed("slot-0", "picogrant slot\nabc");
        fs.chmodSync(inside("slot-0"), 0o644);
      },
      "chmod 600",
    ],
    [
      "a slot that is a symbolic link",
      () => {
        seed("elsewhere", "picogrant slot\nabc");
        fs.symlinkSync(inside("elsewhere"), inside("slot-0"));
      },
      "not a file",
    ],
    [
      "a slot that is a directory",
      () => fs.mkdirSync(inside("slot-1"), { recursive: true }),
      "slot-1",
    ],
  ];
  const seed = (name: string, content: string): void => {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    fs.writeFileSync(inside(name), content, { mode: 0o600 });
  };
  it.each(cases)("refuses %s in one line that says what to do", (_, spoil, expected) => {
    spoil();
    expect(refusal()).toContain(expected);
  });

  it.each<[name: string, spoil: Spoil, message: () => string]>([
    [
      "a foreign file",
      () => seed("slot-0", "#!/bin/sh\n"),
      () =>
        `${inside("slot-0")}: not a record of picogrant; delete it to sign in again, or choose another directory`,
    ],
    [
      "a record that is too long",
      () => seed("slot-1", `picogrant slot\n${"x".repeat(131_073)}`),
      () =>
        `${inside("slot-1")}: holds a record of more than 131072 bytes; delete it to sign in again, or choose another directory`,
    ],
    [
      "a directory",
      () => fs.mkdirSync(inside("slot-1"), { recursive: true }),
      () => `${inside("slot-1")}: not a file; move it away or choose another directory`,
    ],
    [
      "a slot that the group can read",
      () => {
        seed("slot-0", "picogrant slot\nabc");
        fs.chmodSync(inside("slot-0"), 0o640);
      },
      () =>
        `${inside("slot-0")}: other users can read this secret; run chmod 600 on it, or delete it and sign in again`,
    ],
    [
      "a directory that the group can write to",
      () => {
        fs.mkdirSync(directory);
        fs.chmodSync(directory, 0o770);
      },
      () => `${directory}: other users can write to it; run chmod 700 on it`,
    ],
    [
      "a file in its place",
      () => fs.writeFileSync(directory, ""),
      () =>
        `${directory}: cannot keep state there: it is not a directory; choose another directory`,
    ],
  ])("%s, word by word", (_, spoil, message) => {
    spoil();
    expect(refusal()).toBe(message());
  });

  it("takes the longest record that there may be, and what others may read but not change", () => {
    seed("slot-0", `picogrant slot\n${"x".repeat(131_072)}`);
    fs.chmodSync(directory, 0o755);
    expect(refusal()).toBe("opened");
    const storage = new FileStorage(directory);
    expect(get(storage, 0)).toHaveLength(131_072);
    storage.close();
  });

  it("a directory of another user is refused", () => {
    fs.mkdirSync(directory, { mode: 0o700 });
    const own = process.getuid!();
    const other = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(own + 1);
    try {
      expect(refusal()).toBe(
        `${directory}: belongs to another user; choose a directory of your own`,
      );
    } finally {
      other.mockRestore();
    }
  });

  it.each([
    ["EACCES", "permission denied"],
    ["EPERM", "permission denied"],
    ["ENOTDIR", "part of its path is not a directory"],
    ["EEXIST", "it is not a directory"],
    ["ENOENT", "it does not exist"],
    ["ENOSPC", "no space left on the device"],
    ["EROFS", "the file system is read-only"],
    ["EIO", "the medium has a fault"],
    ["EDQUOT", "the user's share of the disk is used up"],
    ["EISDIR", "it is a directory"],
    ["ELOOP", "its symbolic links go in circles"],
    ["EUNKNOWN", "EUNKNOWN"],
  ])("why an operation has failed is said in words: %s", (code, words) => {
    const storage = new FileStorage(directory);
    expect(storage.lastFailure).toBe("");
    const failing = vi.spyOn(fs, "openSync").mockImplementation(() => {
      throw Object.assign(new Error("not said"), { code });
    });
    try {
      expect(put(storage, 0, "a")).toBe(false);
      expect(storage.lastFailure).toBe(`${directory}: cannot write a record: ${words}`);
      const isMissing = code === "ENOENT";
      expect(get(storage, 0)).toBe(isMissing ? "" : undefined);
      if (!isMissing) {
        expect(storage.lastFailure).toBe(`${directory}: cannot read a record: ${words}`);
      }
      storage.erase(0, (ok) => expect(ok).toBe(false));
      expect(storage.lastFailure).toBe(`${directory}: cannot erase a record: ${words}`);
    } finally {
      failing.mockRestore();
      storage.close();
    }
  });

  it.each(["EIO", "ENOSPC", "EDQUOT", "EROFS"])(
    "a medium that fails with %s is no reason to refuse; whatever else does is one",
    (code) => {
      const failing = (name: string) =>
        vi.spyOn(fs, "openSync").mockImplementation(() => {
          throw Object.assign(new Error("not said"), { code: name });
        });
      const medium = failing(code);
      const storage = new FileStorage(directory);
      medium.mockRestore();
      expect(storage.lastFailure).toMatch(/: cannot keep records: /);
      storage.close();
      const other = failing("EACCES");
      expect(refusal()).toBe(
        `${directory}: cannot keep state there: permission denied; choose another directory`,
      );
      other.mockRestore();
    },
  );

  it("what is given up: a record over the capacity, a slot that there is not, anything after the end", () => {
    const storage = new FileStorage(directory, { capacity: 3 });
    expect([put(storage, 0, "abc"), put(storage, 0, "abcd")]).toEqual([true, false]);
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: record over 3 bytes`);
    expect(get(storage, 0)).toBe("abc");
    storage.write(0, Buffer.from("abcdef"), 3, 6, (ok) => expect(ok).toBe(true));
    expect(get(storage, 0)).toBe("def");
    for (const slot of [-1, 2]) {
      const problem = new RangeError(`storage: no slot ${slot}`);
      expect(() => put(storage, slot, "a")).toThrow(problem);
      expect(() => get(storage, slot)).toThrow(problem);
      expect(() => storage.erase(slot, () => {})).toThrow(problem);
    }
    storage.close();
    expect(put(storage, 0, "a")).toBe(false);
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: closed`);
  });

  it("reads and writes a part of what is there, and says where the room is too small", () => {
    const storage = new FileStorage(directory);
    const bytes = Uint8Array.of(1, 2, 3, 4);
    storage.write(1, bytes, 1, 3, (ok) => expect(ok).toBe(true));
    const into = new Uint8Array(6).fill(9);
    storage.read(1, into, 2, 4, (length) => expect(length).toBe(2));
    expect([...into]).toEqual([9, 9, 2, 3, 9, 9]);
    storage.read(1, into, 2, 3, (length) => expect(length).toBe(-1));
    expect([storage.hasRecords, get(storage, 0)]).toEqual([true, ""]);
    storage.erase(1, (ok) => expect(ok).toBe(true));
    expect(storage.hasRecords).toBe(false);
    storage.close();
  });

  it("what is written and erased is durable: the file, and the directory it stands in", () => {
    const storage = new FileStorage(directory);
    const durable = vi.spyOn(fs, "fsyncSync");
    try {
      put(storage, 0, "a");
      expect(durable).toHaveBeenCalledTimes(2);
      storage.erase(0, () => {});
      expect(durable).toHaveBeenCalledTimes(3);
    } finally {
      durable.mockRestore();
      storage.close();
    }
  });

  it("what is thrown and is no error has no words", () => {
    const storage = new FileStorage(directory);
    const failing = vi.spyOn(fs, "openSync").mockImplementation(() => {
      throw "secret";
    });
    put(storage, 0, "a");
    failing.mockRestore();
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: unknown reason`);
    storage.close();
  });

  it("tells the records of now from those of before: its stamp", () => {
    const storage = new FileStorage(directory);
    const stamps = [storage.stamp];
    put(storage, 0, "a");
    stamps.push(storage.stamp);
    put(storage, 0, "a");
    stamps.push(storage.stamp);
    put(storage, 1, "b");
    stamps.push(storage.stamp);
    expect(new Set(stamps).size).toBe(4);
    expect(storage.stamp).toBe(stamps[3]);
    storage.close();
  });

  it("a draft that another may be writing is left alone where the directory is shared", () => {
    seed("slot-0.draft", "of another");
    new FileStorage(directory, { isShared: true }).close();
    expect(fs.existsSync(inside("slot-0.draft"))).toBe(true);
    new FileStorage(directory).close();
    expect(fs.existsSync(inside("slot-0.draft"))).toBe(false);
  });

  it("after a refusal the lock is given back", () => {
    seed("slot-0", "foreign");
    refusal();
    fs.rmSync(inside("slot-0"));
    expect(refusal()).toBe("opened");
  });
});

/** How many times the writer is killed; more by the environment for a long run. */
const KILLS = Number(process.env.PICOGRANT_KILLS ?? (isFullRun ? 40 : 3));

describe("SIGKILL while writing", () => {
  /** The writer as one plain file, so that starting it takes as little time as Node itself. */
  function bundle(): string {
    const outfile = path.join(root, "writer.mjs");
    const entryPoints = [fileURLToPath(new URL("kill-writer.ts", import.meta.url))];
    buildSync({ entryPoints, outfile, bundle: true, platform: "node", format: "esm" });
    return outfile;
  }

  interface Progress {
    started: number[];
    done: number[];
  }

  function follow(child: ChildProcess, progress: Progress): Promise<void> {
    child.on("message", (message: { slot: number; counter: number; done: boolean }) => {
      const { slot, counter, done } = message;
      (done ? progress.done : progress.started)[slot] = counter;
    });
    return new Promise((resolve) => child.once("exit", () => resolve()));
  }

  it(
    `each slot reads as old or new, never as neither; the lock is recovered (${KILLS} kills)`,
    async () => {
      const writer = bundle();
      // The counters that each slot was last known to hold, and the newest that was begun.
      const progress: Progress = { started: [0, 0], done: [0, 0] };
      let writes = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const from = Math.max(...progress.started) + 1;
        const child = fork(writer, [directory, String(from), "writer"], { stdio: "inherit" });
        const gone = follow(child, progress);
        // After so many begun writes, and then at any moment of the next few: in steps much finer
        // than one of them, however slow the disk is.
        const begun = performance.now();
        for (let begins = 1 + (kill % 4); begins > 0; ) {
          const message = await new Promise<{ done: boolean }>((resolve) =>
            child.once("message", resolve),
          );
          if (!message.done) begins--;
        }
        const spread = Math.min(12, performance.now() - begun) * 1_000_000;
        const until = process.hrtime.bigint() + BigInt(randomInt(Math.ceil(spread) + 1));
        while (process.hrtime.bigint() < until) await new Promise((next) => setImmediate(next));
        child.kill("SIGKILL");
        await gone;
        const storage = new FileStorage(directory);
        for (const slot of [0, 1]) {
          const counter = counterOf(storage, slot);
          expect(counter, `slot ${slot}, kill ${kill}`).toBeGreaterThanOrEqual(
            progress.done[slot]!,
          );
          // Messages of the last moments may be lost with the process, so later ones are allowed,
          // but only of this slot: the counter tells by its parity.
          if (counter > 0) expect(counter % 2).toBe(slot);
          progress.done[slot] = counter;
          progress.started[slot] = counter;
        }
        writes = Math.max(...progress.done);
        storage.close();
      }
      // Each is killed behind none to three whole writes.
      expect(writes).toBeGreaterThanOrEqual(Math.floor(KILLS / 2));
    },
    patience.testTimeout + KILLS * 5_000,
  );

  it("the record that tells old from new does tell a mixture of both", () => {
    const storage = new FileStorage(directory);
    const mixed = recordOf(8);
    mixed.set(recordOf(10).subarray(0, 20));
    storage.write(0, mixed, 0, mixed.length, () => {});
    expect(() => counterOf(storage, 0)).toThrow("neither");
    storage.close();
  });
});
