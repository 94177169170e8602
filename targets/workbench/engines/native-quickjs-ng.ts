// QuickJS-ng's `qjs`, compiled from the source files in Debian's package `qjs-src` into dist/engines/qjs-ng:
// the engine is in no stable release yet. Without its prompt, whose source that package leaves out.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enginesFolder, findFile, InstallError, privateApt, run } from "./install.ts";

/** Debian's first release with QuickJS-ng. */
const release = "forky";
const folder = `${enginesFolder}qjs-ng/`;
const builtQjs = `${folder}qjs`;

/** The engine, and its program; later versions may have more or fewer of them. */
const SOURCES = ["quickjs", "dtoa", "cutils", "libregexp", "libunicode", "quickjs-libc", "qjs"];

/** The compiled prompt and the stub of `qjs -c`, both empty: a script needs neither. */
const STUB = `#include <stdint.h>
const uint8_t qjsc_repl[1], qjsc_standalone[1];
const uint32_t qjsc_repl_size, qjsc_standalone_size;
`;

/** QuickJS-ng's `qjs`: of the user's choice, or the one built here. */
export function findQjsNg(): string | undefined {
  const named = process.env.PICOGRANT_QJS_NG;
  if (named) return named;
  return existsSync(builtQjs) ? builtQjs : undefined;
}

/**
 * Builds it, unless it is there.
 * @returns its path
 * @throws InstallError with one line where a tool or the package is missing
 */
export function buildQjsNg(report: (line: string) => void): string {
  if (existsSync(builtQjs)) return builtQjs;
  const draft = mkdtempSync(join(tmpdir(), "picogrant-qjs-ng-"));
  try {
    const apt = privateApt(draft, "deb", release);
    report(`fetching QuickJS-ng's source of Debian ${release}`);
    apt(["update"]);
    apt(["download", `qjs-src/${release}`], draft);
    const archive = findFile(draft, "_all.deb");
    if (!archive) throw new InstallError("apt-get download brought no qjs-src");
    run("dpkg-deb", ["-x", archive, join(draft, "files")]);
    const engine = findFile(draft, "/quickjs-libc.c");
    if (!engine) throw new InstallError("the package qjs-src has no quickjs-libc.c");
    report(`building ${archive.slice(archive.lastIndexOf("/") + 1).replace("_all.deb", "")}`);
    compile(engine.slice(0, engine.lastIndexOf("/")), join(draft, "qjs"));
    mkdirSync(folder, { recursive: true });
    // Renamed last, within one file system: a half copied program would look like a whole one.
    run("cp", [join(draft, "qjs"), `${builtQjs}.draft`]);
    renameSync(`${builtQjs}.draft`, builtQjs);
    return builtQjs;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function compile(source: string, out: string): void {
  const stub = join(source, "picogrant-stub.c");
  writeFileSync(stub, STUB);
  const files = SOURCES.map((name) => join(source, `${name}.c`)).filter((file) => existsSync(file));
  const flags = ["-O2", "-w", "-D_GNU_SOURCE", "-o", out];
  run("gcc", [...flags, ...files, stub, "-lm", "-lpthread", "-ldl"]);
}
