// Client authentication (RFC 6749 §2.3) in requests to the authorization server: for a code (RFC 8628 §3.1), polls
// (§3.4), refreshes (RFC 6749 §6) and revocations (RFC 7009 §2.1). Every body contains the client identifier, also with
// HTTP Basic: RFC 6749 §3.2.1 allows that, and some servers need it.

import { Authorization } from "../device/command.ts";
import { ClientAuthentication, type Config } from "../device/config.ts";
import { type Device, holds, overflowOf, type Place } from "../device/memory.ts";
import { placeConstant, wipe } from "../device/regions.ts";
import { Field, Literal, Region } from "../device/tables.ts";
import { checksum, Layout } from "../records/token-record.ts";
import {
  Encoding,
  encodeBase64,
  endWrite,
  goTo,
  writeByte,
  writeRegion,
  writeTo,
} from "../text/form-encoder.ts";
import { writeText } from "../text/unicode.ts";

/** How the client authenticates, and which records are valid for it. */
export interface Client {
  /** The client authentication, one of ClientAuthentication. */
  clientAuthentication: ClientAuthentication;
  /** Start value of the checksums of records, so that records of another client or server are invalid. */
  binding: number;
  /** Start value of the checksums of records that an older version has written under another name for the server. */
  formerBinding: number;
}

export function makeClient(device: Client, clientAuthentication: ClientAuthentication): void {
  device.clientAuthentication = clientAuthentication;
  device.binding = 0;
  device.formerBinding = 0;
}

/** Makes a region of the bytes from `start` to the writer's position. */
function takeWritten(device: Device, region: Region, start: number): void {
  placeConstant(device, region, start, device.writeAt - start);
}

/**
 * Returns the value that binds records to this client and server, because a token must not go to a server that did not
 * issue it. Writes the server's name after the client identifier, only for this checksum. Later writes overwrite it.
 */
function bindingOf(device: Device, start: number, server: string): number {
  var end = device.writeAt;
  writeText(device, "&server=", Encoding.NONE);
  writeText(device, server, Encoding.NONE);
  // If the names do not fit, the position stays beyond the end, so that create fails.
  if (device.writeAt > device.writeEnd) return 0;
  var binding = checksum(device, Layout.VERSION, start, device.writeAt - start);
  goTo(device, end);
  return binding;
}

/**
 * Writes the constant parts of requests once: the device authorization request, the client's part of all other bodies,
 * the parameters of token requests, and the credentials for HTTP Basic. The end of the device authorization request is
 * also the beginning of the client's part.
 */
export function writeClient(device: Device & Client, config: Config): void {
  var method = config.clientAuthentication;
  var request = device.writeAt;
  writeText(device, "scope=", Encoding.NONE);
  writeText(device, config.scope, Encoding.FORM);
  writeText(device, config.deviceParameters, Encoding.NONE);
  writeByte(device, 38); // &
  var client = device.writeAt;
  writeText(device, "client_id=", Encoding.NONE);
  writeText(device, config.clientId, Encoding.FORM);
  device.binding = bindingOf(device, client, config.server);
  device.formerBinding = bindingOf(device, client, config.formerServer || config.server);
  takeWritten(device, Region.DEVICE_AUTHORIZATION, request);
  if (
    config.clientSecret &&
    (method === ClientAuthentication.CLIENT_SECRET_POST ||
      method === ClientAuthentication.SPECIFICATION)
  ) {
    writeText(device, "&client_secret=", Encoding.NONE);
    writeText(device, config.clientSecret, Encoding.FORM);
  }
  takeWritten(device, Region.CLIENT, client);
  if (method === ClientAuthentication.CLIENT_SECRET_POST) {
    takeWritten(device, Region.DEVICE_AUTHORIZATION, request);
  }
  var parameters = device.writeAt;
  writeText(device, config.tokenParameters, Encoding.NONE);
  takeWritten(device, Region.TOKEN_PARAMETERS, parameters);
  if (method === ClientAuthentication.CLIENT_SECRET_BASIC) writeCredentials(device, config);
}

/** RFC 6749 §2.3.1: identifier and secret are form-encoded, joined by a colon, and encoded as base64. */
function writeCredentials(device: Device, config: Config): void {
  var start = device.writeAt;
  writeText(device, config.clientId, Encoding.FORM);
  writeByte(device, 58);
  writeText(device, config.clientSecret, Encoding.FORM);
  encodeBase64(device, start);
  takeWritten(device, Region.CLIENT_CREDENTIALS, start);
}

/** Returns the Authorization header of requests to the authorization server. */
export function clientAuthorization(device: Device): Authorization {
  return device.clientAuthentication === ClientAuthentication.CLIENT_SECRET_BASIC
    ? Authorization.BASIC
    : Authorization.NONE;
}

/** The length in bytes of the value that the server has sent, also if it did not fit; 0 if there is none. */
function sentLength(device: Device, field: Field): number {
  return device.length[field] < 0 ? 0 : device.length[field] + device.excess[field];
}

/** The bytes that the next poll lacks, or the next refresh with a response like this one; 0 or less: none. */
export function missingBytes(device: Device, isCode: boolean): number {
  var token = isCode ? Field.DEVICE_CODE : Field.RECEIVED_REFRESH_TOKEN;
  var size = (device.scanSeen >> token) & 1 ? sentLength(device, token) : 0;
  // Without a new refresh token, the next refresh is as long as the last one, which fitted.
  if (!size && holds(device, Region.REFRESH_TOKEN)) return 0;
  var grant = isCode ? Literal.DEVICE_CODE_GRANT : Literal.REFRESH_TOKEN_GRANT;
  writeTokenRequest(device, grant, token);
  wipe(device, Region.OUTPUT);
  var overflow = overflowOf(device, token);
  var end = device.writeAt + (overflow && device.formExcess);
  // The code and its verifier already have their place at the end of the memory.
  if (isCode) return end + overflow - device.writeEnd;
  var bytes = end + size - device.memory.length;
  var access = sentLength(device, Field.ACCESS_TOKEN);
  // The next response also has a refresh token. Without one, a record with the access token needs these bytes instead.
  return bytes + access + (size || access);
}

/** Whether the token to revoke is in the query, as device spec §4.4 requires. RFC 7009 §2.1 puts it into the body. */
export function revokesByQuery(device: Device): boolean {
  return device.clientAuthentication === ClientAuthentication.SPECIFICATION;
}

/**
 * Writes a token request to OUTPUT: the client's part, the developer's parameters, the verifier of a code (RFC 7636
 * §4.5), the grant type, and the value of the region.
 */
export function writeTokenRequest(device: Device, grant: Literal, region: Place): void {
  writeTo(device, Region.OUTPUT);
  writeRegion(device, Region.CLIENT, Encoding.NONE);
  writeRegion(device, Region.TOKEN_PARAMETERS, Encoding.NONE);
  if (region === Field.DEVICE_CODE && holds(device, Region.CODE_VERIFIER)) {
    writeRegion(device, Literal.VERIFIER_PARAMETER, Encoding.NONE);
    writeRegion(device, Region.CODE_VERIFIER, Encoding.NONE);
  }
  writeRegion(device, grant, Encoding.NONE);
  writeRegion(device, region, Encoding.FORM);
  endWrite(device, Region.OUTPUT);
}
