// Makes the playground's folder: a page, its script and its stylesheet. All of it static, every address relative, so
// that it works on any file server, below any path, and from a disk.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { html } from "hono/html";
import { panelPage, stylesheet } from "../panel/page.ts";
import { ICON } from "../panel/routes.ts";
import { fixture } from "../simulator/world/world.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Nothing may be asked for but what lies beside the page, and nothing is written into it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * Writes the folder anew.
 * @param folder where; what is there is removed
 */
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

/** Everything as one plain script: from a disk, modules are not loaded. What only Node has is stood in for. */
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
    inject: [here("stand-ins.ts")],
    alias: { "node:crypto": here("stand-ins.ts"), "node:net": here("stand-ins.ts") },
    plugins: [
      {
        name: "cookies",
        setup(builder) {
          builder.onResolve({ filter: /^hono\/cookie$/ }, ({ importer }) =>
            importer.endsWith("stand-ins.ts") ? undefined : { path: here("stand-ins.ts") },
          );
        },
      },
    ],
  });
  return outputFiles[0]!.text;
}
