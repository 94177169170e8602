// One exchange in full, for whoever opens it: every header and field with its value, as long as none of it is
// secret. Security event tokens (RFC 8417) are decoded: what they say is no secret, their signature no use.
import type { HttpRequest } from "../../../../platform/contracts.ts";
import { clean, describeForm, isSecret, maskedForm, maskedJson, maskedText } from "./mask.ts";

// What each header, field and member of an exchange is, with the section that defines it: for whoever opens it.

const MEANINGS: Readonly<Record<string, string>> = {
  // Headers.
  Host: "the server that is asked; RFC 9110 §7.2",
  Authorization: "who asks: the client (RFC 6749 §2.3.1) or its access token (RFC 6750 §2.1)",
  "Content-Type": "how the body is written; RFC 6749 appendix B, RFC 9110 §8.3",
  "Content-Length": "bytes of the body; RFC 9110 §8.6",
  Accept: "what kind of answer is wanted; RFC 9110 §12.5.1",
  "Cache-Control": "nobody on the way may keep it; RFC 6749 §5.1, RFC 9111 §5.2",
  Pragma: "the same for old caches; RFC 6749 §5.1, RFC 9111 §5.4",
  Date: "when it was sent; RFC 9110 §6.6.1",
  Connection: "whether the connection stays open; RFC 9110 §7.6.1",
  "Keep-Alive": "for how long it does; RFC 2068 §19.7.1.1",
  "Transfer-Encoding": "it comes in pieces; RFC 9112 §6.1",
  "Retry-After": "seconds to wait before asking again; RFC 9110 §10.2.3",
  "WWW-Authenticate":
    "how one has to show who asks, and what was wrong; RFC 9110 §11.6.1, RFC 6750 §3",
  ETag: "names this state of it; RFC 9110 §8.8.3",
  Vary: "on which headers of the request it depends; RFC 9110 §12.5.5",
  Location: "where it is instead: no device follows; RFC 9110 §10.2.2",
  "X-Content-Type-Options": "take it for what Content-Type says; Fetch standard §3.6",
  // RFC 6749 and RFC 8628.
  client_id: "which program asks; RFC 6749 §2.2",
  client_secret: "proves that it is this program; RFC 6749 §2.3.1",
  scope: "what access is asked for, or granted; RFC 6749 §3.3",
  grant_type: "which kind of grant; RFC 6749 §4.5, RFC 8628 §3.4",
  device_code: "the device's own half of the code, which nobody sees; RFC 8628 §3.2",
  user_code: "what the person types; RFC 8628 §3.2",
  verification_uri: "where the person goes; RFC 8628 §3.2",
  verification_url: "the same by the older name; device authorization service §2.1",
  verification_uri_complete: "the same with the code in it, for a QR code; RFC 8628 §3.3.1",
  expires_in: "for how many seconds it is good; RFC 8628 §3.2, RFC 6749 §5.1",
  interval: "seconds that a device waits between two polls; RFC 8628 §3.2",
  access_token: "what opens the API; RFC 6749 §1.4",
  token_type: "how the access token is used; RFC 6749 §7.1",
  refresh_token: "what brings the next access token; RFC 6749 §1.5",
  refresh_token_expires_in:
    "for how many seconds access was granted; device authorization service §2.2",
  id_token: "who signed in, signed; OpenID Connect Core §2",
  error: "what is wrong; RFC 6749 §5.2, RFC 8628 §3.5",
  error_code: "what is wrong, in the answer to a code request; device authorization service §2.3",
  error_description: "the same for a person who reads along; RFC 6749 §5.2",
  error_subtype: "more about what is wrong; device authorization service §2.3",
  error_uri: "a page about it; RFC 6749 §5.2",
  token: "the token to be revoked, or in a query the access token; RFC 7009 §2.1",
  token_type_hint: "which kind of token it is; RFC 7009 §2.1",
  code_challenge: "what the verifier will be held against; RFC 7636 §4.3",
  code_challenge_method: "how it was made; RFC 7636 §4.3",
  code_verifier: "shows that the same device asks; RFC 7636 §4.5",
  // RFC 8414.
  issuer: "whose metadata these are; RFC 8414 §2",
  device_authorization_endpoint: "where codes are asked for; RFC 8628 §4",
  token_endpoint: "where tokens are asked for; RFC 8414 §2",
  revocation_endpoint: "where tokens are revoked; RFC 8414 §2",
  // The video API.
  part: "which parts of each broadcast are wanted; device authorization service §4.5",
  mine: "filter: the user's own; device authorization service §4.5",
  id: "filter: these alone; or a broadcast's identifier; device authorization service §4.5",
  broadcastStatus: "filter: by their state; device authorization service §4.5",
  broadcastType: "which kind of broadcast; device authorization service §4.5",
  maxResults: "how many on a page; device authorization service §4.5",
  pageToken: "which page; device authorization service §4.5",
  nextPageToken: "asks for the next page; device authorization service §4.5",
  prevPageToken: "asks for the page before; device authorization service §4.5",
  pageInfo: "how many there are, and on a page; device authorization service §4.5",
  items: "the broadcasts; device authorization service §4.5",
  kind: "what kind of object this is; device authorization service §4.5",
  etag: "names this state of it; device authorization service §4.5",
  // Subscription offers.
  "regionsVersion.version": "for which list of regions; creation of subscription offers §4",
  packageName: "the app; creation of subscription offers §2",
  productId: "the subscription; creation of subscription offers §2",
  basePlanId: "its base plan; creation of subscription offers §2",
  offerId: "the offer's identifier; creation of subscription offers §2",
  body_offerId:
    "the identifier in the body, which has to be the same; creation of subscription offers §4",
  state:
    "DRAFT, ACTIVE or INACTIVE; in the stream of events: given back; creation of subscription offers §3",
  phases: "what the offer sells, in order; creation of subscription offers §2",
  regionalConfigs: "prices by region; creation of subscription offers §2",
  otherRegionsConfig: "prices for regions to come; creation of subscription offers §2",
  offerTags: "words of one's own; creation of subscription offers §2",
  targeting: "who may take it; creation of subscription offers §2",
  subscriptionOffers: "all offers of the base plan; creation of subscription offers §4",
  pageSize: "how many on a page; creation of subscription offers §4",
  // Security events.
  maxEvents: "how many events an answer may have; RFC 8936 §2.4",
  returnImmediately: "answered at once, events or none; RFC 8936 §2.4",
  ack: "events that were taken; RFC 8936 §2.4",
  setErrs: "events that were refused, and why; RFC 8936 §2.6",
  sets: "the events, signed; RFC 8936 §2.4",
  moreAvailable: "whether there are further ones; RFC 8936 §2.4",
};

