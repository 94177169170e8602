// Builds requests from their specifications: RFC 8628 §3.1 and §3.4, RFC 6749 §6, RFC 7009 §2.1, RFC 8936 §2.4.

import { ClientAuthentication, Endpoint } from "../../../core/index.ts";
import { bytesOf } from "../bytes.ts";
import type { Settings } from "../settings.ts";

export interface Request {
  endpoint: number;
  isGet: boolean;
  target: string;
  body: string;
  authorization: string | undefined;
  isBodyLent: boolean;
}

/** Encodes a value as application/x-www-form-urlencoded, byte by byte. */
export function formEncoded(value: string): string {
  return value.replace(/[^A-Za-z0-9*._-]/g, (byte) => (byte === " " ? "+" : percentEncoded(byte)));
}

/** Percent-encodes all but the unreserved characters of RFC 3986 §2.3. */
export function segmentEncoded(value: string): string {
  return value.replace(/[^A-Za-z0-9._~-]/g, percentEncoded);
}

function percentEncoded(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

const { CLIENT_SECRET_BASIC, CLIENT_SECRET_POST, SPECIFICATION } = ClientAuthentication;

/** Requests to the authorization server, with client authentication (RFC 6749 §2.3). */
export class Requests {
  /** Identifies the client and the server to which a record belongs. */
  readonly owner: string;
  readonly formerOwner: string;
  readonly #client: string;
  readonly #device: string;
  readonly #parameters: string;
  readonly #authorization: string | undefined;
  /** Whether revocations follow the device authorization specification, where one request revokes both tokens. */
  readonly isQueryRevoked: boolean;
  isJson: boolean;
  #isTrial = false;
  endpoints: number;

  constructor({ config, endpoints = 2 ** 27 - 1 }: Settings) {
    this.isJson = config.jsonBodies === 1;
    this.endpoints = endpoints;
    const { clientAuthentication: method, clientSecret } = config;
    const deviceParameters = bytesOf(config.deviceParameters);
    const id = formEncoded(bytesOf(config.clientId));
    const secret = formEncoded(bytesOf(clientSecret));
    const withSecret = `client_id=${id}${clientSecret && `&client_secret=${secret}`}`;
    const isInBody = method === CLIENT_SECRET_POST || method === SPECIFICATION;
    const inDeviceRequest = method === CLIENT_SECRET_POST ? withSecret : `client_id=${id}`;
    this.#client = isInBody ? withSecret : `client_id=${id}`;
    this.#device = `scope=${formEncoded(bytesOf(config.scope))}${deviceParameters}&${inDeviceRequest}`;
    this.#parameters = bytesOf(config.tokenParameters);
    this.owner = `client_id=${id}&server=${bytesOf(config.server)}`;
    this.formerOwner = `client_id=${id}&server=${bytesOf(config.formerServer || config.server)}`;
    this.isQueryRevoked = method === SPECIFICATION;
    if (method === CLIENT_SECRET_BASIC) {
      this.#authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    }
  }

  /** @returns whether the request must be retried with the other body format */
  beginFormTrial(status: number, hasBody: boolean): boolean {
    if (status !== 415 || !hasBody || this.#isTrial) return false;
    this.isJson = !this.isJson;
    this.#isTrial = true;
    return true;
  }

  endFormTrial(isSuccess: boolean): void {
    if (this.#isTrial && !isSuccess) this.isJson = !this.isJson;
    this.#isTrial = false;
  }

  hasEndpoint(endpoint: number): boolean {
    return (this.endpoints >> endpoint) % 2 === 1;
  }

  #post(endpoint: number, body: string): Request {
    const authorization = this.#authorization;
    return { endpoint, isGet: false, target: "", body, authorization, isBodyLent: false };
  }

  /** @param challenge the code challenge (RFC 7636 §4.3), or "" */
  deviceAuthorization(challenge: string): Request {
    const parameters = `code_challenge_method=S256&code_challenge=${challenge}&`;
    return this.#post(Endpoint.DEVICE_AUTHORIZATION, `${challenge && parameters}${this.#device}`);
  }

  #token(parameters: string): Request {
    return this.#post(Endpoint.TOKEN, `${this.#client}${this.#parameters}&${parameters}`);
  }

  /** @param verifier the code verifier (RFC 7636 §4.5), or "" */
  poll(deviceCode: string, verifier: string): Request {
    const grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code";
    const proof = verifier && `code_verifier=${verifier}&`;
    return this.#token(`${proof}${grant}&device_code=${formEncoded(deviceCode)}`);
  }

  refresh(token: string): Request {
    return this.#token(`grant_type=refresh_token&refresh_token=${formEncoded(token)}`);
  }

  revocation(token: string): Request {
    const parameter = `token=${formEncoded(token)}`;
    const request = this.#post(Endpoint.REVOCATION, `${this.#client}&${parameter}`);
    return this.isQueryRevoked ? { ...request, target: `?${parameter}`, body: "" } : request;
  }

  /** @param response acknowledges the last event, or reports it as invalid */
  eventPoll(response: { isAccepted: boolean; id: string } | undefined): Request {
    let body = '{"maxEvents":1,"returnImmediately":true';
    if (response) {
      const id = jsonInside(response.id);
      body += response.isAccepted
        ? `,"ack":["${id}"]`
        : `,"setErrs":{"${id}":{"err":"authentication_failed"}}`;
    }
    return { ...this.#post(Endpoint.EVENTS, `${body}}`), authorization: undefined };
  }

  metadata(): Request {
    return { ...this.#post(Endpoint.METADATA, ""), isGet: true, authorization: undefined };
  }

  static sizeOf(request: Request): number {
    if (request.isBodyLent) return request.target.length;
    return request.target.length + request.body.length;
  }
}

/** Escapes text for a JSON string: only quotation marks, backslashes and control characters become `\u00..`. */
function jsonInside(text: string): string {
  let inside = "";
  for (const character of text) {
    const code = character.charCodeAt(0);
    const isPlain = code >= 32 && character !== '"' && character !== "\\";
    inside += isPlain ? character : `\\u00${code.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return inside;
}
