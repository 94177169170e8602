// Builds a stock `qjs` from Debian's source package into dist/engines/qjs, since the
// release of Debian that most machines still run has none; and QuickJS-ng's beside it. Takes a minute, once.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { enginesFolder, InstallError, privateApt, quickjsRelease, run } from "./install.ts";

const qjsFolder = `${enginesFolder}qjs/`;
const builtQjs = `${qjsFolder}qjs`;

/** Programs that are `qjs`: one of the user's choice, the one built here, or the system's. */
export function findQjs(): string | undefined {
  const named = process.env.PICOGRANT_QJS;
  if (named) return named;
  if (existsSync(builtQjs)) return builtQjs;
  const path = (process.env.PATH ?? "").split(":").map((folder) => `${folder}/qjs`);
  return path.find((file) => existsSync(file));
}

/**
 * Builds `qjs` and `qjsc`, unless they are there.
 * @returns the path of `qjs`
 * @throws InstallError with one line where a tool or the archive is missing
 */
export function buildQjs(report: (line: string) => void): string {
  if (existsSync(builtQjs)) return builtQjs;
  const folder = mkdtempSync(join(tmpdir(), "picogrant-qjs-"));
  try {
    const apt = privateApt(folder, "deb-src");
    report(`fetching QuickJS's source of Debian ${quickjsRelease}`);
    apt(["update"]);
    apt(["source", "--download-only", `quickjs/${quickjsRelease}`], folder);
    const description = readdirSync(folder).find((name) => name.endsWith(".dsc"));
    if (!description) throw new InstallError("apt-get source brought no .dsc file");
    const source = join(folder, "source");
    // apt has checked the signatures already.
    run("dpkg-source", ["--no-check", "-x", join(folder, description), source]);
    report(`building ${description.replace(".dsc", "")}`);
    const jobs = String(Math.min(2, cpus().length));
    run("make", ["-s", "-j", jobs, "CONFIG_LTO=", "qjs", "qjsc"], source);
    mkdirSync(qjsFolder, { recursive: true });
    for (const name of ["qjsc", "qjs"]) {
      // Renamed last, within one file system: a half copied program would look like a whole one.
      run("cp", [join(source, name), `${qjsFolder}${name}.draft`]);
      renameSync(`${qjsFolder}${name}.draft`, `${qjsFolder}${name}`);
    }
    return builtQjs;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
