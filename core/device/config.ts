// The developer's settings, and their validation.

import { Message } from "./errors.ts";
import { Limit } from "./limits.ts";

/** How the client authenticates at the authorization server (RFC 6749 §2.3). */
export enum ClientAuthentication {
  /** A public client: `client_id` alone. */
  NONE = 0,
  /** `client_id` and `client_secret` in the body of every request of the grant. */
  CLIENT_SECRET_POST = 1,
  /** HTTP Basic with `client_id` and `client_secret`, in every request of the grant. */
  CLIENT_SECRET_BASIC = 2,
  /**
   * As in the device authorization specification: polls and refreshes have the secret in the body, other requests do
   * not. A revocation has the token in its query.
   */
  SPECIFICATION = 3,
}

/** Whether device authorization requests have a code challenge (RFC 7636). The host creates it (Command.CHALLENGE). */
export enum Pkce {
  NEVER = 0,
  /** Requests have a code challenge after the server has demanded one in an error. */
  ON_DEMAND = 1,
  /** Every device authorization request has a code challenge. */
  ALWAYS = 2,
}

/** The developer's settings. Strings are only read during create. */
export interface Config {
  /** Client identifier. */
  clientId: string;
  /** The secret; "" for a client without one. */
  clientSecret: string;
  /** The client authentication in requests to the authorization server, one of ClientAuthentication. */
  clientAuthentication: number;
  /**
   * Identifies the authorization server in stored records: its issuer identifier, or the whole address of its token
   * endpoint, because tenants may share an origin. Records under another name, except `formerServer`, are ignored.
   */
  server: string;
  /**
   * The name that an older version used for the server. A record under this name is valid, and is rewritten under
   * `server` at once. "" or omitted: none.
   */
  formerServer?: string;
  /** Scopes, separated by spaces. */
  scope: string;
  /** Additional form parameters of the device authorization request, form-encoded, each preceded by `&`, or "". */
  deviceParameters: string;
  /** Additional form parameters of polls and refreshes, in the same format, such as `&resource=...` (RFC 8707). */
  tokenParameters: string;
  /** Columns of the display, 16..80. */
  columns: number;
  /** Rows of the display, 2..8. */
  rows: number;
  /** Random bits for jitter, 0..67108863; different for each device. */
  seed: number;
  /** 1: requests a code at the start if nothing is stored; 0: waits for signIn. */
  autoStart: number;
  /** How many further codes the device requests without user interaction if codes expire, 0..1000; 3 is reasonable. */
  renewalsMax: number;
  /**
   * The first request after a start, and each request that replaces an expired code, waits for a random time below this
   * limit, in milliseconds, 0..3600000. Only a device with stored tokens waits longer than a minute. When refreshes
   * fail temporarily, their backoff grows at most to this limit, or to 64 s if that is longer. Omitted: 5000, because
   * devices start together after a power cut. Set 0 if a user waits at the start.
   */
  startSpreadMs?: number;
  /** Whether device authorization requests have a code challenge, one of Pkce. NEVER if omitted. */
  pkce?: number;
  /**
   * 1: grant requests have JSON bodies, for a server that requires JSON; 0 or omitted: forms (RFC 6749). After a 415,
   * the device retries the request once in the other format.
   */
  jsonBodies?: number;
  /**
   * Display texts in another language: at least as many lines as MESSAGES, in the same order; "" for the default texts.
   * Each character is one byte of the display's character set, 1..255 except line feed (10).
   */
  messages: string;
}

/** The members of Config by number, for configError. */
export enum ConfigMember {
  /** No problem. */
  NONE = 0,
  CLIENT_ID = 1,
  CLIENT_SECRET = 2,
  CLIENT_AUTHENTICATION = 3,
  SERVER = 4,
  SCOPE = 5,
  DEVICE_PARAMETERS = 6,
  TOKEN_PARAMETERS = 7,
  COLUMNS = 8,
  ROWS = 9,
  SEED = 10,
  AUTO_START = 11,
  RENEWALS_MAX = 12,
  MESSAGES = 13,
  START_SPREAD_MS = 14,
  PKCE = 15,
  FORMER_SERVER = 16,
  JSON_BODIES = 17,
}

function isText(value: string): boolean {
  return typeof value === "string";
}

function isWithin(value: number, least: number, most: number): boolean {
  return (value | 0) === value && value >= least && value <= most;
}

function isOptional(value: number | undefined, most: number): boolean {
  return value === undefined || isWithin(value, 0, most);
}

/** Whether the text can be appended to form parameters: it is empty or starts with `&`. */
function areParameters(value: string): boolean {
  return isText(value) && (value === "" || value.charCodeAt(0) === 38);
}

export function startSpreadOf(config: Config): number {
  return config.startSpreadMs === undefined ? Limit.BOOT_SPREAD_MS : config.startSpreadMs;
}

/** Whether the text has a line for every display text, or is empty. */
function areMessages(value: string): boolean {
  if (!isText(value)) return false;
  var lines = 1;
  for (var i = value.length; i-- > 0; ) if (value.charCodeAt(i) === 10) lines++;
  return value === "" || lines >= Message.COUNT;
}

/**
 * Checks a configuration. `create` rejects an invalid one.
 * @returns the first member that is missing or invalid, NONE if all are valid
 */
export function configError(config: Config): ConfigMember {
  if (!isText(config.clientId)) return ConfigMember.CLIENT_ID;
  if (!isText(config.clientSecret)) return ConfigMember.CLIENT_SECRET;
  if (!isWithin(config.clientAuthentication, 0, ClientAuthentication.SPECIFICATION)) {
    return ConfigMember.CLIENT_AUTHENTICATION;
  }
  if (!isText(config.server)) return ConfigMember.SERVER;
  if (!isText(config.formerServer || "")) return ConfigMember.FORMER_SERVER;
  if (!isText(config.scope)) return ConfigMember.SCOPE;
  if (!areParameters(config.deviceParameters)) return ConfigMember.DEVICE_PARAMETERS;
  if (!areParameters(config.tokenParameters)) return ConfigMember.TOKEN_PARAMETERS;
  if (!isWithin(config.columns, Limit.COLUMNS_MIN, Limit.COLUMNS_MAX)) return ConfigMember.COLUMNS;
  if (!isWithin(config.rows, Limit.ROWS_MIN, Limit.ROWS_MAX)) return ConfigMember.ROWS;
  if (!isWithin(config.seed, 0, Limit.SEED_MAX)) return ConfigMember.SEED;
  if (!isWithin(config.autoStart, 0, 1)) return ConfigMember.AUTO_START;
  if (!isWithin(config.renewalsMax, 0, Limit.RENEWALS_MAX)) return ConfigMember.RENEWALS_MAX;
  if (!areMessages(config.messages)) return ConfigMember.MESSAGES;
  if (!isWithin(startSpreadOf(config), 0, Limit.START_SPREAD_MAX_MS)) {
    return ConfigMember.START_SPREAD_MS;
  }
  if (!isOptional(config.pkce, Pkce.ALWAYS)) return ConfigMember.PKCE;
  return isOptional(config.jsonBodies, 1) ? ConfigMember.NONE : ConfigMember.JSON_BODIES;
}
