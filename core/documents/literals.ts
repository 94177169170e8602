// The literals of the complete build, which follow the core's (memory.ts, Literal).

import { type Device, isSame } from "../device/memory.ts";

/** In the order of COMPLETE_LITERALS. */
export enum CompleteLiteral {
  LIST_MEMBERS = 39,
  PAGE_TOKEN = 40,
  METADATA_MEMBERS = 41,
  OFFER_MEMBERS = 42,
  /** Five parts, one in front of each identifier. */
  OFFER_PATH = 43,
  DRAFT = 48,
  EVENT_POLL_MEMBERS = 49,
  EVENT_MEMBERS = 50,
  EVENT_POLL = 51,
  /** What stands in front of an event's identifier to refuse and to acknowledge it, and behind it. */
  EVENT_ANSWER = 52,
  EVENT_ANSWER_END = 54,
  PREFIX = 56,
  /** https, then three loopback hosts. */
  SECURE = 57,
  OFFER_ANSWER = 61,
  /** Of what refuses any of them. */
  ERROR_MEMBERS = 62,
  NEXT = 63,
}

/** A line each. Member names as in MEMBERS; what is not wanted has a number that nobody wants. */
export var COMPLETE_LITERALS =
  "OnextPageToken \n" +
  "&pageToken=\n" +
  "Oissuer!device_authorization_endpoint!token_endpoint!revocation_endpoint \n" +
  "OpackageName!productId!basePlanId!offerId \n" +
  "/publisher/v3/applications/\n" +
  "/subscriptions/\n" +
  "/basePlans/\n" +
  "/offers?offerId=\n" +
  "&regionsVersion.version=\n" +
  "DRAFT\n" +
  "FmoreAvailable)* \n" +
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
  "https://\n" +
  "http://127.0.0.1\n" +
  "http://localhost\n" +
  "http://[::1]\n" +
  "Ostate \n" +
  "Jstatus error!message%reason \n";

/** Whether the region's value is the literal. */
export function isLiteral(device: Device, region: number, literal: number): boolean {
  return isSame(device, region, literal);
}
