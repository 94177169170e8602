// Security event tokens (RFC 8417) as signed JWTs, Ed25519 (RFC 8037), and the key set to check them.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import type { Environment } from "../environment.ts";
import { utf8 } from "../wire.ts";

export interface SetClaims {
  iss: string;
  aud: readonly string[];
  /** Seconds since the epoch. */
  iat: number;
  jti: string;
  events: Readonly<Record<string, object>>;
}

/** Ahead of the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410 §7). */
const PRIVATE_KEY_HEAD = Buffer.from("302e020100300506032b657004220420", "hex");

/** The public key as it is published, and the private one. */
interface Keys {
  readonly privateKey: KeyObject;
  readonly publicJwk: object;
  /** RFC 7638: the hash of the members in this order, without spaces. */
  readonly id: string;
}

export class SetSigner {
  readonly #env: Environment;
  #made: Keys | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The compact serialization of a signed token. RFC 8417 §2.3: typ is secevent+jwt; no exp (§2.2). */
  sign(claims: SetClaims): string {
    const { id, privateKey } = this.#keys;
    const header = { alg: "EdDSA", typ: "secevent+jwt", kid: id };
    const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
    return `${signed}.${encode(sign(null, utf8(signed), privateKey))}`;
  }

  /** Its public key as a JWK set has it (RFC 7517). */
  publicKeys(): readonly object[] {
    const { id, publicJwk } = this.#keys;
    return [{ ...publicJwk, kid: id, use: "sig", alg: "EdDSA" }];
  }

  // Made when first needed: most simulated services never sign anything.
  get #keys(): Keys {
    this.#made ??= keysOf(this.#env.random(32));
    return this.#made;
  }
}

function keysOf(seed: Uint8Array): Keys {
  const key = Buffer.concat([PRIVATE_KEY_HEAD, seed]);
  const privateKey = createPrivateKey({ key, format: "der", type: "pkcs8" });
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  const publicJwk = { crv: "Ed25519", kty: "OKP", x };
  const id = createHash("sha256").update(JSON.stringify(publicJwk)).digest("base64url");
  return { privateKey, publicJwk, id };
}

function encode(data: string | Uint8Array): string {
  return Buffer.from(data).toString("base64url");
}
