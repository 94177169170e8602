// Discovery: requests a server's metadata (RFC 8414, OpenID Connect Discovery). In a host that cannot parse JSON, the core
// reads the metadata (core: discover).

import type { Http, TransportFailure } from "../contracts.ts";
import { type Endpoints, noEndpoints } from "../driver/endpoints.ts";
import { AdapterPort } from "../exchange/adapter-port.ts";
import { type Above, connect } from "../exchange/filter.ts";
import { LeakGuard } from "../exchange/leak-guard.ts";
import { type BufferedResponse, ResponseBuffer } from "../exchange/response-buffer.ts";
import { objectIn, printable, textOf } from "../text/text.ts";
import { addressProblem, isSameIssuer } from "./address.ts";
import { metadataAddresses, namedAddressProblem } from "./named-address.ts";
import { MetadataError } from "./profile.ts";

export interface DiscoveredServer {
  /** The issuer as the server writes it. */
  readonly issuer: string;
  /** The endpoints of the grant. `revocation` is "" if the server has none. */
  readonly endpoints: Endpoints;
  /** `token_endpoint_auth_methods_supported`; RFC 8414 §2: client_secret_basic if absent. */
  readonly clientAuthenticationMethods: readonly string[];
  /** Whether the server binds tokens to ES256 keys (`dpop_signing_alg_values_supported`). */
  readonly bindsTokens: boolean;
}

/**
 * Requests a server's metadata. The document must contain exactly this issuer (RFC 8414 §3.3), except for a trailing slash.
 * @param http has no exchange in flight
 * @param given known addresses, which the document need not contain
 * @throws MetadataError if there is no usable document; errors of the adapter
 */
export async function discoverServer(
  http: Http,
  issuer: string,
  allowHttp = false,
  given: Partial<Endpoints> = {},
): Promise<DiscoveredServer> {
  const problem = issuerProblem(issuer, allowHttp);
  if (problem !== "") throw new MetadataError(`the issuer ${problem}`);
  const reasons: string[] = [];
  // If one address fails temporarily, the failures of the others are not final either.
  let isTransient = false;
  for (const address of metadataAddresses(issuer)) {
    const found = await lookAt(http, address, issuer, allowHttp, given);
    if (!("why" in found)) return found;
    reasons.push(`${address}: ${found.why}`);
    isTransient ||= found.isTransient;
    // A server that does not respond at one address rarely responds at another, and each attempt takes time.
    if (found.isSilent) break;
  }
  throw new MetadataError(`no metadata of ${issuer} (${reasons.join("; ")})`, isTransient);
}

/** Returns the problem of an issuer, "" for none. An issuer has neither query nor fragment (RFC 8414 §2). */
function issuerProblem(issuer: string, allowHttp: boolean): string {
  const wellKnown = issuer.indexOf("/.well-known/");
  if (wellKnown > 0) return `is what stands before /.well-known/: ${issuer.slice(0, wellKnown)}`;
  if (issuer.includes("?")) return "must be an address without a query";
  return addressProblem(issuer, allowHttp);
}

interface Refusal {
  readonly why: string;
  readonly isTransient: boolean;
  readonly isSilent: boolean;
}

async function lookAt(
  http: Http,
  address: string,
  issuer: string,
  allowHttp: boolean,
  given: Partial<Endpoints>,
): Promise<DiscoveredServer | Refusal> {
  const response = await requestFor(http, address, allowHttp);
  const { status } = response;
  if (response.failure !== "") {
    const isSilent = response.failure !== "too-large";
    const what = isSilent ? "not reachable" : "the response is too large";
    const why = `${what}${response.why && ` (${response.why})`}`;
    return { why, isTransient: isSilent, isSilent };
  }
  if (status < 200 || status > 299) {
    const isTransient = status >= 500 || status === 429;
    return { why: `HTTP ${status}`, isTransient, isSilent: false };
  }
  const metadata = objectIn(response.body);
  const why = metadata
    ? problemOf(metadata, issuer, allowHttp, given)
    : "HTTP 200, but no JSON object";
  if (!metadata || why !== "") {
    // HTML or an empty body instead of metadata may come from a captive portal, or during maintenance.
    const isTransient = /^\s*(<|$)/.test(textOf(response.body) ?? "");
    return { why, isTransient, isSilent: false };
  }
  return serverIn(metadata);
}

