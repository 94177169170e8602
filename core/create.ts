// Making a device: the memory is divided, literals and configuration are encoded into it. Everything
// that is ever allocated is allocated here.

import { ERRORS, ErrorCode, MESSAGES, Message } from "./errors.ts";
import { writeByte, writeFormText, writeFrom, writeText } from "./form-encoder.ts";
import { Limit } from "./limits.ts";
import { type Bytes, type Device, Field, Literal, MEMBERS, Region, takeRegion } from "./memory.ts";
import { Job } from "./record-keeping.ts";
import { checksum, RecordKind } from "./token-record.ts";

/** What the maker sets. Strings are read during create only. */
export interface Config {
  /** Client identifier and secret; "" for a client without a secret. */
  clientId: string;
  clientSecret: string;
  /** Scopes, separated by spaces. */
  scope: string;
  /**
   * Further form parameters of the device authorization request for servers that want them, already
   * encoded and starting with `&`; "" for none.
   */
  deviceParameters: string;
  /** Size of the display: 16..80 columns, 2..8 rows. */
  columns: number;
  rows: number;
  /** Random bits for jitter, 0..67108863; two devices should not have the same. */
  seed: number;
  /** Minutes since any fixed date, 0 where the host has no calendar: codes age while it is off. */
  minutes: number;
  /** 1: asks for a code at the start when nothing is kept; 0: waits for signIn. */
  autoStart: number;
  /** Codes asked for without the user doing anything, 0..1000; -1 for the default of 3. */
  renewalsMax: number;
  /** 1: the token to revoke goes into the body first (RFC 7009), 0: into the query (the documents). */
  revokeInBody: number;
  /** Display texts in another language, as many lines as MESSAGES; "" for the default. */
  messages: string;
}

/** The state before the first tick. */
function newDevice(memory: Bytes, config: Config): Device {
  var device: Device = {
    memory: memory,
    start: [],
    capacity: [],
    length: [],
    numbers: [],
    messages: 0,
    columns: config.columns,
    rows: config.rows,
    state: 0,
    event: 0,
    moves: 0,
    error: ErrorCode.NONE,
    errorField: 0,
    requestId: 0,
    purpose: 0,
    inFlight: 0,
    exchangeMs: 0,
    abortDue: 0,
    verifyDue: 0,
    status: 0,
    retryAfterS: -1,
    bodyBytes: 0,
    waitMs: 0,
    backoffMs: 0,
    intervalMs: Limit.INTERVAL_DEFAULT_MS,
    random: config.seed,
    carryMs: 0,
    uptimeS: 0,
    bootMinutes: config.minutes,
    codeLifeS: 0,
    accessLifeS: 0,
    refreshLifeS: Limit.INTEGER_MAX,
    refreshMarginS: 0,
    codeShown: 0,
    codeResumed: 0,
    pollReady: 0,
    renewals: 0,
    renewalsMax: config.renewalsMax < 0 ? Limit.RENEWALS_DEFAULT : config.renewalsMax,
    autoStart: config.autoStart,
    triedPrevious: 0,
    revocationTries: 0,
    revokeInBody: config.revokeInBody,
    revokeOther: 0,
    job: Job.INSPECT_FIRST,
    jobActive: 0,
    jobNext: 0,
    kindNext: 0,
    jobTries: 0,
    jobMs: 0,
    storeKind: RecordKind.NONE,
    slot: 0,
    slotsUsed: 0,
    slotNewest: 1,
    sequence: 0,
    notSaved: 0,
    binding: 0,
    writeAt: 0,
    writeEnd: 0,
    writeOverflow: 0,
    scanState: 0,
    scanStack: 0,
    scanDepth: 0,
    scanDepthMax: 0,
    scanNames: 0,
    scanWanted: 0,
    scanSeen: 0,
    scanField: 0,
    scanInKey: 0,
    scanListDepth: 0,
    scanUnit: 0,
    scanDigits: 0,
    scanHigh: 0,
    scanOverflow: 0,
    frameDue: 1,
    frameChanged: 0,
    pageMs: 0,
    page: 0,
    pages: 1,
    textRow: 0,
    textRows: 0,
    textLine: 0,
    endpoint: 0,
    target: 0,
    targetLength: 0,
    body: 0,
    bodyLength: 0,
    isGet: 0,
    bearer: 0,
    data: 0,
    dataLength: 0,
    errand: null,
    errandState: 0,
    errandRetried: 0,
    errandError: 0,
    errandStatus: 0,
    errandBody: null,
    errandBodyFrom: 0,
    errandBodyTo: 0,
    callBase: 0,
    hasNextPage: 0,
    eventPolls: 0,
    eventSlot: 0,
  };
  for (var region = 0; region < Region.COUNT; region++) {
    device.start.push(0);
    device.capacity.push(0);
    device.length.push(-1);
  }
  for (var field: number = Field.EXPIRES_IN; field < Field.COUNT; field++) device.numbers.push(-1);
  return device;
}

