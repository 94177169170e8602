// Tests file storage: its lock, and its messages about unusable directories. Random sessions test kills and power cuts
// (session-model/slots.ts, process.ts).

import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FileStorage, StateDirectoryError } from "../../platform/node/file-storage.ts";
import { makeDirectory } from "../../platform/node/files.ts";
import { temporaryFolder } from "../listening.ts";
import { get, put } from "./conformance-bench.ts";

const isRoot = process.getuid?.() === 0;
let root: string;
let directory: string;

beforeEach(() => {
  root = temporaryFolder();
  directory = path.join(root, "state");
});

const failing = (name: "openSync" | "renameSync" | "fchmodSync", code: string) =>
  vi.spyOn(fs, name as "openSync").mockImplementation(() => {
    throw Object.assign(new Error("not said"), { code });
  });

const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;

/** The message of the error that opening throws, or "opened". A message must be one line and contain the path. */
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
  it("creates its directory with mode 0700 and its files with 0600, whatever the umask is", () => {
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
    "does not retry if the directory cannot be created",
    () => {
      for (const place of ["/proc/picogrant", "/proc/picogrant/deep/state"]) {
        directory = place;
        expect(refusal()).toMatch(/cannot keep state there: .*; choose another directory/);
      }
    },
  );

  it("reports -1 for a record that becomes unreadable while the program runs", () => {
    const storage = new FileStorage(directory);
    put(storage, 0, "good");
    fs.writeFileSync(path.join(directory, "slot-0"), "garbage");
    expect(get(storage, 0)).toBe(-1);
    expect(put(storage, 0, "new")).toBe(true);
    expect(get(storage, 0)).toBe("new");
    storage.close();
  });

  const inside = (name: string) => path.join(directory, name);
  const seed = (name: string, content: string, mode = 0o600): void => {
    fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    fs.writeFileSync(inside(name), content);
    fs.chmodSync(inside(name), mode);
  };
  const VALID = "picogrant slot\nabc";
  const CLEAN = "delete it to sign in again, or choose another directory";
  const ANOTHERS = "belongs to user 65534";
  const none = `not a record of picogrant; ${CLEAN}`;
  const noFile = "not a file; move it away or choose another directory";
  const noDirectory = "cannot keep state there: it is not a directory; choose another directory";

  it.each<[what: string, corrupt: () => void, name: string, message: string]>([
    ["a foreign file", () => seed("slot-0", "#!/bin/sh\n"), "slot-0", none],
    ["a text that begins otherwise", () => seed("slot-1", "p!"), "slot-1", none],
    [
      "a record that is too long",
      () => seed("slot-1", `picogrant slot\n${"x".repeat(131_073)}`),
      "slot-1",
      `holds a record of more than 131072 bytes; ${CLEAN}`,
    ],
    [
      "a slot that every user could write",
      () => seed("slot-0", VALID, 0o602),
      "slot-0",
      "every user could change it; delete it and sign in again",
    ],
    [
      "a slot that is a symbolic link",
      () => {
        seed("elsewhere", VALID);
        fs.symlinkSync(inside("elsewhere"), inside("slot-0"));
      },
      "slot-0",
      noFile,
    ],
    [
      "a slot that is a directory",
      () => fs.mkdirSync(inside("slot-1"), { recursive: true }),
      "slot-1",
      noFile,
    ],
    [
      "a link to itself",
      () => fs.symlinkSync("state", directory),
      "",
      "cannot keep state there: its symbolic links go in circles; choose another directory",
    ],
    ["a file in its place", () => fs.writeFileSync(directory, ""), "", noDirectory],
    [
      "a file in its path",
      () => {
        fs.writeFileSync(path.join(root, "file"), "");
        directory = path.join(root, "file", "state");
      },
      "",
      "cannot keep state there: part of its path is not a directory; choose another directory",
    ],
    ...(isRoot
      ? ([
          [
            "a slot of another user's",
            () => {
              seed("slot-1", VALID);
              fs.chownSync(inside("slot-1"), 65_534, 65_534);
            },
            "slot-1",
            `${ANOTHERS}; run as that user, or choose another directory`,
          ],
          [
            "a directory of another user's",
            () => {
              fs.mkdirSync(directory);
              fs.chownSync(directory, 65_534, 65_534);
            },
            "",
            `${ANOTHERS}; run as that user, or choose another directory`,
          ],
          // Typical modes of a container volume's mount point.
          ...[0o1777, 0o2777, 0o2770].map((mode) => [
            `a directory of another user's with mode ${mode.toString(8)}`,
            () => {
              fs.mkdirSync(directory);
              fs.chownSync(directory, 65_534, 65_534);
              fs.chmodSync(directory, mode);
            },
            "",
            `${ANOTHERS}; use a directory below it, `,
          ]),
        ] as [string, () => void, string, string][])
      : []),
  ])("refuses %s in one line that says what to do", (_, corrupt, name, message) => {
    corrupt();
    const own = message.endsWith(" ") ? path.join(directory, "picogrant") : "";
    expect(refusal()).toBe(`${path.join(directory, name)}: ${message}${own}`);
    if (own !== "") new FileStorage(own).close();
  });

  it.each([0o777, 0o2770, 0o775])("corrects the modes of its own files, here %o", (mode) => {
    seed("slot-0", VALID, 0o660);
    seed("slot-1", VALID, 0o644);
    fs.chmodSync(directory, mode);
    expect(refusal()).toBe("opened");
    expect(fs.statSync(directory).mode & 0o022).toBe(0);
    expect(["slot-0", "slot-1"].map((name) => modeOf(inside(name)))).toEqual([0o600, 0o600]);
  });

  it("refuses a file system without modes, unless records are sealed", () => {
    seed("slot-0", VALID, 0o666);
    fs.chmodSync(directory, 0o777);
    failing("fchmodSync", "EPERM");
    expect(refusal()).toBe(
      `${directory}: other users can get at it, and its file system keeps no modes; ` +
        "choose a directory on another, or give a key that seals the tokens",
    );
    const storage = new FileStorage(directory, { isSealed: true });
    expect(get(storage, 0)).toBe("abc");
    storage.close();
  });

  it.each(["", "pico"])("ignores a partial record after a power cut: %j", (left) => {
    seed("slot-0", left);
    const storage = new FileStorage(directory);
    expect([get(storage, 0), put(storage, 0, "new"), get(storage, 0)]).toEqual([
      ...[-1, true, "new"],
    ]);
    storage.close();
  });

  it("accepts the longest possible record, and a directory that others can read but not change", () => {
    seed("slot-0", `picogrant slot\n${"x".repeat(131_072)}`);
    fs.chmodSync(directory, 0o755);
    expect(refusal()).toBe("opened");
    expect(modeOf(directory)).toBe(0o755);
    const storage = new FileStorage(directory);
    expect(get(storage, 0)).toHaveLength(131_072);
    storage.close();
  });

  it.each([
    ["EACCES", "permission denied"],
    ["ENOTDIR", "part of its path is not a directory"],
    ["EEXIST", "it is not a directory"],
    ["ENOENT", "it does not exist"],
    ["ENOSPC", "no space left on the device"],
    ["EROFS", "the file system is read-only"],
    ["EIO", "the medium has a fault"],
    ["EDQUOT", "the user's share of the disk is used up"],
    ["EISDIR", "it is a directory"],
    ["EUNKNOWN", "EUNKNOWN"],
  ])("the reason for a failed operation is described: %s", (code, words) => {
    const storage = new FileStorage(directory);
    expect(storage.lastFailure).toBe("");
    failing("openSync", code);
    expect(put(storage, 0, "a")).toBe(false);
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: ${words}`);
    const isMissing = code === "ENOENT";
    expect(get(storage, 0)).toBe(isMissing ? "" : -1);
    if (!isMissing)
      expect(storage.lastFailure).toBe(`${directory}: cannot read a record: ${words}`);
    storage.erase(0, (ok) => expect(ok).toBe(false));
    expect(storage.lastFailure).toBe(`${directory}: cannot erase a record: ${words}`);
    vi.restoreAllMocks();
    storage.close();
  });

  const PASSING = ["EPERM", "EBUSY", "EAGAIN", "ESTALE"];
  const CALLS = ["openSync", "renameSync", "rmSync", "mkdirSync"] as const;
  it.each(PASSING.flatMap((code) => CALLS.map((call) => [code, call] as const)))(
    "%s of %s is temporary: retried without a report",
    (code, call) => {
      const real = fs[call] as (...args: unknown[]) => unknown;
      const failures = new Map<unknown, number>();
      const spy = vi.spyOn(fs, call as "openSync").mockImplementation((...args) => {
        const count = failures.get(args[0]) ?? 0;
        failures.set(args[0], count + 1);
        if (count < 2) throw Object.assign(new Error("busy"), { code });
        return real(...args) as number;
      });
      const storage = new FileStorage(directory);
      expect([put(storage, 0, "a"), get(storage, 0)]).toEqual([true, "a"]);
      storage.erase(0, (ok) => expect(ok).toBe(true));
      expect(storage.lastFailure).toBe("");
      expect(spy).toHaveBeenCalled();
      storage.close();
    },
  );

  it("reports a temporary error after one second", () => {
    const storage = new FileStorage(directory);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 600));
    failing("renameSync", "EPERM");
    expect(put(storage, 0, "a")).toBe(false);
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: permission denied`);
    storage.close();
  });

  it.each(["EIO", "ENOSPC", "EDQUOT", "EROFS"])(
    "opens although the medium fails with %s, but not with other errors",
    (code) => {
      failing("openSync", code);
      const storage = new FileStorage(directory);
      vi.restoreAllMocks();
      expect(storage.lastFailure).toMatch(/: cannot keep records: /);
      storage.close();
      failing("openSync", "EACCES");
      expect(refusal()).toBe(
        `${directory}: cannot keep state there: permission denied; choose another directory`,
      );
    },
  );

  it("reports a record over the capacity, and operations after close", () => {
    const storage = new FileStorage(directory, { capacity: 3 });
    expect(put(storage, 0, "abcd")).toBe(false);
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: record over 3 bytes`);
    storage.close();
    expect(put(storage, 0, "a")).toBe(false);
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: closed`);
  });

  it("writes and erases durably: it synchronizes both file and directory", () => {
    const storage = new FileStorage(directory);
    const durable = vi.spyOn(fs, "fsyncSync");
    const [opened, closed] = [vi.spyOn(fs, "openSync"), vi.spyOn(fs, "closeSync")];
    put(storage, 0, "a");
    expect(durable).toHaveBeenCalledTimes(2);
    storage.erase(0, () => {});
    expect(durable).toHaveBeenCalledTimes(3);
    expect(closed).toHaveBeenCalledTimes(opened.mock.calls.length);
    storage.close();
  });

  it("does not describe a thrown value that is no Error", () => {
    const storage = new FileStorage(directory);
    vi.spyOn(fs, "openSync").mockImplementationOnce(() => {
      throw "secret";
    });
    put(storage, 0, "a");
    expect(storage.lastFailure).toBe(`${directory}: cannot write a record: unknown reason`);
    storage.close();
  });

  it("leaves the unfinished file of another process in a shared directory", () => {
    seed("slot-0.draft", "of another");
    new FileStorage(directory, { isShared: true }).close();
    expect(fs.existsSync(inside("slot-0.draft"))).toBe(true);
    new FileStorage(directory).close();
    expect(fs.existsSync(inside("slot-0.draft"))).toBe(false);
  });

  it("releases the lock when it refuses a directory", () => {
    seed("slot-0", "foreign");
    refusal();
    fs.rmSync(inside("slot-0"));
    expect(refusal()).toBe("opened");
  });
});

it("creates parent directories, and fails if even the root is missing, such as a drive", () => {
  for (let time = 0; time < 2; time++) makeDirectory(path.join(root, "a/b/c"), 0o700);
  expect(modeOf(path.join(root, "a/b/c"))).toBe(0o700);
  vi.spyOn(fs, "existsSync").mockReturnValue(false);
  const missing = Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  vi.spyOn(fs, "mkdirSync").mockImplementation(() => {
    throw missing;
  });
  vi.spyOn(fs, "statSync").mockReturnValue(undefined as never);
  expect(() => makeDirectory("/state", 0o700)).toThrow(missing);
});
