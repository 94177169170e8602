// Creating a subscription offer (the second document): identifiers checked before anything is sent,
// path segments percent-encoded after gRPC Transcoding, the answer's state checked to be DRAFT.

import { Endpoint } from "./command.ts";
import { finishErrand, shareValues } from "./errand.ts";
import { ErrorCode } from "./errors.ts";
import { Encoding, writeEncoded, writeLiteral } from "./form-encoder.ts";
import { scanBegin, scanByte, scanComplete } from "./json-scanner.ts";
import { CompleteLiteral, isLiteral } from "./literals.ts";
import { type Bytes, type Device, Field, Region } from "./memory.ts";
import { apiErrand, beginCall, sendErrand } from "./protected-resource.ts";

/** What is wrong with an offer before it is sent. */
export enum OfferError {
  NONE = 0,
  // an identifier is missing or breaks its format
  PACKAGE_NAME = 1,
  PRODUCT_ID = 2,
  BASE_PLAN_ID = 3,
  OFFER_ID = 4,
  REGIONS_VERSION = 5,
  /** The body is not a JSON object. */
  BODY = 6,
  // the body's member differs from the identifier, or is missing
  BODY_PACKAGE_NAME = 7,
  BODY_PRODUCT_ID = 8,
  BODY_BASE_PLAN_ID = 9,
  BODY_OFFER_ID = 10,
  /** Another errand is under way, or nobody is signed in. */
  NOT_NOW = 11,
  /** The target does not fit CALL: give more memory. */
  TOO_LONG = 12,
}

/** Whether a character may stand in the identifier: letters of both cases only in package names. */
function isAllowed(which: number, c: number, isFirst: boolean): boolean {
  if ((c >= 97 && c <= 122) || (c >= 48 && c <= 57)) return true;
  if (which === 0) return (c >= 65 && c <= 90) || c === 46 || c === 95;
  if (which === 1) return c === 46 || c === 95;
  if (which === 4) return c > 32 && c < 127;
  return c === 45 && !(isFirst && which === 3);
}

function isIdentifier(which: number, bytes: Bytes, from: number, to: number): boolean {
  var longest = which === 0 ? 255 : which === 1 ? 40 : 63;
  if (to <= from || to - from > longest) return false;
  for (var at = from; at < to; at++) {
    if (!isAllowed(which, bytes[at], at === from)) return false;
  }
  return true;
}

/** End of the line that begins at `from`. */
function lineEnd(bytes: Bytes, from: number, to: number): number {
  while (from < to && bytes[from] !== 10) from++;
  return from;
}

function buildTarget(device: Device, names: Bytes, from: number, to: number): OfferError {
  for (var which = 0; which < 5; which++) {
    var end = lineEnd(names, from, to);
    if (!isIdentifier(which, names, from, end)) return which + 1;
    writeLiteral(device, CompleteLiteral.OFFER_PATH + which);
    for (; from < end; from++)
      writeEncoded(device, names[from], which < 3 ? Encoding.PATH : Encoding.FORM);
    from++;
  }
  return device.writeAt > device.writeEnd ? OfferError.TOO_LONG : OfferError.NONE;
}

function isSame(device: Device, region: number, names: Bytes, from: number, to: number): boolean {
  if (device.size[region] !== to - from) return false;
  for (var at = from; at < to; at++) {
    if (device.bytes[device.at[region] + at - from] !== names[at]) return false;
  }
  return true;
}

/** The body's identifiers must be the path's. They are short: OUTPUT has room for all of a name's. */
function checkBody(
  device: Device,
  names: Bytes,
  from: number,
  to: number,
  body: Bytes,
  start: number,
  end: number,
): OfferError {
  shareValues(device, device.at[Region.OUTPUT], Field.VALUE_A, 4);
  scanBegin(
    device,
    CompleteLiteral.OFFER_MEMBERS,
    (1 << Field.VALUE_A) | (1 << Field.VALUE_B) | (1 << Field.VALUE_C) | (1 << Field.VALUE_D),
    1,
  );
  for (var at = start; at < end; at++) scanByte(device, body[at]);
  if (!scanComplete(device)) return OfferError.BODY;
  for (var which = 0; which < 4; which++) {
    var stop = lineEnd(names, from, to);
    if (!isSame(device, Field.VALUE_A + which, names, from, stop)) {
      return OfferError.BODY_PACKAGE_NAME + which;
    }
    from = stop + 1;
  }
  return OfferError.NONE;
}

/**
 * Creates a subscription offer. Not while a request of the grant is under way: its buffers are used.
 * @param names `names[from..to)`: packageName, productId, basePlanId, offerId and the version of the
 *   regions, a line each; copied
 * @param body `body[start..end)`: the SubscriptionOffer as JSON, with the same four identifiers; lent
 *   until the errand is done
 * @returns NONE where it is on its way: the errand's error is UNEXPECTED_STATE if the offer was made in
 *   another state than DRAFT
 */
export function createOffer(
  device: Device,
  names: Bytes,
  from: number,
  to: number,
  body: Bytes,
  start: number,
  end: number,
): OfferError {
  if (device.inFlight || device.job || !beginCall(device)) return OfferError.NOT_NOW;
  var error = buildTarget(device, names, from, to);
  if (!error) error = checkBody(device, names, from, to, body, start, end);
  if (error) return error;
  return sendErrand(device, CREATE_OFFER, body, start, end) ? OfferError.NONE : OfferError.NOT_NOW;
}

function offerAnswered(device: Device, error: number): void {
  if (!error && !isLiteral(device, Field.VALUE_A, CompleteLiteral.DRAFT)) {
    error = ErrorCode.UNEXPECTED_STATE;
  }
  finishErrand(device, error);
}

// Last in the file: it names functions, and Espruino knows only those that stand above.
var CREATE_OFFER = apiErrand(
  Endpoint.PUBLISHER_API,
  0,
  CompleteLiteral.OFFER_ANSWER,
  offerAnswered,
);
