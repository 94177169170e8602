// Creating a subscription offer (the second document): identifiers checked before anything is sent,
// path segments percent-encoded after gRPC Transcoding, the answer's state checked to be DRAFT.

import { ErrorCode } from "../device/errors.ts";
import {
  type Bytes,
  type CallKind,
  type Device,
  isSame,
  isTooLong,
  startsAs,
} from "../device/memory.ts";
import { claimOutput, endTarget, OutputUse, releaseOutput } from "../device/regions.ts";
import { Field, Fields, Literal, Region } from "../device/tables.ts";
import { mayBeginCall, responseAs, shareValues } from "../requests/call.ts";
import { beginCall, sendCall } from "../requests/protected-resource.ts";
import { Encoding, endWrite, writeEncoded, writeOn, writeRegion } from "../text/form-encoder.ts";
import { scanBegin, scanByte, scanEnd } from "../text/json-scanner.ts";

/** The resource servers of the documents, by their endpoints (Endpoint.RESOURCE and on). */
enum ResourceServer {
  PUBLISHER_API = 6,
}

/** What is wrong with an offer before it is sent. */
export enum OfferError {
  /** The request was made, and waits to be sent. */
  NONE = 0,
  // an identifier is missing or breaks its format
  /** `packageName` is missing, too long, or has a character that is not allowed. */
  PACKAGE_NAME = 1,
  /** `productId` is missing, too long, or has a character that is not allowed. */
  PRODUCT_ID = 2,
  /** `basePlanId` is missing, too long, or has a character that is not allowed. */
  BASE_PLAN_ID = 3,
  /** `offerId` is missing, too long, or has a character that is not allowed. */
  OFFER_ID = 4,
  /** The version of the regions is missing, too long, or has a character that is not allowed. */
  REGIONS_VERSION = 5,
  /** The body is not a JSON object. */
  BODY = 6,
  // the body's member differs from the identifier, or is missing (the offer's own may be)
  /** The body's `packageName` is another. */
  BODY_PACKAGE_NAME = 7,
  /** The body's `productId` is another. */
  BODY_PRODUCT_ID = 8,
  /** The body's `basePlanId` is another. */
  BODY_BASE_PLAN_ID = 9,
  /** The body's `offerId` is another. */
  BODY_OFFER_ID = 10,
  /** Another call is under way, or there is no session. */
  NOT_NOW = 11,
  /**
   * The target does not fit CALL, which more columns or 24 KiB of memory make longer; or a name in the body does not
   * fit a quarter of OUTPUT.
   */
  TOO_LONG = 12,
}

/** The names of an offer in their order, a bit each. */
enum Name {
  PACKAGE = 1 << 0,
  PRODUCT = 1 << 1,
  BASE_PLAN = 1 << 2,
  OFFER = 1 << 3,
  REGIONS_VERSION = 1 << 4,
  ANY = PACKAGE | PRODUCT | BASE_PLAN | OFFER | REGIONS_VERSION,
}

/** How many bytes a name of an offer may have. */
enum Longest {
  PACKAGE = 255,
  PRODUCT = 40,
  /** Base plan, offer and regions version. */
  OTHER = 63,
}

/** The names in which a character is allowed, as the first one or later. */
function namesWith(c: number, isFirst: boolean): number {
  // a..z, 0..9
  if ((c > 96 && c < 123) || (c > 47 && c < 58)) return Name.ANY;
  // -
  if (c === 45) {
    return Name.BASE_PLAN | Name.REGIONS_VERSION | (isFirst ? 0 : Name.OFFER);
  }
  // . _
  if (c === 46 || c === 95) return Name.PACKAGE | Name.PRODUCT | Name.REGIONS_VERSION;
  // A..Z
  if (c > 64 && c < 91) return Name.PACKAGE | Name.REGIONS_VERSION;
  return c > 32 && c < 127 ? Name.REGIONS_VERSION : 0;
}

