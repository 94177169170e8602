// Making a directory and those above it, on Node. What is in it belongs to others.

import fs from "node:fs";
import path from "node:path";

/**
 * Makes a directory and those above it, where they are not there; `mode` is that of the new ones. Not by the
 * option `recursive`: Node 20 never comes back from it where a file system answers ENOENT below a directory
 * that exists, as /proc does.
 * @throws the system's error of the first one that cannot be made
 */
export function makeDirectory(directory: string, mode: number): void {
  const parent = path.dirname(directory);
  // A drive of Windows that is not there has itself above it.
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent, mode);
  try {
    fs.mkdirSync(directory, { mode });
  } catch (error) {
    if (!fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
