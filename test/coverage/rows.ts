// The contents of the two specifications: the rows of their tables, and the sentences outside tables. A test that
// covers a row names it, such as `device doc §2.1 row interval: ...`. `npm run tool -- coverage` prints rows and tests.

/** The sides that a row concerns, mostly both. If only one, a reason says why. */
export type Sides = "both" | { readonly only: "service" | "device"; readonly because: string };

export interface Row {
  readonly document: "device doc" | "offer doc";
  readonly section: string;
  readonly row: string;
  /** Adds what the name does not say. May be "". */
  readonly description: string;
  readonly sides: Sides;
}

function service(because: string): Sides {
  return { only: "service", because };
}

function device(because: string): Sides {
  return { only: "device", because };
}

type Line = readonly [section: string, row: string, description?: string, sides?: Sides];

function rows(document: Row["document"], lines: readonly Line[]): Row[] {
  return lines.map(([section, row, description = "", sides = "both"]) => ({
    document,
    section,
    row,
    description,
    sides,
  }));
}

/** Titles of the specifications, in the order in which they are printed. */
export const specification = {
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
    ["3", "device code request", "from no state to pending"],
    ["3", "pending", "the user has not finished"],
    ["3", "slow_down", "pending, polled faster than the interval"],
    ["3", "granted"],
    ["3", "denied"],
    ["3", "expired"],
    ["3", "token lifetimes"],
    ["4", "bodies are forms"],
    ["4.1", "client_id"],
    ["4.1", "scope"],
    ["4.1", "device_authorization_endpoint", "in the metadata"],
    ["4.2", "client_id"],
    ["4.2", "client_secret"],
    ["4.2", "device_code"],
    ["4.2", "grant_type"],
    ["4.2", "every interval", "polls until a final response", device("the service only responds")],
    ["4.3", "client_id"],
    ["4.3", "client_secret"],
    ["4.3", "refresh_token"],
    ["4.3", "grant_type"],
    ["4.3", "response", "four fields"],
    ["4.4", "token", "in the query string"],
    ["4.4", "success", "is 200"],
    ["4.5", "part and mine"],
    ["5.1", "client_id alone", "in the device code request"],
    ["5.2", "client_id and client_secret", "when polling and refreshing"],
    ["5.3", "bearer credential"],
    ["5.4", "client type"],
    ["5.5", "allowed scopes"],
    [
      "5.6",
      "the video API's scopes",
      "",
      service("a scope is an opaque text for the device, which sends what its developer has set"),
    ],
    ["5.7", "NoLinkedVideoAccount"],
    ["5.8", "the consent screen", "", service("the page belongs to the service")],
    ["6", "sessions-revoked"],
    ["6", "token-revoked"],
    ["6", "account-disabled"],
    ["7", "Device code request 403 rate_limit_exceeded"],
    ["7", "Poll 428 authorization_pending"],
    ["7", "Poll 403 access_denied"],
    ["7", "Poll 403 slow_down"],
    ["7", "Poll 400 admin_policy_enforced"],
    ["7", "Poll 401 invalid_client"],
    ["7", "Poll 400 invalid_grant"],
    ["7", "Poll 400 unsupported_grant_type"],
    ["7", "Poll 403 org_internal"],
    ["7", "Revoke 400"],
    ["7", "missing parameters or wrong values", "400 or 401"],
    ["8", "Code lifetime"],
    ["8", "Polling rate"],
    ["8", "Device code request quota"],
    ["8", "Refresh tokens issued"],
    ["8", "user_code display"],
    ["8", "verification_url display"],
    ["8", "Refresh token lifetime"],
    ["9", "the path carries v3"],
  ]),
  ...rows("offer doc", [
    ["1", "auto-renewing base plans only"],
    ["2", "packageName"],
    ["2", "productId"],
    ["2", "basePlanId"],
    ["2", "offerId"],
    ["2", "state", "DRAFT after creation"],
    ["3", "create offer", "from no state to DRAFT"],
    ["4", "method and path"],
    ["4", "packageName"],
    ["4", "productId"],
    ["4", "basePlanId"],
    ["4", "offerId"],
    ["4", "regionsVersion"],
    ["4", "request body"],
    ["4", "response body"],
    ["5", "the scope publisher"],
    ["7", "errors", "not shown"],
    ["9", "the path carries v3"],
  ]),
];

// How the name of a test refers to rows of the two specifications:
//
//   device doc §2.1 row interval: the shortest wait between two polls
//   device doc §4.1 row client_id and row scope: and nothing else
//
// The specification, the section and the row's name must match exactly, up to the colon. Other text in the name has no
// effect. A reference to a row that does not exist is an error.

interface References {
  readonly rows: readonly Row[];
  readonly wrong: readonly string[];
}

const REFERENCE = /(?:(\w+ doc) )?§([\d.]+) row ([^:]*)/g;

/** The rows to which a test's name refers. The name includes those of its groups, joined by ` > `. */
export function referencesOf(name: string): References {
  const rows = new Set<Row>();
  const wrong: string[] = [];
  for (const part of name.split(" > ")) {
    for (const [reference, document, section, ids] of part.matchAll(REFERENCE)) {
      for (const id of ids!.split(" and row ")) {
        const row = documentRows.find(
          (each) => each.document === document && each.section === section && each.row === id,
        );
        if (row) rows.add(row);
        else wrong.push(reference);
      }
    }
  }
  return { rows: [...rows], wrong };
}
