// Valid and invalid ID tokens (OpenID Connect Core 1.0 section 2).

import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { HOST } from "./server.ts";

const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
const edwards = generateKeyPairSync("ed25519");
const strange = generateKeyPairSync("ec", { namedCurve: "P-256" });

const byKey = (key: KeyObject) => (text: string) =>
  sign(key.asymmetricKeyType === "ec" ? "sha256" : null, Buffer.from(text), {
    ...{ key, dsaEncoding: "ieee-p1363" },
  });
const bySecret = (secret: string) => (text: string) =>
  createHmac("sha256", secret).update(text).digest();
const SECRET = "client-secret-of-the-program";

interface Kind {
  readonly isValid: boolean;
  /** Whether the times in the token do not fit the time of its arrival. The session then reports a wrong clock. */
  readonly isOfAnotherTime?: boolean;
  /** Whether the client's secret signs the token. Not every client has a secret. */
  readonly hasSecret?: boolean;
  readonly header?: object;
  readonly claims?: (nowS: number) => object;
  readonly sign?: (text: string) => Uint8Array;
}

const ES256 = { alg: "ES256", kid: "own" };
export const KINDS: readonly Kind[] = [
  { isValid: true },
  { isValid: true },
  { isValid: true, header: { alg: "EdDSA" }, sign: byKey(edwards.privateKey) },
  { isValid: true, hasSecret: true, header: { alg: "HS256" }, sign: bySecret(SECRET) },
  { isValid: true, claims: () => ({ aud: ["other", "program"], azp: "program" }) },
  // The clocks of server and device may differ by a minute.
  { isValid: true, claims: (nowS) => ({ exp: nowS - 50, iat: nowS + 50 }) },
  { isValid: false, isOfAnotherTime: true, claims: (nowS) => ({ exp: nowS - 61 }) },
  { isValid: false, isOfAnotherTime: true, claims: (nowS) => ({ iat: nowS + 70 }) },
  { isValid: false, isOfAnotherTime: true, claims: (nowS) => ({ nbf: nowS + 70 }) },
  { isValid: false, claims: () => ({ iss: "https://login.example.org" }) },
  { isValid: false, claims: () => ({ aud: "other" }) },
  { isValid: false, claims: () => ({ aud: ["other", "program"] }) },
  { isValid: false, claims: () => ({ azp: "other" }) },
  { isValid: false, claims: () => ({ sub: "" }) },
  { isValid: false, claims: () => ({ exp: undefined }) },
  { isValid: false, claims: () => ({ iat: "1" }) },
  { isValid: false, header: { alg: "none" } },
  { isValid: false, header: { ...ES256, crit: ["b64"] } },
  { isValid: false, header: { ...ES256, kid: "old" } },
  { isValid: false, header: { alg: "HS256" }, sign: bySecret("another") },
  { isValid: false, sign: byKey(strange.privateKey) },
  { isValid: false, sign: () => new Uint8Array(0) },
];

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export function idTokenOf(kind: Kind, sub: string): string {
  const nowS = Date.now() / 1000;
  const { header = ES256, claims = () => ({}), sign: signature = byKey(own.privateKey) } = kind;
  const output = { iss: HOST, aud: "program", sub, exp: nowS + 60, iat: nowS, ...claims(nowS) };
  const signed = `${part(header)}.${part(output)}`;
  return `${signed}.${Buffer.from(signature(signed)).toString("base64url")}`;
}

const jwkOf = (key: KeyObject, kid: string): object => ({ ...key.export({ format: "jwk" }), kid });
const KEYS = [
  { kty: "RSA", n: "AQAB", e: "AQAB" },
  { ...jwkOf(strange.publicKey, "own"), use: "enc" },
  jwkOf(strange.publicKey, "old"),
  jwkOf(own.publicKey, "own"),
  jwkOf(edwards.publicKey, "edwards"),
];

/** Serves the issuer's metadata, at one of its two possible addresses, and its keys (OpenID Connect Discovery 1.0). */
export function issuerDocument(address: string, isAtOther: boolean): object | undefined {
  const name = isAtOther ? "oauth-authorization-server" : "openid-configuration";
  if (address === `${HOST}/keys`) return { keys: [null, ...KEYS] };
  if (!address.startsWith(`${HOST}/.well-known/`)) return undefined;
  return address.endsWith(name) ? { issuer: HOST, jwks_uri: `${HOST}/keys` } : { issuer: "x" };
}
