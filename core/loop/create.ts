// Creates a device: divides the memory, and encodes literals and configuration into it.

import { makeClock } from "../device/clock.ts";
import { makeCommandRange } from "../device/command.ts";
import { type Config, configError, startSpreadOf } from "../device/config.ts";
import { MESSAGES, Message, makeFailure } from "../device/errors.ts";
import { makeFrame } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import type { Bytes, Device, HostMemory, Place } from "../device/memory.ts";
import { makeMoves } from "../device/moves.ts";
import { makeRegions, placeConstant, placeRegion } from "../device/regions.ts";
import { makeRequest } from "../device/request.ts";
import { makeMisfit } from "../device/sizing.ts";
import { CAPACITIES, Field, LITERALS, Literal, LiteralEnd, Region } from "../device/tables.ts";
import { makeClient, writeClient } from "../grant/client-authentication.ts";
import { makeChallenge } from "../grant/code-challenge.ts";
import { makeCode } from "../grant/device-authorization.ts";
import { makeSession } from "../grant/refresh.ts";
import { makeRevocation } from "../grant/revocation.ts";
import { makeRecords } from "../records/record-keeping.ts";
import { makeRecordHead } from "../records/token-record.ts";
import { makeCall } from "../requests/call.ts";
import { makeWriter, skip, writeByte } from "../text/form-encoder.ts";
import { makeScanner } from "../text/json-scanner.ts";
import { makeValue } from "../text/unicode.ts";
import { makeExchange } from "./exchange.ts";
import { makeUser } from "./user.ts";

/**
 * The state before the first tick. Each owner creates its part. Parts and properties are created in the order in which
 * they are declared (Device in memory.ts). complete.ts adds the part for security events.
 */
function newDevice(memory: Bytes, config: Config, literalEnd: LiteralEnd): Device {
  var device = {} as HostMemory & Device;
  device.memory = memory;
  makeRegions(device, literalEnd);
  makeFrame(device, config.columns, config.rows);
  makeClock(device, config.seed, startSpreadOf(config));
  makeMoves(device);
  makeFailure(device);
  makeMisfit(device);
  makeCommandRange(device);
  makeRequest(device, config.jsonBodies || 0);
  makeWriter(device, device.memory.length);
  makeValue(device);
  makeScanner(device);
  makeRecordHead(device);
  makeRecords(device);
  makeClient(device, config.clientAuthentication);
  makeChallenge(device, config.pkce || 0);
  makeCode(device, config.renewalsMax);
  makeSession(device);
  makeRevocation(device);
  makeCall(device);
  makeExchange(device);
  makeUser(device, config.autoStart);
  return device;
}

/** Places a region of `capacity` bytes at the writer's position. */
function takeRegion(device: Device, region: Place, capacity: number): void {
  placeRegion(device, region, device.writeAt, capacity);
  skip(device, capacity);
}

/** Makes a region of each line of `text`, from the number `literal` on. The last display text gets surplus lines. */
function placeLines(device: Device, literal: number, text: string): void {
  var last = device.messages + Message.COUNT - 1;
  var start = device.writeAt;
  for (var i = 0; i < text.length; i++) {
    var c = text.charCodeAt(i);
    if (c !== 10) writeByte(device, c);
    else if (literal < last) {
      literal++;
      start = device.writeAt;
    }
    placeConstant(device, literal, start, device.writeAt - start);
  }
}

/** Places the literals, and the display texts of the configuration or the default ones. */
function placeTexts(device: Device, extra: string, messages: string): void {
  placeLines(device, Literal.MEMBERS, LITERALS);
  placeLines(device, LiteralEnd.GRANT, extra);
  placeLines(device, device.messages, messages || MESSAGES);
}

/** Divides the memory after the literals. Without a code and tokens, OUTPUT has all memory after the fixed regions. */
function divide(device: Device, hasCalls: boolean): void {
  var isLong = device.memory.length >= Limit.LONG_URI_MEMORY;
  var uriMax = isLong ? Limit.LONG_URI_MAX : Limit.VERIFICATION_URI_MAX;
  var uriCompleteMax = isLong ? Limit.LONG_URI_COMPLETE_MAX : Limit.VERIFICATION_URI_COMPLETE_MAX;
  takeRegion(device, Region.FRAME, device.columns * device.rows);
  takeRegion(device, Region.STATUS, device.columns * (device.rows - 1));
  for (var i = 0; i < CAPACITIES.length; i += 2) {
    takeRegion(device, CAPACITIES.charCodeAt(i) - 65, 4 * (CAPACITIES.charCodeAt(i + 1) - 32));
  }
  if (hasCalls) {
    placeRegion(device, Region.CALL, device.writeAt, device.columns + uriMax + uriCompleteMax);
  }
  // A longer code would not fit on one line.
  takeRegion(device, Field.USER_CODE, device.columns);
  takeRegion(device, Field.VERIFICATION_URI, uriMax);
  takeRegion(device, Field.VERIFICATION_URI_COMPLETE, uriCompleteMax);
  takeRegion(device, Region.OUTPUT, device.writeEnd - device.writeAt);
}

/**
 * Creates a device for the `create` of each build. After `create`, the core does not allocate, except in assertions,
 * which release builds do not contain.
 * @param extra literals of the build in addition to the grant's, one line each; "" for the grant alone
 * @param literalEnd the number after the last literal
 */
export function createDevice(
  memory: Bytes,
  config: Config,
  extra: string,
  literalEnd: LiteralEnd,
): Device | null {
  if (configError(config)) return null;
  var device = newDevice(memory, config, literalEnd);
  // writeText collects the bytes of each character here (text/unicode.ts).
  takeRegion(device, Field.NONE, Limit.CHARACTER_MAX);
  placeTexts(device, extra, config.messages);
  writeClient(device, config);
  divide(device, literalEnd > LiteralEnd.GRANT);
  return device.capacity[Region.OUTPUT] < Limit.OUTPUT_MIN ? null : device;
}
