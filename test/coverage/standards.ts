// The RFCs that device and service speak, section by section: those in which something is asked of either. A test that
// guards a section names it, as `RFC 8628 §3.5: ...`; the end of what `npm run tool -- coverage` prints is made of these.

import type { Sides } from "./rows.ts";

/** A section, and what it asks for. */
export interface Section {
  readonly rfc: string;
  readonly section: string;
  readonly says: string;
  readonly sides: Sides;
}

/** Numbers and titles, in the order of the tables. */
export const standards: Readonly<Record<string, string>> = {
  "8628": "OAuth 2.0 Device Authorization Grant",
  "6749": "The OAuth 2.0 Authorization Framework",
  "6750": "Bearer Token Usage",
  "7009": "Token Revocation",
  "7636": "Proof Key for Code Exchange",
  "8414": "Authorization Server Metadata",
  "8417": "Security Event Token",
  "8936": "Poll-Based Security Event Token Delivery",
};

const ofDevice = (because: string): Sides => ({ only: "device", because });
const ofService = (because: string): Sides => ({ only: "service", because });

const pages = "its pages are for a person's browser";
const clientsOnly = "it binds who uses a token";

type Line = readonly [section: string, says: string, sides?: Sides];

function sections(rfc: string, lines: readonly Line[]): Section[] {
  return lines.map(([section, says, sides = "both"]) => ({ rfc, section, says, sides }));
}

export const standardSections: readonly Section[] = [
  ...sections("8628", [
    ["3.1", "the device authorization request: a form with client_id and scope"],
    ["3.2", "the device authorization response, its lifetime and its interval"],
    ["3.3", "what the user is shown, and asked to confirm"],
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
    ["3.2", "the token endpoint takes POST; a parameter once"],
    ["3.2.1", "a client with a secret has it in every request there, one without has client_id"],
    ["3.3", "scopes: a list with spaces; the answer says what was granted"],
    [
      "4.1.2",
      "a code that is claimed again ends its tokens",
      ofService("only the server sees who claims"),
    ],
    ["4.1.2.1", "unauthorized_client", ofService("no device goes to that endpoint")],
    ["5.1", "the token response: members, their types, no-store"],
    ["5.2", "the error response: names, status, WWW-Authenticate"],
    ["6", "refreshing: a new refresh token takes the old one's place"],
    [
      "7.1",
      "a token of a type that the client does not know is not used",
      ofDevice("the service gives Bearer alone"),
    ],
    [
      "10.3",
      "access tokens are kept from others",
      ofDevice("the simulated service keeps its tokens in the open, for tests"),
    ],
    ["10.4", "a refresh token belongs to one client at one server"],
  ]),
  ...sections("6750", [
    ["2", "the token goes one way in a request"],
    ["2.1", "the Authorization header", ofDevice("every call of its tests has the header")],
    ["2.3", "the query parameter access_token, where there is no other way"],
    ["3", "WWW-Authenticate: Bearer, with the reason"],
    ["3.1", "invalid_token, insufficient_scope, invalid_request"],
    ["5.3", "a token goes to nobody else, over TLS, and in no address", ofDevice(clientsOnly)],
  ]),
  ...sections("7009", [
    ["2", "refresh tokens can be revoked, at an https address"],
    ["2.1", "the request: token, token_type_hint, the client's authentication"],
    ["2.2", "200, for an unknown token too; what the body says does not count"],
    ["2.2.1", "the error response; 503 is tried again"],
  ]),
  ...sections("7636", [
    ["4.1", "the verifier: 43 characters at least"],
    ["4.2", "the challenge: its SHA-256 in base64url"],
    ["4.3", "the request for a code has the challenge and its method"],
    ["4.4", "the challenge stays with the code", ofService("only the server keeps it")],
    ["4.4.1", "a request with a wrong challenge, or without one that is demanded"],
    ["4.5", "each poll has the verifier", ofDevice("what the service does with it is §4.6")],
    ["4.6", "the verifier is compared with the challenge", ofService("only the server compares")],
    ["7.1", "a verifier of its own for each code", ofDevice("the server takes what fits")],
  ]),
  ...sections("8414", [
    ["2", "the members of the metadata"],
    ["3", "the metadata lie at a well-known place of an https address"],
    ["3.1", "where that is for an issuer with a path", ofDevice("who asks makes the address")],
    ["3.2", "the answer: 200, JSON, no empty array", ofService("it says what a server answers")],
    ["3.3", "the issuer is the one that was asked for", ofDevice("who asks compares")],
    ["5", "the other names and places in use", ofDevice("who asks tries them")],
  ]),
  ...sections("8417", [
    ["2", "the token: iss, jti, iat, events"],
    ["2.2", "its claims", ofDevice("the service only writes them")],
  ]),
  ...sections("8936", [
    ["2.2", "the request: maxEvents, returnImmediately, ack, setErrs"],
    ["2.3", "the answer: sets by jti, moreAvailable"],
    ["2.4", "polling: acknowledgements, errors, returnImmediately"],
    ["2.4.1", "a poll that acknowledges nothing"],
    ["2.4.2", "one that only acknowledges", ofService("the device does it with its next poll")],
    ["2.4.3", "one that acknowledges what the last brought"],
    ["2.4.4", "one that reports errors"],
    ["2.6", "an error is an object by jti, err in it"],
  ]),
];

/** `RFC 8628 §3.2 and §3.5`, `RFC 6749 §2.3, §3.2`. */
const REFERENCE = /RFC (\d+)((?:,? (?:and )?§\d+(?:\.\d+)*)+)/g;

/** The sections that a test's name refers to, whether there are lines of them or not. */
function sectionsOf(name: string): Pick<Section, "rfc" | "section">[] {
  return [...name.matchAll(REFERENCE)].flatMap(([, rfc, places]) =>
    [...places!.matchAll(/§([\d.]*\d)/g)].map(([, section]) => ({ rfc: rfc!, section: section! })),
  );
}

/** Whether a test's name has the section itself, not one of the next level below it. */
export function namesSection(name: string, { rfc, section }: Section): boolean {
  return sectionsOf(name).some((one) => one.rfc === rfc && one.section === section);
}

/** Sections of these RFCs that a test's name refers to and no line is of; other RFCs have no lines at all. */
export function unknownSections(name: string): string[] {
  return sectionsOf(name)
    .filter(({ rfc }) => rfc in standards)
    .filter(
      (one) =>
        !standardSections.some((line) => line.rfc === one.rfc && line.section === one.section),
    )
    .map(({ rfc, section }) => `RFC ${rfc} §${section}`);
}
