// The literals of the complete build, which follow the core's (memory.ts, Literal).

/** In the order of COMPLETE_LITERALS. */
export enum CompleteLiteral {
  API_MEMBERS = 6,
  PAGE_TOKEN = 7,
  METADATA_MEMBERS = 8,
  OFFER_MEMBERS = 9,
  /** Five parts, one in front of each identifier. */
  OFFER_PATH = 10,
  DRAFT = 15,
  EVENT_POLL_MEMBERS = 16,
  EVENT_MEMBERS = 17,
  EVENT_POLL = 18,
  EVENT_ACKNOWLEDGE = 19,
  EVENT_REFUSE = 20,
  EVENT_REFUSE_END = 21,
  EVENT_END = 22,
  PREFIX = 23,
  /** https, then three loopback hosts. */
  SECURE = 24,
  OFFER_ANSWER = 28,
}

/** A line each. Member names after the letter of their field, as in MEMBERS. */
export var COMPLETE_LITERALS =
  "Jstatus Jerror Kmessage LnextPageToken Mreason \n" +
  "&pageToken=\n" +
  "Lissuer Mdevice_authorization_endpoint Ntoken_endpoint Orevocation_endpoint \n" +
  "LpackageName MproductId NbasePlanId OofferId \n" +
  "/publisher/v3/applications/\n" +
  "/subscriptions/\n" +
  "/basePlans/\n" +
  "/offers?offerId=\n" +
  "&regionsVersion.version=\n" +
  "DRAFT\n" +
  "NmoreAvailable L* \n" +
  "Mjti Ntoken_identifier_alg Otoken " +
  "Shttps://schemas.openid.net/secevent/risc/event-type/sessions-revoked " +
  "Thttps://schemas.openid.net/secevent/oauth/event-type/token-revoked " +
  "Thttps://schemas.openid.net/secevent/oauth/event-type/tokens-revoked " +
  "Uhttps://schemas.openid.net/secevent/risc/event-type/account-disabled \n" +
  '{"maxEvents":1,"returnImmediately":true\n' +
  ',"ack":["\n' +
  ',"setErrs":{"\n' +
  '":{"err":"authentication_failed"}\n' +
  '"]\n' +
  "prefix\n" +
  "https://\n" +
  "http://127.0.0.1\n" +
  "http://localhost\n" +
  "http://[::1]\n" +
  "Jstatus Jerror Kmessage Lstate Mreason \n";
