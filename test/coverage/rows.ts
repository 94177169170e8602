// What the two documents say, row by row: the tables' rows, and the sentences beside them. The table of
// tests (COVERAGE.md) is made from these and from the tests' names.

/** Who has to do with a row: most concern both; a reason is given where one side has nothing to do. */
export type Sides = "both" | { readonly only: "service" | "device"; readonly because: string };

export interface Row {
  readonly document: "device doc" | "offer doc";
  readonly section: string;
  readonly row: string;
  /** Words by which the tests of this row are told from others of the section. */
  readonly words: RegExp;
  readonly sides: Sides;
}

function service(because: string): Sides {
  return { only: "service", because };
}

function device(because: string): Sides {
  return { only: "device", because };
}

type Line = readonly [section: string, row: string, words?: RegExp, sides?: Sides];

function rows(document: Row["document"], lines: readonly Line[]): Row[] {
  return lines.map(([section, row, words, sides]) => ({
    document,
    section,
    row,
    words: words ?? new RegExp(`\\b${row}\\b`),
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
    ["1", "the six steps", /six steps/],
    ["2.1", "device_code"],
    ["2.1", "user_code", /user_code|user code/],
    ["2.1", "verification_url"],
    ["2.1", "expires_in"],
    ["2.1", "interval"],
    ["2.2", "access_token"],
    ["2.2", "expires_in"],
    ["2.2", "refresh_token", /row refresh_token\b/],
    ["2.2", "refresh_token_expires_in"],
    ["2.2", "scope"],
    ["2.2", "token_type"],
    ["2.3", "Polling error"],
    ["2.3", "Quota error"],
    ["2.4", "client_id"],
    ["2.4", "client_secret"],
    ["3", "(none): device code request", /device code request|code, account, Allow/i],
    ["3", "pending: user has not finished", /pending/],
    ["3", "pending: polled faster than interval", /slow_down|exactly the interval/],
    ["3", "granted", /granted|Allow/],
    ["3", "denied", /denied|Deny/],
    ["3", "expired", /expired/],
    ["3", "token lifetimes", /lifetime|outlives|revok/i],
    ["4", "bodies are forms", /form/],
    ["4.1", "client_id"],
    ["4.1", "scope"],
    ["4.1", "published as device_authorization_endpoint", /discovery|published|metadata/],
    ["4.2", "client_id"],
    ["4.2", "client_secret"],
    ["4.2", "device_code"],
    ["4.2", "grant_type"],
    [
      "4.2",
      "polls every interval until a final answer",
      /polls every interval/,
      device("the service only answers"),
    ],
    ["4.3", "client_id"],
    ["4.3", "client_secret"],
    ["4.3", "refresh_token"],
    ["4.3", "grant_type"],
    ["4.3", "success: four fields", /four fields|access_token, expires_in, scope, token_type/],
    ["4.4", "token in the query string", /query/],
    ["4.4", "success is 200", /200/],
    ["4.5", "part and mine", /part/],
    ["5.1", "client_id alone", /client_id/],
    ["5.2", "client_id and client_secret when polling and refreshing", /secret/],
    ["5.3", "bearer credential", /./],
    ["5.4", "client type", /invalid_client/],
    ["5.5", "allowed scopes", /scope|allowed/],
    [
      "5.6",
      "the video API's scopes",
      /./,
      service("a scope is a text to the device: it sends what its maker has set"),
    ],
    ["5.7", "NoLinkedVideoAccount"],
    ["5.8", "the consent screen", /scope/, service("the page is the service's")],
    ["6", "sessions-revoked", /sessions-revoked|sign-out-everywhere/],
    ["6", "token-revoked", /token-revoked|\/account\/remove/],
    ["6", "account-disabled", /account-disabled|\/account\/disable/],
    ["7", "Device code request: 403 rate_limit_exceeded", /403 (with error_code|rate_limit)/],
    ["7", "Poll: 428 authorization_pending", /428 authorization_pending/],
    ["7", "Poll: 403 access_denied", /403 access_denied/],
    ["7", "Poll: 403 slow_down", /403 slow_down/],
    ["7", "Poll: 400 admin_policy_enforced", /400 admin_policy_enforced/],
    ["7", "Poll: 401 invalid_client", /401 invalid_client/],
    ["7", "Poll: 400 invalid_grant", /Poll: (400 )?invalid_grant/],
    ["7", "Poll: 400 unsupported_grant_type", /400 unsupported_grant_type/],
    ["7", "Poll: 403 org_internal", /403 org_internal/],
    ["7", "Revoke: 400", /Revoke: 400/],
    ["7", "missing parameters or wrong values: 400 or 401", /missing/],
    ["8", "Code lifetime"],
    ["8", "Polling rate"],
    ["8", "Device code request quota", /quota/],
    ["8", "Refresh tokens issued"],
    ["8", "user_code display", /user_code display|user code fits/],
    ["8", "verification_url display", /verification_url display|verification URL fits/],
    ["8", "Refresh token lifetime"],
    ["9", "the path carries v3", /path/],
  ]),
  ...rows("offer doc", [
    ["1", "auto-renewing base plans only", /base plan|auto-renewing/],
    ["2", "packageName"],
    ["2", "productId"],
    ["2", "basePlanId"],
    ["2", "offerId"],
    ["2", "state: DRAFT after creation", /state/],
    ["3", "(none): create offer, to DRAFT", /DRAFT/],
    ["4", "method and path", /path|POST|segment/i],
    ["4", "packageName"],
    ["4", "productId"],
    ["4", "basePlanId"],
    ["4", "offerId"],
    ["4", "regionsVersion"],
    ["4", "request body", /body/],
    ["4", "response body", /response body|returns it/],
    ["5", "the scope publisher", /scope/],
    ["7", "errors, not shown", /./],
    ["9", "the path carries v3", /v3/],
  ]),
];
