// The generator, and how it is set up: TypeDoc over the package's entries, with the pages beside them.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  Application,
  Comment,
  ConsoleLogger,
  IndexEvent,
  LogLevel,
  type ProjectReflection,
  type TypeDocOptions,
} from "typedoc";
import { LIBRARY_ENTRIES, SERVICE_ENTRIES } from "../package-contents.ts";
import type { Prepared } from "./prepare.ts";
import { arrangeSearch } from "./search.ts";
import { SiteTheme } from "./theme.ts";

/** Entries of packages, each as programs import it, with the source that its types are made of. */
type Entries = readonly (readonly [name: string, source: string])[];

/** Those that are published. */
export const ENTRIES: Entries = [
  ...Object.entries(LIBRARY_ENTRIES).map(
    ([entry, source]) => [`picogrant${entry.slice(1)}`, source] as const,
  ),
  ...Object.entries(SERVICE_ENTRIES).map(
    ([entry, source]) => [`picogrant-tools${entry.slice(1)}`, source] as const,
  ),
];

function options(
  root: string,
  { readme, documents }: Prepared,
  out: string,
  entries: Entries,
): TypeDocOptions {
  return {
    name: "picogrant",
    theme: "picogrant",
    entryPoints: entries.map(([, source]) => root + source),
    projectDocuments: [...documents],
    readme,
    out,
    tsconfig: `${root}tsconfig.json`,
    sortEntryPoints: false,
    // `npm run check` does that.
    skipErrorChecking: true,
    disableSources: true,
    includeVersion: true,
    hideGenerator: true,
    githubPages: false,
    excludePrivate: true,
    excludeInternal: true,
    searchInDocuments: true,
    cleanOutputDir: true,
    customCss: fileURLToPath(new URL("site.css", import.meta.url)),
    customJs: fileURLToPath(new URL("site.js", import.meta.url)),
    highlightLanguages: ["bash", "c", "javascript", "json", "typescript", "text"],
    validation: {
      notDocumented: true,
      notExported: false,
      invalidLink: true,
      invalidPath: true,
      rewrittenLink: true,
    },
    logLevel: "Warn",
  };
}

/** Makes the site. @returns how many complaints were printed */
export async function makeSite(
  root: string,
  prepared: Prepared,
  out: string,
  entries: Entries = ENTRIES,
): Promise<number> {
  const app = await Application.bootstrap(options(root, prepared, out, entries));
  app.renderer.defineTheme("picogrant", SiteTheme);
  app.renderer.on(IndexEvent.PREPARE_INDEX, arrangeSearch);
  const complaints = new Complaints();
  complaints.level = LogLevel.Warn;
  app.logger = complaints;
  const project = await app.convert();
  if (project === undefined) return 1;
  introduceEntries(project, root, entries);
  app.validate(project);
  await app.generateOutputs(project);
  return complaints.count;
}

/** Modules have the names that programs import them by, and say first what the head of their source says. */
function introduceEntries(project: ProjectReflection, root: string, entries: Entries): void {
  for (const module of project.children ?? []) {
    const entry = entries.find(
      ([, source]) => source.replace(/(\/index)?\.ts$/, "") === module.name,
    );
    if (entry === undefined) continue;
    const [name, source] = entry;
    module.name = name;
    module.comment = new Comment([{ kind: "text", text: headOf(root + source) }]);
  }
}

/** The lines of comment that a file begins with. */
function headOf(file: string): string {
  const lines = readFileSync(file, "utf8").split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  return lines
    .slice(0, end)
    .map((line) => line.replace(/^\/\/ ?/, ""))
    .join("\n");
}

/** Prints complaints and counts them. */
class Complaints extends ConsoleLogger {
  count = 0;

  override log(message: string, level: Exclude<LogLevel, LogLevel.None>): void {
    // Members of a type that is written in one line: the type's own description speaks for them.
    if (/\.__type\..* does not have any documentation/.test(message)) return;
    // Each names a property of Device, and is described there.
    if (/\.Property\.[A-Z_]+ \(EnumMember\)/.test(message)) return;
    if (level >= LogLevel.Warn) this.count++;
    super.log(message, level);
  }
}
