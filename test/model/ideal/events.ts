// A security event's claims set: RFC 8417 §2, the RISC and OAuth event types, and what each of them says
// of the session.

import { type Document, membersOf, membersWithin, readJson, textOf } from "./json.ts";

export interface EventClaims {
  id: string;
  isAccountDisabled: boolean;
  isTokenRevoked: boolean;
  isSessionsRevoked: boolean;
  /** Of the token that was revoked; undefined where the event names none. */
  token: string | undefined;
  isTokenNamed: boolean;
  algorithm: string | undefined;
}

const RISC = "https://schemas.openid.net/secevent/risc/event-type/";
const OAUTH = "https://schemas.openid.net/secevent/oauth/event-type/";

function within(document: Document, names: readonly string[]): boolean {
  const [outermost, ...rest] = [membersOf(document), membersWithin(document, 4)] as const;
  return rest[0].some(({ name }) => names.includes(name) && !outermost.has(name));
}

/** The claims; undefined where it is no event: no complete JSON, or without an identifier. */
export function claimsOf(json: string): EventClaims | undefined {
  const document = readJson(json);
  const id = membersOf(document).get("jti");
  if (!document.isComplete || !id) return undefined;
  const all = membersWithin(document, 4);
  const last = (name: string) => all.filter((member) => member.name === name).pop();
  const token = last("token");
  const algorithm = last("token_identifier_alg");
  return {
    id,
    isAccountDisabled: within(document, [`${RISC}account-disabled`]),
    isSessionsRevoked: within(document, [`${RISC}sessions-revoked`]),
    isTokenRevoked: within(document, [`${OAUTH}token-revoked`, `${OAUTH}tokens-revoked`]),
    isTokenNamed: token !== undefined,
    token: textOf(token?.value),
    algorithm: textOf(algorithm?.value),
  };
}

/**
 * The payload of a JWS in compact serialization (RFC 7515 §7.1). Whether the rest of it is right is for
 * whoever checks the signature.
 */
export function payloadOf(set: string): string {
  const payload = /^[^.]*\.([A-Za-z0-9_-]*)/.exec(set)?.[1] ?? "";
  return Buffer.from(payload, "base64url").toString("latin1");
}

/** The identifiers of the last eight events, the newest first. */
export class SeenEvents {
  #ids: string[] = [];

  /** Whether it came before; it is the newest from here on. */
  isRepeated(id: string): boolean {
    const isKnown = this.#ids.includes(id);
    this.#ids = [id, ...this.#ids.filter((other) => other !== id)].slice(0, 8);
    return isKnown;
  }
}
