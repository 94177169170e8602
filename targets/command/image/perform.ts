// What `picogrant image` does, once its command line is read. Nothing is printed here.

import { dirname } from "node:path";
import { borderDigest } from "../../image/border.ts";
import { checkImage } from "../../image/check.ts";
import { NO_BORDER } from "../../image/format.ts";
import { makeImage } from "../../image/make.ts";
import { readConfiguration } from "./configuration.ts";
import { makeFolder, replaceFile } from "./files.ts";
import { inspectImage, summary, verifyImage } from "./inspect.ts";
import { newKey, readSecretKey } from "./keys.ts";
import type { Options } from "./options.ts";
import type { Payloads } from "./payload-kinds.ts";

async function buildImage(options: Options, key: string, payloads: Payloads): Promise<string> {
  const name = options.target ?? "c-host";
  // The cheap mistakes first: the payload may have to be compiled.
  const secretKey = readSecretKey(key);
  const configuration = options.config ? readConfiguration(options.config) : new Uint8Array(0);
  const target = payloads.targetOf(name, options.abi);
  const { product = "", release, counter = 0, retireOlderKeys = false } = options;
  // Firmware brings its own core: there is nothing for a host to agree with.
  const border = name === "board" ? NO_BORDER : borderDigest();
  const payload = await payloads.payloadFor(options, target);
  const content = { ...target, product, release, border, counter, retireOlderKeys };
  const image = makeImage({ ...content, payload, configuration }, secretKey);
  const publicKey = secretKey.slice(32);
  secretKey.fill(0);
  const device = { keys: [publicKey], product, targets: [target], border, counterMin: counter };
  const made = checkImage(image, device);
  if (typeof made === "string") throw new Error(`the image that was made is refused: ${made}`);
  const out = options.out ?? `${payloads.imageFolder}picogrant-${release.replaceAll("/", "-")}.img`;
  makeFolder(dirname(out));
  // It may carry the client's secret.
  replaceFile(out, image, 0o600);
  return summary(out, made);
}

/**
 * Makes an image or keys, or checks an image.
 * @returns what to tell
 * @throws UsageError, InstallError or RangeError with one line
 */
export async function perform(options: Options, payloads: Payloads): Promise<string> {
  if (options.newKey !== undefined) return newKey(options.newKey);
  if (options.verify !== undefined) return verifyImage(options.verify, options, payloads);
  if (options.inspect !== undefined) return inspectImage(options.inspect);
  return buildImage(options, options.key ?? "", payloads);
}
