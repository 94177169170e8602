// Faults that are planted into a copy of the host's source, to see that whoever looks for faults finds them.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { InstallError } from "../engines/install.ts";

const portable = fileURLToPath(new URL("../../host/portable", import.meta.url));

/** `text` of a file of targets/host/portable becomes `fault`. */
export interface Fault {
  readonly file: string;
  readonly text: string;
  readonly fault: string;
}

/**
 * The path of a source file, or of a copy with the fault in it, where it belongs to this file.
 * @param folder where the copy goes
 * @throws InstallError where the text is not there just once: the source has changed
 */
export function sourceWith(file: string, plant: Fault | undefined, folder: string): string {
  const path = `${portable}/${file}.c`;
  if (plant?.file !== file) return path;
  const text = readFileSync(path, "utf8");
  if (text.split(plant.text).length !== 2) {
    throw new InstallError(
      `${path}: "${plant.text}" is not there just once; mend the planted fault`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const copy = `${folder}/${file}.c`;
  writeFileSync(copy, text.replace(plant.text, plant.fault));
  return copy;
}
