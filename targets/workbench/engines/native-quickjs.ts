// A stock `qjs` out of QuickJS's source of Debian, which the C host is built from as well: the release of Debian that
// most machines still run has none.

import { existsSync } from "node:fs";
import { makeQuickjs, quickjsFolder, quickjsPlace } from "./debian-sources.ts";

/** Programs that are `qjs`: one of the user's choice, the one built here, or the system's. */
export function findQjs(): string | undefined {
  const named = process.env.PICOGRANT_QJS;
  if (named) return named;
  const path = (process.env.PATH ?? "").split(":").map((folder) => `${folder}/qjs`);
  return [`${quickjsPlace()}/qjs`, ...path].find((file) => existsSync(file));
}

/**
 * Builds `qjs`, unless it is there.
 * @returns its path
 * @throws InstallError with one line where a tool or the archive is missing
 */
export function buildQjs(report: (line: string) => void): string {
  report("building QuickJS of Debian's source");
  const folder = quickjsFolder();
  makeQuickjs(folder, "qjs");
  return `${folder}/qjs`;
}