/** Reads the body's identifiers, each into a quarter of OUTPUT: a longer one is cut off, and known to be. */
function scanBody(device: Device, body: Bytes, start: number, end: number): OfferError {
  shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, 4);
  scanBegin(device, Literal.OFFER_MEMBERS, Fields.VALUES, 1, Field.NONE);
  while (start < end) scanByte(device, body[start++]);
  return scanEnd(device) ? OfferError.NONE : OfferError.BODY;
}

/**
 * Writes the target, each name checked on the way and compared with the body's of the same name.
 * @param error what is wrong with the body so far: it is told where nothing is wrong with the names
 */
function writeTarget(
  device: Device,
  names: Bytes,
  from: number,
  to: number,
  error: OfferError,
): OfferError {
  var nameError = 0;
  writeOn(device, Region.CALL);
  for (var which = 0; which < 5 && !nameError; which++) {
    writeRegion(device, Literal.OFFER_PATH + which, Encoding.NONE);
    var start = device.writeAt;
    for (; from < to && names[from] !== 10; from++) {
      if (!((namesWith(names[from], device.writeAt === start) >> which) & 1)) nameError = which + 1;
      writeEncoded(device, names[from], Encoding.FORM);
    }
    from++;
    // None of the first four's characters is encoded: what was written is the name itself.
    var size = device.writeAt - start;
    if (
      !size ||
      size > (which ? (which === 1 ? Longest.PRODUCT : Longest.OTHER) : Longest.PACKAGE)
    ) {
      nameError = which + 1;
    }
    // Of what is refused, too: it is overwritten as far as its length says.
    endWrite(device, Region.CALL);
    if (!nameError && device.length[Region.CALL] < 0) nameError = OfferError.TOO_LONG;
    // The body may leave out offerId, because the query has it.
    var compared = device.length[Field.VALUE_D] < 0 ? 3 : 4;
    var field = Field.VALUE_A + which;
    if (!error && which < compared) {
      // What was cut off at the end of its room is not compared.
      if (isTooLong(device, field)) error = OfferError.TOO_LONG;
      else if (device.length[field] !== size || !startsAs(device, field, Region.CALL, start, size))
        error = OfferError.BODY_PACKAGE_NAME + which;
    }
  }
  return nameError || error;
}

/**
 * Creates a subscription offer. Not while a request or a record has OUTPUT: the body is checked there.
 * @param names `names[from..to)`: packageName, productId, basePlanId, offerId and the version of the
 *   regions, a line each; copied
 * @param body `body[start..end)`: the SubscriptionOffer as JSON, with the same identifiers, the offer's if at
 *   all; lent until the call is done
 * @returns NONE where it is on its way: the call's error is UNEXPECTED_STATE if the offer was made in
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
  if (!mayBeginCall(device, ResourceServer.PUBLISHER_API)) return OfferError.NOT_NOW;
  if (!claimOutput(device, OutputUse.SCRATCH)) return OfferError.NOT_NOW;
  beginCall(device);
  var error = writeTarget(device, names, from, to, scanBody(device, body, start, end));
  releaseOutput(device, OutputUse.SCRATCH);
  if (error) endTarget(device);
  else {
    // A call like any other but for its answer.
    sendCall(device, ResourceServer.PUBLISHER_API, 0, body, start, end);
    responseAs(device, OFFER);
  }
  return error;
}

/** @returns NONE where the offer was made, and in the state that it has to be in */
function checkOffer(device: Device): ErrorCode {
  return isSame(device, Field.VALUE_A, Literal.DRAFT) ? ErrorCode.NONE : ErrorCode.UNEXPECTED_STATE;
}

// Behind its functions: Espruino knows none that stands further down when the file is loaded.
var OFFER: CallKind = {
  names: Literal.OFFER_RESPONSE,
  depth: 1,
  values: 1,
  scan: scanByte,
  take: checkOffer,
};
