// How a memory is divided (core/SPEC.md, Memory; core/device/limits.ts): what each value may have, where the build tells.

import { Field, Region } from "../../../core/index.ts";
import { watchedMemory } from "./memory.ts";
import { type Scene, same } from "./oracle.ts";

/** From this much memory on there is room for long addresses. */
const LONG_FROM_BYTES = 24_576;
/** Three tokens share in 32ths what the others leave, each with one byte more than it may have. The rest is OUTPUT. */
const ACCESS_SHARE = 9;
const REFRESH_SHARE = 5;
const TOKENS = 3;

/** The smallest request or record that a memory has to have room for: with less there is no device. */
const OUTPUT_LEAST = 256;

/** The least memory that makes a device of this configuration; nothing beside a smaller one is read or written. */
export function checkLeastMemory(scene: Scene): void {
  const { core, ideal } = scene;
  const { config, memoryBytes } = ideal.settings;
  let [less, enough] = [0, memoryBytes];
  while (enough - less > 1) {
    const bytes = (less + enough) >> 1;
    if (core.create(new Uint8Array(bytes), config)) enough = bytes;
    else less = bytes;
  }
  for (const bytes of [less, less >> 1, less >> 2]) {
    const made = core.create(watchedMemory(new Uint8Array(bytes)), config);
    same(scene, "rooms", `a device in ${bytes} bytes`, made, null);
  }
  const { capacity } = core.create(new Uint8Array(enough), config)!;
  same(scene, "rooms", "the least room of OUTPUT", capacity[Region.OUTPUT], OUTPUT_LEAST);
}

export function checkRooms(scene: Scene): void {
  const { device, memory, ideal } = scene;
  const { columns, rows } = ideal.settings.config;
  const isLong = memory.length >= LONG_FROM_BYTES;
  const [uri, complete] = isLong ? [512, 768] : [128, 176];
  const roomOf = (region: number): number => device.capacity[region]!;
  const [access, refresh] = [roomOf(Field.ACCESS_TOKEN), roomOf(Region.REFRESH_TOKEN)];
  const left = access + 2 * refresh + roomOf(Region.OUTPUT) + TOKENS;
  const share = Math.floor(left / 32);
  const rooms: readonly (readonly [name: string, region: number, bytes: number])[] = [
    ["USER_CODE", Field.USER_CODE, columns],
    ["VERIFICATION_URI", Field.VERIFICATION_URI, uri],
    ["VERIFICATION_URI_COMPLETE", Field.VERIFICATION_URI_COMPLETE, complete],
    // The grant alone has no calls, and no room for one.
    ["CALL", Region.CALL, "beginCall" in scene.core ? columns + uri + complete : -1],
    ["FRAME", Region.FRAME, columns * rows],
    ["STATUS", Region.STATUS, columns * (rows - 1)],
    ["SCOPE", Field.SCOPE, 160],
    ["ERROR", Field.ERROR, 40],
    ["ACCESS_TOKEN", Field.ACCESS_TOKEN, share * ACCESS_SHARE],
    ["DEVICE_CODE", Field.DEVICE_CODE, share * REFRESH_SHARE],
    ["RECEIVED_REFRESH_TOKEN", Field.RECEIVED_REFRESH_TOKEN, share * REFRESH_SHARE],
    ["REFRESH_TOKEN", Region.REFRESH_TOKEN, share * REFRESH_SHARE],
  ];
  for (const [name, region, bytes] of rooms) {
    same(scene, "rooms", `the room of ${name}`, roomOf(region), bytes);
    const end = device.start[region]! + bytes;
    same(scene, "rooms", `${name} ends in the memory`, end < memory.length, true);
  }
}
