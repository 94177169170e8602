// npm run release: makes the files of a release in one folder: what npm publishes, the archive for firmware, a list of
// what is in them, and checksums. The same sources give the same bytes. Nothing is published: the last line says how.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commandLine } from "../targets/workbench/script-options.ts";
import { makeRelease, type Release } from "./release/make.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

interface Flags {
  dryRun?: boolean;
  out: string;
  twice?: boolean;
}

const flags = commandLine("release", "Makes the files of a release, and their checksums.")
  .option("--dry-run", "also where the working tree has changes that are not committed")
  .option("--out <folder>", "where they go", "dist/release")
  .option("--twice", "make all of it twice, and compare the bytes")
  .parse()
  .opts<Flags>();

/** The names of files that differ between two releases. */
function differences(one: string, other: string): string[] {
  const names = new Set([...readdirSync(one), ...readdirSync(other)]);
  const contentOf = (folder: string, name: string): Buffer | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined;
  return [...names].filter((name) => {
    const [first, second] = [contentOf(one, name), contentOf(other, name)];
    return first === undefined || second === undefined || !first.equals(second);
  });
}

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
  if (flags.twice) {
    const again = `${folder}-again`;
    rmSync(again, { recursive: true, force: true });
    mkdirSync(again);
    await makeRelease(again, (line) => console.error(`release, again: ${line}`));
    const different = differences(folder, again);
    rmSync(again, { recursive: true });
    if (different.length > 0) {
      console.error(`release: made twice, these differ: ${different.join(", ")}`);
      process.exitCode = 1;
    } else console.log("made twice: the same bytes");
  }
}
