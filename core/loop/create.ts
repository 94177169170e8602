// Making a device: the memory is divided, literals and configuration are encoded into it. Everything
// that is ever allocated is allocated here.

import { type Config, configError } from "../device/config.ts";
import { MESSAGES, Message } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import { type Bytes, type Device, Field, Literal, Region } from "../device/memory.ts";
import { placeDeviceCode } from "../device/regions.ts";
import { ERROR_KINDS, ERRORS, MEMBERS } from "../device/tables.ts";
import { writeClient } from "../grant/client-authentication.ts";
import { Job } from "../records/record-keeping.ts";
import { writeByte } from "../text/form-encoder.ts";
import { GRAMMAR } from "../text/tables.ts";

/** In the order of Literal, a line each. The build makes one text of them. */
var LITERALS =
  MEMBERS +
  "\n" +
  ERRORS +
  "\n" +
  ERROR_KINDS +
  "\n" +
  "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=\n" +
  "&grant_type=refresh_token&refresh_token=\n" +
  "token=\n" +
  "bearer\n" +
  GRAMMAR +
  "\n" +
  "://\n";

/** The state before the first tick. */
function newDevice(memory: Bytes, config: Config, extraCount: number): Device {
  var start: number[] = [];
  var length: number[] = [];
  var capacity: number[] = [];
  var excess: number[] = [];
  var device: Device = {
    memory: memory,
    start: start,
    length: length,
    capacity: capacity,
    messages: Literal.NEXT + extraCount,
    columns: config.columns,
    rows: config.rows,
    state: 0,
    event: 0,
    moves: 0,
    error: 0,
    errorField: 0,
    errorLength: 0,
    memoryNeeded: 0,
    requestId: 0,
    endpoint: 0,
    target: 0,
    targetLength: 0,
    body: 0,
    bodyLength: 0,
    isGet: 0,
    authorization: 0,
    slot: 0,
    data: 0,
    dataLength: 0,
    purpose: 0,
    inFlight: 0,
    exchangeMs: 0,
    abortDue: 0,
    outputUse: 0,
    hadAccess: 0,
    httpStatus: 0,
    retryAfterS: 0,
    bodyBytes: 0,
    waitMs: 0,
    intervalMs: Limit.INTERVAL_DEFAULT_MS,
    backoffMs: 0,
    random: config.seed % 32749,
    carryMs: 0,
    codeLifeS: 0,
    accessLifeS: Limit.ENDLESS,
    refreshLifeS: Limit.ENDLESS,
    refreshMarginS: 0,
    codeShown: 0,
    codeResumed: 1,
    lastPollMade: 0,
    renewals: 0,
    renewalsMax: config.renewalsMax,
    autoStart: config.autoStart,
    noted: 0,
    triedPrevious: 0,
    revocationTries: 0,
    uselessAnswers: 0,
    clientAuthentication: 0,
    job: Job.READ_FIRST,
    storageCommand: 0,
    jobFailures: 0,
    recordKind: 0,
    slotsUsed: 0,
    slotNewest: 1,
    sequence: 0,
    notSaved: 0,
    notErased: 0,
    notRead: 0,
    binding: 0,
    writeAt: 0,
    writeEnd: 0,
    scanState: 0,
    scanStack: 0,
    scanDepthMax: 0,
    scanNames: 0,
    scanWanted: 0,
    nameField: 0,
    hasErrorNumber: 0,
    scanSeen: 0,
    scanField: 0,
    scanUnit: 0,
    scanHigh: 0,
    excess: excess,
    frameDue: 1,
    // What an earlier life left in the memory must not pass for a frame that is shown already.
    frameChanged: 1,
    pageStart: 0,
    pageEnd: 0,
    pageMs: 0,
    cell: 0,
    rowEnd: 0,
    textEnd: 0,
    call: null,
    callEndpoint: 0,
    callIsGet: 0,
    callState: 0,
    callRetried: 0,
    callError: 0,
    callErrorField: 0,
    callStatus: 0,
    callBody: null,
    callBodyFrom: 0,
    callBodyTo: 0,
    lent: null,
    lentFrom: 0,
    lentTo: 0,
    isBuilding: 0,
    targetSize: 0,
    hasNextPage: 0,
    verification: 0,
    eventPolls: 0,
    endDueWith: 0,
    seenEvents: [-1, -1, -1, -1, -1, -1, -1, -1],
  };
  for (var region = 0; region < device.messages + Message.COUNT; region++) {
    start.push(0);
    length.push(-1);
    // Nothing is ever written to a literal.
    if (region < Region.COUNT) capacity.push(-1);
    if (region <= Region.KEY) excess.push(0);
  }
  return device;
}

