// The environment of a service on Node: the system's clock, randomness, timers, and fetch for pushed events.
import { createHash, generateKeyPairSync, type JsonWebKey, randomBytes, sign } from "node:crypto";
import { nodeFetch } from "../../platform/node/http.ts";
import type { Environment, PushDelivery, PushResponse, SigningKey } from "./environment.ts";

const PUSH_TIMEOUT_MS = 10_000;
// RFC 8935 responses are short; the rest is discarded.
const RESPONSE_CHARACTERS_MAX = 4096;

/** Real time, real entropy, real network. Timers do not keep the process alive. */
export function nodeEnvironment(): Required<Environment> {
  return {
    now: Date.now,
    random: (count) => randomBytes(count),
    schedule: (delayMs, task) => {
      setTimeout(task, delayMs).unref();
    },
    makeKey,
    push,
  };
}

/** RSA of 2048 bits for RS256, P-256 for ES256 (RFC 7518 §3.3, §3.4). */
export function makeKey(algorithm: "RS256" | "ES256"): SigningKey {
  const { privateKey, publicKey } =
    algorithm === "RS256"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = publicKey.export({ format: "jwk" });
  return {
    publicJwk: { ...jwk, kid: thumbprint(jwk), use: "sig", alg: algorithm },
    // A JWS contains the two numbers of an ECDSA signature side by side.
    sign: (data) => sign("sha256", data, { key: privateKey, dsaEncoding: "ieee-p1363" }),
  };
}

/** RFC 7638 §3: the required members of a key, in the order of their names. */
function thumbprint({ crv, e, kty, n, x, y }: JsonWebKey): string {
  const members = JSON.stringify(kty === "RSA" ? { e, kty, n } : { crv, kty, x, y });
  return createHash("sha256").update(members).digest("base64url");
}

async function push({ url, headers, body }: PushDelivery): Promise<PushResponse> {
  const response = await nodeFetch()(url, {
    method: "POST",
    headers,
    body,
    // A redirect could send a user's event anywhere.
    redirect: "manual",
    signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
  });
  return {
    status: response.status,
    body: (await response.text()).slice(0, RESPONSE_CHARACTERS_MAX),
  };
}
