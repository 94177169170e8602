// Fetches the engines that `npm ci` does not install, into dist/engines. Debian packages come from an apt with its own
// state in a folder, which needs no root and installs nothing on the machine. Hermes and XS come from npm. apt and npm
// use the archives for which the machine is configured.

import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));

export const enginesFolder = `${root}dist/engines/`;

/** The Debian release from which the source of QuickJS comes. */
const quickjsRelease = "trixie";
const hermes = "hermes-engine-cli@0.12.0";
/** Moddable's engine as source, with a makefile for Linux. */
const xs = "@agoric/xsnap@0.15.0";

export class InstallError extends Error {
  override readonly name = "InstallError";
}

export function run(command: string, args: readonly string[], cwd?: string): string {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: "pipe", ...(cwd && { cwd }) });
  } catch (error) {
    throw failureOf(command, args, error);
  }
}

/** Like `run`, but does not block, so that a server in this process can respond while the command runs. */
export async function runBeside(command: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(command, args, { encoding: "utf8" }).catch((error: unknown) => {
    throw failureOf(command, args, error);
  });
}

function failureOf(command: string, args: readonly string[], error: unknown): InstallError {
  const { code, stderr } = error as { code?: string; stderr?: string };
  const why = code === "ENOENT" ? "not found on this machine" : (stderr ?? "").trim();
  return new InstallError(`${command} ${args.slice(-2).join(" ")}: ${why}`);
}

function debianArchive(): { address: string; release: string } {
  const format = "$(ORIGIN)|$(COMPONENT)|$(REPO_URI)|$(CODENAME)";
  const lines = run("apt-get", ["indextargets", "--format", format, "Created-By: Packages"]);
  const main = lines
    .split("\n")
    .map((line) => line.split("|"))
    .find(([origin, component, , release]) => {
      return origin === "Debian" && component === "main" && /^[a-z]+$/.test(release ?? "");
    });
  if (!main) {
    throw new InstallError("apt has no Debian archive here; run apt-get update as root first");
  }
  return { address: main[2]!, release: main[3]! };
}

/**
 * Returns an apt-get that has its state in `folder` and uses the machine's archive.
 * @param other a release in addition to the machine's own
 */
