// The device.json of an image, checked before it is signed: by the schema that the device uses, and by
// what the image's host needs besides. A device in the field is the wrong place to find a mistake.

import { create } from "../../../core/index.ts";
import {
  ConfigError,
  coreConfigOf,
  type DeviceConfig,
  parseDeviceConfig,
} from "../../../platform/configuration/device-config.ts";
import { UsageError } from "../../desktop/usage-error.ts";
import { readInput } from "./files.ts";

/** What the hosts in C take where nothing is said (config.c): they have the grant alone. */
const DISPLAY = { columns: 20, rows: 4 };
const MEMORY_BYTES = 4096;

/**
 * Reads and checks a configuration.
 * @returns its bytes as they are in the file
 * @throws UsageError that names every mistake with its path, and no value
 */
export function readConfiguration(path: string): Uint8Array {
  const bytes = readInput(path);
  let problems: string[];
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    problems = problemsFor(parseDeviceConfig(text));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${path}: is not UTF-8`);
    if (!(error instanceof ConfigError)) throw error;
    throw new UsageError(`${path}: ${error.message}`);
  }
  if (problems.length > 0) throw new UsageError(`${path}: ${problems.join("; ")}`);
  return bytes;
}

/** What the schema cannot know: what the host in C needs, and what does not belong into an image. */
function problemsFor(config: DeviceConfig): string[] {
  const { storage, endpoints } = config;
  const problems: string[] = [];
  if (storage?.deviceKey !== undefined) {
    problems.push(
      "storage.deviceKey would be the same on every device that gets this image; " +
        "leave it out: the C host seals nothing",
    );
  }
  if (storage === undefined) problems.push("storage is missing; this host keeps records in files");
  // It does not know the profiles.
  if (config.server !== undefined) {
    problems.push("server is not for the C host; picogrant configure FILE writes in what it says");
  }
  for (const name of ["deviceAuthorization", "token"] as const) {
    if (!endpoints?.[name]) problems.push(`endpoints.${name} is missing; the C host needs it`);
  }
  if (!fits(config)) problems.push("limits.memoryBytes is too small for this configuration");
  return problems;
}

/** Whether a device can be made of it. A larger display than the one named may need more yet. */
function fits(config: DeviceConfig): boolean {
  const memory = new Uint8Array(config.limits?.memoryBytes ?? MEMORY_BYTES);
  const { columns, rows } = { ...DISPLAY, ...config.display };
  return create(memory, { ...coreConfigOf(config), columns, rows, seed: 1 }) !== null;
}
