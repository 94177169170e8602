// npm run docs: TypeDoc makes the pages and the reference of all public symbols into a static site without network
// access, dist/docs/index.html. It fails if a public symbol has no description or a link is dead.

import { fileURLToPath } from "node:url";
import { Application, ConsoleLogger, type TranslatedString } from "typedoc";
import { LIBRARY_ENTRIES, SERVICE_ENTRIES } from "../targets/workbench/package-contents.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const entries = [...Object.values(LIBRARY_ENTRIES), ...Object.values(SERVICE_ENTRIES)];
const pages = ["{CHANGELOG,CONTRIBUTING,SECURITY}.md", "{core,platform,targets,test}/**/*.md"];

/** Leaves out what is described elsewhere: properties at Device, members of a type in one line at that type. */
class Complaints extends ConsoleLogger {
  override validationWarning(text: TranslatedString): void {
    if (!/\.__type\.|^core\/complete\.Property\.[A-Z_]+ \(EnumMember\)/.test(text))
      super.validationWarning(text);
  }
}

commandLine("docs", "Makes the documentation as a static site, dist/docs.").parse();
const app = await Application.bootstrap({
  name: "picogrant",
  readme: `${root}README.md`,
  entryPoints: entries.map((source) => root + source),
  projectDocuments: pages.map((files) => root + files),
  out: `${root}dist/docs`,
  tsconfig: `${root}tsconfig.json`,
  // `npm run check` checks the types.
  skipErrorChecking: true,
  disableSources: true,
  githubPages: false,
  excludePrivate: true,
  excludeInternal: true,
  searchInDocuments: true,
  highlightLanguages: ["bash", "c", "javascript", "json", "mermaid", "typescript", "text"],
  validation: { notDocumented: true, notExported: false, rewrittenLink: true },
  treatWarningsAsErrors: true,
});
app.logger = new Complaints();
const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  await app.generateOutputs(project);
}
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
else console.log("dist/docs/index.html");
