// Validates ID tokens (OpenID Connect Core 1.0 §3.1.3.7) with the issuer's keys and Web Cryptography.

import type { ReceivedIdToken } from "../exchange/response-recorder.ts";
import { addressProblem, isSameIssuer } from "../servers/address.ts";
import { metadataAddresses, namedAddressProblem } from "../servers/named-address.ts";
import { base64Bytes, objectIn as jsonIn } from "../text/text.ts";
import { SignInError } from "./sign-in-error.ts";

interface ClaimsSettings extends Pick<IdTokenExpectations, "clientId" | "clientSecret"> {
  readonly allowHttp: boolean;
  readonly fetch: typeof fetch;
}

const LIMIT_MS = 10_000;
const BYTES_MAX = 262_144;

/**
 * @param before the claims of the previous token; undefined for the first
 * @throws SignInError: `wrong_id_token`, `clock_wrong`, `no_metadata`, `unreachable`
 */
export async function claimsOf(
  { token, atMs }: ReceivedIdToken,
  issuer: string | undefined,
  settings: ClaimsSettings,
  before: IdTokenClaims | undefined,
): Promise<IdTokenClaims> {
  if (issuer === undefined) {
    const what = "an ID token can be checked where the issuer is known";
    const message = `${what}: name it as server, or server.issuer`;
    throw new SignInError("no_metadata", "developer", message);
  }
  const expected = { ...settings, issuer, receivedAtMs: atMs, sub: before?.sub };
  try {
    return await checkedClaims(token, expected, () => keysOf(issuer, settings));
  } catch (error) {
    if (!(error instanceof IdTokenProblem)) throw error;
    const message = `the ID token ${error.message}`;
    if (!error.isOfTime) throw new SignInError("wrong_id_token", "developer", message);
    const advice = "set the clock of this computer; if it is right, the server's is wrong";
    throw new SignInError("clock_wrong", "user", `${message}; ${advice}`);
  }
}

/** Requests the issuer's metadata, and then the keys that it names (OpenID Connect Discovery 1.0 §3 and §4). */
async function keysOf(issuer: string, settings: ClaimsSettings): Promise<readonly JsonWebKey[]> {
  for (const address of metadataAddresses(issuer)) {
    const { issuer: named, jwks_uri: keys } = await jsonAt(address, settings);
    if (typeof named !== "string" || !isSameIssuer(named, issuer) || typeof keys !== "string")
      continue;
    const problem = namedAddressProblem(keys, issuer, settings.allowHttp);
    if (problem !== "") throw noMetadata(`the issuer's jwks_uri ${problem}`);
    const { keys: found } = await jsonAt(keys, settings);
    if (Array.isArray(found)) return found.filter((key) => key !== null);
    throw noMetadata("the issuer publishes no keys");
  }
  throw noMetadata(`${issuer} does not publish its signing keys or algorithms`);
}

/** Requests a JSON object; {} if the server has none at this address. @throws SignInError `unreachable` */
async function jsonAt(
  address: string,
  { fetch, allowHttp }: ClaimsSettings,
): Promise<Readonly<Record<string, unknown>>> {
  if (addressProblem(address, allowHttp) !== "") return {};
  let text: string;
  try {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const response = await fetch(address, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      if (response.status === 429 || response.status > 499)
        throw new Error(`HTTP ${response.status}`);
      return {};
    }
    text = await textIn(response);
  } catch (cause) {
    const message = `${address}: not reachable; try again`;
    throw new SignInError("unreachable", "nobody", message, { cause });
  }
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Reads the body as text; "" if it is longer than the limit. */
async function textIn({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > BYTES_MAX) return "";
  }
  return text;
}

function noMetadata(message: string): SignInError {
  return new SignInError("no_metadata", "developer", `${message}; check the server's address`);
}

/**
 * The claims of an ID token (OpenID Connect Core 1.0 §2 and §5.1), including those that the server has defined itself.
 * Times are in seconds since 1970.
 */
export interface IdTokenClaims {
  readonly iss: string;
  /** The user's identifier. The issuer never assigns it to another user. */
  readonly sub: string;
  /** The audience: this client, possibly among others. */
  readonly aud: string | readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly [claim: string]: unknown;
}

