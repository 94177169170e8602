import type * as complete from "../../core/complete.ts";
import { ConfigMember, Field, Pkce, Region, release } from "../../core/index.ts";
import type { Platform } from "../contracts.ts";
import { isFilled } from "../exchange/callbacks.ts";
import { serverNames } from "../servers/address.ts";
import { formEncodeText } from "../text/text.ts";
import type { DriverOptions } from "./options.ts";

/** Thrown if the memory or the storage is too small, or a member of the configuration is missing or out of range. */
export class CapacityError extends RangeError {}

/**
 * Creates the core's device. Checks whether the storage can take its records, unless `isGrown` is set.
 * @param memory the core uses this array as long as the device exists
 * @param isGrown whether `memory` has been enlarged for a long value. Records are then shorter than this memory allows
 * @throws Error if the core is of another release, whose numbers differ
 * @throws CapacityError if the configuration is invalid, or the memory or the storage is too small
 */
export function makeDevice(
  options: DriverOptions,
  memory: Uint8Array,
  isGrown = false,
): complete.Device {
  if (options.core.release !== release) {
    const given = options.core.release ?? "an older one";
    throw new Error(`the core's release is ${given}, the driver's ${release}: take both of one`);
  }
  const { columns, rows } = options.platform.display;
  const config = {
    ...options.config,
    ...serverNames(options.config.server, options.endpoints.token),
    columns,
    rows,
    seed: seedFrom(options.platform),
    pkce: options.pkce === undefined ? Pkce.ON_DEMAND : Pkce.ALWAYS,
    jsonBodies: options.bodies === "json" ? 1 : 0,
  };
  const device = options.core.create(memory, config);
  if (!device) {
    const wrong = options.core.configError?.(config) ?? ConfigMember.NONE;
    const problem =
      wrong === ConfigMember.NONE
        ? `${memory.length} bytes of memory are too few for this configuration; give more`
        : `the configuration: ${memberName(wrong)} is missing or out of range`;
    throw new CapacityError(problem);
  }
  if (!isGrown) checkStorage(device, options.platform.storage.capacity);
  return device;
}

/** The members of a response by name. */
export type Values = Readonly<Record<string, unknown>>;

/** The members whose capacity grows with the memory, and their regions. NONE: the value has no region except OUTPUT. */
const GROWING = {
  device_code: Field.NONE,
  verification_uri: Field.VERIFICATION_URI,
  verification_url: Field.VERIFICATION_URI,
  verification_uri_complete: Field.VERIFICATION_URI_COMPLETE,
  access_token: Field.NONE,
  refresh_token: Field.NONE,
} as const;
/** Bytes of a request or record in addition to the client's parameters and the values of GROWING. */
const AROUND_BYTES = 256;

/** Whether the memory can take the values, new values of the same length, and a request or record with all of them. */
export function hasCapacity({ capacity, length }: complete.Device, values: Values): boolean {
  let bytes = AROUND_BYTES + length[Region.CLIENT]! + length[Region.TOKEN_PARAMETERS]!;
  bytes += Math.max(0, length[Region.OUTPUT]!);
  for (const [name, region] of Object.entries(GROWING)) {
    const value = `${values[name] ?? ""}`;
    if (region !== Field.NONE && value.length > capacity[region]!) return false;
    bytes += 2 * value.length + formEncodeText(value).length;
  }
  return bytes <= capacity[Region.OUTPUT]!;
}

/** Moves a device into the memory of `larger`, which has the same configuration, and wipes the device's old memory. */
export function moveDevice(device: complete.Device, larger: complete.Device): void {
  const { memory, start, capacity } = larger;
  const before = device.memory as Uint8Array;
  capacity.forEach((size, region) => {
    const at = device.start[region]!;
    // FRAME is full although its length is not set.
    const bytes = region === Region.FRAME ? size : device.length[region]!;
    if (size > 0 && bytes > 0)
      (memory as Uint8Array).set(before.subarray(at, at + bytes), start[region]);
  });
  const end = device.start[Region.OUTPUT]! + device.capacity[Region.OUTPUT]!;
  const distance = memory.length - before.length;
  (memory as Uint8Array).set(before.subarray(end), end + distance);
  (capacity as number[])[Region.OUTPUT]! -= before.length - end;
  device.start.forEach((at, region) => {
    if (at >= end) (start as number[])[region] = at + distance;
  });
  before.fill(0);
  Object.assign(device, { memory, start, capacity });
}

function memberName(member: ConfigMember): string {
  return ConfigMember[member]!.toLowerCase().replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
}

/** Returns 26 random bits for the core's jitter. Without entropy, all devices get the same value. */
function seedFrom(platform: Platform): number {
  const bytes = new Uint8Array(4);
  if (!isFilled(platform.entropy, bytes, 0, 4)) return 0;
  return (bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24)) & 67108863;
}

/**
 * The format of records (core/SPEC.md), also for the host in C. FRAME: bytes in addition to the values. LENGTH: bytes
 * of each value's length. CODE: the values in the record of a code. The record of a token has a single value.
 */
export const RECORD = {
  FRAME: 19,
  LENGTH: 2,
  CODE: [
    Field.DEVICE_CODE,
    Field.USER_CODE,
    Field.VERIFICATION_URI,
    Field.VERIFICATION_URI_COMPLETE,
    Region.CODE_VERIFIER,
  ],
} as const;

/** Returns the length of the longest record that fits into the device's memory. */
function recordBytesMax({ capacity }: complete.Device): number {
  const fixed = RECORD.CODE.map((region) => RECORD.LENGTH + Math.max(0, capacity[region] ?? 0));
  const output = capacity[Region.OUTPUT] ?? 0;
  // A record in OUTPUT is a copy of values that are also in the other regions, so it takes at most half of the bytes.
  const bytes = fixed.reduce((sum, size) => sum + size, RECORD.FRAME + output) >> 1;
  return Math.min(bytes, output);
}

/** Throws if the longest record does not fit. Otherwise the tokens might not fit after the user has signed in. */
function checkStorage(device: complete.Device, capacity: number): void {
  const needed = recordBytesMax(device);
  if (capacity >= needed) return;
  throw new CapacityError(
    `the storage takes records of ${capacity} bytes; with this much memory the device may write ` +
      `${needed}: give the storage more, or the device less memory`,
  );
}
