// Directories made with those above them on Node: where there is nothing above, it ends.

import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { makeDirectory } from "../../platform/node/make-directory.ts";

afterEach(() => vi.restoreAllMocks());

it("makes what is missing, and takes what is there", () => {
  const folder = fs.mkdtempSync(join(tmpdir(), "picogrant-directory-"));
  for (let time = 0; time < 2; time++) makeDirectory(join(folder, "a/b/c"), 0o700);
  expect(fs.statSync(join(folder, "a/b/c")).mode & 0o777).toBe(0o700);
  fs.rmSync(folder, { recursive: true });
});

it("ends at the top, where a drive that is not there has nothing above it either", () => {
  vi.spyOn(fs, "existsSync").mockReturnValue(false);
  const missing = Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  vi.spyOn(fs, "mkdirSync").mockImplementation(() => {
    throw missing;
  });
  vi.spyOn(fs, "statSync").mockReturnValue(undefined as never);
  expect(() => makeDirectory("/state", 0o700)).toThrow(missing);
});
