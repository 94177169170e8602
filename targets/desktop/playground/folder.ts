// Builds the folder of the playground. All addresses are relative, so it works on any file server and from a disk.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { html } from "hono/html";
import { panelPage, stylesheet } from "../panel/page.ts";
import { ICON } from "../panel/routes.ts";
import { fixture } from "../simulator/environment/environment.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Forbids inline scripts and styles, and files of other origins. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/** Replaces the folder. Returns the names of its files. */
export async function writePlayground(folder: string): Promise<string[]> {
  const page = panelPage({
    hasService: true,
    folder: "./",
    title: "playground",
    intro:
      "A device without a keyboard signs in (OAuth 2.0 device grant, RFC 8628). Device, phone and service are all in this page: nothing leaves it, so try whatever you like.",
    isModule: false,
    head: html`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
  });
  const files: Record<string, string> = {
    "index.html": String(await page),
    "panel.js": await script(),
    "panel.css": stylesheet(),
    "icon.svg": ICON,
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), content);
  }
  return Object.keys(files);
}

/** A single plain script, because browsers load no modules from a disk. */
async function script(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [here("main.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    charset: "utf8",
    target: "es2022",
    platform: "browser",
    define: { "import.meta.url": "document.baseURI", FIXTURE: JSON.stringify(fixture()) },
    conditions: ["browser"],
    inject: [here("node-replacements.ts")],
    alias: {
      "node:crypto": here("node-replacements.ts"),
      "node:net": here("node-replacements.ts"),
    },
    plugins: [
      {
        name: "cookies",
        setup(builder) {
          builder.onResolve({ filter: /^hono\/cookie$/ }, ({ importer }) =>
            importer.endsWith("node-replacements.ts")
              ? undefined
              : { path: here("node-replacements.ts") },
          );
        },
      },
    ],
  });
  return outputFiles[0]!.text;
}
