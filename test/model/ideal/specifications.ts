// Models security events (RFC 8417 §2, with the RISC and OAuth event types) and subscription offers.

import { OfferError } from "../../../core/complete.ts";
import { type Document, membersOf, membersWithin, readJson, textOf } from "./json.ts";
import { formEncoded } from "./requests.ts";

export interface EventClaims {
  id: string;
  isAccountDisabled: boolean;
  isTokenRevoked: boolean;
  isSessionsRevoked: boolean;
  /** Identifies the revoked token; undefined if the event has no token, or one that is not text. */
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

/** @returns undefined if the text is not complete JSON or has no identifier */
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

/** Decodes the payload of a JWS in compact serialization (RFC 7515 §7.1). Does not check the signature. */
export function payloadOf(set: string): string {
  const payload = /^[^.]*\.([A-Za-z0-9_-]*)/.exec(set)?.[1] ?? "";
  return Buffer.from(payload, "base64url").toString("latin1");
}

export class SeenEvents {
  #ids: string[] = [];

  isRepeated(id: string): boolean {
    const isKnown = this.#ids.includes(id);
    this.#ids = [id, ...this.#ids.filter((other) => other !== id)].slice(0, 8);
    return isKnown;
  }
}

// A subscription offer: its target, names and body, as the subscription offer specification defines them.

const BEFORE = [
  "/publisher/v3/applications/",
  "/subscriptions/",
  "/basePlans/",
  "/offers?offerId=",
  "&regionsVersion.version=",
];

/** The target of an offer with the names packageName, productId, basePlanId, offerId and regionsVersion. */
export function offerTarget(lines: readonly string[], count = BEFORE.length): string {
  const names = BEFORE.slice(0, count).map((_, i) => lines[i] ?? "");
  return names.map((name, i) => BEFORE[i] + (i === 4 ? formEncoded(name) : name)).join("");
}

/** The format and maximum length of each of an offer's five names. */
const NAMES: readonly [RegExp, number][] = [
  [/^[A-Za-z0-9._]+$/, 255],
  [/^[a-z0-9._]+$/, 40],
  [/^[a-z0-9-]+$/, 63],
  [/^[a-z0-9][a-z0-9-]*$/, 63],
  [/^[\x21-\x7e]+$/, 63],
];

/** @returns the error of the first name that is invalid or does not fit, or NONE */
export function wrongName(lines: readonly string[], capacity: number): OfferError {
  for (let i = 0; i < NAMES.length; i++) {
    const [format, most] = NAMES[i]!;
    const name = lines[i] ?? "";
    const size = i === 4 ? formEncoded(name).length : name.length;
    if (!format.test(name) || size > most) return OfferError.PACKAGE_NAME + i;
    if (offerTarget(lines, i + 1).length > capacity) return OfferError.TOO_LONG;
  }
  return OfferError.NONE;
}

/** @returns NONE, or the first error: incomplete JSON, or a name in the body that does not fit or that differs */
export function wrongBody(lines: readonly string[], body: string, capacity: number): number {
  const document = readJson(body);
  if (!document.isComplete) return OfferError.BODY;
  const members = membersOf(document);
  for (const [i, name] of ["packageName", "productId", "basePlanId", "offerId"].entries()) {
    const value = members.get(name);
    if (name === "offerId" && value === undefined) continue;
    if (value && value.length > capacity) return OfferError.TOO_LONG;
    if (value !== lines[i]) return OfferError.BODY_PACKAGE_NAME + i;
  }
  return OfferError.NONE;
}
