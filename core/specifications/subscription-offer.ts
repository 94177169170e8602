// Creates a subscription offer (the subscription offer specification). Checks the identifiers before a request is sent,
// and requires the state DRAFT in the response.

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

/** The Endpoint of the specification's API, which is the second resource server. */
enum ResourceServer {
  PUBLISHER_API = 6,
}

/** Errors of an offer that are found before the request is sent. */
export enum OfferError {
  /** No error: the request waits to be sent. */
  NONE = 0,
  // Errors of an identifier: it is missing or breaks its format.
  /** `packageName` is missing, too long, or has an invalid character. */
  PACKAGE_NAME = 1,
  /** `productId` is missing, too long, or has an invalid character. */
  PRODUCT_ID = 2,
  /** `basePlanId` is missing, too long, or has an invalid character. */
  BASE_PLAN_ID = 3,
  /** `offerId` is missing, too long, or has an invalid character. */
  OFFER_ID = 4,
  /** The version of the regions is missing, too long, or has an invalid character. */
  REGIONS_VERSION = 5,
  /** The body is not JSON. */
  BODY = 6,
  // Errors of the body: a member is missing (`offerId` is optional) or differs from the identifier in `names`.
  /** The body's `packageName` is missing or differs from the identifier. */
  BODY_PACKAGE_NAME = 7,
  /** The body's `productId` is missing or differs from the identifier. */
  BODY_PRODUCT_ID = 8,
  /** The body's `basePlanId` is missing or differs from the identifier. */
  BODY_BASE_PLAN_ID = 9,
  /** The body's `offerId` differs from the identifier. */
  BODY_OFFER_ID = 10,
  /** The call cannot start: another one is in progress, there is no session, or OUTPUT is in use. */
  NOT_NOW = 11,
  /**
   * The target does not fit into CALL, which is larger with more columns or with 24 KiB of memory. Or an identifier in
   * the body does not fit into a quarter of OUTPUT.
   */
  TOO_LONG = 12,
}

/** A bit for each name of an offer, in the order in which the target contains the names. */
enum Name {
  PACKAGE = 1 << 0,
  PRODUCT = 1 << 1,
  BASE_PLAN = 1 << 2,
  OFFER = 1 << 3,
  REGIONS_VERSION = 1 << 4,
  ANY = PACKAGE | PRODUCT | BASE_PLAN | OFFER | REGIONS_VERSION,
}

/** The maximum length of each name, in bytes. */
enum Longest {
  PACKAGE = 255,
  PRODUCT = 40,
  /** Base plan, offer and regions version. */
  OTHER = 63,
}

/** A bit for each name that may contain the character: as its first character (`isFirst`), or as a later one. */
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

/** Reads the body's identifiers, each into a quarter of OUTPUT. writeTarget rejects an identifier that does not fit. */
function scanBody(device: Device, body: Bytes, start: number, end: number): OfferError {
  shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, 4);
  scanBegin(device, Literal.OFFER_MEMBERS, Fields.VALUES, 1, Field.NONE);
  while (start < end) scanByte(device, body[start++]);
  return scanEnd(device) ? OfferError.NONE : OfferError.BODY;
}

/**
 * Writes the target, checks each name, and compares it with the one in the body.
 * @param error the body's error so far, which is returned if no name has an error
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
    // No character of the first four names needs encoding, so the written bytes are the name itself.
    var size = device.writeAt - start;
    if (
      !size ||
      size > (which ? (which === 1 ? Longest.PRODUCT : Longest.OTHER) : Longest.PACKAGE)
    ) {
      nameError = which + 1;
    }
    // End the write even after an error, because the length of CALL determines how many bytes are wiped later.
    endWrite(device, Region.CALL);
    if (!nameError && device.length[Region.CALL] < 0) nameError = OfferError.TOO_LONG;
    // The body may omit offerId, because the query has it.
    var compared = device.length[Field.VALUE_D] < 0 ? 3 : 4;
    var field = Field.VALUE_A + which;
    if (!error && which < compared) {
      // The scanner has truncated this value, so it cannot be compared.
      if (isTooLong(device, field)) error = OfferError.TOO_LONG;
      else if (device.length[field] !== size || !startsAs(device, field, Region.CALL, start, size))
        error = OfferError.BODY_PACKAGE_NAME + which;
    }
  }
  return nameError || error;
}

/**
 * Creates a subscription offer. Returns NOT_NOW while a request or record uses OUTPUT, where the core checks the body.
 * @param names `names[from..to)`: packageName, productId, basePlanId, offerId and the version of the regions, one line
 * each. The core copies them
 * @param body `body[start..end)`: the SubscriptionOffer as JSON, with the same identifiers (`offerId` is optional). The
 * core reads it until the call is done
 * @returns NONE if the request will be sent. callError then becomes UNEXPECTED_STATE if the new offer is not a DRAFT
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
    // This is a protected resource request, except that checkOffer handles the response.
    sendCall(device, ResourceServer.PUBLISHER_API, 0, body, start, end);
    responseAs(device, OFFER);
  }
  return error;
}

/** @returns NONE if the offer was created in the required state */
function checkOffer(device: Device): ErrorCode {
  return isSame(device, Field.VALUE_A, Literal.DRAFT) ? ErrorCode.NONE : ErrorCode.UNEXPECTED_STATE;
}

// This object must follow its functions: Espruino cannot use a function before the file has defined it.
var OFFER: CallKind = {
  names: Literal.OFFER_RESPONSE,
  depth: 1,
  values: 1,
  scan: scanByte,
  take: checkOffer,
};
