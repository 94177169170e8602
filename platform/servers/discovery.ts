// Finding a server's addresses before there is a device: a throw-away core reads the discovery
// document (RFC 8414, OpenID Connect Discovery), and its owner gives the addresses to a driver.

import { CallState, ClientAuthentication, ErrorCode, Field } from "../../core/complete.ts";
import type { Display, Http, HttpRequest, HttpSink, Storage, Timers } from "../contracts.ts";
import { type Core, Driver, type Endpoints, noEndpoints } from "../driver.ts";
import { asciiOf, bytesOf, objectIn, printable } from "../text/text.ts";
import { addressProblem, namedAddressProblem } from "./address.ts";
import { MetadataError } from "./metadata-error.ts";

/** Four addresses at once need more room than a device's calls. */
const DISCOVERY_BYTES = 12_288;

const storage: Storage = {
  capacity: DISCOVERY_BYTES,
  read: (_slot, _into, _from, _to, done) => done(0),
  // Never used: nothing is signed in.
  write: () => {},
  erase: () => {},
};
const display: Display = { columns: 16, rows: 2, show: () => {} };

/** The documents where the metadata may be, in the order in which they are asked for. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const whole = issuer.replace(/\/$/, "");
  const addresses = [
    `${whole}/.well-known/openid-configuration`,
    // RFC 8414 §3.1 puts the well-known part before the issuer's path; its §5 knows this of both documents.
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    // No document says so, and there are servers that do.
    `${whole}/.well-known/oauth-authorization-server`,
  ];
  return [...new Set(addresses)];
}

/** What a server says of itself. */
export interface DiscoveredServer {
  /** Of the grant; `revocation` is "" where the server has none. */
  readonly endpoints: Endpoints;
  /** `token_endpoint_auth_methods_supported`; RFC 8414 §2: client_secret_basic where it is not said. */
  readonly clientAuthenticationMethods: readonly string[];
}

/**
 * Asks for a server's metadata.
 * @param issuer the issuer's identifier; the document must name exactly this one (RFC 8414 §3.3), but for a slash
 *   at the end, which the documents' address does not have either
 * @param allowHttp plain http to other machines is taken as it is
 * @throws MetadataError where there is no usable document
 */
export async function discoverServer(
  core: Core,
  host: { http: Http; timers: Timers },
  issuer: string,
  allowHttp = false,
): Promise<DiscoveredServer> {
  const problem = issuerProblem(issuer, allowHttp);
  if (problem !== "") throw new MetadataError(`the issuer ${problem}`);
  if (core.discover === undefined) {
    throw new MetadataError(
      "this core is the grant alone, which reads no metadata: take the complete core, or name the endpoints",
    );
  }
  const found = await lookFor(core, host, issuer, allowHttp);
  if (!Array.isArray(found)) return found;
  const twin = issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
  const ofTwin = found.some((refusal) => refusal.issuer === twin)
    ? await lookFor(core, host, twin, allowHttp)
    : found;
  if (!Array.isArray(ofTwin)) return ofTwin;
  const isTransient = ofTwin.every((refusal) => refusal.isTransient);
  const reasons = ofTwin.map(({ address, why }) => `${address}: ${why}`).join("; ");
  throw new MetadataError(`no metadata of ${issuer} (${reasons})`, isTransient);
}

/** An issuer is an address without query and fragment (RFC 8414 §2). */
function issuerProblem(issuer: string, allowHttp: boolean): string {
  const wellKnown = issuer.indexOf("/.well-known/");
  if (wellKnown > 0) return `is what stands before /.well-known/: ${issuer.slice(0, wellKnown)}`;
  if (issuer.includes("?")) return "must be an address without a query";
  return addressProblem(issuer, allowHttp);
}

/** Why one document is of no use. */
interface Refusal {
  readonly address: string;
  readonly why: string;
  readonly isTransient: boolean;
  /** The issuer that it names, whatever it is. */
  readonly issuer: unknown;
}

