// The literals of the complete build, which follow the core's (memory.ts, Literal).

import { type Device, equals } from "./memory.ts";

/** In the order of COMPLETE_LITERALS. */
export enum CompleteLiteral {
  API_MEMBERS = 38,
  PAGE_TOKEN = 39,
  METADATA_MEMBERS = 40,
  OFFER_MEMBERS = 41,
  /** Five parts, one in front of each identifier. */
  OFFER_PATH = 42,
  DRAFT = 47,
  EVENT_POLL_MEMBERS = 48,
  EVENT_MEMBERS = 49,
  EVENT_POLL = 50,
  EVENT_ACKNOWLEDGE = 51,
  EVENT_REFUSE = 52,
  EVENT_REFUSE_END = 53,
  EVENT_END = 54,
  PREFIX = 55,
  /** https, then three loopback hosts. */
  SECURE = 56,
  OFFER_ANSWER = 60,
  NEXT = 61,
}

/** A line each. Member names after the letter of their field, as in MEMBERS. */
export var COMPLETE_LITERALS =
  "Jstatus Jerror Kmessage OnextPageToken Preason \n" +
  "&pageToken=\n" +
  "Oissuer Pdevice_authorization_endpoint Qtoken_endpoint Rrevocation_endpoint \n" +
  "OpackageName PproductId QbasePlanId RofferId \n" +
  "/publisher/v3/applications/\n" +
  "/subscriptions/\n" +
  "/basePlans/\n" +
  "/offers?offerId=\n" +
  "&regionsVersion.version=\n" +
  "DRAFT\n" +
  "AmoreAvailable O* \n" +
  "Pjti Qtoken_identifier_alg Rtoken " +
  "Shttps://schemas.openid.net/secevent/risc/event-type/sessions-revoked " +
  "Thttps://schemas.openid.net/secevent/oauth/event-type/token-revoked " +
  "Thttps://schemas.openid.net/secevent/oauth/event-type/tokens-revoked " +
  "Uhttps://schemas.openid.net/secevent/risc/event-type/account-disabled \n" +
  '{"maxEvents":1,"returnImmediately":true\n' +
  ',"ack":["\n' +
  ',"setErrs":{"\n' +
  '":{"err":"authentication_failed"}}\n' +
  '"]\n' +
  "prefix\n" +
  "https://\n" +
  "http://127.0.0.1\n" +
  "http://localhost\n" +
  "http://[::1]\n" +
  "Jstatus Jerror Kmessage Ostate Preason \n";

/** Whether the region's value is the literal. */
export function isLiteral(device: Device, region: number, literal: number): boolean {
  return equals(device, region, device.at[literal], device.size[literal]);
}
