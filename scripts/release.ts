// npm run release: makes the files of a release in one folder: the npm packages, a list of the code in them, and
// checksums. The same sources give the same bytes. The command publishes nothing, and prints how to publish each package.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { MANIFESTS } from "../targets/workbench/package-contents.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const sumOf = (file: string): string =>
  createHash("sha256").update(readFileSync(file)).digest("hex");

/** Lists the core as C and third-party code in the packages (CycloneDX), without a date, so that runs do not differ. */
function billOfMaterials(version: string): object {
  const file = join(root, "dist/bundled-packages.json");
  const bundled = JSON.parse(readFileSync(file, "utf8")) as Bundled[];
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: { type: "application", name: "picogrant", version } },
    components: [
      ...["picogrant.c", "picogrant.h"].map((name) => ({
        ...{ type: "file", name, version, licenses: [{ expression: "MIT" }] },
        hashes: [{ alg: "SHA-256", content: sumOf(join(root, "dist", name)) }],
      })),
      ...bundled.map(({ name, version, license }) => ({
        ...{ type: "library", name, version },
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        licenses: [{ expression: license }],
      })),
    ],
  };
}

function makeRelease(folder: string): string {
  console.error("release: building and packing the npm packages");
  run("npm", ["run", "-s", "build"]);
  run("npm", ["run", "-s", "tool", "--", "package"]);
  for (const name of Object.keys(MANIFESTS)) {
    setModes(join(root, "dist/npm", name));
    run("npm", ["pack", "--silent", "--pack-destination", folder], join(root, "dist/npm", name));
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  const bill = JSON.stringify(billOfMaterials(version), null, 2);
  writeFileSync(join(folder, `picogrant-${version}.cdx.json`), `${bill}\n`);
  const sums = readdirSync(folder)
    .sort()
    .map((name) => `${sumOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), sums.join(""));
  return sums.join("");
}

function run(command: string, args: readonly string[], cwd = root): string {
  return execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Archives contain file modes. Set them, so that they do not depend on the umask of the checkout. */
function setModes(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isFile() && readFileSync(path, "latin1").startsWith("#!");
    chmodSync(path, entry.isDirectory() || isProgram ? 0o755 : 0o644);
  }
}

interface Flags {
  dryRun?: boolean;
  out: string;
}

const flags = commandLine("release", "Makes the files of a release, and their checksums.")
  .option("--dry-run", "also if the working tree has uncommitted changes")
  .option("--out <folder>", "where to write them", "dist/release")
  .parse()
  .opts<Flags>();

function isClean(): boolean {
  const status = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  return status === "";
}

function missing(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object;
  return ["repository", "homepage", "bugs"].filter((name) => !Object.hasOwn(manifest, name));
}

if (!flags.dryRun && missing().length > 0) {
  console.error(
    `release: package.json has no ${missing().join(", no ")}; use --dry-run without them`,
  );
  process.exitCode = 2;
} else if (!flags.dryRun && !isClean()) {
  console.error("release: there are uncommitted changes; commit them, or use --dry-run");
  process.exitCode = 2;
} else {
  const folder = resolve(flags.out);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  process.stdout.write(makeRelease(folder));
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".tgz")))
    console.log(`npm publish ${join(folder, name)} publishes it`);
}
