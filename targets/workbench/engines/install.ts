// Fetches the engines that `npm ci` leaves out, into dist/engines: Debian packages through a private
// state of apt's (no root, nothing installed on the machine), Hermes through npm. Where they come from
// is what the machine itself is set up to use; no host is named here.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Where the engines are; git-ignored. */
export const enginesFolder = `${root}dist/engines/`;

/** Debian's release that has QuickJS as a library; it links on the one before, too. */
export const quickjsRelease = "trixie";
const hermes = "hermes-engine-cli@0.12.0";

export class InstallError extends Error {}

export function run(command: string, args: readonly string[], cwd?: string): string {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: "pipe", ...(cwd && { cwd }) });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    const why = code === "ENOENT" ? "not found on this machine" : (stderr ?? "").trim();
    throw new InstallError(`${command} ${args.slice(-2).join(" ")}: ${why}`);
  }
}

/** Address and release of the archive that this machine's apt uses. */
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
    throw new InstallError("apt knows no Debian archive here; run apt-get update as root first");
  }
  return { address: main[2]!, release: main[3]! };
}

/**
 * An apt of our own beside the machine's: its state in `folder`, the same archive, two releases.
 * @param kind "deb" for packages, "deb-src" for their sources
 * @param other the release besides the machine's own
 */
export function privateApt(
  folder: string,
  kind: "deb" | "deb-src" = "deb",
  other = quickjsRelease,
): (args: readonly string[], cwd?: string) => string {
  const { address, release } = debianArchive();
  for (const part of ["state/lists/partial", "cache/archives/partial"]) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  const releases = [...new Set([release, other])];
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
    const { release } = debianArchive();
    report(`reading the package lists of ${release} and ${quickjsRelease}`);
    apt(["update"]);
    const own = (name: string): string => `${name}/${release}`;
    const wanted = [
      { engine: "quickjs", packages: [`libquickjs/${quickjsRelease}`] },
      { engine: "duktape", packages: ["duktape", "libduktape207", "duktape-dev"].map(own) },
      { engine: "mujs", packages: ["mujs", "libmujs-dev"].map(own) },
      { engine: "njs", packages: [own("njs")] },
    ];
    for (const { engine, packages } of wanted) {
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

/** The file below `folder` whose path ends so; undefined where there is none. */
export function findFile(folder: string, ending: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    // Libraries are links in a development package.
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return found.find((path) => path.endsWith(ending));
}

/** The libraries that hosts of our own are built on: they count allocations. */
const hosts = [
  { engine: "quickjs", library: "/libquickjs.a" },
  { engine: "duktape", library: "/libduktape.so.207" },
  { engine: "mujs", library: "/libmujs.a" },
];

/** Builds them, of the libraries that are there. */
export function buildHosts(report: (line: string) => void): void {
  for (const { engine, library } of hosts) {
    const folder = enginesFolder + engine;
    const path = findFile(folder, library);
    if (!path) throw new InstallError(`${engine}: the package has no ${library.slice(1)}`);
    const source = `${root}targets/workbench/engines/${engine}-host.c`;
    const flags = ["-O1", "-Wall", "-isystem", `${folder}/usr/include`];
    const libraries = [path, "-lm", "-lpthread", "-ldl"];
    run("cc", [...flags, "-o", `${folder}/${engine}-host`, source, ...libraries]);
    report(`${engine}: host built`);
  }
}

function installHermes(report: (line: string) => void): void {
  const folder = `${enginesFolder}hermes`;
  mkdirSync(folder, { recursive: true });
  const archive = run("npm", ["pack", "--silent", hermes], folder).trim().split("\n").at(-1)!;
  // The other systems' binaries make up two thirds of it.
  const system = { darwin: "osx-bin", win32: "win64-bin" }[process.platform as string];
  const wanted = `package/${system ?? "linux64-bin"}`;
  run("tar", ["-xzf", archive, `${wanted}/hermes`], folder);
  rmSync(join(folder, archive));
  report(`hermes: ${hermes}`);
}

/**
 * Fetches everything. Takes a minute and some 120 MB on the way.
 * @returns what went wrong, a line each
 */
export function installEngines(report: (line: string) => void): string[] {
  mkdirSync(enginesFolder, { recursive: true });
  const failures: string[] = [];
  for (const step of [installDebian, buildHosts, installHermes]) {
    try {
      step(report);
    } catch (error) {
      if (!(error instanceof InstallError)) throw error;
      failures.push(error.message);
    }
  }
  return failures;
}
