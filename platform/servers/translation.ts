// The common part of all translations. A translation has no state between exchanges, so a device that loses power during a
// sign-in can resume from the core's record.

import type { HttpRequest } from "../contracts.ts";
import type { Endpoints } from "../driver/endpoints.ts";
import { type BufferedResponse, ResponseBuffer } from "../exchange/response-buffer.ts";
import { bytesOf, FORM_TYPE, formEncode, formFields, objectIn } from "../text/text.ts";

/** A profile's addresses after its parameters are filled in. `revocation` is "" if there is none. */
export type Addresses = Readonly<Pick<Endpoints, "deviceAuthorization" | "token" | "revocation">>;

/** The purpose of the core's request. */
export type Purpose = "code" | "poll" | "refresh" | "revocation";

export type Fields = Record<string, string>;
export type Members = Readonly<Record<string, unknown>>;

/** The request that is sent instead of the core's. */
export interface ForeignRequest {
  /** Default: the address of the core's request. */
  readonly url?: string;
  /** The form fields, or the JSON members if `json` is set. */
  readonly fields: Fields;
  readonly json?: boolean;
}

/** The response that the core receives. */
export interface PlainResponse {
  /** Default: the status of the server's response. */
  readonly status?: number;
  readonly members: Members;
}

export interface Translation {
  /** Undefined: the core's request is sent unchanged. "nothing": it is not sent, and the core gets a success. */
  request(purpose: Purpose, fields: Fields): ForeignRequest | "nothing" | undefined;
  /**
   * Translates a response of the server. Undefined: the core gets it unchanged.
   * @param members {} if the body is not a JSON object
   */
  response?(purpose: Purpose, members: Members, status: number): PlainResponse | undefined;
}

/** Translates requests to the grant's addresses. Other requests pass unchanged. */
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
    this.#purpose = this.#purposeOf(url, fields);
    const foreign = this.#translation.request(this.#purpose, fields);
    if (foreign === "nothing") this.pass([200, -1], []);
    else super.send(foreign === undefined ? request : written(request, foreign));
  }

  responded({ head: [status, ...others], body }: BufferedResponse): void {
    const plain = this.#translation.response?.(this.#purpose, objectIn(body) ?? {}, status);
    const received = plain === undefined ? body : bytesOf(JSON.stringify(plain.members));
    this.pass([plain?.status ?? status, ...others], received);
  }

  /** If two endpoints have the same address, the grant type decides. */
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
    url: foreign.url ?? request.url,
    contentType: foreign.json ? "application/json" : FORM_TYPE,
    body,
    bodyFrom: 0,
    bodyTo: body.length,
  };
}

/** Renames the core's fields to the server's names; `undefined` removes a field. */
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

/** Returns an error in the form of RFC 6749 §5.2. */
export function plainError(error: string, description?: unknown): PlainResponse {
  const described = typeof description === "string" && { error_description: description };
  return { status: 400, members: { error, ...described } };
}
