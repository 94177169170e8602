// Storage of a program's own in three functions (platform/session/value-storage.ts), with the worked examples: memory, a
// row of a database, the system's keychain. The tools of the keychains are played by a script.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runConformance, storageConformance } from "../../platform/conformance.ts";
import { signIn } from "../../platform/node/sign-in.ts";
import { ValueSlots, type ValueStorage } from "../../platform/session/value-storage.ts";
// @ts-expect-error An example is plain JavaScript.
import { keychain, memory, row } from "../../targets/examples/own-storage.mjs";
import { createService, nodeEnvironment, serve } from "../../targets/service/index.ts";
import { isFullRun } from "../full-run.ts";
import { FIXTURE, VIDEO_READONLY } from "../service/harness.ts";

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

const KEYS: readonly [string, { readonly deviceKey?: Uint8Array }][] = [
  ["as they are", {}],
  ["sealed", { deviceKey: Uint8Array.from({ length: 32 }, (_, i) => i * 3) }],
];
const world = { wait: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) };

describe.each(PLACES)("%s", (name, place) => {
  it("keeps the contract of storage, also over a restart", async () => {
    const cases = storageConformance(() => {
      const value = place();
      const [storage, restart] = [new ValueSlots(value), () => new ValueSlots(value)];
      return { storage, world, restart };
    });
    // A process is started for each operation of a keychain.
    const some = name.includes("keychain") && !isFullRun ? cases.slice(0, 6) : cases;
    const { passed, failed } = await runConformance(some);
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThan(4);
  });

  it.each(isFullRun ? KEYS : KEYS.slice(1))(
    "a program signs in, comes back, and signs out; records %s",
    async (_, key) => {
      const options = { interval: 1, pollToleranceMs: 250 };
      const service = createService({ ...nodeEnvironment(), fixture: FIXTURE, options });
      const server = await serve(service);
      const storage = place();
      const program = {
        ...{ server: server.url, clientId: "living-room-tv", clientSecret: "tv-secret" },
        ...{ scope: VIDEO_READONLY, storage, ...key },
      };
      try {
        const first = await signIn({
          ...program,
          onCode: ({ userCode }) => void service.approve(userCode, "ada"),
        });
        expect(first.isSaved).toBe(true);
        await first.close();
        expect(await storage.load()).toMatch(/^picogrant 1 [ -~]+$/);
        const again = await signIn({ ...program, resumeOnly: true });
        expect(await again.accessToken()).toMatch(/^\S+$/);
        expect(await again.signOut()).toEqual({ isRevoked: true, problem: "", isStored: false });
        expect((await storage.load()) ?? "").toBe("");
      } finally {
        await server.close();
      }
      if (!name.includes("keychain")) return;
      const seen = fs.readFileSync(path.join(process.env.KEYCHAIN!, "arguments"), "utf8");
      expect(seen).not.toContain("picogrant 1");
    },
  );
});
