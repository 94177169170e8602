// The part that every translation of a foreign server's language has in common: a filter that reads the core's form,
// sends what the server understands, and hands on what RFC 8628 would have said of the answer.
//
// A translation keeps nothing between two exchanges: a device that loses its power in the middle of a
// sign-in comes back with the core's record alone.

import type { HttpRequest } from "../contracts.ts";
import { FORM_TYPE } from "../exchange/body-form.ts";
import { type BufferedResponse, ResponseBuffer } from "../exchange/response-buffer.ts";
import { formEncode, formFields } from "../text/form.ts";
import { bytesOf, objectIn } from "../text/text.ts";
import type { Addresses } from "./profile.ts";

/** What the core is asking for. */
export type Purpose = "code" | "poll" | "refresh" | "revocation";

export type Fields = Record<string, string>;
export type Members = Record<string, unknown>;

/** What goes to the server instead of the core's request. */
export interface ForeignRequest {
  readonly url: string;
  /** A form, unless `json` is set. */
  readonly fields: Fields;
  readonly json?: boolean;
}

/** The server's answer; `members` are {} where the body is no JSON object. */
export interface ForeignResponse {
  readonly status: number;
  readonly members: Members;
  /** Whether the body is a JSON object. An empty body and a page of HTML are none. */
  readonly isObject: boolean;
}

/** What the core gets to see. */
export interface PlainResponse {
  readonly status: number;
  readonly members: Members;
}

export interface Translation {
  /**
   * Undefined: the core's own request is right as it is. "nothing": there is nothing to ask, and the
   * core hears of a success.
   */
  request(purpose: Purpose, url: string, fields: Fields): ForeignRequest | "nothing" | undefined;
  /** Undefined: the server's answer goes on as it came. */
  response(purpose: Purpose, response: ForeignResponse): PlainResponse | undefined;
}

/** Translates at the grant's addresses. What goes elsewhere passes untouched. */
export class Translating extends ResponseBuffer {
  readonly #addresses: Addresses;
  readonly #translation: Translation;
  #purpose: Purpose = "code";

  constructor(addresses: Addresses, translation: Translation) {
    super();
    this.#addresses = addresses;
    this.#translation = translation;
  }

  override send(request: HttpRequest): void {
    const { url, body, bodyFrom, bodyTo } = request;
    const { deviceAuthorization, token, revocation } = this.#addresses;
    this.gathers = [deviceAuthorization, token, revocation].includes(url);
    if (!this.gathers) {
      super.send(request);
      return;
    }
    const fields = formFields(body, bodyFrom, bodyTo);
    const purpose = this.#purposeOf(url, fields);
    this.#purpose = purpose;
    const foreign = this.#translation.request(purpose, url, fields);
    if (foreign === "nothing") {
      this.above.status(200, -1);
      this.above.end();
    } else super.send(foreign === undefined ? request : written(request, foreign));
  }

  responded({ head: [status, ...others], body }: BufferedResponse): void {
    const members = objectIn(body);
    const response = { status, members: members ?? {}, isObject: members !== undefined };
    const plain = this.#translation.response(this.#purpose, response);
    this.above.status(plain?.status ?? status, ...others);
    const received = plain === undefined ? body : bytesOf(JSON.stringify(plain.members));
    if (received.length > 0) this.above.body(received, 0, received.length);
    this.above.end();
  }

  /** What a request is for. Two of the addresses may be the same: then the grant type tells. */
  #purposeOf(url: string, { grant_type: grantType }: Fields): Purpose {
    if (url === this.#addresses.revocation) return "revocation";
    if (grantType === undefined) return "code";
    return grantType === "refresh_token" ? "refresh" : "poll";
  }
}

function written(request: HttpRequest, foreign: ForeignRequest): HttpRequest {
  const body = bytesOf(
    foreign.json ? JSON.stringify(foreign.fields) : formEncode(Object.entries(foreign.fields)),
  );
  return {
    ...request,
    url: foreign.url,
    contentType: foreign.json ? "application/json" : FORM_TYPE,
    body,
    bodyFrom: 0,
    bodyTo: body.length,
  };
}

/** The core's fields under the server's names; `undefined` leaves a field out. */
export function renamed(
  fields: Fields,
  names: Readonly<Record<string, string | undefined>>,
): Fields {
  const result: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    const other = Object.hasOwn(names, name) ? names[name] : name;
    if (other !== undefined) result[other] = value;
  }
  return result;
}

/** An error as RFC 6749 §5.2 says it. */
export function plainError(error: string, description?: unknown): PlainResponse {
  return {
    status: 400,
    members: {
      error,
      ...(typeof description === "string" && { error_description: description }),
    },
  };
}
