// npm run tool -- playground: writes dist/playground, a folder that any file server can serve: the device, the
// network, the service, the phone and the panel in one page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { writePlayground } from "../targets/desktop/playground/folder.ts";
import { mallocExport, quickjsPackage } from "../targets/workbench/budgets/engine.ts";
import { countBytes } from "../targets/workbench/budgets/wasm-counter.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

const require = createRequire(import.meta.url);

commandLine(
  "playground",
  "Writes the playground to dist/playground: a static folder for any file server.",
).parse();
const folder = fileURLToPath(new URL("../dist/playground/", import.meta.url));
const wasm = readFileSync(require.resolve(`${quickjsPackage}/wasm`));
const files = await writePlayground(folder, countBytes(wasm, mallocExport()));
console.log(`dist/playground: ${files.join(", ")}`);
console.log("Serve it with any file server, such as: npx http-server dist/playground");
