// Reasons for a missing connection or response, as users see them: the problem and the fix. The C host gets this table as
// constants (picogrant-numbers.h), and `reasons` of device.json may replace its texts. Adapters in JavaScript use the same
// sentences about responses (limits.ts). core/tables/errors.ts has the errors that a server reports.

import { CUT_OFF, HEAD_TOO_LONG, NOT_HTTP, TOO_LONG, UNKNOWN_CODING } from "../exchange/limits.ts";

export interface Reason {
  /** The name in device.json. In C, it is a constant such as PG_REASON_NO_CABLE. */
  readonly name: string;
  /** The text on the display: the problem, a bar, and the fix. Each part has at most 16 characters. */
  readonly text: string;
  /** The text in a log. */
  readonly sentence: string;
}

/** The reasons by number, from 1; 0 means no reason. Devices in the field use these numbers, so only append. */
export const reasons: readonly Reason[] = Object.entries<readonly [string, string]>({
  noCable: ["No network cable|Plug it in", "there is no link to a network"],
  noAddress: ["No address|Check the router", "no address was given (DHCP)"],
  nameNotFound: ["Name not found|Check internet", "the name is not found (DNS)"],
  serverSilent: ["No response|Wait a little", "the server does not respond in time"],
  clockWrong: ["Clock is wrong|Set clock or NTP", "the clock is wrong or unset"],
  otherName: ["Not our server|Check internet", "the certificate is of another name"],
  outOfDate: ["Server outdated|Tell the service", "the certificate is out of date"],
  unknownAuthority: [
    "Unknown server|Update device",
    "no certificate authority of this device has signed the certificate",
  ],
  tlsTooOld: ["Server too old|Tell the service", "there is no common way of TLS"],
  unavailable: ["Service is down|Wait a little", "the service refuses connections"],
  settingsBroken: ["Settings broken|Contact support", "the settings are damaged"],
  notHttp: ["No web service|Contact support", NOT_HTTP],
  tooLong: ["Response too big|Contact support", TOO_LONG],
  cutOff: ["Response cut off|Wait a little", CUT_OFF],
  unknownCoding: ["Unknown coding|Tell the service", UNKNOWN_CODING],
  noSeed: ["No random seed|Contact support", "there is no seed for randomness"],
  headTooLong: ["Headers too long|Tell the service", HEAD_TOO_LONG],
  clientCertificate: ["No certificate|Contact support", "the server requires a client certificate"],
  keyChanged: [
    "Key was replaced|Sign in again",
    "the tokens are bound to another key: restore it before the next start, or sign in again",
  ],
}).map(([name, [text, sentence]]) => ({ name, text, sentence }));

/** Returns all texts, one per line: for each reason the device's own text or the built-in one; "" without own texts. */
export function reasonTexts(own: Readonly<Record<string, string>> = {}): string {
  if (Object.keys(own).length === 0) return "";
  return reasons.map(({ name, text }) => own[name] ?? text).join("\n");
}
