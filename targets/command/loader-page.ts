// `picogrant loader-page`: the page of flash that says which product a board is, and whose images it runs.

import { dirname } from "node:path";
import { UsageError } from "../desktop/usage-error.ts";
import { FactoryPageError } from "../image/factory-page.ts";
import { makeLoaderPage } from "../image/loader-page.ts";
import { makeFolder, replaceFile } from "./image/files.ts";
import { keyName, readPublicKey } from "./image/keys.ts";
import { commandLine } from "./option-parser.ts";

const HELP = `
  picogrant loader-page --product tv --key maker.pub --out loader-page.bin

Give a key more than once, the oldest first, so that a later one can retire it (picogrant image --retire-older-keys).`;

interface Flags {
  product: string;
  key: string[];
  counterMin: string;
  out: string;
}

export async function loaderPage(argv: readonly string[]): Promise<number> {
  const { product, key, counterMin, out } = commandLine(
    "loader-page",
    "Makes the page that the factory programs beside a board's boot loader.",
  )
    .requiredOption("--product <name>", "what the device is; images name it")
    .requiredOption("--key <file...>", "the maker's public keys, oldest first, four at the most")
    .option("--counter-min <number>", "of a device that counts in hardware", "0")
    .requiredOption("--out <file>", "where it is written")
    .addHelpText("after", HELP)
    .parse(argv, { from: "user" })
    .opts<Flags>();
  if (!/^\d{1,9}$/.test(counterMin)) throw new UsageError("--counter-min: is no number from 0 on");
  const keys = key.map(readPublicKey);
  const page = orUsage(() => makeLoaderPage(product, keys, Number(counterMin)));
  makeFolder(dirname(out));
  replaceFile(out, page, 0o644);
  const names = keys.map(keyName).join(", ");
  process.stdout.write(`${out}: ${page.length} bytes for ${product}; runs images of ${names}\n`);
  return 0;
}

function orUsage(act: () => Buffer): Buffer {
  try {
    return act();
  } catch (error) {
    if (error instanceof FactoryPageError) throw new UsageError(error.message);
    throw error;
  }
}
