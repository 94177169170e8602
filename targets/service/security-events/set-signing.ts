// Security event tokens (RFC 8417) as signed JWTs, Ed25519 (RFC 8037), and the key set to check them.
import { createHash } from "node:crypto";
import nacl from "tweetnacl";
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

export class SetSigner {
  private readonly env: Environment;
  private keys: nacl.SignKeyPair | undefined;

  constructor(env: Environment) {
    this.env = env;
  }

  /** The compact serialization of a signed token. RFC 8417 §2.3: typ is secevent+jwt; no exp (§2.2). */
  sign(claims: SetClaims): string {
    const header = { alg: "EdDSA", typ: "secevent+jwt", kid: this.keyId() };
    const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
    const signature = nacl.sign.detached(utf8(signed), this.keyPair().secretKey);
    return `${signed}.${encode(signature)}`;
  }

  /** The JWK set (RFC 7517) with the public key. */
  keySet(): object {
    return { keys: [{ ...this.publicJwk(), kid: this.keyId(), use: "sig", alg: "EdDSA" }] };
  }

  // Made when first needed: most simulated services never sign anything, and it takes milliseconds.
  private keyPair(): nacl.SignKeyPair {
    this.keys ??= nacl.sign.keyPair.fromSeed(new Uint8Array(this.env.random(32)));
    return this.keys;
  }

  private publicJwk() {
    return { crv: "Ed25519", kty: "OKP", x: encode(this.keyPair().publicKey) };
  }

  /** RFC 7638: the members in this order, without spaces. */
  private keyId(): string {
    return createHash("sha256").update(JSON.stringify(this.publicJwk())).digest("base64url");
  }
}

function encode(data: string | Uint8Array): string {
  return Buffer.from(data).toString("base64url");
}
