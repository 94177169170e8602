// One release: builds everything anew, packs it, and lists what is in it.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nameOf, variants } from "../../targets/bundle/surface.ts";
import { builtPayloads } from "../../targets/workbench/built-payload.ts";
import { enginesFolder } from "../../targets/workbench/engines/install.ts";
import { billOfMaterials } from "./sbom.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface ReleaseFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Release {
  readonly files: readonly ReleaseFile[];
}

/** @param say told of each step: it takes a minute or two */
export async function makeRelease(folder: string, say: (line: string) => void): Promise<Release> {
  say("building and packing what npm publishes");
  run("npm", ["pack", "--silent", "--pack-destination", folder]);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    version: string;
  };
  say("the archive for firmware");
  await firmwareArchive(folder, version, say);
  say("the list of what is in them (CycloneDX)");
  const bill = JSON.stringify(billOfMaterials(), null, 2);
  writeFileSync(join(folder, `picogrant-${version}.cdx.json`), `${bill}\n`);
  const files = readdirSync(folder)
    .sort()
    .map((name) => describe(folder, name));
  const sums = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("");
  writeFileSync(join(folder, "SHA256SUMS"), sums);
  return { files };
}

function run(command: string, args: readonly string[], cwd = root): string {
  return execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function describe(folder: string, name: string): ReleaseFile {
  const content = readFileSync(join(folder, name));
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { name, bytes: content.length, sha256 };
}

/** Beside the bundles: what a firmware engineer reads, and the host to copy from. */
const FOR_FIRMWARE = [
  "LICENSE",
  "CHANGELOG.md",
  "core/SPEC.md",
  "targets/bundle/README.md",
  "targets/image/FORMAT.md",
  "targets/host",
] as const;

/** Bundles with types and maps, programs for qjs, conformance scripts, bytecode, and the host in C. */
async function firmwareArchive(
  folder: string,
  version: string,
  say: (line: string) => void,
): Promise<void> {
  const draft = mkdtempSync(join(tmpdir(), "picogrant-release-"));
  try {
    const name = `picogrant-firmware-${version}`;
    const inside = join(draft, name);
    const bundles = readdirSync(join(root, "dist")).filter((file) =>
      /^picogrant[\w.-]*\.(js|cjs|mjs|ts|cts|mts|map)$/.test(file),
    );
    mkdirSync(inside);
    for (const file of bundles) cpSync(join(root, "dist", file), join(inside, file));
    for (const file of FOR_FIRMWARE) {
      mkdirSync(dirname(join(inside, file)), { recursive: true });
      cpSync(join(root, file), join(inside, file), { recursive: true });
    }
    await addBytecode(inside, say);
    pack(draft, name, join(folder, `${name}.tar.gz`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Of the engine that is built here, if one is; a release is not the moment to fetch one. */
async function addBytecode(folder: string, say: (line: string) => void): Promise<void> {
  if (!process.env.QUICKJS_DIR && !existsSync(join(enginesFolder, "quickjs-source"))) {
    say("no bytecode in it: npm run host -- --build gets the engine that compiles it");
    return;
  }
  for (const variant of variants) {
    const target = builtPayloads.targetOf("c-host", undefined);
    const code = await builtPayloads.payloadFor({ variant, release: "", counterMin: 0 }, target);
    const name = nameOf(variant);
    // The same bytes run on 32 and on 64 bits: only the order of bytes counts.
    const abi = target.abi.replace(/-le(32|64)$/, "-le");
    writeFileSync(join(folder, `${name}-quickjs-${abi}.bin`), code);
  }
}

/** The commit's time, in seconds; the beginning of 1980 where the sources are no checkout of git. */
function timeOfSources(): string {
  const own = process.env.SOURCE_DATE_EPOCH;
  if (own) return own;
  try {
    const args = ["log", "-1", "--format=%ct"];
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "315532800";
  }
}

/** The same content gives the same bytes: names sorted, nobody's names, and the time of the commit. */
function pack(draft: string, name: string, archive: string): void {
  const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"];
  const mode = ["--mode=u=rwX,go=rX", `--mtime=@${timeOfSources()}`];
  const tar = archive.replace(/\.gz$/, "");
  run("tar", [...same, ...mode, "-cf", tar, name], draft);
  run("gzip", ["-9", "-n", "-f", tar]);
}
