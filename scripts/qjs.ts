// npm run tool -- qjs: builds the stock program of QuickJS from Debian's source into dist/engines.

import { buildQjs, InstallError } from "../targets/workbench/engines/install.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

commandLine("qjs", "Builds the qjs of QuickJS from Debian's source into dist/engines.").parse();
try {
  console.log(buildQjs((line) => console.log(line)));
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`qjs: ${error.message.split("\n")[0]}`);
  process.exitCode = 2;
}
