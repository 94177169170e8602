// The sections of the RFCs with requirements for the device or the service. A test that covers a section names it, such
// as `RFC 8628 §3.5: ...`. `npm run tool -- coverage` prints sections and tests.

import type { Sides } from "./rows.ts";

export interface Section {
  readonly rfc: string;
  readonly section: string;
  readonly description: string;
  readonly sides: Sides;
}

export const standards: Readonly<Record<string, string>> = {
  "8628": "OAuth 2.0 Device Authorization Grant",
  "6749": "The OAuth 2.0 Authorization Framework",
  "6750": "Bearer Token Usage",
  "7009": "Token Revocation",
  "7523": "JWT Profile for OAuth 2.0 Client Authentication and Authorization Grants",
  "7636": "Proof Key for Code Exchange",
  "8414": "Authorization Server Metadata",
  "8417": "Security Event Token",
  "9449": "Demonstrating Proof of Possession (DPoP)",
  "8936": "Poll-Based Security Event Token Delivery",
};

const ofDevice = (because: string): Sides => ({ only: "device", because });
const ofService = (because: string): Sides => ({ only: "service", because });

const pages = "its pages are for a user's browser";
const checks = "only a server checks what a client signs";
const clientsOnly = "it concerns clients that use a token";

type Line = readonly [section: string, description: string, sides?: Sides];

function sections(rfc: string, lines: readonly Line[]): Section[] {
  return lines.map(([section, description, sides = "both"]) => ({
    rfc,
    section,
    description,
    sides,
  }));
}

export const standardSections: readonly Section[] = [
  ...sections("8628", [
    ["3.1", "the device authorization request: a form with client_id and scope"],
    ["3.2", "the device authorization response, its lifetime and its interval"],
    ["3.3", "the user sees both, and confirms the code"],
    [
      "3.3.1",
      "verification_uri_complete fills the code in; the code is still shown, and the user compares it",
    ],
    ["3.4", "the poll: grant_type, device_code, client_id"],
    ["3.5", "authorization_pending, slow_down, access_denied, expired_token; polls back off"],
    ["5.1", "user codes are guessed slowly", ofService("only the server counts guesses")],
    ["5.2", "device codes cannot be guessed", ofService("only the server makes codes")],
    ["6.1", "user codes in letters that are not confused", ofService(pages)],
  ]),
  ...sections("6749", [
    ["2.3", "one way of authentication in a request"],
    ["2.3.1", "the client's password, by HTTP Basic or in the body"],
    ["3.2", "the token endpoint accepts POST; a parameter once"],
    [
      "3.2.1",
      "a client with a secret sends it in every request there, one without sends client_id",
    ],
    ["3.3", "scopes: a list with spaces; the response has the granted ones"],
    [
      "4.1.2",
      "a code that is claimed again ends its tokens",
      ofService("only the server sees the claims"),
    ],
    ["4.1.2.1", "unauthorized_client", ofService("no device goes to that endpoint")],
    ["5.1", "the token response: members, their types, no-store"],
    ["5.2", "the error response: names, status, WWW-Authenticate"],
    ["6", "refreshing: a new refresh token replaces the old one"],
    [
      "7.1",
      "a token of a type that the client does not know is not used",
      ofDevice("the service issues a DPoP token only for a proof"),
    ],
    [
      "10.3",
      "access tokens are confidential",
      ofDevice("the simulated service shows its tokens, for tests"),
    ],
    ["10.4", "a refresh token belongs to one client at one server"],
  ]),
  ...sections("6750", [
    ["2", "a request has its token in one place"],
    ["2.1", "the Authorization header", ofDevice("every API call of its tests has the header")],
    ["2.3", "the query parameter access_token, if there is no other way"],
    ["3", "WWW-Authenticate: Bearer, with the reason"],
    ["3.1", "invalid_token, insufficient_scope, invalid_request"],
    ["5.3", "a token goes to no other server, over TLS, and in no address", ofDevice(clientsOnly)],
  ]),
  ...sections("7009", [
    ["2", "refresh tokens can be revoked, at an https address"],
    ["2.1", "the request: token, token_type_hint, the client's authentication"],
    ["2.2", "200, also for an unknown token; the body is ignored"],
    ["2.2.1", "the error response; 503 is retried"],
  ]),
  ...sections("7523", [
    [
      "2.2",
      "client_assertion_type and client_assertion; client_id is not needed",
      ofService(checks),
    ],
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
  ...sections("7636", [
    ["4.1", "the verifier: at least 43 characters"],
    ["4.2", "the challenge: its SHA-256 in base64url"],
    ["4.3", "the device authorization request has the challenge and its method"],
    ["4.4", "the challenge stays with the code", ofService("only the server stores it")],
    ["4.4.1", "a request with a wrong challenge, or without one that is demanded"],
    ["4.5", "each poll has the verifier", ofDevice("the service's part is §4.6")],
    ["4.6", "the verifier is compared with the challenge", ofService("only the server compares")],
    ["7.1", "each code has its own verifier", ofDevice("the server accepts any valid one")],
  ]),
  ...sections("8414", [
    ["2", "the members of the metadata"],
    ["3", "the metadata have a well-known address below https"],
    [
      "3.1",
      "the well-known address of an issuer with a path",
      ofDevice("the client makes the address"),
    ],
    [
      "3.2",
      "the response: 200, JSON, no empty array",
      ofService("it concerns a server's response"),
    ],
    ["3.3", "the issuer is the requested one", ofDevice("the client compares")],
    ["5", "the other names and places in use", ofDevice("the client tries them")],
  ]),
  ...sections("8417", [
    ["2", "the token: iss, jti, iat, events"],
    ["2.2", "its claims", ofDevice("the service only writes them")],
  ]),
  ...sections("9449", [
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
  ...sections("8936", [
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

/** `RFC 8628 §3.2 and §3.5`, `RFC 6749 §2.3, §3.2`, `RFC 9449 §4.3 rule 7` for an item of its numbered list. */
const REFERENCE = /RFC (\d+)((?:,? (?:and )?§\d+(?:\.\d+)*(?: rule \d+)?)+)/g;

function sectionsOf(name: string): Pick<Section, "rfc" | "section">[] {
  return [...name.matchAll(REFERENCE)].flatMap(([, rfc, places]) =>
    [...places!.matchAll(/§([\d.]*\d(?: rule \d+)?)/g)].map(([, section]) => ({
      rfc: rfc!,
      section: section!,
    })),
  );
}

/** Whether a test's name contains the section itself. Subsections do not count. */
export function namesSection(name: string, { rfc, section }: Section): boolean {
  return sectionsOf(name).some((one) => one.rfc === rfc && one.section === section);
}

/** The sections in a test's name that are not listed, although their RFC is. Other RFCs are ignored. */
export function unknownSections(name: string): string[] {
  return sectionsOf(name)
    .filter(({ rfc }) => rfc in standards)
    .filter(
      (one) =>
        !standardSections.some((line) => line.rfc === one.rfc && line.section === one.section),
    )
    .map(({ rfc, section }) => `RFC ${rfc} §${section}`);
}
