// Signs with a client's private key: proofs of possession (DPoP, RFC 9449) and client assertions (private_key_jwt, RFC
// 7523 §3). Sessions load this module only if one of the two is used.

import { Endpoint } from "../../core/index.ts";
import type { Bytes, Entropy, Header, HttpRequest, Signer } from "../contracts.ts";
import { originOf } from "../servers/address.ts";
import { sha256 } from "../text/sha256.ts";
import { base64url, bytesOf, formEncode, objectIn } from "../text/text.ts";
import { faultName, isFilled } from "./callbacks.ts";
import type { Filter, Head } from "./filter.ts";
import { type BufferedResponse, ResponseBuffer } from "./response-buffer.ts";
import { challengeWith } from "./step-up.ts";

/** The signatures that a client makes with its key: proofs of possession (DPoP), client assertions, or both. */
export interface KeySettings {
  readonly signer: Signer;
  readonly entropy: Entropy;
  readonly clientId: string;
  /** If set, token requests have a proof. "require" refuses tokens that the server has not bound, "auto" takes them. */
  readonly dpop?: "auto" | "require" | undefined;
  /** The audience of client assertions (private_key_jwt). Undefined: no assertions. */
  readonly audience?: string | undefined;
}

const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ASSERTION_LIFETIME_S = 60;
const SIGNATURE_BYTES = 64;
const NONCE_LENGTH_MAX = 512;
const ORIGINS_MAX = 16;
/** How many of the newest signatures of each kind are stored, for `sent`. */
const SENT_MAX = 4;
/** Smaller differences between the clocks do not matter, because servers accept proofs that are about this old. */
const CLOCK_DIFFERENCE_MS = 60_000;
/** After this many successive rejections, a difference between the clocks no longer counts as the reason. */
const CLOCK_REJECTIONS_MAX = 3;
/** Errors that servers return if the time in a proof or an assertion is wrong. */
const REJECTIONS: readonly unknown[] = ["invalid_dpop_proof", "invalid_client", "invalid_grant"];
const UNREPORTED = "the HTTP adapter does not report DPoP-Nonce and Date, which dpop requires";
/** Replaces a response with an unbound token, because the core rejects this `token_type`. */
const UNBOUND = '{"token_type":"unbound"}';

/** Signs for one client. The client's driver and the session's `fetch` share nonces and the server's time. */
export class Keys {
  /** Identifies the key: the thumbprint of its public part (RFC 7638). */
  readonly id: string;
  readonly settings: KeySettings;
  /** Whether the tokens in use are bound to the key, or may be. API calls then have a proof and `Authorization: DPoP`. */
  isBound: boolean;
  readonly #proofs: string[] = [];
  readonly #assertions: string[] = [];
  readonly #jwk: object;
  readonly #nonces = new Map<string, string>();
  /** Each origin's time minus the device's, if they differ by over a minute. Signatures use the server's time. */
  readonly #clocksMs = new Map<string, number>();

