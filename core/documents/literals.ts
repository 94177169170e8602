// The literals of what is the two documents' own, which follow those of requests (requests/literals.ts).

/** In the order of DOCUMENT_LITERALS. */
export enum DocumentLiteral {
  OFFER_MEMBERS = 49,
  /** Five parts, one in front of each identifier. */
  OFFER_PATH = 50,
  DRAFT = 55,
  /** What is looked for around the events of a poll, and of them: all. */
  EVENT_POLL_MEMBERS = 56,
  ANY_MEMBER = 57,
  EVENT_MEMBERS = 58,
  EVENT_POLL = 59,
  /** What stands before an event's identifier, and after it, in the same order. */
  EVENT_REFUSED = 60,
  EVENT_ACKNOWLEDGED = 61,
  EVENT_REFUSED_END = 62,
  EVENT_ACKNOWLEDGED_END = 63,
  PREFIX = 64,
  OFFER_ANSWER = 65,
  NEXT = 66,
}

/** A line each. Member names as in MEMBERS. */
export var DOCUMENT_LITERALS =
  "OpackageName!productId!basePlanId!offerId \n" +
  "/publisher/v3/applications/\n" +
  "/subscriptions/\n" +
  "/basePlans/\n" +
  "/offers?offerId=\n" +
  "&regionsVersion.version=\n" +
  "DRAFT\n" +
  "Ksets \n" +
  "O* \n" +
  "Pjti!token_identifier_alg!token!" +
  "https://schemas.openid.net/secevent/risc/event-type/sessions-revoked!" +
  "https://schemas.openid.net/secevent/oauth/event-type/token-revoked " +
  "https://schemas.openid.net/secevent/oauth/event-type/tokens-revoked!" +
  "https://schemas.openid.net/secevent/risc/event-type/account-disabled \n" +
  '{"maxEvents":1,"returnImmediately":true\n' +
  ',"setErrs":{"\n' +
  ',"ack":["\n' +
  '":{"err":"authentication_failed"}}\n' +
  '"]\n' +
  "prefix\n" +
  "Ostate \n";
