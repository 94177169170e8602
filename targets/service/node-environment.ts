import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto";
import { nodeFetch } from "../../platform/node/http.ts";
import type { Environment, PushDelivery, PushResponse, SigningKey } from "./environment.ts";
import { type PublicKey, thumbprint } from "./signed-jwt.ts";

const PUSH_TIMEOUT_MS = 10_000;
// The response to a push (RFC 8935) is short. A longer one is truncated.
const RESPONSE_CHARACTERS_MAX = 4096;

/** An environment with real time, entropy and network. Its timers do not keep the process alive. */
export function nodeEnvironment(): Required<Environment> {
  return {
    now: Date.now,
    random: (count) => randomBytes(count),
    schedule: (delayMs, task) => {
      setTimeout(task, delayMs).unref();
    },
    makeKey,
    verify: verifyEs256,
    push,
  };
}

export function makeKey(algorithm: "RS256" | "ES256"): SigningKey {
  const { privateKey, publicKey } =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = { ...publicKey.export({ format: "jwk" }) };
  return {
    publicJwk: { ...jwk, kid: thumbprint(jwk), use: "sig", alg: algorithm },
    // A JWS has the two numbers of an ECDSA signature without ASN.1.
    sign: (data) => sign("sha256", data, { key: privateKey, dsaEncoding: "ieee-p1363" }),
  };
}

/** Returns false for a wrong signature, and for a key that is not on the curve. */
export function verifyEs256(
  { kty, crv, x, y }: PublicKey,
  data: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const key = createPublicKey({ key: { kty, crv, x, y }, format: "jwk" });
    return verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false;
  }
}

async function push({ url, headers, body }: PushDelivery): Promise<PushResponse> {
  const response = await nodeFetch()(url, {
    method: "POST",
    headers,
    body,
    // A redirect could send a user's event to any server.
    redirect: "manual",
    signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
  });
  return {
    status: response.status,
    body: (await response.text()).slice(0, RESPONSE_CHARACTERS_MAX),
  };
}