/** Returns why the metadata do not suffice for a sign-in, "" if they do. */
function problemOf(
  metadata: Metadata,
  issuer: string,
  allowHttp: boolean,
  given: Partial<Endpoints>,
): string {
  if (typeof metadata.issuer !== "string") return "names no issuer";
  if (!isSameIssuer(metadata.issuer, issuer)) {
    return `is of another issuer, ${printable(metadata.issuer).slice(0, 200)}`;
  }
  for (const [endpoint, member] of ADDRESSES) {
    const address = metadata[member];
    if (given[endpoint]) continue;
    if (address === undefined || address === null) {
      const why = endpoint === "deviceAuthorization" ? NO_GRANT : "";
      if (endpoint !== "revocation") return `has no ${member}${why}`;
      continue;
    }
    if (typeof address !== "string") return `${member} is no text`;
    const problem = namedAddressProblem(address, issuer, allowHttp);
    if (problem !== "") return `${member} ${problem}`;
  }
  return "";
}

const NO_GRANT = ": the server does not say that it offers the device grant";
const ADDRESSES = [
  ["deviceAuthorization", "device_authorization_endpoint"],
  ["token", "token_endpoint"],
  ["revocation", "revocation_endpoint"],
] as const;

/** @param metadata in which `problemOf` finds no problem */
function serverIn(metadata: Metadata): DiscoveredServer {
  const addresses = ADDRESSES.map(([endpoint, member]) => {
    const address = metadata[member];
    return [endpoint, typeof address === "string" ? address : ""];
  });
  return {
    issuer: `${metadata.issuer}`,
    endpoints: { ...noEndpoints, ...Object.fromEntries(addresses) },
    clientAuthenticationMethods: methodsIn(metadata),
    bindsTokens: [metadata.dpop_signing_alg_values_supported].flat().includes("ES256"),
  };
}

/**
 * Returns how the client authenticates. HTTP Basic takes precedence, because servers must support it (RFC 6749 §2.3.1).
 * @throws MetadataError if the client has a secret, but the server accepts it neither with HTTP Basic nor in the body
 */
export function clientAuthenticationFor(
  methods: readonly string[],
  hasSecret: boolean,
): "none" | "client_secret_basic" | "client_secret_post" {
  if (!hasSecret) return "none";
  if (methods.includes("client_secret_basic")) return "client_secret_basic";
  if (methods.includes("client_secret_post")) return "client_secret_post";
  const others = printable(methods.join(", ")).slice(0, 200);
  throw new MetadataError(`the server takes no client secret, only: ${others}`);
}

/** `token_endpoint_auth_methods_supported`, or the default of RFC 8414 §2. */
export function methodsIn(metadata: Metadata): readonly string[] {
  const methods = metadata.token_endpoint_auth_methods_supported;
  const isList = Array.isArray(methods) && methods.every((method) => typeof method === "string");
  return isList ? methods : ["client_secret_basic"];
}

type Metadata = Readonly<Record<string, unknown>>;

type DocumentResult =
  | { readonly status: number; readonly body: readonly number[]; readonly failure: "" }
  | { readonly status: 0; readonly failure: TransportFailure; readonly why: string };

/** Requests a document by GET. @param http has no exchange in flight @throws errors of the adapter */
export function requestFor(
  http: Http,
  url: string,
  allowHttp: boolean,
  authorization = "",
): Promise<DocumentResult> {
  return new Promise((resolve, reject) => {
    const look = new LeakGuard((address) => ({ address, allowHttp, secrets: [] }));
    look.address = url;
    const port = new AdapterPort(http, { isPoll: () => false, fault: reject });
    const top = connect([new DocumentBuffer(resolve), look], nobody, port);
    const body = { contentType: "", body: [], bodyFrom: 0, bodyTo: 0 };
    top.send({ method: "GET", url, authorization, ...body });
  });
}

class DocumentBuffer extends ResponseBuffer {
  readonly #resolve: (result: DocumentResult) => void;

  constructor(resolve: (result: DocumentResult) => void) {
    super();
    this.#resolve = resolve;
  }

  responded({ head: [status], body }: BufferedResponse): void {
    this.#resolve({ status, body, failure: "" });
  }

  override failed(failure: TransportFailure, why: string): void {
    this.#resolve({ status: 0, failure, why });
  }
}

/** Receives nothing, because `DocumentBuffer` resolves the promise. */
const nobody: Above = { status() {}, body() {}, end() {}, failed() {} };
