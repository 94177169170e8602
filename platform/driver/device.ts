// The core's device made of the options: its memory, its configuration, and whether the storage takes what it
// may write.

import type * as complete from "../../core/complete.ts";
import { ConfigMember, Field, Pkce, Region } from "../../core/index.ts";
import { serverNames } from "../address.ts";
import type { Platform } from "../contracts.ts";
import type { DriverOptions } from "./options.ts";

/**
 * @param memory the core's, for good
 * @throws RangeError where the memory is too small for the configuration, or the storage for the records
 */
export function makeDevice(options: DriverOptions, memory: Uint8Array): complete.Device {
  const { columns, rows } = options.platform.display;
  const config = {
    ...options.config,
    ...serverNames(options.config.server, options.endpoints.token),
    columns,
    rows,
    seed: seedFrom(options.platform),
  };
  const device = deviceWith(options, memory, config);
  if (!device) {
    const wrong = options.core.configError?.(config) ?? ConfigMember.NONE;
    if (wrong !== ConfigMember.NONE) {
      throw new RangeError(`the configuration: ${memberName(wrong)} is missing or out of range`);
    }
    throw new RangeError(
      `${memory.length} bytes of memory are too few for this configuration; give more`,
    );
  }
  checkStorage(device, options.platform.storage.capacity);
  return device;
}

/**
 * The server may want a code challenge. Where nobody has said so, and the memory has no room for one, there is none.
 */
function deviceWith(
  { core, pkce, bodies }: DriverOptions,
  memory: Uint8Array,
  config: complete.Config,
): complete.Device | null {
  const jsonBodies = bodies === "json" ? 1 : 0;
  const made = (wanted: Pkce): complete.Device | null =>
    core.create(memory, { ...config, jsonBodies, pkce: wanted });
  if (pkce !== undefined) return made(Pkce.ALWAYS);
  return made(Pkce.ON_DEMAND) ?? made(Pkce.NEVER);
}

/** A member of the configuration as it is spelled there. */
function memberName(member: ConfigMember): string {
  return ConfigMember[member]!.toLowerCase().replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
}

/** 26 random bits for the core's jitter; a platform without entropy gives all devices the same. */
function seedFrom(platform: Platform): number {
  const bytes = new Uint8Array(4);
  if (!platform.entropy.fill(bytes, 0, 4)) return 0;
  return (bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24)) & 67108863;
}

/** Bytes of a record beside its values: head, a length in front of each value, checksum (core/SPEC.md). */
const RECORD_FRAME_BYTES = 19;
const LENGTH_BYTES = 2;

/** The longest record that the device may write with the memory that it has. */
function recordBytesMax({ capacity }: complete.Device): number {
  const room = (region: number): number => LENGTH_BYTES + Math.max(0, capacity[region] ?? 0);
  const code =
    room(Field.DEVICE_CODE) +
    room(Field.USER_CODE) +
    room(Field.VERIFICATION_URI) +
    room(Field.VERIFICATION_URI_COMPLETE) +
    room(Region.CODE_VERIFIER);
  const token = Math.max(room(Field.ACCESS_TOKEN), room(Region.REFRESH_TOKEN));
  return Math.min(RECORD_FRAME_BYTES + Math.max(code, token), capacity[Region.OUTPUT] ?? 0);
}

/** Better now than when the user has signed in and the tokens do not fit. */
function checkStorage(device: complete.Device, capacity: number): void {
  const needed = recordBytesMax(device);
  if (capacity >= needed) return;
  throw new RangeError(
    `the storage takes records of ${capacity} bytes; with this much memory the device may write ` +
      `${needed}: give the storage more, or the device less memory`,
  );
}
