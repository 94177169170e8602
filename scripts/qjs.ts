// npm run tool -- qjs: builds the stock program of QuickJS from Debian's source into dist/engines.

import { buildQjs } from "../targets/workbench/engines/install.ts";
import { carryOut, commandLine } from "../targets/workbench/script-options.ts";

commandLine("qjs", "Builds the qjs of QuickJS from Debian's source into dist/engines.").parse();
await carryOut("qjs", async () => {
  console.log(buildQjs((line) => console.log(line)));
});