/** A region of `room` bytes from the place where the writer is, and one byte behind it (see keep). */
function takeRegion(device: Device, region: number, room: number): void {
  device.start[region] = device.writeAt;
  device.capacity[region] = room;
  device.writeAt += room + 1;
}

/**
 * Makes regions of the lines of a text, from `literal` on. Display texts beyond the last one are added to it.
 */
function placeLines(device: Device, literal: number, text: string): void {
  var last = device.messages + Message.COUNT - 1;
  device.start[literal] = device.writeAt;
  for (var i = 0; i < text.length; i++) {
    var c = text.charCodeAt(i);
    if (c !== 10) writeByte(device, c);
    else if (literal < last) device.start[++literal] = device.writeAt;
    device.length[literal] = device.writeAt - device.start[literal];
  }
}

/** Divides what the literals leave of the memory. What is left in the end is shared by the tokens. */
function divide(device: Device, extraCount: number): void {
  var isLong = device.memory.length >= Limit.LONG_URI_MEMORY;
  var uriMax = isLong ? Limit.LONG_URI_MAX : Limit.VERIFICATION_URI_MAX;
  var uriCompleteMax = isLong ? Limit.LONG_URI_COMPLETE_MAX : Limit.VERIFICATION_URI_COMPLETE_MAX;
  takeRegion(device, Region.FRAME, device.columns * device.rows);
  takeRegion(device, Region.STATUS, device.columns * (device.rows - 1));
  takeRegion(device, Region.KEY, Limit.KEY_MAX);
  takeRegion(device, Field.TOKEN_TYPE, Limit.TOKEN_TYPE_MAX);
  takeRegion(device, Field.ERROR, Limit.ERROR_MAX);
  takeRegion(device, Field.SCOPE, Limit.SCOPE_MAX);
  takeRegion(device, Field.EXPIRES_IN, Limit.NUMBER_MAX);
  takeRegion(device, Field.REFRESH_TOKEN_EXPIRES_IN, Limit.NUMBER_MAX);
  takeRegion(device, Field.INTERVAL, Limit.NUMBER_MAX);
  if (extraCount) {
    device.start[Region.CALL] = device.writeAt;
    device.capacity[Region.CALL] = device.columns + uriMax + uriCompleteMax;
  }
  // A longer code could not be shown on one line.
  takeRegion(device, Field.USER_CODE, device.columns);
  takeRegion(device, Field.VERIFICATION_URI, uriMax);
  takeRegion(device, Field.VERIFICATION_URI_COMPLETE, uriCompleteMax);
  var share = (device.writeEnd - device.writeAt) >> 5;
  takeRegion(device, Field.REFRESH_TOKEN, share * Limit.REFRESH_TOKEN_SHARE);
  takeRegion(device, Region.PRESENT_REFRESH_TOKEN, share * Limit.REFRESH_TOKEN_SHARE);
  // It lies where the present refresh token does (regions.ts).
  device.capacity[Field.DEVICE_CODE] = share * Limit.REFRESH_TOKEN_SHARE;
  placeDeviceCode(device);
  takeRegion(device, Field.ACCESS_TOKEN, share * Limit.ACCESS_TOKEN_SHARE);
  takeRegion(device, Region.OUTPUT, device.writeEnd - device.writeAt);
}

/**
 * Makes a device. Allocates; nothing else in the core does, but for the tables of documentation and tests
 * (`transitions`, `regionLives`), which no bundle has.
 *
 * @param memory the device's memory: 4096 bytes are enough for short tokens, and `picogrant sizing` says how much a
 *   server's need; the host gives it up to the device until the end of both
 * @param config what the maker sets
 * @param extra literals of a complete build, a line each, and how many; "" and 0 for the grant alone
 * @returns the device; null where configError says what is wrong with the configuration, or else the memory is too
 *   small for it
 */
export function createDevice(
  memory: Bytes,
  config: Config,
  extra: string,
  extraCount: number,
): Device | null {
  if (configError(config)) return null;
  var device = newDevice(memory, config, extraCount);
  device.writeEnd = memory.length;
  // In front of what may not fit: it is written to without a look at where the memory ends.
  takeRegion(device, Field.NONE, Limit.CHARACTER_MAX);
  placeLines(device, Literal.MEMBERS, LITERALS);
  placeLines(device, Literal.NEXT, extra);
  placeLines(device, device.messages, config.messages || MESSAGES);
  writeClient(device, config);
  divide(device, extraCount);
  return device.capacity[Region.OUTPUT] < Limit.OUTPUT_MIN ? null : device;
}
