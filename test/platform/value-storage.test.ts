// Tests storage that a program provides in three functions (platform/storage/value-storage.ts), with the examples:
// memory, a database row, and the system's keychain (with scripted tools).

import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance, storageConformance } from "../../platform/conformance/index.ts";
import { ValueSlots, type ValueStorage } from "../../platform/storage/value-storage.ts";
// @ts-expect-error An example is plain JavaScript.
import { keychain, memory, row } from "../../targets/examples/own-storage.mjs";
import { isFullRun } from "../full-run.ts";
import { temporaryFolder } from "../listening.ts";

let root: string;
const before = process.env.PATH;

/** A script that replaces both keychain tools. It stores the arguments and the secret in files. */
const TOOLS = `#!/bin/sh
cd "$KEYCHAIN" || exit 9
echo "$0 $*" >> arguments
case "$1" in
  lookup | find-generic-password) cat value 2>/dev/null || exit 1 ;;
  store) cat > value ;;
  -i) sed 's/.*"-w" "\\(.*\\)"$/\\1/' > value ;;
  clear | delete-generic-password) rm value ;;
esac`;

beforeAll(() => {
  root = temporaryFolder();
  for (const name of ["secret-tool", "security"]) {
    fs.writeFileSync(path.join(root, name), TOOLS, { mode: 0o755 });
  }
  process.env.PATH = `${root}:${before}`;
});
afterAll(() => {
  process.env.PATH = before;
});

let count = 0;
function keychainOf(platform: string): ValueStorage {
  process.env.KEYCHAIN = path.join(root, `keychain-${count++}`);
  fs.mkdirSync(process.env.KEYCHAIN);
  return keychain("example", "ada", platform);
}

/** Simulates a database for the three statements of the example. It responds later, as a real database does. */
function table(): (text: string, values: string[]) => Promise<{ value: string }[]> {
  const rows = new Map<string, string>();
  return async (text, [account = "", value = ""]) => {
    await new Promise(setImmediate);
    if (text.startsWith("INSERT")) rows.set(account, value);
    if (text.startsWith("DELETE")) rows.delete(account);
    const found = rows.get(account);
    return found === undefined ? [] : [{ value: found }];
  };
}

const PLACES: readonly [string, () => ValueStorage][] = [
  ["memory", () => memory()],
  ["a database's row", () => row(table(), "ada")],
  ["a keychain on Linux", () => keychainOf("linux")],
  ["a keychain on macOS", () => keychainOf("darwin")],
];

const environment = { wait: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) };

describe.each(PLACES)("%s", (name, place) => {
  it("satisfies the contract of storage, also after a restart", async () => {
    const cases = storageConformance(() => {
      const value = place();
      const [storage, restart] = [new ValueSlots(value), () => new ValueSlots(value)];
      return { storage, environment, restart };
    });
    // Each keychain operation starts a process, so the short run has few cases.
    const some = name.includes("keychain") && !isFullRun ? cases.slice(0, 6) : cases;
    const { passed, failed } = await runConformance(some);
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThan(4);
    if (!name.includes("keychain")) return;
    // Every user can see the arguments of a process, so the secret goes to standard input.
    const seen = fs.readFileSync(path.join(process.env.KEYCHAIN!, "arguments"), "utf8");
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).not.toContain("picogrant 1");
  });
});
