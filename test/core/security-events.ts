// Security events as a server makes them, and handing them in: helpers of their tests.

import { type Bench, bytesOf, json, type Reaction } from "./bench.ts";

export const TYPES = "https://schemas.openid.net/secevent/";
export const SESSIONS_REVOKED = `${TYPES}risc/event-type/sessions-revoked`;
export const TOKEN_REVOKED = `${TYPES}oauth/event-type/token-revoked`;
export const ACCOUNT_DISABLED = `${TYPES}risc/event-type/account-disabled`;
export const VERIFICATION = `${TYPES}risc/event-type/verification`;
export const SUBJECT = { subject_type: "iss-sub", iss: "https://issuer.example", sub: "123" };
let count = 0;

export const claims = (
  type: string,
  event: object = { subject: SUBJECT },
  jti = `event-${count++}`,
) => ({
  iss: "https://issuer.example",
  aud: "printer",
  iat: 1508184845,
  jti,
  events: { [type]: event },
});
export const tokenSubject = (token: string, alg = "prefix") => ({
  subject: {
    subject_type: "oauth_token",
    token_type: "refresh_token",
    token_identifier_alg: alg,
    token,
  },
});

/** Hands a verified event in; what applySecurityEvent says. */
export function hand(bench: Bench, event: unknown): number {
  const bytes = bytesOf(typeof event === "string" ? event : JSON.stringify(event));
  const said = bench.core.applySecurityEvent(bench.device, bytes, 0, bytes.length);
  bench.run(0);
  return said;
}
export const wiped = (bench: Bench): boolean => bench.slots.every((slot) => slot.length === 0);

export const jws = (payload: unknown): string =>
  ["eyJhbGciOiJSUzI1NiJ9", Buffer.from(JSON.stringify(payload)).toString("base64url"), "c2ln"].join(
    ".",
  );
export const delivery = (payload: { jti: string }): Reaction =>
  json(200, { sets: { [payload.jti]: jws(payload) }, moreAvailable: false });
export const EMPTY = json(200, { sets: {}, moreAvailable: false });
