// The rows of the two specifications (device doc, offer doc), and the sections of RFCs with requirements for the device
// or the service. A test that covers one names it. `npm run tool -- coverage` lists them, each with a test per side.

/** The sides that a requirement concerns: mostly both, otherwise one, with the reason. */
export type Sides = "both" | { readonly only: "service" | "device"; readonly because: string };

export interface Requirement {
  /** The source and the place in it: `device doc §2.1 interval`, `RFC 8628 §3.5`, `RFC 9449 §4.3 rule 7`. */
  readonly name: string;
  readonly source: string;
  /** Adds what the name does not say. May be "". */
  readonly description: string;
  readonly sides: Sides;
}

const ofDevice = (because: string): Sides => ({ only: "device", because });
const ofService = (because: string): Sides => ({ only: "service", because });

const pages = "its pages are for a user's browser";
const checks = "only a server checks what a client signs";
const clientsOnly = "it concerns clients that use a token";

type Line = readonly [place: string, description?: string, sides?: Sides];

const of = (source: string, title: string, lines: readonly Line[]): Requirement[] =>
  lines.map(([place, description = "", sides = "both"]) => ({
    ...{ name: `${source} §${place}`, source: `${source}: ${title}`, description, sides },
  }));

export const requirements: readonly Requirement[] = [
  ...of("device doc", "Device Authorization Service", [
    ["1 the six steps"],
    ["2.1 device_code"],
    ["2.1 user_code"],
    ["2.1 verification_url"],
    ["2.1 expires_in"],
    ["2.1 interval"],
    ["2.2 access_token"],
    ["2.2 expires_in"],
    ["2.2 refresh_token"],
    ["2.2 refresh_token_expires_in"],
    ["2.2 scope"],
    ["2.2 token_type"],
    ["2.3 Polling error"],
    ["2.3 Quota error"],
    ["2.4 client_id"],
    ["2.4 client_secret"],
    ["3 device code request", "from no state to pending"],
    ["3 pending", "the user has not finished"],
    ["3 slow_down", "pending, polled faster than the interval"],
    ["3 granted"],
    ["3 denied"],
    ["3 expired"],
    ["3 token lifetimes"],
    ["4 bodies are forms"],
    ["4.1 client_id"],
    ["4.1 scope"],
    ["4.1 device_authorization_endpoint", "in the metadata"],
    ["4.2 client_id"],
    ["4.2 client_secret"],
    ["4.2 device_code"],
    ["4.2 grant_type"],
    ["4.2 every interval", "polls until a final response", ofDevice("the service only responds")],
    ["4.3 client_id"],
    ["4.3 client_secret"],
    ["4.3 refresh_token"],
    ["4.3 grant_type"],
    ["4.3 response", "four fields"],
    ["4.4 token", "in the query string"],
    ["4.4 success", "is 200"],
    ["4.5 part and mine"],
    ["5.1 client_id alone", "in the device code request"],
    ["5.2 client_id and client_secret", "when polling and refreshing"],
    ["5.3 bearer credential"],
    ["5.4 client type"],
    ["5.5 allowed scopes"],
    ["5.6 the video API's scopes", "", ofService("for the device, a scope is an opaque text")],
    ["5.7 NoLinkedVideoAccount"],
    ["5.8 the consent screen", "", ofService("the page belongs to the service")],
    ["6 sessions-revoked"],
    ["6 token-revoked"],
    ["6 account-disabled"],
    ["7 Device code request 403 rate_limit_exceeded"],
    ["7 Poll 428 authorization_pending"],
    ["7 Poll 403 access_denied"],
    ["7 Poll 403 slow_down"],
    ["7 Poll 400 admin_policy_enforced"],
    ["7 Poll 401 invalid_client"],
    ["7 Poll 400 invalid_grant"],
    ["7 Poll 400 unsupported_grant_type"],
    ["7 Poll 403 org_internal"],
    ["7 Revoke 400"],
    ["7 missing parameters or wrong values", "400 or 401"],
    ["8 Code lifetime"],
    ["8 Polling rate"],
    ["8 Device code request quota"],
    ["8 Refresh tokens issued"],
    ["8 user_code display"],
    ["8 verification_url display"],
    ["8 Refresh token lifetime"],
    ["9 the path carries v3"],
  ]),
  ...of("offer doc", "Subscription Offer Creation Operation", [
    ["1 auto-renewing base plans only"],
    ["2 packageName"],
    ["2 productId"],
    ["2 basePlanId"],
    ["2 offerId"],
    ["2 state", "DRAFT after creation"],
    ["3 create offer", "from no state to DRAFT"],
    ["4 method and path"],
    ["4 packageName"],
    ["4 productId"],
    ["4 basePlanId"],
    ["4 offerId"],
    ["4 regionsVersion"],
    ["4 request body"],
    ["4 response body"],
    ["5 the scope publisher"],
    ["7 errors", "not shown"],
    ["9 the path carries v3"],
  ]),
  ...of("RFC 8628", "OAuth 2.0 Device Authorization Grant", [
    ["3.1", "the device authorization request: a form with client_id and scope"],
    ["3.2", "the device authorization response, its lifetime and its interval"],
    ["3.3", "the user sees both, and confirms the code"],
    ["3.3.1", "verification_uri_complete fills the code in, and the user compares it"],
    ["3.4", "the poll: grant_type, device_code, client_id"],
    ["3.5", "authorization_pending, slow_down, access_denied, expired_token; polls back off"],
    ["5.1", "user codes are guessed slowly", ofService("only the server counts guesses")],
    ["5.2", "device codes cannot be guessed", ofService("only the server makes codes")],
    ["6.1", "user codes in letters that are not confused", ofService(pages)],
  ]),
  ...of("RFC 6749", "The OAuth 2.0 Authorization Framework", [
    ["2.3", "one way of authentication in a request"],
    ["2.3.1", "the client's password, by HTTP Basic or in the body"],
    ["3.2", "the token endpoint accepts POST; a parameter once"],
    ["3.2.1", "a client sends its secret in every request there, or else its client_id"],
    ["3.3", "scopes: a list with spaces; the response has the granted ones"],
    [
      "4.1.2",
      "claiming a code again ends its tokens",
      ofService("only the server sees the claims"),
    ],
    ["4.1.2.1", "unauthorized_client", ofService("no device goes to that endpoint")],
    ["5.1", "the token response: members, their types, no-store"],
    ["5.2", "the error response: names, status, WWW-Authenticate"],
    ["6", "refreshing: a new refresh token replaces the old one"],
    ["7.1", "a token of an unknown type is not used", ofDevice("only a client uses tokens")],
    ["10.3", "access tokens are confidential", ofDevice("the service shows its, for tests")],
    ["10.4", "a refresh token belongs to one client at one server"],
  ]),
  ...of("RFC 6750", "Bearer Token Usage", [
    ["2", "a request has its token in one place"],
    ["2.1", "the Authorization header", ofDevice("every API call of its tests has the header")],
    ["2.3", "the query parameter access_token, if there is no other way"],
    ["3", "WWW-Authenticate: Bearer, with the reason"],
    ["3.1", "invalid_token, insufficient_scope, invalid_request"],
    ["5.3", "a token goes to no other server, over TLS, and in no address", ofDevice(clientsOnly)],
  ]),
  ...of("RFC 7009", "Token Revocation", [
    ["2", "refresh tokens can be revoked, at an https address"],
    ["2.1", "the request: token, token_type_hint, the client's authentication"],
    ["2.2", "200, also for an unknown token; the body is ignored"],
    ["2.2.1", "the error response; 503 is retried"],
  ]),
  ...of("RFC 7523", "JWT Profile for OAuth 2.0 Client Authentication and Authorization Grants", [
    ["2.2", "client_assertion_type, client_assertion; no client_id is needed", ofService(checks)],
    ["3 rule 1", "iss: the client", ofService(checks)],
    ["3 rule 2", "sub: the client_id", ofService(checks)],
    ["3 rule 3", "aud: the server, by its issuer or its token endpoint", ofService(checks)],
    ["3 rule 4", "exp: required, not past, not far in the future", ofService(checks)],
    ["3 rule 5", "nbf: not in the future", ofService(checks)],
    ["3 rule 6", "iat: neither far in the past nor in the future", ofService(checks)],
    ["3 rule 7", "jti: once", ofService(checks)],
    ["3 rule 8", "other claims are allowed", ofService(checks)],
    ["3 rule 9", "a signature by a key of the client", ofService(checks)],
    ["3 rule 10", "a JWT that is valid in all other respects", ofService(checks)],
    ["3.2", "every failure is invalid_client", ofService(checks)],
  ]),
  ...of("RFC 7636", "Proof Key for Code Exchange", [
    ["4.1", "the verifier: at least 43 characters"],
    ["4.2", "the challenge: its SHA-256 in base64url"],
    ["4.3", "the device authorization request has the challenge and its method"],
    ["4.4", "the challenge stays with the code", ofService("only the server stores it")],
    ["4.4.1", "a request with a wrong challenge, or without one that is demanded"],
    ["4.5", "each poll has the verifier", ofDevice("the service's part is §4.6")],
    ["4.6", "the verifier is compared with the challenge", ofService("only the server compares")],
    ["7.1", "each code has its own verifier", ofDevice("the server accepts any valid one")],
  ]),
  ...of("RFC 8414", "Authorization Server Metadata", [
    ["2", "the members of the metadata"],
    ["3", "the metadata have a well-known address below https"],
    ["3.1", "the well-known address for an issuer's path", ofDevice("the client makes it")],
    ["3.2", "the response: 200, JSON, no empty array", ofService("only a server responds")],
    ["3.3", "the issuer is the requested one", ofDevice("the client compares")],
    ["5", "the other names and places in use", ofDevice("the client tries them")],
  ]),
  ...of("RFC 8417", "Security Event Token", [
    ["2", "the token: iss, jti, iat, events"],
    ["2.2", "its claims", ofDevice("the service only writes them")],
  ]),
  ...of("RFC 9449", "Demonstrating Proof of Possession (DPoP)", [
    ["4.3 rule 1", "one DPoP header field", ofService(checks)],
    ["4.3 rule 2", "one well-formed JWT", ofService(checks)],
    ["4.3 rule 3", "all required claims", ofService(checks)],
    ["4.3 rule 4", "typ: dpop+jwt", ofService(checks)],
    ["4.3 rule 5", "alg: asymmetric and supported", ofService(checks)],
    ["4.3 rule 6", "the signature fits jwk", ofService(checks)],
    ["4.3 rule 7", "jwk has no private key", ofService(checks)],
    ["4.3 rule 8", "htm: the method", ofService(checks)],
    ["4.3 rule 9", "htu: the address, without query and fragment, normalized", ofService(checks)],
    ["4.3 rule 10", "nonce: the provided one", ofService(checks)],
    ["4.3 rule 11", "iat, or the nonce, is recent", ofService(checks)],
    ["4.3 rule 12", "ath, and the key that the token is bound to", ofService(checks)],
    ["5", "token_type DPoP; refresh tokens of public clients are bound", ofService(checks)],
    ["5.1", "dpop_signing_alg_values_supported", ofService("the server publishes it")],
    ["6.2", "cnf in introspection", ofService("only the server has that endpoint")],
    ["7.1", "401 with a DPoP challenge", ofService(checks)],
    ["7.2", "a bound token is no bearer token, and the reverse", ofService(checks)],
    ["8", "use_dpop_nonce with DPoP-Nonce at the token endpoint: 400", ofService(checks)],
    ["8.1", "the characters of a nonce", ofService("only the server makes nonces")],
    ["8.2", "a new nonce in any response", ofService("only the server makes nonces")],
    ["9", "use_dpop_nonce at a protected resource: 401", ofService(checks)],
    ["11.1", "a jti is accepted once within the window", ofService(checks)],
  ]),
  ...of("RFC 8936", "Poll-Based Security Event Token Delivery", [
    ["2.2", "the request: maxEvents, returnImmediately, ack, setErrs"],
    ["2.3", "the response: sets by jti, moreAvailable"],
    ["2.4", "polling: acknowledgements, errors, returnImmediately"],
    ["2.4.1", "a poll that acknowledges nothing"],
    ["2.4.2", "one that only acknowledges", ofService("the device does it with its next poll")],
    ["2.4.3", "one that acknowledges the previous sets"],
    ["2.4.4", "one that reports errors"],
    ["2.6", "an error is an object by jti, err in it"],
  ]),
];

