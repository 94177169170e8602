// The literals of requests beyond the grant, which follow the core's (memory.ts, Literal).

/** In the order of REQUEST_LITERALS. */
export enum RequestLiteral {
  RESOURCE_MEMBERS = 42,
  PAGE_TOKEN = 43,
  METADATA_MEMBERS = 44,
  /** https, then three loopback hosts. */
  SECURE = 45,
  /** Members of an error response to any of these requests. */
  REFUSAL_MEMBERS = 49,
  NEXT = 50,
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
