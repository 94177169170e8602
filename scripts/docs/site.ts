// The generator, and how it is set up: TypeDoc over the package's entries, with the pages beside them.

import {
  Application,
  ConsoleLogger,
  LogLevel,
  type ProjectReflection,
  type TypeDocOptions,
} from "typedoc";
import type { Prepared } from "./prepare.ts";

/** The package's entries, each with the name that a program imports it by. */
const ENTRIES: Readonly<Record<string, string>> = {
  picogrant: "platform/node/sign-in.ts",
  "picogrant/core": "core/complete.ts",
  "picogrant/driver": "platform/driver.ts",
  "picogrant/node": "platform/node/index.ts",
  "picogrant/sealed-storage": "platform/sealed-storage.ts",
  "picogrant/flash-storage": "platform/flash/flash-storage.ts",
  "picogrant/servers": "platform/servers/index.ts",
  "picogrant/fakes": "platform/fake/index.ts",
  "picogrant/conformance": "platform/conformance.ts",
  "picogrant/conformance/server": "platform/node/conformance-server.ts",
};

function options(root: string, { readme, documents }: Prepared, out: string): TypeDocOptions {
  return {
    name: "picogrant",
    entryPoints: Object.values(ENTRIES).map((file) => root + file),
    projectDocuments: [...documents],
    readme,
    out,
    tsconfig: `${root}tsconfig.json`,
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
    customCss: `${root}scripts/docs/site.css`,
    customJs: `${root}scripts/docs/site.js`,
    highlightLanguages: ["bash", "c", "javascript", "json", "typescript", "text"],
    navigation: { includeCategories: false, includeGroups: false, excludeReferences: true },
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
export async function makeSite(root: string, prepared: Prepared, out: string): Promise<number> {
  const app = await Application.bootstrap(options(root, prepared, out));
  const complaints = new Complaints();
  complaints.level = LogLevel.Warn;
  app.logger = complaints;
  const project = await app.convert();
  if (project === undefined) return 1;
  nameEntries(project);
  app.validate(project);
  await app.generateOutputs(project);
  return complaints.count;
}

/** Modules have the names that programs import them by, in the order above. */
function nameEntries(project: ProjectReflection): void {
  const names = Object.entries(ENTRIES);
  for (const module of project.children ?? []) {
    const entry = names.find(([, file]) => file.replace(/(\/index)?\.ts$/, "") === module.name);
    if (entry !== undefined) module.name = entry[0];
  }
}

/** Prints complaints and counts them. */
class Complaints extends ConsoleLogger {
  count = 0;

  override log(message: string, level: Exclude<LogLevel, LogLevel.None>): void {
    // Members of a type that is written in one line: the type's own description speaks for them.
    if (/\.__type\..* does not have any documentation/.test(message)) return;
    if (level >= LogLevel.Warn) this.count++;
    super.log(message, level);
  }
}