/** Writes the literals of one text (a line each) from `at`, and their places into the table. */
function placeLiterals(device: Device, first: number, at: number, text: string): number {
  var memory = device.memory;
  writeFrom(device, at, memory.length);
  for (var i = 0; i < text.length; i++) {
    var c = text.charCodeAt(i);
    if (c === 10) {
      first++;
      memory[2 * first] = device.writeAt >> 8;
      memory[2 * first + 1] = device.writeAt & 255;
    } else {
      writeByte(device, c < 32 || c > 126 ? 63 : c);
    }
  }
  return device.writeAt;
}

/** Writes `prefix` and the encoded `value` behind what the region holds, growing it. */
function addParameter(device: Device, region: number, prefix: string, value: string): void {
  writeText(device, prefix);
  writeFormText(device, value);
  device.length[region] = device.writeAt - device.start[region];
  device.capacity[region] = device.length[region];
}

/** The regions of fixed size, one after the other; returns the place behind them. */
function takeFixed(device: Device, at: number): number {
  var columns = device.columns;
  at = takeRegion(device, Region.FRAME, at, columns * device.rows);
  at = takeRegion(device, Region.STATUS, at, columns * (device.rows - 1));
  at = takeRegion(device, Region.KEY, at, Limit.KEY_MAX);
  at = takeRegion(device, Field.TOKEN_TYPE, at, Limit.TOKEN_TYPE_MAX);
  at = takeRegion(device, Field.ERROR, at, Limit.ERROR_MAX);
  at = takeRegion(device, Field.MESSAGE, at, Limit.MESSAGE_MAX);
  at = takeRegion(device, Field.SCOPE, at, Limit.SCOPE_MAX);
  at = takeRegion(device, Region.SEEN_EVENTS, at, Limit.SEEN_EVENTS * 3);
  var codes = at;
  // A longer code could not be shown on one line.
  at = takeRegion(device, Field.USER_CODE, at, columns);
  at = takeRegion(device, Field.VERIFICATION_URI, at, Limit.VERIFICATION_URI_MAX);
  at = takeRegion(device, Field.VERIFICATION_URI_COMPLETE, at, Limit.VERIFICATION_URI_COMPLETE_MAX);
  takeRegion(device, Region.CALL, codes, at - codes);
  return at;
}

/** Shares out the rest: tokens, and the output that requests and records are made in. */
function takePool(device: Device, at: number): void {
  var pool = device.memory.length - at;
  var share = pool >> 6;
  // The device code is copied into the poll before a token can come.
  takeRegion(device, Field.DEVICE_CODE, at, share * Limit.ACCESS_TOKEN_SHARE);
  at = takeRegion(device, Field.ACCESS_TOKEN, at, share * Limit.ACCESS_TOKEN_SHARE);
  at = takeRegion(device, Field.REFRESH_TOKEN, at, share * Limit.REFRESH_TOKEN_SHARE);
  at = takeRegion(device, Region.PRESENT_REFRESH_TOKEN, at, share * Limit.REFRESH_TOKEN_SHARE);
  takeRegion(device, Region.OUTPUT, at, device.memory.length - at);
}

/**
 * Makes a device. Allocates; nothing else in the core does.
 *
 * @param memory the device's memory, 4096 bytes are enough for tokens of usual length; the host gives
 *   it up to the device until the end of both. More memory makes longer tokens possible.
 * @param config what the maker sets
 * @param extra literals of a complete build, a line each (see complete.ts), "" for the grant alone
 * @returns the device; null where the memory is too small for the configuration
 */
export function createDevice(memory: Bytes, config: Config, extra: string): Device | null {
  var device = newDevice(memory, config);
  var text =
    MEMBERS +
    "\n" +
    ERRORS +
    "\n" +
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=\n" +
    "grant_type=refresh_token&refresh_token=\n" +
    "token=\n" +
    "bearer\n" +
    extra;
  device.messages = Literal.CORE_COUNT;
  for (var i = 0; i < extra.length; i++) if (extra.charCodeAt(i) === 10) device.messages++;
  text += (config.messages || MESSAGES) + "\n";
  var at = 2 * (device.messages + Message.COUNT + 1);
  if (memory.length < at) return null;
  memory[0] = at >> 8;
  memory[1] = at & 255;
  at = placeLiterals(device, 0, at, text);
  device.start[Region.CLIENT] = at;
  addParameter(device, Region.CLIENT, "client_id=", config.clientId);
  device.binding = checksum(device, at, device.writeAt);
  if (config.clientSecret) {
    addParameter(device, Region.CLIENT, "&client_secret=", config.clientSecret);
  }
  device.start[Region.DEVICE_AUTHORIZATION] = device.writeAt;
  addParameter(device, Region.DEVICE_AUTHORIZATION, "client_id=", config.clientId);
  addParameter(device, Region.DEVICE_AUTHORIZATION, "&scope=", config.scope);
  addParameter(device, Region.DEVICE_AUTHORIZATION, config.deviceParameters, "");
  if (device.writeOverflow) return null;
  at = takeFixed(device, device.writeAt);
  if (memory.length - at < Limit.POOL_MIN) return null;
  takePool(device, at);
  return device;
}
