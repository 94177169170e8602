// DPoP (RFC 9449): the proof that a client owns the key to which its tokens are bound, and the nonces of the service.

import { createHmac } from "node:crypto";
import { baseUrlOf, type ServiceContext } from "./context.ts";
import { oauthError } from "./errors.ts";
import { hashOf, publicKeySchema, readJwt, type SignedJwt, thumbprint } from "./signed-jwt.ts";
import type { ProtocolRequest, ProtocolResponse } from "./wire.ts";

/** The option `dpop`; "off" if the host cannot verify signatures. */
export function dpopOf({ env, options }: ServiceContext): "off" | "allowed" | "required" {
  return env.verify ? options.dpop : "off";
}

interface Proof extends SignedJwt {
  readonly context: ServiceContext;
  readonly request: ProtocolRequest;
  /** The access token of the request; "" at the token endpoint. */
  readonly accessToken: string;
}

export interface ProofRefusal {
  readonly error: "invalid_dpop_proof" | "use_dpop_nonce";
  readonly description: string;
}

type Check = readonly [
  description: string,
  holds: (proof: Proof) => boolean | undefined,
  error?: ProofRefusal["error"],
];

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Checks 3 to 12 of RFC 9449 §4.3. `checkProof` makes checks 1 and 2. `findCaller` compares the keys for check 12. */
const CHECKS: readonly Check[] = [
  [
    "The proof needs htm, htu, iat and jti, and ath beside an access token.",
    ({ claims: { htm, htu, iat, jti, ath }, accessToken }) =>
      [htm, htu, jti].every(isText) && Number.isFinite(iat) && (accessToken === "" || isText(ath)),
  ],
  ["The typ of the proof is not dpop+jwt.", ({ header }) => header.typ === "dpop+jwt"],
  ["The alg of the proof is not ES256.", ({ header }) => header.alg === "ES256"],
  [
    "The signature of the proof does not fit its jwk.",
    ({ context: { env }, header, signed, signature }) => {
      const jwk = publicKeySchema.safeParse(header.jwk);
      return jwk.success && env.verify?.(jwk.data, signed, signature);
    },
  ],
  ["The jwk of the proof has a private key.", ({ header }) => !("d" in (header.jwk as object))],
  [
    "The htm of the proof is not the method of the request.",
    ({ claims, request }) => claims.htm === request.method,
  ],
  [
    "The htu of the proof is not the address of the request.",
    ({ context, claims, request }) =>
      targetOf(String(claims.htu)) === targetOf(baseUrlOf(context) + request.path),
  ],
  [
    "The proof needs the nonce of the header DPoP-Nonce.",
    ({ context, claims }) => !context.options.dpopNonces || isNonce(context, claims.nonce),
    "use_dpop_nonce",
  ],
  [
    "The iat of the proof is too far from the time of the service.",
    // A proof with a valid nonce is recent, so its `iat` is not checked and a device needs no clock.
    ({ context: { env, options }, claims }) =>
      options.dpopNonces || Math.abs(env.now() / 1000 - Number(claims.iat)) <= options.dpopWindow,
  ],
  [
    "The ath of the proof is not the hash of the access token.",
    ({ claims, accessToken }) => accessToken === "" || claims.ath === hashOf(accessToken),
  ],
];

/** Checks the proof of a request. Returns the thumbprint of its key, or the error. */
export function checkProof(
  context: ServiceContext,
  request: ProtocolRequest,
  accessToken = "",
): string | ProofRefusal {
  // HTTP joins several DPoP headers to one, with commas. A JWT contains no comma, so `readJwt` rejects several proofs.
  const jwt = readJwt(request.headers.dpop ?? "");
  if (!jwt) return refuse("The request needs one header DPoP with one JWT.");
  const proof = { ...jwt, context, request, accessToken };
  const failed = CHECKS.find(([, holds]) => !holds(proof));
  if (failed) return refuse(failed[0], failed[2]);
  const jkt = thumbprint(jwt.header.jwk as Record<string, unknown>);
  const nowMs = context.env.now();
  // A proof may be used only once (§11.1). It is valid for at most two windows: if its `iat` is one window ahead of the
  // service's clock, or if it has the newest nonce.
  const untilMs = nowMs + 2 * context.options.dpopWindow * 1000;
  if (context.usedProofs.use(jkt, String(jwt.claims.jti), nowMs, untilMs)) return jkt;
  return refuse("The jti of the proof was used before.");
}

function refuse(
  description: string,
  error: ProofRefusal["error"] = "invalid_dpop_proof",
): ProofRefusal {
  return { error, description };
}

/** An address without query and fragment, in normalized form (RFC 3986 §6.2.2, §6.2.3). */
function targetOf(address: string): string {
  if (!URL.canParse(address)) return "";
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}

/** The thumbprint of the key of a token request (§5). Undefined: DPoP is off, or the request has no proof and needs none. */
export function keyOfTokenRequest(
  context: ServiceContext,
  request: ProtocolRequest,
): { jkt: string | undefined } | { refusal: ProtocolResponse } {
  const dpop = dpopOf(context);
  const hasNone = request.headers.dpop === undefined && dpop === "allowed";
  if (dpop === "off" || hasNone) return { jkt: undefined };
  const checked = checkProof(context, request);
  if (typeof checked === "string") return { jkt: checked };
  return { refusal: oauthError(checked.error, checked.description) };
}

/** The nonce of the current window (§8), or of `ago` windows before. It depends only on the time and a secret. */
function nonceOf(context: ServiceContext, ago = 0): string {
  const { env, options } = context;
  const count = Math.floor(env.now() / 1000 / options.dpopWindow) - ago;
  context.nonceSecret ??= env.random(32);
  return createHmac("sha256", context.nonceSecret).update(`${count}`).digest("base64url");
}

function isNonce(context: ServiceContext, nonce: unknown): boolean {
  return nonce === nonceOf(context) || nonce === nonceOf(context, 1);
}

/** Adds the current nonce to the response if the request has a proof (§8.2). */
export function withNonce(
  context: ServiceContext,
  request: ProtocolRequest,
  response: ProtocolResponse,
): ProtocolResponse {
  if (!context.options.dpopNonces || dpopOf(context) === "off") return response;
  if (request.headers.dpop === undefined) return response;
  return { ...response, headers: { ...response.headers, "dpop-nonce": nonceOf(context) } };
}