const known = new Set(requirements.map(({ name }) => name));

// How the name of a test refers to requirements. Other text in the name has no effect, and other RFCs are ignored:
//
//   device doc §2.1 row interval: the shortest wait between two polls
//   device doc §4.1 row client_id and row scope: the request has no other parameters
//   RFC 8628 §3.2 and §3.5: a section itself, without its subsections
//
// The specification, the section and the row's name must match exactly, up to the colon.

const ROWS = /(?:(\w+ doc) )?§([\d.]+) row ([^:]*)/g;
const SECTIONS = /(RFC \d+)((?:,? (?:and )?§\d+(?:\.\d+)*(?: rule \d+)?)+)/g;

/** The references in a test's name, also unknown ones. The name includes those of its groups, joined by ` > `. */
export function referencesIn(name: string): string[] {
  const rows = name.split(" > ").flatMap((part) => [...part.matchAll(ROWS)]);
  const sections = [...name.matchAll(SECTIONS)].filter(([, rfc]) =>
    requirements.some(({ source }) => source.startsWith(`${rfc}:`)),
  );
  return [
    ...rows.flatMap(([, document, section, ids]) =>
      ids!.split(" and row ").map((id) => `${document} §${section} ${id}`),
    ),
    ...sections.flatMap(([, rfc, places]) =>
      [...places!.matchAll(/§[\d.]*\d(?: rule \d+)?/g)].map(([place]) => `${rfc} ${place}`),
    ),
  ];
}

export const unknownReferences = (name: string): string[] =>
  referencesIn(name).filter((reference) => !known.has(reference));
