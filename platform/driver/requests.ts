// Builds the adapter's request from the core's memory. It writes polls into a reused object, because a poll must not
// allocate. The core decides whether the body is a form (RFC 6749) or JSON, which some servers require.

import type * as complete from "../../core/complete.ts";
import { Authorization, Endpoint, Field, Region } from "../../core/index.ts";
import type { Bytes, HttpRequest } from "../contracts.ts";
import { Filter } from "../exchange/filter.ts";
import { withTarget } from "../servers/address.ts";
import { asciiOf, bytesOf, FORM_TYPE, formFields } from "../text/text.ts";
import { headersFor, NO_HEADERS } from "./headers.ts";
import type { DriverOptions } from "./options.ts";

export type ReusedRequest = { -readonly [Name in keyof HttpRequest]-?: HttpRequest[Name] };

export function newRequest(memory: Uint8Array): ReusedRequest {
  return {
    method: "POST",
    url: "",
    contentType: "",
    authorization: "",
    headers: NO_HEADERS,
    body: memory,
    bodyFrom: 0,
    bodyTo: 0,
  };
}

export class Requests {
  readonly #device: complete.Device;
  readonly #options: DriverOptions;
  #basic = "";

  constructor(device: complete.Device, options: DriverOptions) {
    this.#device = device;
    this.#options = options;
  }

  /** Writes the request that the core sends now. @param address the address of the request's endpoint */
  write(request: ReusedRequest, memory: Uint8Array, address: string): void {
    const device = this.#device;
    const ownBody = device.endpoint > Endpoint.REVOCATION ? device.callBody : null;
    const hasBody = ownBody !== null || device.bodyLength > 0;
    request.method = device.isGet === 1 ? "GET" : "POST";
    request.url =
      device.targetLength > 0
        ? withTarget(address, asciiOf(memory, device.target, device.target + device.targetLength))
        : address;
    request.contentType = hasBody || device.isGet === 0 ? contentType(device.endpoint) : "";
    request.authorization =
      device.endpoint === Endpoint.EVENTS
        ? (this.#options.eventsAuthorization ?? "")
        : this.#authorization(memory);
    request.headers = headersFor(this.#options.headers, device.endpoint);
    request.body = ownBody ?? memory;
    request.bodyFrom = ownBody ? device.callBodyFrom : device.body;
    request.bodyTo = ownBody ? device.callBodyTo : device.body + device.bodyLength;
  }

  #authorization(memory: Uint8Array): string {
    const device = this.#device;
    switch (device.authorization) {
      case Authorization.BEARER:
        return `Bearer ${accessTokenOf(device, memory)}`;
      case Authorization.BASIC:
        // Create this text once, because polls send it and must not allocate.
        this.#basic ||= `Basic ${fieldOf(device, memory, Region.CLIENT_CREDENTIALS)}`;
        return this.#basic;
      default:
        return "";
    }
  }
}

/** Returns the device's secrets, which must not appear in a message or a URL; "" for a missing secret. */
export function secretsOf(device: complete.Device, memory: Bytes): string[] {
  const regions = [
    Field.DEVICE_CODE,
    Field.ACCESS_TOKEN,
    Field.RECEIVED_REFRESH_TOKEN,
    Region.REFRESH_TOKEN,
    Region.CODE_VERIFIER,
    Region.CLIENT_CREDENTIALS,
  ];
  return regions.map((region) => fieldOf(device, memory, region));
}

export function accessTokenOf(device: complete.Device, memory: Bytes): string {
  return fieldOf(device, memory, Field.ACCESS_TOKEN);
}

/** Returns the token that identifies the session: the refresh token, or else the access token; "" if there is neither. */
export function storedTokenOf(device: complete.Device, memory: Bytes): string {
  return fieldOf(device, memory, Region.REFRESH_TOKEN) || accessTokenOf(device, memory);
}

/** Returns a value in the device's memory, "" for none. */
export function fieldOf(device: complete.Device, memory: Bytes, region: Field | Region): string {
  const from = device.start[region]!;
  return asciiOf(memory, from, from + Math.max(0, device.length[region]!));
}

/** Returns the type of a body: form for the grant (RFC 6749 §4), JSON for event polls (RFC 8936) and resource servers. */
function contentType(endpoint: Endpoint): string {
  return endpoint >= Endpoint.EVENTS ? "application/json" : FORM_TYPE;
}

/** Converts grant requests to JSON if the core requests it. */
export class BodyForm extends Filter {
  readonly #isJson: () => boolean;

  constructor(isJson: () => boolean) {
    super();
    this.#isJson = isJson;
  }

  override send(request: HttpRequest): void {
    const isForm = request.contentType === FORM_TYPE && request.bodyTo > request.bodyFrom;
    this.below.send(isForm && this.#isJson() ? asJson(request) : request);
  }
}

function asJson(request: HttpRequest): HttpRequest {
  const { body, bodyFrom, bodyTo } = request;
  const json = bytesOf(JSON.stringify(formFields(body, bodyFrom, bodyTo)));
  const range = { body: json, bodyFrom: 0, bodyTo: json.length };
  return { ...request, contentType: "application/json", ...range };
}
