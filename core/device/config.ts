// What the maker of a device sets.

/** How the client authenticates at the authorization server (RFC 6749 §2.3). */
export enum ClientAuthentication {
  /** A public client: `client_id` alone. */
  NONE = 0,
  /** `client_id` and `client_secret` in the body of every request. */
  CLIENT_SECRET_POST = 1,
  /** HTTP Basic with both, in every request. */
  CLIENT_SECRET_BASIC = 2,
  /**
   * As the two documents' service has it: the secret in the body of token requests alone, and the token
   * to revoke in the query.
   */
  DOCUMENTS = 3,
}

/** Strings are read during create only. */
export interface Config {
  /** Client identifier and secret; "" for a client without a secret. */
  clientId: string;
  clientSecret: string;
  /** One of ClientAuthentication, for every request to the authorization server. */
  clientAuthentication: number;
  /**
   * What tells this authorization server from others: its issuer identifier, or the origin of its token
   * endpoint. What is stored under one server is never sent to another.
   */
  server: string;
  /** Scopes, separated by spaces. */
  scope: string;
  /**
   * Further form parameters of the device authorization request for servers that want them, already
   * encoded and starting with `&`; "" for none.
   */
  deviceParameters: string;
  /** The same for token requests: polls and refreshes (`&resource=...`, RFC 8707). */
  tokenParameters: string;
  /** Size of the display: 16..80 columns, 2..8 rows. */
  columns: number;
  rows: number;
  /** Random bits for jitter, 0..67108863; two devices should not have the same. */
  seed: number;
  /** 1: asks for a code at the start when nothing is kept; 0: waits for signIn. */
  autoStart: number;
  /** Codes asked for without the user doing anything, 0..1000; 3 is a good number. */
  renewalsMax: number;
  /**
   * Display texts in another language, as many lines as MESSAGES; "" for the default. Each character is
   * one byte of the display's character set, 1..255 but for tab (9) and line feed (10).
   */
  messages: string;
}
