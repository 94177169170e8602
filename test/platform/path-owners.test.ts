// Who can change or read what a path leads to, as sshd looks at its files.

import { expect, it } from "vitest";
import { pathProblem } from "../../platform/storage/path-owners.ts";

const ME = 1000;
const OTHER = 1001;
type Entry = readonly [mode: number, uid: number];

/** A tree in which everything is as it should be, but for what is changed. */
function problem(
  readers: "all" | "owner",
  changes: Readonly<Record<string, Entry>>,
  path = "/etc/app/key",
): string {
  const tree: Record<string, Entry> = {
    "/": [0o40755, 0],
    "/etc": [0o40755, 0],
    "/etc/app": [0o40750, ME],
    "/etc/app/key": [0o100600, ME],
    ".": [0o40755, ME],
    key: [0o100600, ME],
    ...changes,
  };
  return pathProblem(path, readers, ME, (one) => {
    const entry = tree[one];
    return entry === undefined ? null : { mode: entry[0], uid: entry[1] };
  });
}

it.each<[string, Readonly<Record<string, Entry>>, RegExp]>([
  ["as it should be", {}, /^$/],
  ["of root", { "/etc/app/key": [0o100600, 0] }, /^$/],
  ["in a directory for everybody, with the sticky bit", { "/etc": [0o41777, 0] }, /^$/],
  ["of another user", { "/etc/app/key": [0o100600, OTHER] }, /^belongs to another user/],
  [
    "that its group can read",
    { "/etc/app/key": [0o100640, ME] },
    /^is open to other users; run chmod 600/,
  ],
  ["that everybody can read", { "/etc/app/key": [0o100604, ME] }, /^is open to other users/],
  [
    "in a directory that its group can change",
    { "/etc/app": [0o40770, ME] },
    /^others can change \/etc\/app,/,
  ],
  [
    "in a directory of another user",
    { "/etc/app": [0o40755, OTHER] },
    /^others can change \/etc\/app,/,
  ],
  ["below a directory for everybody", { "/": [0o40777, 0] }, /^others can change \/, which/],
])("a secret file %s", (_, changes, expected) => {
  expect(problem("owner", changes)).toMatch(expected);
});

it.each<[number, RegExp]>([
  [0o100644, /^$/],
  [0o100640, /^$/],
  [0o100664, /^its group can change it; run chmod 640/],
  [0o100646, /^every user can change it; run chmod 640/],
])("a configuration of mode %o", (mode, expected) => {
  expect(problem("all", { "/etc/app/key": [mode, ME] })).toMatch(expected);
});

it("a relative path begins where the program was started", () => {
  expect(problem("owner", {}, "key")).toBe("");
  expect(problem("owner", { ".": [0o40777, ME] }, "key")).toMatch(/^others can change \., which/);
});
