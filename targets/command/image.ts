// `picogrant image`: signed files to flash, the keys for them, and checks of such files.

import { UsageError } from "../desktop/usage-error.ts";
import { readOptions } from "./image/options.ts";
import { perform } from "./image/perform.ts";
import { shippedPayloads } from "./image/shipped-payload.ts";

export async function image(argv: readonly string[]): Promise<number> {
  try {
    process.stdout.write(
      `${await perform(readOptions(argv, "picogrant image"), shippedPayloads)}\n`,
    );
    return 0;
  } catch (error) {
    // What does not fit into an image (targets/image/make.ts).
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
