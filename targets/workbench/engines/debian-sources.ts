// Sources that Debian ships and this repository does not, fetched and unpacked below dist/engines, once.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { enginesFolder, InstallError, privateApt, quickjsRelease, run } from "./install.ts";

/**
 * Runs `fill` on an empty folder, whose `result` takes its place as `name` only when it is complete. Another process
 * may do the same meanwhile: the first one's is kept.
 */
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
 * The unpacked source of a Debian package.
 * @param finish what has to be done in it before it counts as there
 * @throws InstallError with one line where the archive, a tool or the source is missing
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
    // apt has checked the signatures already.
    run("dpkg-source", ["--no-check", "-x", join(folder, description), source]);
    finish(source);
  });
}

/** Where QuickJS's source is, or will be: QUICKJS_DIR, or fetched. */
export function quickjsPlace(): string {
  return process.env.QUICKJS_DIR || `${enginesFolder}quickjs-source`;
}

/** QuickJS's source with `qjsc` and `libquickjs.a` built. */
export function quickjsFolder(): string {
  if (!process.env.QUICKJS_DIR) {
    debianSource("quickjs", quickjsRelease, (source) =>
      makeQuickjs(source, "qjsc", "libquickjs.a"),
    );
  }
  return quickjsPlace();
}

/** Builds parts of QuickJS in its folder. */
export function makeQuickjs(folder: string, ...parts: readonly string[]): void {
  run("make", ["-s", "-j2", "CONFIG_LTO=", ...parts], folder);
}

/** Version of the engine, which bytecode is bound to: e.g. `2025-04-26`. */
export function engineVersion(quickjs: string): string {
  return readFileSync(join(quickjs, "VERSION"), "utf8").trim();
}

/** Programs that are `qjs`: one of the user's choice, the one built here, or the system's. */
export function findQjs(): string | undefined {
  const named = process.env.PICOGRANT_QJS;
  if (named) return named;
  const path = (process.env.PATH ?? "").split(":").map((folder) => `${folder}/qjs`);
  return [`${quickjsPlace()}/qjs`, ...path].find((file) => existsSync(file));
}

/**
 * Builds a stock `qjs` out of the same source, unless it is there: Debian before trixie has none.
 * @returns its path
 * @throws InstallError with one line where a tool or the archive is missing
 */
export function buildQjs(report: (line: string) => void): string {
  report("building QuickJS of Debian's source");
  const folder = quickjsFolder();
  makeQuickjs(folder, "qjs");
  return `${folder}/qjs`;
}
