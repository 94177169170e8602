// Makes the playground's folder: a page, its script, its stylesheets, the engine and the data. All of it static,
// every address relative, so that it works on any file server and below any path.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { html } from "hono/html";
import { shippedFiles } from "../../bundle/shipped.ts";
import { panelPage, stylesheet } from "../panel/page.ts";
import { ICON } from "../panel/routes.ts";
import { scenarioNames, scenarioText } from "../scenarios/play.ts";
import { fixture } from "../simulator/world/world.ts";
import { FILES, type PlaygroundData } from "./files.ts";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Nothing may be asked for but what lies beside the page, and nothing is written into it. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'";

/**
 * Writes the folder anew.
 * @param folder where; what is there is removed
 * @param wasm QuickJS with its calls of malloc counted
 */
export async function writePlayground(folder: string, wasm: Uint8Array): Promise<string[]> {
  const { "picogrant.js": bundle } = await shippedFiles("complete");
  const data: PlaygroundData = {
    bundle: bundle!,
    fixture: fixture(),
    scenarios: scenarioNames().map((name) => ({ name, text: scenarioText(name) })),
  };
  const page = panelPage({
    hasService: true,
    hasScenarios: true,
    folder: "./",
    title: "playground",
    intro:
      "A device without a keyboard signs in (OAuth 2.0 device grant, RFC 8628). Device, phone and service are all in this page: nothing leaves it, so try whatever you like.",
    isModule: false,
    head: html`<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
  });
  const files: Record<string, string | Uint8Array> = {
    "index.html": String(await page),
    "panel.js": await script(),
    "panel.css": stylesheet(),
    "icon.svg": ICON,
    "quickjs.wasm": wasm,
    "data.json": JSON.stringify(data),
    "without-server.js": withoutServer(wasm, data),
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), content);
  }
  return Object.keys(files);
}

/** The two files that the page reads, as a script: from a disk a page may load scripts, but read nothing. */
function withoutServer(wasm: Uint8Array, data: PlaygroundData): string {
  const files = { "quickjs.wasm": Buffer.from(wasm).toString("base64"), "data.json": data };
  return `globalThis.${FILES} = ${JSON.stringify(files)};\n`;
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
    define: { "import.meta.url": "document.baseURI" },
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