/** One name of an exchange, and what it is. */
export interface Explained {
  readonly name: string;
  readonly means: string;
}

/** What these names are; "" for a name that no document has. */
export function explain(names: readonly string[]): Explained[] {
  return [...new Set(names)].map((name) => ({
    name,
    // RFC 8414 has dozens of members; the device reads three of them.
    means: MEANINGS[name] ?? (/_supported$|_endpoint$|_uri$/.test(name) ? METADATA : ""),
  }));
}

const METADATA = "metadata that this device does not need; RFC 8414 §2";

export interface ExchangeDetail {
  readonly request: string;
  /** Its headers and fields. */
  readonly asked: readonly Explained[];
  /** The request as a command line; what is secret stands there as a variable of the shell. */
  readonly curl: string;
  readonly answer: string;
  /** Its headers and members. */
  readonly said: readonly Explained[];
  /** What else is worth a look. */
  readonly notes: readonly { readonly title: string; readonly text: string }[];
}

/** The request as it went out, its body given as text. */
export function describeRequest(request: HttpRequest, target: string, body: string): string {
  const lines = [`${request.method} ${target}`];
  if (URL.canParse(request.url)) lines.push(`Host: ${new URL(request.url).host}`);
  // Every adapter sends it (platform/contracts.ts).
  lines.push("Accept: application/json");
  if (request.authorization !== "") {
    lines.push(`Authorization: ${request.authorization.split(" ", 1)[0]} ***`);
  }
  if (request.contentType !== "") {
    lines.push(`Content-Type: ${request.contentType}`, `Content-Length: ${body.length}`);
  }
  if (body !== "") lines.push("", describeBody(request.contentType, body));
  return lines.join("\n");
}

