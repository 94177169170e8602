// `picogrant image`: signed files to flash, the keys for them, and checks of such files.

import { readOptions } from "../../scripts/image/options.ts";
import { perform } from "../../scripts/image/perform.ts";
import { UsageError } from "../desktop/usage-error.ts";

export async function image(argv: readonly string[]): Promise<number> {
  try {
    process.stdout.write(`${await perform(readOptions(argv, "picogrant image"))}\n`);
    return 0;
  } catch (error) {
    // What does not fit into an image (targets/firmware/image/make.ts).
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
