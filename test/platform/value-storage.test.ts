// Storage of a program's own in three functions (platform/storage/value-storage.ts), with the worked examples: memory, a
// row of a database, the system's keychain. The tools of the keychains are played by a script. That a
// program signs in with one is in sign-in.test.ts.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance, storageConformance } from "../../platform/conformance/index.ts";
import { ValueSlots, type ValueStorage } from "../../platform/storage/value-storage.ts";
// @ts-expect-error An example is plain JavaScript.
import { keychain, memory, row } from "../../targets/examples/own-storage.mjs";
import { isFullRun } from "../full-run.ts";

let root: string;
const before = process.env.PATH;

/** Both tools over files: what they are asked by arguments, the secret by standard input. */
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
  root = fs.mkdtempSync(path.join(os.tmpdir(), "picogrant-value-"));
  for (const name of ["secret-tool", "security"]) {
    fs.writeFileSync(path.join(root, name), TOOLS, { mode: 0o755 });
  }
  process.env.PATH = `${root}:${before}`;
});
afterAll(() => {
  process.env.PATH = before;
  fs.rmSync(root, { recursive: true, force: true });
});

let count = 0;
function keychainOf(platform: string): ValueStorage {
  process.env.KEYCHAIN = path.join(root, `keychain-${count++}`);
  fs.mkdirSync(process.env.KEYCHAIN);
  return keychain("example", "ada", platform);
}

/** The three statements of the example, late, as a database answers. */
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
  it("keeps the contract of storage, also over a restart", async () => {
    const cases = storageConformance(() => {
      const value = place();
      const [storage, restart] = [new ValueSlots(value), () => new ValueSlots(value)];
      return { storage, environment, restart };
    });
    // A process is started for each operation of a keychain.
    const some = name.includes("keychain") && !isFullRun ? cases.slice(0, 6) : cases;
    const { passed, failed } = await runConformance(some);
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThan(4);
    if (!name.includes("keychain")) return;
    // What a tool is asked everybody can see; the secret goes by its standard input.
    const seen = fs.readFileSync(path.join(process.env.KEYCHAIN!, "arguments"), "utf8");
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).not.toContain("picogrant 1");
  });
});
