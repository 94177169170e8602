// `picogrant simulate`: the desktop simulator.

import { readOptions } from "../desktop/options.ts";
import { run } from "../desktop/run.ts";

export async function simulate(argv: readonly string[]): Promise<number> {
  return await run(readOptions(argv, "picogrant simulate"));
}
