// npm run docs: makes the pages and the reference of everything public, as a static site that needs no network:
// dist/docs/index.html. It fails where something public has no description, or a link leads nowhere.

import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeTables } from "../targets/workbench/docs/spliced-tables.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const drafts = `${root}dist/docs-pages`;
const site = `${root}dist/docs`;

const { tables } = commandLine("docs", "Makes the documentation as a static site, dist/docs.")
  .option("--tables", "only write the tables in targets/docs anew")
  .parse()
  .opts<{ tables?: boolean }>();

async function make(): Promise<number> {
  // The generator takes seconds to load, which is too long for who asks for the options.
  const [{ Preparation }, { makeSite }, { brokenLinks }] = await Promise.all([
    import("../targets/workbench/docs/prepare.ts"),
    import("../targets/workbench/docs/site.ts"),
    import("../targets/workbench/docs/links.ts"),
  ]);
  const prepared = await new Preparation(root, drafts).run();
  rmSync(site, { recursive: true, force: true });
  const complaints = await makeSite(root, prepared, site);
  if (complaints === 0) rmSync(drafts, { recursive: true, force: true });
  const broken = complaints === 0 ? brokenLinks(site) : [];
  for (const line of broken) console.error(`docs: ${line}`);
  if (complaints + broken.length > 0) return 1;
  console.log("dist/docs/index.html");
  return 0;
}

writeTables(root);
if (!tables) process.exitCode = await make();