  constructor(settings: KeySettings) {
    this.settings = settings;
    this.isBound = settings.dpop !== undefined;
    const { crv, kty, x, y } = settings.signer.publicJwk;
    // The order of the members matters for the thumbprint (RFC 7638 §3).
    this.#jwk = { crv, kty, x, y };
    this.id = base64url(sha256(bytesOf(JSON.stringify(this.#jwk))));
  }

  exchange(device: () => { readonly endpoint: Endpoint }): Filter {
    return new SignedExchange(this, device);
  }

  /** @param token the access token of the request, "" for a token request @throws Error if the signer fails */
  async proof(method: string, url: string, token: string): Promise<Header> {
    const htu = targetOf(url);
    const nonce = this.#nonces.get(originOf(htu));
    const claims = {
      ...{ htm: method, htu, ...this.#times(url) },
      ...(nonce !== undefined && { nonce }),
      ...(token !== "" && { ath: base64url(sha256(bytesOf(token))) }),
    };
    const head = { typ: "dpop+jwt", jwk: this.#jwk };
    return ["DPoP", await this.#signed(head, claims, this.#proofs)];
  }

  /** Returns the form fields of a client assertion for a request to `url`. @throws Error if the signer fails */
  async assertion(url: string): Promise<string> {
    const { clientId, audience, signer } = this.settings;
    const { kid } = signer.publicJwk;
    const times = this.#times(url);
    const exp = times.iat + ASSERTION_LIFETIME_S;
    const claims = { iss: clientId, sub: clientId, aud: audience, ...times, exp };
    const head = { ...(kid !== undefined && { kid }) };
    const jwt = await this.#signed(head, claims, this.#assertions);
    return formEncode([
      ["client_assertion_type", ASSERTION_TYPE],
      ["client_assertion", jwt],
    ]);
  }

  /** Stores the nonce and time of a response. @returns why the nonce cannot be used; "" if it is usable or absent */
  received(url: string, nonce: string, dateMs = 0): string {
    const origin = originOf(targetOf(url));
    if (dateMs > 0) {
      const aheadMs = dateMs - Date.now();
      if (Math.abs(aheadMs) > CLOCK_DIFFERENCE_MS) setNewest(this.#clocksMs, origin, aheadMs);
      else this.#clocksMs.delete(origin);
    }
    if (nonce.length > NONCE_LENGTH_MAX || !/^[!#-[\]-~]*$/.test(nonce))
      return `the DPoP-Nonce has ${nonce.length} characters, not 1 to ${NONCE_LENGTH_MAX} without quotes`;
    if (nonce !== "") setNewest(this.#nonces, origin, nonce);
    return "";
  }

  /** Returns the newest signatures. They are removed from messages, because a server may repeat them. */
  get sent(): readonly string[] {
    return [...this.#proofs, ...this.#assertions];
  }

  /** Returns the time of the URL's server minus the device's, in ms; 0 if unknown, or if it is at most a minute. */
  aheadMs(url: string): number {
    return this.#clocksMs.get(originOf(targetOf(url))) ?? 0;
  }

  #times(url: string): { readonly iat: number; readonly jti: string } {
    const random = new Uint8Array(16);
    if (!isFilled(this.settings.entropy, random, 0, random.length))
      throw new Error("the entropy source gives no random bytes");
    return { iat: Math.floor((Date.now() + this.aheadMs(url)) / 1000), jti: base64url(random) };
  }

  async #signed(head: object, claims: object, sent: string[]): Promise<string> {
    const parts = [{ alg: "ES256", ...head }, claims];
    const text = parts.map((part) => base64url(bytesOf(JSON.stringify(part)))).join(".");
    let signed: Bytes;
    try {
      signed = Array.from(await this.settings.signer.sign(bytesOf(text)));
    } catch (error) {
      throw new Error(`the signer has failed: ${faultName(error)}`);
    }
    const signature = Uint8Array.from(signed);
    if (signature.length !== SIGNATURE_BYTES || signature.some((byte, at) => byte !== signed[at]))
      throw new Error(`the signer has not returned ${SIGNATURE_BYTES} bytes, r and s`);
    const jwt = `${text}.${base64url(signature)}`;
    sent.unshift(jwt);
    sent.length = Math.min(sent.length, SENT_MAX);
    return jwt;
  }
}

/** Stores an origin's value as the newest. If there are more than ORIGINS_MAX, drops the oldest. */
function setNewest<T>(values: Map<string, T>, origin: string, value: T): void {
  values.delete(origin);
  values.set(origin, value);
  const [oldest] = values.keys();
  if (values.size > ORIGINS_MAX) values.delete(oldest!);
}

/** Returns the `htu` of a proof (RFC 9449 §4.2): the URL without query and, as in `Host`, without a default port. */
function targetOf(url: string): string {
  const origin = originOf(url);
  const path = url.slice(origin.length).split(/[?#]/, 1)[0];
  return origin.replace(/^(https:.*):443$|^(http:.*):80$/, "$1$2") + (path || "/");
}

/** Adds proofs and assertions to a driver's requests, and repeats a request once with a new nonce (RFC 9449 §8, §9). */
class SignedExchange extends ResponseBuffer {
  readonly #keys: Keys;
  readonly #device: () => { readonly endpoint: Endpoint };
  #request!: HttpRequest;
  #endpoint = Endpoint.TOKEN;
  #hasProof = false;
  #hasAssertion = false;
  #isRepeated = false;
  #nonce = "";
  /** Why the nonce of the response cannot be used; "" if it can. */
  #problem = "";
  /** The number of successive rejections of requests whose time was wrong according to the server's clock. */
  #clockRejections = 0;
  #aheadMs = 0;

  constructor(keys: Keys, device: () => { readonly endpoint: Endpoint }) {
    super();
    this.#keys = keys;
    this.#device = device;
  }

  override send(request: HttpRequest): void {
    const { dpop, audience } = this.#keys.settings;
    const { endpoint } = this.#device();
    this.#request = request;
    this.#endpoint = endpoint;
    this.#isRepeated = false;
    this.#hasAssertion = audience !== undefined && endpoint <= Endpoint.REVOCATION;
    this.#hasProof =
      (dpop !== undefined && endpoint === Endpoint.TOKEN) ||
      (this.#keys.isBound &&
        endpoint !== Endpoint.EVENTS &&
        /^Bearer /.test(request.authorization));
    void this.#sendSigned(++this.turn);
  }

  async #sendSigned(turn: number): Promise<void> {
    let signed: HttpRequest;
    this.#aheadMs = this.#keys.aheadMs(this.#request.url);
    try {
      signed = await this.#signed(this.#request);
    } catch (error) {
      if (turn === this.turn) this.failed("unreachable", (error as Error).message);
      return;
    }
    if (turn === this.turn) super.send(signed);
  }

  async #signed(request: HttpRequest): Promise<HttpRequest> {
    let signed = request;
    if (this.#hasAssertion) {
      const body = bytesOf(`&${await this.#keys.assertion(request.url)}`);
      const { bodyFrom, bodyTo } = request;
      const own = Array.prototype.slice.call(request.body, bodyFrom, bodyTo) as number[];
      const whole = Uint8Array.from([...own, ...body]);
      signed = { ...signed, body: whole, bodyFrom: 0, bodyTo: whole.length };
    }
    if (!this.#hasProof) return signed;
    const { method, url, headers = [] } = request;
    const token = request.authorization.replace(/^Bearer |^.*$/, "");
    const authorization = request.authorization.replace(/^Bearer /, "DPoP ");
    const proof = await this.#keys.proof(method, url, token);
    return { ...signed, authorization, headers: [...headers, proof] };
  }

  override status(...head: Head): void {
    const [status, , , nonce, dateMs] = head;
    if (nonce === undefined && this.#keys.settings.dpop !== undefined) {
      this.abort();
      this.failed("unreachable", UNREPORTED);
      return;
    }
    this.#nonce = nonce ?? "";
    this.#problem = this.#keys.received(this.#request.url, this.#nonce, dateMs);
    const isGrant = this.#endpoint <= Endpoint.REVOCATION;
    this.gathers = isGrant || (this.#hasProof && status === 401);
    super.status(...head);
  }

  responded({ head, body }: BufferedResponse): void {
    const [, , challenge = ""] = head;
    const { error, token_type: type, access_token: token } = objectIn(body) ?? {};
    const required = "use_dpop_nonce";
    const isNonceRequired = error === required || challengeWith(required, challenge) !== undefined;
    if (this.#hasProof && !this.#isRepeated && isNonceRequired && this.#nonce !== "") {
      this.#isRepeated = true;
      if (this.#problem === "") void this.#sendSigned(++this.turn);
      else this.failed("unreachable", this.#problem);
      return;
    }
    const changeS = Math.round((this.#keys.aheadMs(this.#request.url) - this.#aheadMs) / 1000);
    const isSigned = this.#hasProof || this.#hasAssertion;
    const isClock = isSigned && changeS !== 0 && REJECTIONS.includes(error);
    this.#clockRejections = isClock ? this.#clockRejections + 1 : 0;
    if (isClock && this.#clockRejections <= CLOCK_REJECTIONS_MAX) {
      this.failed("unreachable", `the clock differs by ${changeS} s from the server's`);
      return;
    }
    let received: Bytes = body;
    if (this.#endpoint === Endpoint.TOKEN && typeof token === "string") {
      this.#keys.isBound = this.#hasProof && `${type}`.toLowerCase() === "dpop";
      const isRefused = !this.#keys.isBound && this.#keys.settings.dpop === "require";
      if (isRefused) received = bytesOf(UNBOUND);
    }
    this.pass(head, received);
  }
}