/** Headers and fields of a request, in their order. */
export function explainRequest(request: HttpRequest, body: string): Explained[] {
  const query = URL.canParse(request.url) ? [...new URL(request.url).searchParams.keys()] : [];
  const headers = [
    "Host",
    "Accept",
    ...(request.authorization === "" ? [] : ["Authorization"]),
    ...(request.contentType === "" ? [] : ["Content-Type", "Content-Length"]),
  ];
  return explain([...query, ...headers, ...namesIn(request.contentType, body)]);
}

/** Headers of an answer, in their order, as they came. */
type Headers = readonly (readonly [name: string, value: string])[];

/** Headers and members of an answer. */
export function explainAnswer(headers: Headers, body: string): Explained[] {
  const names = headers.map(([name]) => headerName(name));
  return explain([...names, ...namesIn("application/json", body)]);
}

/** As RFCs write it: HTTP/2, and many a server, has small letters alone. */
function headerName(name: string): string {
  const words = clean(name.toLowerCase()).replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
  return words.replace(/^Www-/, "WWW-").replace(/^Etag$/, "ETag");
}

function namesIn(type: string, body: string): string[] {
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return [...new URLSearchParams(body).keys()];
  }
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.keys(value).map(clean)
      : [];
  } catch {
    return [];
  }
}

/** A request as a command for a shell. Nothing secret is in it: variables stand for that. */
export function curlOf(request: HttpRequest, target: string, body: string): string {
  const origin = URL.canParse(request.url) ? new URL(request.url).origin : "";
  const parts = [`curl -X ${request.method} ${quoted(origin + target)}`];
  if (request.authorization.startsWith("Basic ")) parts.push('--user "$CLIENT_ID:$CLIENT_SECRET"');
  else if (request.authorization !== "") {
    parts.push('-H "Authorization: Bearer $ACCESS_TOKEN"');
  }
  if (request.contentType.startsWith("application/x-www-form-urlencoded")) {
    for (const [name, value] of new URLSearchParams(body)) {
      const isShown = describeForm(`${name}=x`) === `${name}=x`;
      parts.push(
        isShown && !isSecret(name)
          ? `--data-urlencode ${quoted(`${name}=${clean(value)}`)}`
          : `--data-urlencode "${clean(name)}=$${clean(name).toUpperCase()}"`,
      );
    }
  } else if (body !== "") {
    parts.push(`-H ${quoted(`Content-Type: ${request.contentType}`)}`);
    parts.push(`--data ${quoted(maskedJson(body) ?? "")}`);
  }
  return parts.join(" \\\n  ");
}

/** In single quotes, as a shell takes them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The answer as it came in. */
export function describeResponse(status: number, headers: Headers, body: string): string {
  const lines = headers.map(([name, value]) => {
    const shown = /cookie|authorization/i.test(name) ? "***" : clean(value);
    return `\n${headerName(name)}: ${shown}`;
  });
  return `HTTP status ${status}${lines.join("")}\n\n${describeBody("application/json", body)}`;
}

function describeBody(type: string, body: string): string {
  if (body === "") return "(empty)";
  if (type.startsWith("application/x-www-form-urlencoded")) return maskedForm(body);
  return maskedJson(body) ?? maskedText(body);
}

/** The security event tokens in an answer to a poll (RFC 8936), decoded. */
export function eventsIn(body: string): ExchangeDetail["notes"] {
  if (!body.includes('"sets"')) return [];
  try {
    const { sets = {} } = JSON.parse(body) as { sets?: Record<string, string> };
    return Object.entries(sets).map(([jti, token]) => ({
      title: `Security event ${clean(jti)}, decoded`,
      text: token.split(".").slice(0, 2).map(decodePart).join("\n"),
    }));
  } catch {
    return [];
  }
}

function decodePart(part: string): string {
  const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );
  return JSON.stringify(JSON.parse(new TextDecoder().decode(bytes)), null, 2);
}
