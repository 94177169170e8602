// npm run docs: makes a static site, dist/docs/index.html, from the pages and the docstrings of all public symbols,
// with TypeDoc. The command needs no network. It fails if an exported symbol has no description, or if a link is dead.
// TypeDoc's options are in package.json.

import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  Application,
  Comment,
  CommentTag,
  Converter,
  DocumentReflection,
  JSX,
  KindRouter,
  PackageJsonReader,
  type ProjectReflection,
  Slugger,
} from "typedoc";
import { writePlayground } from "../targets/desktop/playground/folder.ts";
import { LIBRARY_ENTRIES, SERVICE_ENTRIES } from "../targets/workbench/package-contents.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const packages = { picogrant: LIBRARY_ENTRIES, "picogrant-tools": SERVICE_ENTRIES };
const entries = Object.entries(packages).flatMap(([name, files]) =>
  Object.entries(files).map(([entry, file]) => [file, name + entry.slice(1)] as const),
);

const SUBJECTS: readonly (readonly [subject: string, pages: RegExp])[] = [
  ["Programs on Node", /docs\/(node|questions|your-own|errors|troubl)|servers\//],
  ["The command and the service", /^targets\/(command|service|desktop)|docs\/(testing|two)/],
  ["Devices", /^targets\/(?!bundle\/PEERS|docs\/glossary)|platform\/templates/],
  ["How it works", /./],
];

const STYLE = `<style>
  .tsd-typography pre, pre { white-space: pre; overflow-x: auto; line-height: 1.3; }
  .tsd-typography table { display: block; max-width: 100%; overflow-x: auto; }
  @media (min-width: 1200px) { .container-main { grid-template-columns: 14rem minmax(0, 1fr) 14rem; } }
  :not(pre, td) > code, .tsd-typography a, h1, .tsd-breadcrumb,
  .tsd-member-summary-name { overflow-wrap: anywhere; }
  :root { --light-color-link: #175ca5; } :is(.col-content, footer) :is(p, td, li) a { text-decoration: underline; }
  .tsd-page-title:has(+ .tsd-typography) { display: none; }
</style>`;

/** Names a Markdown page by its heading, adds its subject, and marks blocks without a language as plain text. */
function nameDocument(document: DocumentReflection): void {
  const subject = SUBJECTS.find(([, pages]) => pages.test(document.name.replaceAll("_", "/")))![0];
  let text = "";
  for (const part of document.content) {
    if (part.kind === "code") part.text = part.text.replace(/^```\n/, "```text\n");
    if (part.kind === "code" && /(^|\n)#+ .*$/.test(text)) part.text = part.text.slice(1, -1);
    text += part.text;
  }
  document.name = /^# (.*)$/m.exec(text)?.[1] ?? document.name;
  document.comment ??= new Comment();
  document.comment.blockTags.push(new CommentTag("@category", [{ kind: "text", text: subject }]));
}

/** Adds the sections of documents to the search. */
class SectionRouter extends KindRouter {
  override buildPages(project: ProjectReflection) {
    const pages = super.buildPages(project);
    for (const { model, url } of pages) {
      if (!(model instanceof DocumentReflection)) continue;
      const slugger = new Slugger(this.sluggerConfiguration);
      const text = model.content.map((part) => part.text).join("");
      for (const section of text.split(/^##+ /m).slice(1)) {
        const heading = section.slice(0, section.indexOf("\n"));
        const content = [{ kind: "text", text: section } as const];
        const target = new DocumentReflection(heading, model, content, {});
        target.comment = model.comment!;
        this.fullUrls.set(target, `${url}#${slugger.slug(heading)}`);
      }
    }
    return pages;
  }
}

commandLine("docs", "Makes the documentation as a static site, dist/docs.").parse();
await writePlayground(`${root}dist/playground/`);
const options = { entryPoints: entries.map(([source]) => root + source), router: "sections" };
const app = await Application.bootstrap(options, [new PackageJsonReader()]);
app.renderer.defineRouter("sections", SectionRouter);
app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => nameDocument(document));
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  const names = new Map(entries.map(([file, name]) => [file.replace(/(\/index)?\.ts$/, ""), name]));
  for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
});
const raw = (html: string) => JSX.createElement(JSX.Raw, { html });
app.renderer.hooks.on("head.end", () => raw(STYLE));
app.renderer.hooks.on("content.begin", ({ page }) =>
  raw(page.url === "index.html" ? '<p><a href="playground/index.html">Try it here</a></p>' : ""),
);
const project = await app.convert();
if (project !== undefined) {
  app.validate(project);
  await app.generateOutputs(project);
  cpSync(`${root}dist/playground`, `${root}dist/docs/playground`, { recursive: true });
}
if (app.logger.hasErrors() || app.logger.hasWarnings()) process.exitCode = 1;
else console.log("dist/docs/index.html");
