// The literals of requests beyond the grant, which follow the core's (memory.ts, Literal).

/** In the order of REQUEST_LITERALS. */
export enum RequestLiteral {
  RESOURCE_MEMBERS = 41,
  PAGE_TOKEN = 42,
  METADATA_MEMBERS = 43,
  /** https, then three loopback hosts. */
  SECURE = 44,
  /** Members of an error response to any of these requests. */
  REFUSAL_MEMBERS = 48,
  NEXT = 49,
}

/** A line each. Member names as in MEMBERS. */
export var REQUEST_LITERALS =
  "OnextPageToken \n" +
  "pageToken=\n" +
  "Oissuer!device_authorization_endpoint!token_endpoint!revocation_endpoint \n" +
  "https://\n" +
  "http://127.0.0.1\n" +
  "http://localhost\n" +
  "http://[::1]\n" +
  "Ostatus error!reason!message \n";
