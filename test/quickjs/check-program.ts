// Runs inside qjs: checks an image, each of its bytes changed, and each of its lengths cut, and prints what
// was said. Arguments: the image, the key's 64 digits, the device's product and counter.

import { quickJs, scriptArguments } from "../../platform/quickjs/engine.ts";
import { writeAll } from "../../platform/quickjs/files.ts";
import { bytesOf } from "../../platform/text.ts";
import { checkImage } from "../../targets/image/check.ts";
import { NO_BORDER } from "../../targets/image/format.ts";
import { parsePublicKey } from "../../targets/image/key-file.ts";
import { readBeginning } from "../../targets/quickjs/slot-files.ts";

const { os } = quickJs();
const [path, digits, product, counter] = scriptArguments() as [string, string, string, string];
const image = readBeginning(os, path, 65_536)!;
const requirements = {
  keys: [parsePublicKey(bytesOf(digits))!],
  product,
  border: NO_BORDER,
  targets: [{ engine: "qjs", abi: "std-1" }],
  counterMin: Number(counter),
};

function say(bytes: Uint8Array): void {
  const result = checkImage(bytes, requirements);
  writeAll(os, 1, bytesOf(`${typeof result === "string" ? result : "ok"}\n`));
}

say(image);
for (let at = 0; at < image.length; at++) {
  image[at]! ^= 1;
  say(image);
  image[at]! ^= 1;
}
for (let length = 0; length < image.length; length++) say(image.subarray(0, length));
