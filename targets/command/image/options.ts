// The command line of npm run tool -- image: what a person may say, checked for form. What it means for files
// and keys is in the other rooms of this folder.

import { Command, InvalidArgumentError, Option } from "commander";
import { type Variant, variants } from "../../bundle/surface.ts";
import { integer } from "../../desktop/option-values.ts";
import { UsageError } from "../../desktop/usage-error.ts";
import { version } from "../../desktop/version.ts";
import { COUNTER_MAX, isFieldText, Width } from "../../image/format.ts";

/** Who runs the image. `c-host` takes bytecode; the others source. */
const TARGET_NAMES = ["c-host", "es5", "board"] as const;
export type TargetName = (typeof TARGET_NAMES)[number];

export interface Options {
  key?: string;
  counter?: number;
  product?: string;
  release: string;
  retireOlderKeys?: boolean;
  config?: string;
  target?: TargetName;
  variant: Variant;
  abi?: string;
  payload?: string;
  out?: string;
  newKey?: string;
  verify?: string;
  inspect?: string;
  publicKey?: string;
  counterMin: number;
}

const NPM_RUN = "npm run tool -- image";

const HELP = `
A first image:
  npm run tool -- image --new-key maker
  npm run tool -- image --key maker.key --product living-room-tv --counter 1 --config device.json
  npm run tool -- image --verify dist/picogrant-VERSION.img --public-key maker.pub

Targets: c-host is the host in C with QuickJS (bytecode; --abi where it was built for another machine:
picogrant-host --abi), es5 the one with Duktape, which takes the core's bundle; board is firmware for a
microcontroller (--payload firmware-a.bin --abi mps2-an385-2-a; one image for each slot).
The format is in targets/image/FORMAT.md.`;

function readText(width: number): (text: string) => string {
  return (text) => {
    if (isFieldText(text, width)) return text;
    throw new InvalidArgumentError(`It is 1 to ${width} printable characters without space.`);
  };
}

function program(usage: string): Command {
  return new Command(usage)
    .description("Makes one signed file to flash, makes the keys for it, and checks such files.")
    .option("--key <file>", "the maker's secret key; makes an image")
    .option(
      "--counter <number>",
      "security counter; raise it to lock older images out",
      integer(0, COUNTER_MAX),
    )
    .option(
      "--product <name>",
      "the product or kind of hardware that it is for; no other takes it",
      readText(Width.product),
    )
    .option(
      "--release <version>",
      "the product's version, for people",
      readText(Width.release),
      version(),
    )
    .option("--retire-older-keys", "once it is good, keys older than this one count no longer")
    .option("--config <file>", "device.json to put into the image; checked first")
    .addOption(
      new Option("--target <name>", "who runs it; c-host where absent").choices(TARGET_NAMES),
    )
    .addOption(
      new Option("--variant <name>", "the core of c-host and es5")
        .choices(variants)
        .default("complete"),
    )
    .option("--abi <text>", "ABI of the host in C, as it says itself", readText(Width.abi))
    .option("--payload <file>", "a program of your own instead of picogrant's")
    .option("--out <file>", "where the image goes; dist/picogrant-RELEASE.img where absent")
    .option("--new-key <name>", "make a pair of keys: NAME.key (secret) and NAME.pub")
    .option("--verify <file>", "check an image as a device does; needs --public-key")
    .option("--inspect <file>", "print an image's header")
    .option("--public-key <file>", "the key that a device trusts")
    .option("--counter-min <number>", "the device's security counter", integer(0, COUNTER_MAX), 0)
    .addHelpText("after", HELP.replace("VERSION", version()).replaceAll(NPM_RUN, usage))
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: /, `${usage === NPM_RUN ? "image" : usage}: `)),
    })
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
}

/**
 * Reads the command line. Ends the process for --help and mistakes of form.
 * @param usage how the program is called, for its help
 * @throws UsageError where the options do not belong together
 */
export function readOptions(argv: readonly string[], usage: string = NPM_RUN): Options {
  const options = program(usage).parse(argv, { from: "user" }).opts<Options>();
  const { key, newKey, verify, inspect, publicKey, counter, product } = options;
  const modes = [key, newKey, verify, inspect].filter((value) => value !== undefined);
  if (modes.length !== 1) {
    throw new UsageError("give one of --key, --new-key, --verify, --inspect; --help tells more");
  }
  if (key !== undefined && counter === undefined) {
    throw new UsageError("--counter is missing: 1 for a first image, the last one's otherwise");
  }
  if (key !== undefined && product === undefined) {
    throw new UsageError("--product is missing: the name that the loader on the device is given");
  }
  if (verify !== undefined && publicKey === undefined) {
    throw new UsageError("--verify needs --public-key FILE, the key that the device trusts");
  }
  return options;
}
