// The adapters on Node as one platform (platform/node/index.ts), and what giving them back does.

import fs from "node:fs";
import https from "node:https";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { nodePlatformWith } from "../../platform/node/directory-platform.ts";
import { FileStorage, NodeEntropy, nodePlatform } from "../../platform/node/index.ts";

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-platform-"));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

it("has the five adapters; the display is the terminal, as it is wanted, or one of the program's own", () => {
  const own = { columns: 16, rows: 2, show: () => {} };
  for (const [display, size] of [
    [undefined, [20, 4]],
    [{ columns: 40, rows: 2 }, [40, 2]],
    [own, [16, 2]],
  ] as const) {
    const platform = nodePlatform({ stateDirectory: directory, ...(display && { display }) });
    expect([platform.display.columns, platform.display.rows]).toEqual(size);
    expect(platform.storage).toBeInstanceOf(FileStorage);
    expect(platform.entropy).toBeInstanceOf(NodeEntropy);
    if (display === own) expect(platform.display).toBe(own);
    platform.dispose();
  }
});

it("given back it rings no more, and lets another process have the directory", async () => {
  const platform = nodePlatform({ stateDirectory: directory });
  let rings = 0;
  platform.timers.alarm(0, () => rings++);
  platform.dispose();
  await new Promise((done) => setTimeout(done, 20));
  expect(rings).toBe(0);
  expect(fs.readdirSync(directory)).toEqual([]);
  nodePlatform({ stateDirectory: directory }).dispose();
});

it("a directory is one process's, or that of several where it is shared", () => {
  const { display, ...one } = nodePlatform({ stateDirectory: directory });
  expect(() => nodePlatform({ stateDirectory: directory })).toThrow("in use by process");
  one.dispose();
  const shared = { stateDirectory: directory, isShared: true };
  const both = [nodePlatformWith(display, shared), nodePlatformWith(display, shared)];
  for (const platform of both) platform.dispose();
});

it("what is wrong with the network's settings is said before the directory is touched", () => {
  const stateDirectory = path.join(directory, "none");
  const agent = new https.Agent({ rejectUnauthorized: false });
  expect(() => nodePlatform({ stateDirectory, http: { agent } })).toThrow("http.agent must check");
  expect(fs.existsSync(stateDirectory)).toBe(false);
});

it.each([
  ["bytes", () => new Uint8Array(40).fill(7)],
  ["a plain array", () => new Array<number>(40).fill(7)],
])("random bytes fill the range that is asked for, and nothing beside it: %s", (_, make) => {
  const bytes = make();
  expect(new NodeEntropy().fill(bytes, 4, 36)).toBe(true);
  expect([...bytes.slice(0, 4), ...bytes.slice(36)]).toEqual(new Array(8).fill(7));
  expect([...bytes].every((byte) => Number.isInteger(byte))).toBe(true);
  expect(new Set(bytes.slice(4, 36)).size).toBeGreaterThan(8);
});
