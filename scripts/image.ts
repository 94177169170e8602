// npm run tool -- image: makes one signed file to flash (targets/image/FORMAT.md), the keys for it, and
// checks such files. What is wrong is one line on standard error, exit code 2.

import { readOptions } from "../targets/command/image/options.ts";
import { UsageError } from "../targets/desktop/usage-error.ts";
import { performBuilt } from "../targets/workbench/built-payload.ts";
import { InstallError } from "../targets/workbench/engines/install.ts";

try {
  console.log(await performBuilt(readOptions(process.argv.slice(2))));
} catch (error) {
  // RangeError: what does not fit into an image (make.ts).
  const kinds = [UsageError, InstallError, RangeError];
  if (!(error instanceof Error) || !kinds.some((kind) => error instanceof kind)) throw error;
  console.error(`image: ${error.message.split("\n")[0]}`);
  process.exitCode = 2;
}