export interface IdTokenExpectations {
  readonly issuer: string;
  readonly clientId: string;
  /** The client secret, "" for none. Tokens that are signed with an empty secret are invalid. */
  readonly clientSecret: string;
  /** The time at which the token arrived, in milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** The `sub` of the previous token (§12.2); undefined for the first. */
  readonly sub?: string | undefined;
}

/** Why a token is invalid, in one line without any part of the token. */
export class IdTokenProblem extends Error {
  /** Whether the times of the token contradict this computer's clock. One of the two clocks is wrong. */
  readonly isOfTime: boolean;

  constructor(message: string, isOfTime = false) {
    super(message);
    this.isOfTime = isOfTime;
  }
}

const SKEW_S = 60;
/** RFC 7518 §3.3 requires this length. */
const RSA_BITS_MIN = 2048;
/** Keys of small order for Ed25519, in hex without the sign bit (RFC 8032 §5.1.2). Anybody can sign for such a key. */
const SMALL_ORDER = [
  /^0[01](00){31}$/,
  /^e[cde](ff){30}7f$/,
  /^26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05$/,
  /^c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a$/,
];
/** The allowed subjects (OpenID Connect Core 1.0 §2). */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

interface Algorithm {
  readonly kty: string;
  readonly crv?: string;
  readonly key: AlgorithmIdentifier | RsaHashedImportParams | EcKeyImportParams | HmacImportParams;
  readonly how: AlgorithmIdentifier | RsaPssParams | EcdsaParams;
}

/** Returns the algorithm of a token (RFC 7518 §3.1, RFC 8037 §3.1); never `none`. */
function algorithmOf(alg: unknown): Algorithm | undefined {
  if (typeof alg !== "string") return undefined;
  if (alg === "EdDSA") return { kty: "OKP", crv: "Ed25519", key: "Ed25519", how: "Ed25519" };
  const [, family = "", bits = ""] = /^(HS|RS|PS|ES)(256|384|512)$/.exec(alg) ?? [];
  const hash = `SHA-${bits}`;
  const crv = bits === "512" ? "P-521" : `P-${bits}`;
  const rsa = (name: string): Algorithm => ({
    kty: "RSA",
    key: { name, hash },
    how: { name, saltLength: Number(bits) / 8 },
  });
  const families: Readonly<Record<string, Algorithm>> = {
    HS: { kty: "oct", key: { name: "HMAC", hash }, how: "HMAC" },
    RS: rsa("RSASSA-PKCS1-v1_5"),
    PS: rsa("RSA-PSS"),
    ES: { kty: "EC", crv, key: { name: "ECDSA", namedCurve: crv }, how: { name: "ECDSA", hash } },
  };
  return families[family];
}

/**
 * @param keysOf requests the issuer's keys (RFC 7517); only called if the signature needs them
 * @throws IdTokenProblem; errors of `keysOf`
 */
export async function checkedClaims(
  token: string,
  expected: IdTokenExpectations,
  keysOf: () => Promise<readonly JsonWebKey[]>,
): Promise<IdTokenClaims> {
  const parts = token.split(".");
  if (parts.length !== 3) throw new IdTokenProblem("is encrypted, or is none");
  const [head, body, signature] = parts as [string, string, string];
  const header = objectIn(head);
  const algorithm = algorithmOf(header.alg);
  if (algorithm === undefined) throw new IdTokenProblem("is signed in a way that is not taken");
  if (header.crit !== undefined) throw new IdTokenProblem("has extensions that nobody knows here");
  const signed = new TextEncoder().encode(`${head}.${body}`);
  const keys = await keysFor(algorithm, header, expected, keysOf);
  const isSigned = await isSignedByOne(keys, algorithm, bytesOf(signature), signed);
  if (!isSigned) throw new IdTokenProblem("is signed by none of the issuer's keys");
  const claims = objectIn(body);
  const problem = problemOf(claims, expected);
  if (problem !== "") throw new IdTokenProblem(problem);
  const late = timeProblemOf(claims, expected.receivedAtMs / 1000);
  if (late !== "") throw new IdTokenProblem(late, true);
  return claims as unknown as IdTokenClaims;
}

