// What the two documents say, row by row: the tables' rows, and the sentences beside them. The table of
// tests (COVERAGE.md) is made from these and from the tests' names.

/** Who has to do with a row: most concern both; a reason is given where one side has nothing to do. */
export type Sides = "both" | { readonly only: "service" | "device"; readonly because: string };

export interface Row {
  readonly document: "device doc" | "offer doc";
  readonly section: string;
  readonly row: string;
  /** With one of these a test of this row goes on after it has cited the section. */
  readonly keys: readonly string[];
  readonly sides: Sides;
}

function service(because: string): Sides {
  return { only: "service", because };
}

function device(because: string): Sides {
  return { only: "device", because };
}

type Line = readonly [
  section: string,
  row: string,
  keys?: readonly string[] | undefined,
  sides?: Sides,
];

function rows(document: Row["document"], lines: readonly Line[]): Row[] {
  return lines.map(([section, row, keys, sides]) => ({
    document,
    section,
    row,
    keys: keys ?? [row],
    sides: sides ?? "both",
  }));
}

/** Documents' titles, in the order of the table. */
export const documents = {
  "device doc": "Device Authorization Service",
  "offer doc": "Subscription Offer Creation Operation",
} as const;

export const documentRows: readonly Row[] = [
  ...rows("device doc", [
    ["1", "the six steps"],
    ["2.1", "device_code"],
    ["2.1", "user_code"],
    ["2.1", "verification_url"],
    ["2.1", "expires_in"],
    ["2.1", "interval"],
    ["2.2", "access_token"],
    ["2.2", "expires_in"],
    ["2.2", "refresh_token"],
    ["2.2", "refresh_token_expires_in"],
    ["2.2", "scope"],
    ["2.2", "token_type"],
    ["2.3", "Polling error"],
    ["2.3", "Quota error"],
    ["2.4", "client_id"],
    ["2.4", "client_secret"],
    ["3", "(none): device code request", ["(none), Device code request", "code, account, Allow"]],
    [
      "3",
      "pending: user has not finished",
      ["pending, Poll: 428", "pending: polls at exactly the interval"],
    ],
    [
      "3",
      "pending: polled faster than interval",
      ["pending, slow_down", "pending: by default slow_down"],
    ],
    ["3", "granted", ["granted", "code, account, Allow"]],
    ["3", "denied", ["denied", "Deny"]],
    ["3", "expired", ["expired", "an expired code is explained"]],
    [
      "3",
      "token lifetimes",
      [
        "lifetimes",
        "an access token works until expires_in seconds",
        "what the user revokes is dead",
      ],
    ],
    [
      "4",
      "bodies are forms",
      ["every body of the grant reads as a form", "a body that is not a form"],
    ],
    ["4.1", "client_id"],
    ["4.1", "scope", ["scope", "client_id: and row scope"]],
    [
      "4.1",
      "published as device_authorization_endpoint",
      [
        "discovery: the metadata's device_authorization_endpoint",
        "/.well-known/oauth-authorization-server publishes",
        "/.well-known/openid-configuration publishes",
      ],
    ],
    ["4.2", "client_id"],
    ["4.2", "client_secret"],
    ["4.2", "device_code"],
    ["4.2", "grant_type"],
    [
      "4.2",
      "polls every interval until a final answer",
      undefined,
      device("the service only answers"),
    ],
    ["4.3", "client_id"],
    ["4.3", "client_secret"],
    ["4.3", "refresh_token"],
    ["4.3", "grant_type"],
    [
      "4.3",
      "success: four fields",
      [
        "the response's four fields are enough",
        "a refresh answers access_token, expires_in, scope, token_type",
      ],
    ],
    [
      "4.4",
      "token in the query string",
      [
        "token: in the query string",
        "token: access_token in the query",
        "token: refresh_token in the query",
      ],
    ],
    ["4.4", "success is 200", ["200 with the body", "a refresh token in the query, 200"]],
    ["4.5", "part and mine", ["part and mine", "part: and mine"]],
    [
      "5.1",
      "client_id alone",
      ["client_id alone", "the device code request identifies the client by client_id only"],
    ],
    [
      "5.2",
      "client_id and client_secret when polling and refreshing",
      ["polling and refreshing send", "refreshing needs the client's secret"],
    ],
    [
      "5.3",
      "bearer credential",
      [
        "401: refreshed and sent again once, with the new token",
        "in the header or in the query parameter access_token",
      ],
    ],
    ["5.4", "client type", ["invalid_client is final", "a client of another type is refused"]],
    [
      "5.5",
      "allowed scopes",
      [
        "the scope email goes out",
        "the scope openid goes out",
        "email is allowed",
        "openid is allowed",
        "profile is allowed",
        '"calendar" is 400 invalid_scope',
      ],
    ],
    [
      "5.6",
      "the video API's scopes",
      ["the video API's"],
      service("a scope is a text to the device: it sends what its maker has set"),
    ],
    [
      "5.7",
      "NoLinkedVideoAccount",
      ["NoLinkedVideoAccount", "a service account is refused with NoLinkedVideoAccount"],
    ],
    [
      "5.8",
      "the consent screen",
      ["the page names the app, the code and each scope"],
      service("the page is the service's"),
    ],
    ["6", "sessions-revoked"],
    ["6", "token-revoked"],
    ["6", "account-disabled"],
    [
      "7",
      "Device code request: 403 rate_limit_exceeded",
      ["Device code request: 403 rate_limit_exceeded", "Device code request: 403 with error_code"],
    ],
    ["7", "Poll: 428 authorization_pending"],
    ["7", "Poll: 403 access_denied"],
    ["7", "Poll: 403 slow_down"],
    ["7", "Poll: 400 admin_policy_enforced"],
    ["7", "Poll: 401 invalid_client"],
    ["7", "Poll: 400 invalid_grant", ["Poll: 400 invalid_grant", "Poll: invalid_grant"]],
    ["7", "Poll: 400 unsupported_grant_type"],
    ["7", "Poll: 403 org_internal"],
    ["7", "Revoke: 400"],
    [
      "7",
      "missing parameters or wrong values: 400 or 401",
      [
        "400 for missing parameters or wrong values",
        "401 for missing parameters or wrong values",
        "Poll: a missing client_id",
        "Poll: a missing client_secret",
        "Poll: a missing device_code",
        "Poll: a missing grant_type",
      ],
    ],
    ["8", "Code lifetime"],
    ["8", "Polling rate"],
    [
      "8",
      "Device code request quota",
      ["Device code request quota", "the quota is counted per client_id"],
    ],
    ["8", "Refresh tokens issued"],
    ["8", "user_code display", ["user_code display", "a user code fits 15 wide characters"]],
    [
      "8",
      "verification_url display",
      ["verification_url display", "the verification URL fits 40 characters"],
    ],
    ["8", "Refresh token lifetime"],
    ["9", "the path carries v3", ["the path carries v3", "the path goes out with its version"]],
  ]),
  ...rows("offer doc", [
    ["1", "auto-renewing base plans only", ["a base plan that"]],
    ["2", "packageName"],
    ["2", "productId"],
    ["2", "basePlanId"],
    ["2", "offerId"],
    ["2", "state: DRAFT after creation", ["state"]],
    ["3", "(none): create offer, to DRAFT", ["(none), Create offer", "a new offer is DRAFT"]],
    ["4", "method and path", ["method and path", "the documented request creates the offer"]],
    ["4", "packageName"],
    ["4", "productId"],
    ["4", "basePlanId"],
    ["4", "offerId"],
    ["4", "regionsVersion"],
    ["4", "request body", ["request body", 'the body "', "a body of another type"]],
    [
      "4",
      "response body",
      ["response body", "the documented request creates the offer and returns it"],
    ],
    ["5", "the scope publisher", ["without the publisher scope", "a missing scope (403)"]],
    ["7", "errors, not shown", ["every refusal has the same body", "whatever the refusal"]],
    ["9", "the path carries v3", ["the path carries v3", "the path carries the version v3"]],
  ]),
];