async function lookFor(
  core: Core,
  host: { http: Http; timers: Timers },
  issuer: string,
  allowHttp: boolean,
): Promise<DiscoveredServer | Refusal[]> {
  const refusals: Refusal[] = [];
  for (const address of metadataAddresses(issuer)) {
    const http = new CopyingHttp(host.http);
    http.begin();
    const answer = await ask(core, { ...host, http }, issuer, address, allowHttp);
    const document = http.take();
    const clientAuthenticationMethods = methodsIn(document);
    const metadata = objectIn(document);
    const problem = metadata && problemOf(metadata, issuer, allowHttp);
    const { outcome, endpoints } = answer;
    // The core takes what is an address for it; what may be in one is said in one place for all addresses.
    if (problem === "" && endpoints) return { endpoints, clientAuthenticationMethods };
    // The core takes plain http on the machine itself only.
    if (problem === "" && allowHttp && outcome === "document") {
      return { endpoints: endpointsIn(metadata!), clientAuthenticationMethods };
    }
    const fault = outcome === "document" ? (problem ?? NO_OBJECT) : "";
    refusals.push({
      address,
      why: fault || answer.why,
      isTransient: outcome === "passing" || outcome === "unreachable",
      issuer: metadata?.issuer,
    });
    // Whoever cannot be reached at one address cannot at the next, and each takes its time.
    if (outcome === "unreachable") break;
  }
  return refusals;
}

const NO_OBJECT = "HTTP 200, but no JSON object";

/** What a device cannot sign in with; "" where there is nothing wrong. */
function problemOf(metadata: Metadata, issuer: string, allowHttp: boolean): string {
  if (typeof metadata.issuer !== "string") return "names no issuer";
  if (metadata.issuer !== issuer) {
    return `is of another issuer, ${printable(metadata.issuer).slice(0, 200)}`;
  }
  for (const [member, isNeeded] of ADDRESSES) {
    const address = metadata[member];
    if (address === undefined || address === null) {
      if (isNeeded) return `has no ${member}${member === DEVICE ? NO_GRANT : ""}`;
      continue;
    }
    if (typeof address !== "string") return `${member} is no text`;
    const problem = namedAddressProblem(address, issuer, allowHttp);
    if (problem !== "") return `${member} ${problem}`;
  }
  return "";
}

const DEVICE = "device_authorization_endpoint";
const NO_GRANT = ": the server does not say that it offers the device grant";
const ADDRESSES = [
  [DEVICE, true],
  ["token_endpoint", true],
  ["revocation_endpoint", false],
] as const;

function endpointsIn(metadata: Metadata): Endpoints {
  const { device_authorization_endpoint, token_endpoint, revocation_endpoint } = metadata;
  return {
    ...noEndpoints,
    deviceAuthorization: `${device_authorization_endpoint}`,
    token: `${token_endpoint}`,
    revocation: typeof revocation_endpoint === "string" ? revocation_endpoint : "",
  };
}

/**
 * The way of authenticating for a client with or without a secret. HTTP Basic comes first: servers must
 * support it (RFC 6749 §2.3.1).
 * @throws MetadataError where the server takes neither way that a secret can go
 */
export function clientAuthenticationFor(
  methods: readonly string[],
  hasSecret: boolean,
): "none" | "client_secret_basic" | "client_secret_post" {
  if (!hasSecret) return "none";
  if (methods.includes("client_secret_basic")) return "client_secret_basic";
  if (methods.includes("client_secret_post")) return "client_secret_post";
  throw new MetadataError(`the server takes no client secret, only: ${methods.join(", ")}`);
}

/** What a metadata document says in `token_endpoint_auth_methods_supported`, or RFC 8414 §2 where it does not. */
export function methodsIn(document: readonly number[]): readonly string[] {
  const methods = objectIn(document)?.token_endpoint_auth_methods_supported;
  const isList = Array.isArray(methods) && methods.every((method) => typeof method === "string");
  return isList ? methods : ["client_secret_basic"];
}