/** Returns the problem of the claims (§3.1.3.7, steps 2 to 5, and §12.2), "" for none. */
function problemOf(
  claims: Readonly<Record<string, unknown>>,
  expected: IdTokenExpectations,
): string {
  const { iss, sub, aud, azp } = claims;
  const { issuer, clientId } = expected;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (typeof iss !== "string" || !isSameIssuer(iss, issuer)) return "is of another issuer";
  if (!audiences.includes(clientId)) return "is for another client";
  if (audiences.length > 1 && azp === undefined) return "is for others, too";
  if (azp !== undefined && azp !== clientId) return "is for another client";
  if (typeof sub !== "string" || !SUBJECT.test(sub)) return "names nobody";
  if (expected.sub !== undefined && sub !== expected.sub) return "names another user than before";
  for (const name of ["exp", "iat", "nbf"]) {
    const isMissing = name === "nbf" && claims[name] === undefined;
    if (!isMissing && !Number.isFinite(claims[name])) return `has no time as ${name}`;
  }
  return "";
}

/** Returns the problem of the times (§3.1.3.7, steps 9 and 10, and RFC 7519 §4.1.5), "" for none. */
function timeProblemOf(claims: Readonly<Record<string, unknown>>, nowS: number): string {
  const { exp, iat, nbf = iat } = claims as Readonly<Record<string, number>>;
  if (exp! <= nowS - SKEW_S) return "has expired";
  if (iat! >= nowS + SKEW_S) return "is of a later time";
  return nbf! < nowS + SKEW_S ? "" : "does not count yet";
}

async function keysFor(
  { kty, crv, key }: Algorithm,
  { kid, alg }: Readonly<Record<string, unknown>>,
  { clientSecret }: IdTokenExpectations,
  keysOf: () => Promise<readonly JsonWebKey[]>,
): Promise<CryptoKey[]> {
  const { subtle } = globalThis.crypto;
  if (kty === "oct") {
    if (clientSecret === "") throw new IdTokenProblem("is signed with a secret that there is not");
    const secret = new TextEncoder().encode(clientSecret);
    return [await subtle.importKey("raw", secret, key, false, ["verify"])];
  }
  const fitting = (await keysOf()).filter((jwk) => {
    const { kid: own = kid } = jwk as JsonWebKey & { readonly kid?: string };
    const isNamed = kid === undefined || own === kid;
    const isOfKind = jwk.kty === kty && (crv === undefined || jwk.crv === crv);
    const { use = "sig", key_ops: actions = ["verify"], alg: only = alg } = jwk;
    const isForThis = use === "sig" && [actions].flat().includes("verify") && only === alg;
    return isOfKind && isNamed && isForThis && !(kty === "OKP" && isOfSmallOrder(jwk));
  });
  const imported = fitting.map(({ kty, crv, n, e, x, y }) =>
    subtle.importKey("jwk", { kty, crv, n, e, x, y } as JsonWebKey, key, false, ["verify"]),
  );
  const settled = await Promise.allSettled(imported);
  const found = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  return kty === "RSA" ? found.filter(isStrong) : found;
}

function isOfSmallOrder({ x = "" }: JsonWebKey): boolean {
  const bytes = Array.from(bytesOf(x), (byte, at) => (at === 31 ? byte & 127 : byte));
  const hex = bytes.map((byte) => (byte + 256).toString(16).slice(1)).join("");
  return SMALL_ORDER.some((one) => one.test(hex));
}

/** With an exponent of 1, anybody could compute a signature: it would be the padded hash of the text. */
function isStrong({ algorithm }: CryptoKey): boolean {
  const { modulusLength, publicExponent } = algorithm as RsaKeyAlgorithm;
  return modulusLength >= RSA_BITS_MIN && Number(publicExponent.join("")) > 2;
}

async function isSignedByOne(
  keys: readonly CryptoKey[],
  { how }: Algorithm,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const key of keys) {
    if (await globalThis.crypto.subtle.verify(how, key, signature, signed)) return true;
  }
  return false;
}

/** Decodes a part of the token to an object. @throws IdTokenProblem */
function objectIn(part: string): Readonly<Record<string, unknown>> {
  const value = part.startsWith("77u_") ? undefined : jsonIn(bytesOf(part));
  if (value === undefined) throw new IdTokenProblem("is none: a part of it is no JSON object");
  return value;
}

/** Decodes base64url without padding (RFC 7515 §2). Invalid text yields no bytes. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return (/^[A-Za-z0-9_-]*$/.test(text) && base64Bytes(text)) || new Uint8Array(0);
}
