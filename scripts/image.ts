// npm run image: makes one signed file to flash (targets/firmware/image/FORMAT.md), the keys for it, and
// checks such files. What is wrong is one line on standard error, exit code 2.

import { UsageError } from "../targets/desktop/usage-error.ts";
import { InstallError } from "./engines/install.ts";
import { readOptions } from "./image/options.ts";
import { perform } from "./image/perform.ts";

try {
  console.log(await perform(readOptions(process.argv.slice(2))));
} catch (error) {
  // RangeError: what does not fit into an image (make.ts).
  const kinds = [UsageError, InstallError, RangeError];
  if (!(error instanceof Error) || !kinds.some((kind) => error instanceof kind)) throw error;
  console.error(`image: ${error.message.split("\n")[0]}`);
  process.exitCode = 2;
}