/** Members that count here, not yet looked at (RFC 8414 §2). */
interface Metadata {
  readonly issuer?: unknown;
  readonly device_authorization_endpoint?: unknown;
  readonly token_endpoint?: unknown;
  readonly revocation_endpoint?: unknown;
  readonly token_endpoint_auth_methods_supported?: unknown;
}

/** Keeps a copy of one answer: the core reads the addresses in the metadata only. */
export class CopyingHttp implements Http {
  #copy: number[] | undefined;
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** From here on answers are copied. */
  begin(): void {
    this.#copy = [];
  }

  /** What has come since; nothing more is copied, since later answers hold tokens. */
  take(): readonly number[] {
    const taken = this.#copy ?? [];
    this.#copy = undefined;
    return taken;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    const copy = this.#copy;
    if (copy === undefined) {
      this.#http.send(request, sink);
      return;
    }
    this.#http.send(request, {
      status: (...head) => sink.status(...head),
      body: (bytes, from, to) => {
        for (let at = from; at < to; at++) copy.push(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end: () => sink.end(),
      failed: (failure) => sink.failed(failure),
    });
  }

  abort(): void {
    this.#http.abort();
  }

  get lastFailure(): string {
    return this.#http.lastFailure ?? "";
  }
}

/** What came of asking for a document. */
interface Answer {
  /** "passing": another try may go better. */
  readonly outcome: "document" | "refused" | "passing" | "unreachable";
  /** Why it is of no use, where it is of none. */
  readonly why: string;
  /** Of a document that is of use to the core. */
  readonly endpoints?: Endpoints;
}

/** Asks for one document. */
function ask(
  core: Core,
  host: { http: Http; timers: Timers },
  issuer: string,
  metadata: string,
  allowHttp: boolean,
): Promise<Answer> {
  return new Promise((resolve) => {
    const finish = (): void => {
      const { device } = driver;
      if (device.callState !== CallState.DONE) return;
      driver.stop();
      resolve(answerIn(driver, host.http));
    };
    const driver = new Driver({
      core,
      platform: { ...host, storage, display, entropy: { fill: () => false } },
      config: {
        clientId: "",
        clientSecret: "",
        scope: "",
        deviceParameters: "",
        autoStart: 0,
        renewalsMax: 0,
        clientAuthentication: ClientAuthentication.NONE,
        tokenParameters: "",
        messages: "",
      },
      endpoints: { ...noEndpoints, metadata },
      allowHttp,
      memoryBytes: DISCOVERY_BYTES,
      onChange: finish,
    });
    driver.start();
    const bytes = bytesOf(issuer);
    core.discover!(driver.device, bytes, 0, bytes.length);
    driver.run();
  });
}

function found({ device }: Driver): Endpoints {
  const value = (field: number): string => {
    const from = device.start[field]!;
    return asciiOf(device.memory, from, from + device.length[field]!);
  };
  return {
    ...noEndpoints,
    deviceAuthorization: value(Field.VALUE_B),
    token: value(Field.VALUE_C),
    revocation: value(Field.VALUE_D),
  };
}

function answerIn(driver: Driver, { lastFailure }: Http): Answer {
  const { callError: error, callStatus: status } = driver.device;
  if (error === ErrorCode.UNREACHABLE) {
    const why = lastFailure ? `not reachable (${lastFailure})` : "not reachable";
    return { outcome: "unreachable", why };
  }
  if (status < 200 || status > 299) {
    const outcome = status >= 500 || status === 429 ? "passing" : "refused";
    return { outcome, why: `HTTP ${status}` };
  }
  const why =
    error === ErrorCode.VALUE_TOO_LONG ? "an address is too long" : "not the issuer's metadata";
  return { outcome: "document", why, ...(!error && { endpoints: found(driver) }) };
}
