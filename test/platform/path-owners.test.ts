// Tests who may change or read the files that a user names. The rules (platform/node/files.ts) resemble sshd's.
// test/host/process.spec.ts tests the same rules in C.

import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { ownersProblem } from "../../platform/node/files.ts";
import { pathProblem, type READERS } from "../../platform/storage/path-owners.ts";
import { temporaryFolder } from "../listening.ts";

const OTHER = 65_534;
const isRoot = process.getuid?.() === 0;
let root: string;
let file: string;

beforeEach(() => {
  root = temporaryFolder();
  fs.mkdirSync(path.join(root, "app"));
  file = path.join(root, "app", "file");
  fs.writeFileSync(file, "");
  fs.chmodSync(file, 0o600);
});

it.each<[keyof typeof READERS, mode: number, problem: string]>([
  ["key", 0o600, ""],
  ["key", 0o640, "is open to other users; run chmod 600 on it"],
  ["key", 0o604, "is open to other users; run chmod 600 on it"],
  ["client's secret", 0o640, ""],
  ["client's secret", 0o644, "every user can read the secrets in it; run chmod 640 on it"],
  ["client's secret", 0o660, "its group can change it; run chmod 640 on it"],
  [
    "configuration with a secret",
    0o604,
    "every user can read the secrets in it; run chmod 640 on it",
  ],
  ["configuration with a secret", 0o666, "every user can change it; run chmod 640 on it"],
  ["configuration", 0o644, ""],
  ["configuration", 0o664, "its group can change it; run chmod 640 on it"],
  ["certificates", 0o644, ""],
  ["certificates", 0o646, "every user can change it; run chmod 640 on it"],
])("%s of mode %o: %s", (what, mode, problem) => {
  fs.chmodSync(file, mode);
  expect(ownersProblem(file, what)).toBe(problem);
});

const within = (name: string): string => path.join(root, name);
const open = (directory: string): string =>
  `others can change ${directory}, which it lies in; run chmod 755 on that`;

it.each<[string, corrupt: () => void, problem: () => string]>([
  ["a missing file is reported when it is read", () => fs.rmSync(file), () => ""],
  [
    "a directory that everybody can change",
    () => fs.chmodSync(within("app"), 0o777),
    () => open(within("app")),
  ],
  [
    "a directory that a group can change",
    () => fs.chmodSync(within("app"), 0o770),
    () => open(within("app")),
  ],
  ["one with the sticky bit, as /tmp", () => fs.chmodSync(within("app"), 0o1777), () => ""],
  ["one above it", () => fs.chmodSync(root, 0o777), () => open(root)],
  [
    "a link from a safe directory into one that everybody can change",
    () => {
      fs.mkdirSync(within("open"));
      fs.chmodSync(within("open"), 0o777);
      fs.renameSync(file, within("open/file"));
      fs.symlinkSync("../open/file", file);
    },
    () => open(`${within("app")}/../open`),
  ],
  [
    "a directory that is a link",
    () => {
      fs.renameSync(within("app"), within("real"));
      fs.mkdirSync(within("open"));
      fs.chmodSync(within("open"), 0o777);
      fs.symlinkSync(within("real"), within("open/middle"));
      fs.symlinkSync("open/middle", within("app"));
    },
    () => open(within("open")),
  ],
])("%s", (_, corrupt, problem) => {
  corrupt();
  expect(ownersProblem(file, "certificates")).toBe(problem());
});

it.runIf(isRoot)("a file or directory of a user other than root and the own one is refused", () => {
  fs.chownSync(file, OTHER, OTHER);
  expect(ownersProblem(file, "certificates")).toBe("belongs to another user; run chown on it");
  fs.chownSync(file, 0, 0);
  fs.chownSync(within("app"), OTHER, OTHER);
  expect(ownersProblem(file, "certificates")).toBe(open(within("app")));
  const statusOf = (one: string) => fs.statSync(one);
  expect(pathProblem("/etc/passwd", "all", OTHER, statusOf, () => "")).toBe("");
});

it("a relative path starts in the working directory", () => {
  const statusOf = (one: string) => ({ mode: one === "." ? 0o40777 : 0o100600, uid: 1000 });
  const looked = (uid?: number) => pathProblem("key", "owner", uid, statusOf, () => "");
  expect(looked(1000)).toBe(open("."));
  expect(looked(undefined)).toBe("");
});
