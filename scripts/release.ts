// npm run release: makes the files of a release in one folder: what npm publishes, the archive for firmware, a list of
// what is in them, and checksums. The same sources give the same bytes. Nothing is published: the last line says how.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../targets/workbench/script-options.ts";
import { makeRelease, type Release } from "./release/make.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

interface Flags {
  dryRun?: boolean;
  out: string;
}

const flags = commandLine("release", "Makes the files of a release, and their checksums.")
  .option("--dry-run", "also where the working tree has changes that are not committed")
  .option("--out <folder>", "where they go", "dist/release")
  .parse()
  .opts<Flags>();

function isClean(): boolean {
  const status = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  return status === "";
}

function print({ files }: Release, folder: string): void {
  for (const { name, bytes, sha256 } of files) {
    console.log(`${sha256}  ${name} (${bytes} bytes)`);
  }
  for (const { name } of files.filter((file) => file.name.endsWith(".tgz"))) {
    console.log(`npm publish ${join(folder, name)} publishes it`);
  }
}

/** What a published package must say of itself and package.json does not. */
function missing(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object;
  return ["repository", "homepage", "bugs"].filter((name) => !Object.hasOwn(manifest, name));
}

if (!flags.dryRun && missing().length > 0) {
  console.error(`release: package.json has no ${missing().join(", no ")}; --dry-run does without`);
  process.exitCode = 2;
} else if (!flags.dryRun && !isClean()) {
  console.error("release: there are changes that are not committed; commit them, or --dry-run");
  process.exitCode = 2;
} else {
  const folder = resolve(flags.out);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const release = await makeRelease(folder, (line) => console.error(`release: ${line}`));
  print(release, folder);
}
