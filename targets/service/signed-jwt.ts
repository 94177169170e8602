// Reads the signed JWTs of clients (client assertions, DPoP proofs), and signs those of the service.

import { createHash } from "node:crypto";
import * as z from "zod";

type Members = Readonly<Record<string, unknown>>;

export interface SignedJwt {
  readonly header: Members;
  readonly claims: Members;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Parses the compact serialization (RFC 7515 §7.1); undefined if it is invalid. Does not check the signature. */
export function readJwt(text: string): SignedJwt | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return undefined;
  const [header, claims, signature] = text.split(".") as [string, string, string];
  const members = [header, claims].map(readMembers);
  if (!members[0] || !members[1]) return undefined;
  return {
    header: members[0],
    claims: members[1],
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, "base64url"),
  };
}

function readMembers(part: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Members) : undefined;
  } catch {
    return undefined;
  }
}

const coordinate = z.string().regex(/^[\w-]{43}$/, "is a coordinate of P-256 in base64url");

export const publicKeySchema = z.looseObject({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: coordinate,
  y: coordinate,
});
export type PublicKey = z.output<typeof publicKeySchema>;

/** The SHA-256 of the key's required members in the order of their names (RFC 7638 §3). */
export function thumbprint({ crv, e, kty, n, x, y }: Members): string {
  return hashOf(JSON.stringify(kty === "RSA" ? { e, kty, n } : { crv, kty, x, y }));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** Stores the identifiers (`jti`) of received JWTs. Each owner may use an identifier once. */
export class UsedIds {
  // Expiry by hash of the identifier, in the order of arrival. The identifiers themselves may have any length.
  readonly #untilMs = new Map<string, number>();

  /** Stores an identifier at least until `untilMs`, the expiry of its JWT. Returns false if it is stored already. */
  use(owner: string, id: string, nowMs: number, untilMs: number): boolean {
    for (const [hash, ms] of this.#untilMs) {
      if (ms >= nowMs) break;
      this.#untilMs.delete(hash);
    }
    const hash = hashOf(JSON.stringify([owner, id]));
    if (this.#untilMs.has(hash)) return false;
    this.#untilMs.set(hash, untilMs);
    return true;
  }
}

/** Returns the compact serialization (RFC 7515 §7.1). */
export function signedJwt(
  header: object,
  claims: object,
  sign: (bytes: Uint8Array) => Uint8Array,
): string {
  const encode = (data: string | Uint8Array): string => Buffer.from(data).toString("base64url");
  const signed = [header, claims].map((part) => encode(JSON.stringify(part))).join(".");
  return `${signed}.${encode(sign(Buffer.from(signed)))}`;
}