export function privateApt(
  folder: string,
  kind: "deb" | "deb-src" = "deb",
  other?: string,
): (args: readonly string[], cwd?: string) => string {
  const { address, release } = debianArchive();
  for (const part of ["state/lists/partial", "cache/archives/partial"]) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  const releases = [...new Set([release, other ?? release])];
  const sources = releases.map((name) => `${kind} ${address} ${name} main\n`);
  writeFileSync(join(folder, "sources.list"), sources.join(""));
  const settings = {
    "Dir::Etc::sourcelist": join(folder, "sources.list"),
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::State": join(folder, "state"),
    "Dir::State::status": "/dev/null",
    "Dir::Cache": join(folder, "cache"),
    "APT::Sandbox::User": "",
    "Acquire::Retries": "3",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  return (args, cwd) => run("apt-get", [...options, ...args], cwd);
}

function installDebian(report: (line: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "picogrant-apt-"));
  try {
    const apt = privateApt(folder);
    report("reading the package lists");
    apt(["update"]);
    const required = [
      { engine: "duktape", packages: ["duktape", "libduktape207"] },
      { engine: "mujs", packages: ["mujs"] },
    ];
    for (const { engine, packages } of required) {
      const to = enginesFolder + engine;
      const downloads = join(folder, engine);
      mkdirSync(downloads);
      apt(["download", ...packages], downloads);
      rmSync(to, { recursive: true, force: true });
      for (const file of readdirSync(downloads)) run("dpkg-deb", ["-x", join(downloads, file), to]);
      report(`${engine}: ${readdirSync(downloads).join(", ")}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function findFile(folder: string, outcome: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    // Include symbolic links, which libraries are in a development package.
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return found.find((path) => path.endsWith(outcome));
}

/** Fetches a package that is not a dependency of the project, and unpacks the given parts of it. */
function unpackNpm(required: string, folder: string, ...parts: readonly string[]): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const archive = run("npm", ["pack", "--silent", required], folder).trim().split("\n").at(-1)!;
  run("tar", ["-xzf", archive, ...parts], folder);
  rmSync(join(folder, archive));
}

function installHermes(report: (line: string) => void): void {
  // Unpack only the binary for this system, because the others make up two thirds of the package.
  const system = { darwin: "osx-bin", win32: "win64-bin" }[process.platform as string];
  const folder = `package/${system ?? "linux64-bin"}`;
  unpackNpm(hermes, `${enginesFolder}hermes`, `${folder}/hermes`);
  report(`hermes: ${hermes}`);
}

const xsMakefile = "package/xsnap-native/xsnap/makefiles/lin/xsnap.mk";

/** XS's makefile builds a program. Our host (xs-host.c) is linked with the program's objects, except its main file. */
function installXs(report: (line: string) => void): void {
  const folder = `${enginesFolder}xs`;
  unpackNpm(xs, folder);
  run("make", xsArguments(folder), dirname(join(folder, xsMakefile)));
  const source = `${root}targets/workbench/engines/xs-host.c`;
  const parts = ["-O1", source, ...xsParts(folder), "-lm", "-lpthread", "-ldl"];
  run("cc", ["-o", `${folder}/xs-host`, ...parts]);
  report(`xs: ${xs}, host built`);
}

function xsArguments(folder: string): string[] {
  const parallel = `-j${availableParallelism()}`;
  return [parallel, "GOAL=release", `MODDABLE=${folder}/package/moddable`, "-f", "xsnap.mk"];
}

function xsParts(folder: string): string[] {
  const moddable = `${folder}/package/moddable`;
  const built = `${moddable}/build/tmp/lin/release/xsnap/`;
  if (!existsSync(built)) throw new InstallError("xs: the build failed");
  const makefile = readFileSync(join(folder, xsMakefile), "utf8");
  const settings = makefile.match(/-Dmx\w+=1/g)!.filter((setting) => setting !== "-DmxDebug=1");
  const headers = ["includes", "platforms", "sources"].map((name) => `-I${moddable}/xs/${name}`);
  const counted = ["fxNewChunk", "fxNewGrowableChunk", "fxRenewChunk", "fxNewSlot"];
  return [
    ...["-DINCLUDE_XSPLATFORM", '-DXSPLATFORM="xsnapPlatform.h"', ...settings, ...headers],
    `-I${folder}/package/xsnap-native/xsnap/sources`,
    ...readdirSync(built)
      .filter((file) => file.endsWith(".o") && file !== "xsnap.o")
      .map((file) => built + file),
    ...counted.map((name) => `-Wl,--wrap=${name}`),
  ];
}

/** Fetches Duktape, MuJS, Hermes and XS: some 120 MB in two minutes. @returns one line for each failure */
export function installEngines(report: (line: string) => void): string[] {
  mkdirSync(enginesFolder, { recursive: true });
  const failures: string[] = [];
  for (const step of [installDebian, installHermes, installXs]) {
    try {
      step(report);
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      failures.push(error.message);
    }
  }
  return failures;
}

/** Returns the folder `name` in dist/engines. If it is missing, `fill` makes `result`, which is moved there. */
export function fetchOnce(name: string, fill: (folder: string) => void): string {
  const place = `${enginesFolder}${name}`;
  if (existsSync(place)) return place;
  mkdirSync(enginesFolder, { recursive: true });
  const draft = mkdtempSync(`${enginesFolder}draft-`);
  try {
    fill(draft);
    renameSync(join(draft, "result"), place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return place;
}

/**
 * Unpacks the source of a Debian package.
 * @throws InstallError with one line if the archive, a tool or the source is missing
 */
export function debianSource(
  name: string,
  release: string,
  finish: (source: string) => void = () => {},
): string {
  return fetchOnce(`${name}-source`, (folder) => {
    const apt = privateApt(folder, "deb-src", release);
    apt(["update"]);
    apt(["source", "--download-only", `${name}/${release}`], folder);
    const description = readdirSync(folder).find((file) => file.endsWith(".dsc"));
    if (!description) throw new InstallError(`apt-get source brought no .dsc file for ${name}`);
    const source = join(folder, "result");
    // --no-check: apt has already checked the signatures.
    run("dpkg-source", ["--no-check", "-x", join(folder, description), source]);
    finish(source);
  });
}

function quickjsPlace(): string {
  return process.env.QUICKJS_DIR || `${enginesFolder}quickjs-source`;
}

/** The folder of QuickJS's source, in which `qjsc` and `libquickjs.a` are built. */
export function quickjsFolder(): string {
  if (!process.env.QUICKJS_DIR) {
    debianSource("quickjs", quickjsRelease, (source) =>
      makeQuickjs(source, "qjsc", "libquickjs.a"),
    );
  }
  return quickjsPlace();
}

function makeQuickjs(folder: string, ...parts: readonly string[]): void {
  run("make", ["-s", "-j2", "CONFIG_LTO=", ...parts], folder);
}

/** Returns a version such as `2025-04-26`. */
export function engineVersion(quickjs: string): string {
  return readFileSync(join(quickjs, "VERSION"), "utf8").trim();
}

/** Finds `qjs`: PICOGRANT_QJS, the one that was built here, or the first in PATH. */
export function findQjs(): string | undefined {
  const named = process.env.PICOGRANT_QJS;
  if (named) return named;
  const path = (process.env.PATH ?? "").split(":").map((folder) => `${folder}/qjs`);
  return [`${quickjsPlace()}/qjs`, ...path].find((file) => existsSync(file));
}

/** Builds a stock `qjs` and returns its path. @throws InstallError */
export function buildQjs(report: (line: string) => void): string {
  report("building QuickJS from Debian's source");
  const folder = quickjsFolder();
  makeQuickjs(folder, "qjs");
  return `${folder}/qjs`;
}
