// Why the device has no connection, as a person can use it: what is the matter, and what mends it. One table for every
// host: the C host gets it as constants (picogrant-numbers.h), and device.json may say it in another language
// (`reasons`). What a server that was reached answered is the core's affair (core/tables/errors.ts).

/** Who can mend it. */
export type Mender = "user" | "network" | "service" | "maker";

export interface Reason {
  /** Its name in device.json, and in C as PG_REASON_NO_CABLE. */
  readonly name: string;
  /** For the display: what is the matter, a bar, what to do. Each half fits 16 characters. */
  readonly text: string;
  readonly mender: Mender;
  /** For a log. */
  readonly sentence: string;
}

const reason = (name: string, text: string, mender: Mender, sentence: string): Reason => ({
  name,
  text,
  mender,
  sentence,
});

/** By number, from 1 on; 0 is none. Numbers are part of what is programmed into devices: new ones go to the end. */
export const reasons: readonly Reason[] = [
  reason("noCable", "No network cable|Plug it in", "user", "there is no link to a network"),
  reason("noAddress", "No address|Check the router", "network", "no address was given (DHCP)"),
  reason("nameNotFound", "Name not found|Check internet", "network", "the name is not found (DNS)"),
  reason("serverSilent", "No answer|Wait a little", "service", "nothing answers there in time"),
  reason("clockWrong", "Clock is wrong|Set the clock", "user", "the time of day is not known"),
  reason(
    "otherName",
    "Not our server|Check internet",
    "network",
    "the certificate is of another name",
  ),
  reason(
    "outOfDate",
    "Server outdated|Tell the service",
    "service",
    "the certificate is out of date",
  ),
  reason(
    "unknownAuthority",
    "Unknown server|Update device",
    "maker",
    "no certificate authority of this device has signed the certificate",
  ),
  reason(
    "tlsTooOld",
    "Server too old|Tell the service",
    "service",
    "there is no common way of TLS",
  ),
  reason(
    "unavailable",
    "Service is down|Wait a little",
    "service",
    "the service refuses connections",
  ),
  reason(
    "settingsBroken",
    "Settings broken|Tell the maker",
    "maker",
    "what the maker set is damaged",
  ),
];

/** Names in device.json, in the table's order. */
export const reasonNames: readonly string[] = reasons.map(({ name }) => name);

/** Reason 0 is none. */
export const NO_REASON = 0;

export function reasonNumber(name: string): number {
  const at = reasonNames.indexOf(name);
  if (at < 0) throw new RangeError(`${name} is no reason`);
  return at + 1;
}

/** The table's texts with a device's own in their places, a line each; "" where all are the table's. */
export function reasonTexts(own: Readonly<Record<string, string>> = {}): string {
  if (Object.keys(own).length === 0) return "";
  return reasons.map(({ name, text }) => own[name] ?? text).join("\n");
}

/** What Node's sockets and its TLS say, by the code of the error. */
const NODE_CODES: Readonly<Record<string, string>> = {
  ENETDOWN: "noCable",
  ENETUNREACH: "noAddress",
  EHOSTUNREACH: "serverSilent",
  EADDRNOTAVAIL: "noAddress",
  ENOTFOUND: "nameNotFound",
  EAI_AGAIN: "nameNotFound",
  ETIMEDOUT: "serverSilent",
  ECONNRESET: "serverSilent",
  EPIPE: "serverSilent",
  ECONNREFUSED: "unavailable",
  CERT_NOT_YET_VALID: "clockWrong",
  CERT_HAS_EXPIRED: "outOfDate",
  ERR_TLS_CERT_ALTNAME_INVALID: "otherName",
  UNABLE_TO_GET_ISSUER_CERT: "unknownAuthority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unknownAuthority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unknownAuthority",
  SELF_SIGNED_CERT_IN_CHAIN: "unknownAuthority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "unknownAuthority",
  CERT_SIGNATURE_FAILURE: "unknownAuthority",
  CERT_UNTRUSTED: "unknownAuthority",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "tlsTooOld",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "tlsTooOld",
  ERR_SSL_WRONG_VERSION_NUMBER: "tlsTooOld",
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: "tlsTooOld",
};

/** The number of the reason behind an error of Node's; NO_REASON where it says nothing of the connection. */
export function reasonOfNode(error: unknown): number {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  const name = typeof code === "string" ? NODE_CODES[code] : undefined;
  if (name !== undefined) return reasonNumber(name);
  return cause === undefined || cause === error ? NO_REASON : reasonOfNode(cause);
}
