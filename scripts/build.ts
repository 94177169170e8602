// npm run build: writes each build of the core to dist/ as a script, as CommonJS and as an ES module, with types and a
// script that tests an engine. Also writes the core as C and the program for QuickJS's command `qjs`, and prints the
// sizes of the scripts. `-- --playground` only writes dist/playground: the simulator as a static web page.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { shippedFiles } from "../targets/bundle/shipped.ts";
import { variants } from "../targets/bundle/surface.ts";
import { writePlayground } from "../targets/desktop/playground/folder.ts";
import { bundleProgram } from "../targets/quickjs/bundle-program.ts";
import { conformanceScript } from "../targets/workbench/engines/script.ts";
import { numbersHeader, standaloneFiles } from "../targets/workbench/host/generate.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

function sizes(name: string, code: string): string {
  const gzip = gzipSync(code, { level: 9 }).length;
  return (
    `dist/${name}`.padEnd(26) + `${code.length} B min`.padStart(14) + `${gzip} B gzip`.padStart(15)
  );
}

function put(name: string, text: string): void {
  const draft = `${dist}.${name}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, dist + name);
}

async function writeAll(): Promise<void> {
  mkdirSync(dist, { recursive: true });
  for (const variant of variants) {
    const files = await shippedFiles(variant);
    for (const [name, text] of Object.entries(files)) put(name, text);
    const [[name, script]] = Object.entries(files) as [[string, string]];
    console.log(sizes(name, script));
    const conformance = name.replace(/\.js$/, "-conformance.js");
    put(conformance, await conformanceScript(variant, script));
  }
  put("picogrant-numbers.h", numbersHeader());
  for (const [name, text] of Object.entries(await standaloneFiles())) put(name, text);
  const program = await bundleProgram();
  put("picogrant.qjs.js", program);
  console.log(sizes("picogrant.qjs.js", program));
}

async function playground(): Promise<void> {
  console.log(`dist/playground: ${(await writePlayground(`${dist}playground/`)).join(", ")}`);
  console.log("Serve it with any file server, such as: npx http-server dist/playground");
}

const flags = commandLine(
  "build",
  "Writes the bundle, its maps and types to dist/, and prints the sizes.",
)
  .option("--playground", "only write dist/playground, a static folder for any file server")
  .parse()
  .opts<{ playground?: boolean }>();
await (flags.playground ? playground() : writeAll());
