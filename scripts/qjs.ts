// npm run tool -- qjs: builds the stock programs of QuickJS and QuickJS-ng from Debian's sources into dist/engines.

import { InstallError } from "../targets/workbench/engines/install.ts";
import { buildQjs } from "../targets/workbench/engines/native-quickjs.ts";
import { buildQjsNg } from "../targets/workbench/engines/native-quickjs-ng.ts";
import { commandLine } from "../targets/workbench/script-options.ts";

commandLine(
  "qjs",
  "Builds the qjs of QuickJS and of QuickJS-ng from Debian's sources into dist/engines.",
).parse();
try {
  for (const build of [buildQjs, buildQjsNg]) console.log(build((line) => console.log(line)));
} catch (error) {
  if (!(error instanceof InstallError)) throw error;
  console.error(`qjs: ${error.message.split("\n")[0]}`);
  process.exitCode = 2;
}
