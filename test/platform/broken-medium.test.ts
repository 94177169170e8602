// A real file system that is full, read-only or fails: the device still signs in, keeps what it had, and says that
// it could not save. Real media are small file systems in memory, which only root can mount.

import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileStorage } from "../../platform/node/index.ts";

let mount: string;
beforeEach(() => {
  mount = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-medium-"));
});
afterEach(() => {
  spawnSync("umount", [mount]);
  fs.rmSync(mount, { recursive: true, force: true });
});

const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;

function put(storage: FileStorage, text: string): boolean {
  let ok = false;
  storage.write(0, Buffer.from(text), 0, text.length, (done) => {
    ok = done;
  });
  return ok;
}

function get(storage: FileStorage): string | undefined {
  const into = Buffer.alloc(100);
  let length = -2;
  storage.read(0, into, 0, 100, (count) => {
    length = count;
  });
  return length < 0 ? undefined : into.toString("latin1", 0, length);
}

describe.skipIf(!mayMount && process.env.CI !== "true")("a real medium", () => {
  beforeEach(() => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=0700", "none", mount]);
  });

  it("that is read-only from the start: no record, no refusal", () => {
    execFileSync("mount", ["-o", "remount,ro", mount]);
    const storage = new FileStorage(path.join(mount, "state"));
    expect(get(storage)).toBe("");
    expect(put(storage, "new")).toBe(false);
    expect(storage.lastFailure).toMatch(/cannot write a record: /);
    storage.close();
  });

  it("that became read-only: the old record is read", () => {
    const before = new FileStorage(path.join(mount, "state"));
    put(before, "old");
    before.close();
    execFileSync("mount", ["-o", "remount,ro", mount]);
    const storage = new FileStorage(path.join(mount, "state"));
    expect(storage.lastFailure).toContain("the file system is read-only");
    expect([put(storage, "new"), get(storage)]).toEqual([false, "old"]);
    storage.close();
  });

  it("that is full: the old record is read, nothing is left behind, and with room again it is written", () => {
    const before = new FileStorage(path.join(mount, "state"));
    put(before, "old");
    before.close();
    const filler = path.join(mount, "filler");
    expect(() => fs.writeFileSync(filler, Buffer.alloc(1_000_000))).toThrow("ENOSPC");
    const storage = new FileStorage(path.join(mount, "state"));
    expect([put(storage, "new"), get(storage)]).toEqual([false, "old"]);
    // The lock's file is empty, and finds room.
    expect(fs.readdirSync(path.join(mount, "state"))).toEqual([
      expect.stringMatching(/^lock-/),
      "slot-0",
    ]);
    fs.rmSync(filler);
    expect([put(storage, "new"), get(storage)]).toEqual([true, "new"]);
    storage.close();
  });
});

describe("one failing call after the other", () => {
  const calls = [
    "openSync",
    "writeSync",
    "fsyncSync",
    "renameSync",
    "linkSync",
    "mkdirSync",
  ] as const;

  /** Makes the calls fail whose number `fails` says yes to; returns how many there were. */
  function failing(code: string, fails: (call: number) => boolean): { count: number } {
    const seen = { count: 0 };
    for (const name of calls) {
      const real = fs[name] as (...args: unknown[]) => unknown;
      vi.spyOn(fs, name).mockImplementation(((...args: unknown[]) => {
        if (fails(seen.count++)) throw Object.assign(new Error(code), { code });
        return real(...args);
      }) as never);
    }
    return seen;
  }
  afterEach(() => vi.restoreAllMocks());

  it.each(["ENOSPC", "EROFS", "EIO"])(
    "%s at each call, once or from there on: opened, and afterwards the old record or the new one",
    (code) => {
      const outcomes = { old: 0, new: 0 };
      for (const isLasting of [false, true]) {
        for (let at = 0, isThrough = false; !isThrough; at++) {
          const directory = path.join(mount, `${code}-${isLasting}-${at}`);
          const before = new FileStorage(directory);
          put(before, "old");
          before.close();
          const seen = failing(code, (call) => (isLasting ? call >= at : call === at));
          const storage = new FileStorage(directory);
          const ok = put(storage, "new");
          storage.close();
          isThrough = seen.count <= at;
          vi.restoreAllMocks();
          const after = new FileStorage(directory);
          const kept = get(after);
          after.close();
          // Where the directory could not be synced the new record may be there without a promise.
          expect(ok ? ["new"] : ["old", "new"], `call ${at}`).toContain(kept);
          outcomes[kept as "old" | "new"]++;
        }
      }
      expect(outcomes.old).toBeGreaterThan(5);
      expect(outcomes.new).toBeGreaterThan(1);
    },
  );
});
