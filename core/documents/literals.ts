// The literals of the complete build, which follow the core's (memory.ts, Literal).

import { type Device, isSame } from "../device/memory.ts";

/** In the order of COMPLETE_LITERALS. */
export enum CompleteLiteral {
  LIST_MEMBERS = 40,
  PAGE_TOKEN = 41,
  METADATA_MEMBERS = 42,
  OFFER_MEMBERS = 43,
  /** Five parts, one in front of each identifier. */
  OFFER_PATH = 44,
  DRAFT = 49,
  EVENT_POLL_MEMBERS = 50,
  EVENT_MEMBERS = 51,
  EVENT_POLL = 52,
  /** What stands in front of an event's identifier to refuse and to acknowledge it, and behind it. */
  EVENT_ANSWER = 53,
  EVENT_ANSWER_END = 55,
  PREFIX = 57,
  /** https, then three loopback hosts. */
  SECURE = 58,
  OFFER_ANSWER = 62,
  /** Of what refuses any of them. */
  ERROR_MEMBERS = 63,
  NEXT = 64,
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
