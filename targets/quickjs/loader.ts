// The loader of signed images for a stock qjs:
//   qjs --std -m dist/picogrant-loader.qjs.js --images DIRECTORY --key FILE --product NAME [--install IMAGE]
// Checks before it runs, keeps two slots, goes back to the last good image. The rules are those of
// targets/image; this is their command line, and the one place that evaluates a payload.

import {
  engineName,
  type Os,
  quickJs,
  type Std,
  scriptArguments,
} from "../../platform/quickjs/engine.ts";
import { FileError, writeAll } from "../../platform/quickjs/files.ts";
import { bytesOf, textOf } from "../../platform/text.ts";
import type { Image } from "../image/check.ts";
import {
  COUNTER_MAX,
  describeRefusal,
  isFieldText,
  KEYS_MAX,
  NO_BORDER,
  REFUSALS,
  type Refusal,
  Width,
} from "../image/format.ts";
import { KEY_FILE_BYTES_MAX, parsePublicKey } from "../image/key-file.ts";
import { type BootRefusal, Slots } from "../image/slots.ts";
import { setBoot } from "./boot.ts";
import { readBeginning, SlotFiles } from "./slot-files.ts";

/** Longest image taken: several times the largest program, and little enough for a small board. */
const LIMIT_BYTES = 1_048_576;
const WRONG = 2;
/** sysexits' EX_SOFTWARE: a supervisor starts the loader again, which counts as one of the tries. */
const INTERNAL_ERROR = 70;
const USAGE =
  "usage: qjs --std -m picogrant-loader.qjs.js --images DIRECTORY --product NAME --key FILE [--key FILE]... " +
  "[--counter-min N] [--config FILE | --install IMAGE]";

class UsageError extends Error {}

interface Flags {
  images: string;
  keys: string[];
  product: string;
  counterMin: number;
  install: string | undefined;
  /** What the program is to get. */
  forProgram: string[];
}

function readFlags(args: readonly string[]): Flags {
  const flags: Flags = {
    ...{ images: "", keys: [], product: "", counterMin: 0, install: undefined },
    forProgram: [],
  };
  for (let at = 0; at < args.length; at += 2) {
    const value = args[at + 1];
    if (value === undefined || value === "") throw new UsageError(USAGE);
    if (args[at] === "--images") flags.images = value;
    else if (args[at] === "--key") flags.keys.push(value);
    else if (args[at] === "--product" && isFieldText(value, Width.product)) flags.product = value;
    else if (args[at] === "--install") flags.install = value;
    else if (args[at] === "--config") flags.forProgram.push("--config", value);
    else if (args[at] === "--counter-min" && /^\d{1,10}$/.test(value))
      flags.counterMin = Number(value);
    else throw new UsageError(USAGE);
  }
  const { images, keys, product, counterMin } = flags;
  if (images === "" || keys.length === 0 || product === "" || counterMin > COUNTER_MAX) {
    throw new UsageError(USAGE);
  }
  if (keys.length > KEYS_MAX) throw new UsageError(`--key: ${KEYS_MAX} keys are the most`);
  return flags;
}

function readKey(os: Os, path: string): Uint8Array {
  const bytes = readBeginning(os, path, KEY_FILE_BYTES_MAX + 1);
  if (bytes === undefined) throw new FileError(`${path}: does not exist`);
  const key = parsePublicKey(bytes);
  if (key === undefined)
    throw new FileError(`${path}: holds no public key (64 hexadecimal digits)`);
  return key;
}

function openSlots(os: Os, flags: Flags): Slots {
  const engines = ["qjs", engineName()];
  return new Slots(new SlotFiles(os, flags.images), {
    keys: flags.keys.map((path) => readKey(os, path)),
    product: flags.product,
    border: NO_BORDER,
    targets: engines.map((engine) => ({ engine, abi: "std-1" })),
    counterMin: flags.counterMin,
    limit: LIMIT_BYTES,
  });
}

function install(os: Os, slots: Slots, path: string): void {
  const bytes = readBeginning(os, path, LIMIT_BYTES + 1);
  if (bytes === undefined) throw new FileError(`${path}: does not exist`);
  const refusal = slots.install(bytes);
  if (refusal !== undefined) throw new FileError(`${path}: ${describe(refusal)}`);
}

function start(std: Std, os: Os, slots: Slots, forProgram: readonly string[]): void {
  const image = slots.choose();
  if (typeof image === "string") throw new FileError(`image: ${describe(image)}`);
  if (slots.unwritten !== undefined) {
    complain(os, `the boot record cannot be written, an update waits: ${slots.unwritten}`);
  }
  const { source, configuration } = textsOf(image);
  setBoot({ configuration, arguments: forProgram, confirm: () => confirm(os, slots) });
  std.evalScript(source);
}

let complained = false;

/** The device runs in any case; where it cannot be noted that is said once. */
function confirm(os: Os, slots: Slots): boolean {
  let why: string | undefined;
  try {
    const refusal = slots.confirm();
    why = refusal && describe(refusal);
  } catch (error) {
    why = messageOf(error);
  }
  if (why !== undefined && !complained) complain(os, `the boot record cannot be written: ${why}`);
  complained ||= why !== undefined;
  return why === undefined;
}

function textsOf(image: Image): { source: string; configuration: string } {
  const source = textOf(image.payload);
  const configuration = textOf(image.configuration);
  if (source === undefined) throw new FileError("image: its program is not UTF-8");
  if (configuration === undefined) throw new FileError("image: its configuration is not UTF-8");
  return { source, configuration };
}

function describe(refusal: BootRefusal): string {
  if (refusal === "none") return "no slot holds an image";
  if (refusal === "busy") return "another program is writing there";
  return isRefusal(refusal) ? describeRefusal(refusal) : "a slot cannot be read";
}

function isRefusal(refusal: BootRefusal): refusal is Refusal {
  return REFUSALS.some((name) => name === refusal);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function complain(os: Os, line: string): void {
  writeAll(os, 2, bytesOf(`picogrant-loader: ${line.replace(/\s*\n\s*/g, " ")}\n`));
}

function main(): void {
  const { std, os } = quickJs();
  const given = scriptArguments();
  if (given.includes("--help")) {
    writeAll(os, 1, bytesOf(`${USAGE}\n`));
    std.exit(0);
  }
  try {
    const flags = readFlags(given);
    const slots = openSlots(os, flags);
    if (flags.install === undefined) start(std, os, slots, flags.forProgram);
    else install(os, slots, flags.install);
  } catch (error) {
    const known = error instanceof UsageError || error instanceof FileError;
    complain(os, known ? error.message : `the program of the image failed: ${messageOf(error)}`);
    std.exit(known ? WRONG : INTERNAL_ERROR);
  }
}

main();
