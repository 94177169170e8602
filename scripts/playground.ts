// npm run tool -- playground: writes dist/playground, a folder for any file server: the device, the network, the
// service, the phone and the panel in one page.
import { fileURLToPath } from "node:url";
import { writePlayground } from "../targets/desktop/playground/folder.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

commandLine(
  "playground",
  "Writes the playground to dist/playground: a static folder for any file server.",
).parse();
const folder = fileURLToPath(new URL("../dist/playground/", import.meta.url));
const files = await writePlayground(folder);
console.log(`dist/playground: ${files.join(", ")}`);
console.log("Serve it with any file server, such as: npx http-server dist/playground");
