// Caches build results that take seconds to make, until a source changes. The cache is in node_modules.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = `${root}node_modules/.cache/picogrant/`;

/** The interval of checks whether another process has made the result. After WAITS_MAX checks, its lock is removed. */
const WAIT_MS = 50;
const WAITS_MAX = 1200;

/**
 * Returns a cached result, or makes it. If another process is making the same result, waits for it at most a minute.
 * @param key a hash of everything that the result depends on (keyOf)
 * @param make returns the result, which must be JSON
 */
export async function stored<T>(key: string, make: () => Promise<T>): Promise<T> {
  const file = `${folder}${key}.json`;
  const lock = `${file}.lock`;
  mkdirSync(folder, { recursive: true });
  for (let waited = 0; !existsSync(file); waited++) {
    try {
      mkdirSync(lock);
    } catch {
      if (waited > WAITS_MAX) rmSync(lock, { recursive: true, force: true });
      await pause(WAIT_MS);
      continue;
    }
    try {
      // Another process may read the file meanwhile, so write a draft and rename it.
      const draft = `${file}.${process.pid}`;
      writeFileSync(draft, JSON.stringify(await make()));
      renameSync(draft, file);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
  return JSON.parse(readFileSync(file, "utf8")) as T;
}

/**
 * A cache key: a hash of the sources, the versions of the installed tools, and the compiler's settings.
 * @param kind the kind of result
 * @param folders paths from the repository's root; all TypeScript and JSON files in them are hashed
 */
export function keyOf(kind: string, folders: readonly string[]): string {
  const hash = createHash("sha256")
    .update(kind)
    .update(readFileSync(`${root}package-lock.json`))
    .update(readFileSync(`${root}tsconfig.json`));
  for (const folder of folders) {
    const names = readdirSync(`${root}${folder}`, { recursive: true, encoding: "utf8" });
    for (const name of names.filter((one) => /\.(ts|json)$/.test(one)).sort()) {
      if (name.includes("node_modules")) continue;
      hash.update(`\0${folder}/${name}\0`).update(readFileSync(`${root}${folder}/${name}`));
    }
  }
  return hash.digest("hex");
}
