// Finding a server's addresses before there is a device: a throw-away core reads the discovery
// document (RFC 8414, OpenID Connect Discovery), and its owner gives the addresses to a driver.
import { CallState, ClientAuthentication, ErrorCode, Field } from "../core/complete.ts";
import type { Display, Http, HttpRequest, HttpSink, Storage, Timers } from "./contracts.ts";
import { type Core, Driver, type Endpoints, noEndpoints } from "./driver.ts";
import { asciiOf, bytesOf, textOf } from "./text.ts";

/** Four addresses at once need more room than a device's calls. */
const MEMORY_BYTES = 12_288;

const storage: Storage = {
  // Never used: nothing is signed in.
  capacity: MEMORY_BYTES,
  read: (_slot, _into, _from, _to, done) => done(0),
  write: (_slot, _bytes, _from, _to, done) => done(false),
  erase: (_slot, done) => done(true),
};
const display: Display = { columns: 16, rows: 2, show: () => {} };

/** The documents where the metadata may be, in the order in which they are asked for. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
    // RFC 8414 §3.1 puts the well-known part before the issuer's path.
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
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
 * @param issuer the issuer's identifier; the document must name exactly this one (RFC 8414 §3.3)
 * @throws Error with one line where there is no usable document
 */
export async function discoverServer(
  core: Core,
  host: { http: Http; timers: Timers },
  issuer: string,
): Promise<DiscoveredServer> {
  const refusals: string[] = [];
  for (const metadata of metadataAddresses(issuer)) {
    const http = new CopyingHttp(host.http);
    http.begin();
    const answer = await ask(core, { ...host, http }, issuer, metadata);
    const clientAuthenticationMethods = methodsIn(http.take());
    if (typeof answer !== "string") return { endpoints: answer, clientAuthenticationMethods };
    refusals.push(`${metadata}: ${answer}`);
  }
  throw new Error(`no metadata of ${issuer} (${refusals.join("; ")})`);
}

/** The endpoints alone. */
export async function discoverEndpoints(
  core: Core,
  host: { http: Http; timers: Timers },
  issuer: string,
): Promise<Endpoints> {
  return (await discoverServer(core, host, issuer)).endpoints;
}

/**
 * The way of authenticating for a client with or without a secret. HTTP Basic comes first: servers must
 * support it (RFC 6749 §2.3.1).
 * @throws Error where the server takes neither way that a secret can go
 */
export function clientAuthenticationFor(
  methods: readonly string[],
  hasSecret: boolean,
): "none" | "client_secret_basic" | "client_secret_post" {
  if (!hasSecret) return "none";
  if (methods.includes("client_secret_basic")) return "client_secret_basic";
  if (methods.includes("client_secret_post")) return "client_secret_post";
  throw new Error(`the server takes no client secret, only: ${methods.join(", ")}`);
}

/** What a metadata document says in `token_endpoint_auth_methods_supported`, or RFC 8414 §2 where it does not. */
export function methodsIn(document: readonly number[]): readonly string[] {
  const methods = parsed(document)?.token_endpoint_auth_methods_supported;
  const isList = Array.isArray(methods) && methods.every((method) => typeof method === "string");
  return isList ? methods : ["client_secret_basic"];
}

/** Undefined where it is no JSON: of that the core complains. */
function parsed(
  document: readonly number[],
): { token_endpoint_auth_methods_supported?: unknown } | null | undefined {
  try {
    return JSON.parse(textOf(document) ?? "");
  } catch {
    return undefined;
  }
}

/** Keeps a copy of one answer: the core reads the addresses in the metadata only. */
export class CopyingHttp implements Http {
  private copy: number[] = [];
  private copies = false;
  private readonly http: Http;

  constructor(http: Http) {
    this.http = http;
  }

  /** From here on answers are copied. */
  begin(): void {
    this.copy = [];
    this.copies = true;
  }

  /** What has come since; nothing more is copied, since later answers hold tokens. */
  take(): readonly number[] {
    const taken = this.copy;
    this.copy = [];
    this.copies = false;
    return taken;
  }

  send(request: HttpRequest, sink: HttpSink): void {
    if (!this.copies) {
      this.http.send(request, sink);
      return;
    }
    this.http.send(request, {
      status: (status, retryAfterSeconds) => sink.status(status, retryAfterSeconds),
      body: (bytes, from, to) => {
        for (let at = from; at < to; at++) this.copy.push(bytes[at]!);
        sink.body(bytes, from, to);
      },
      end: () => sink.end(),
      failed: (failure) => sink.failed(failure),
    });
  }

  abort(): void {
    this.http.abort();
  }
}

/** One document: the endpoints in it, or why it is of no use. */
function ask(
  core: Core,
  host: { http: Http; timers: Timers },
  issuer: string,
  metadata: string,
): Promise<Endpoints | string> {
  return new Promise((resolve) => {
    const finish = (): void => {
      const { device } = driver;
      if (device.callState !== CallState.DONE) return;
      driver.stop();
      resolve(device.callError ? refusal(device.callStatus, device.callError) : found(driver));
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
      memoryBytes: MEMORY_BYTES,
      onChange: finish,
    });
    driver.start();
    const bytes = bytesOf(issuer);
    if (!core.discover?.(driver.device, bytes, 0, bytes.length)) {
      driver.stop();
      resolve("the issuer is too long");
      return;
    }
    driver.run();
  });
}

function found({ device }: Driver): Endpoints {
  const value = (field: number): string => {
    const from = device.start[field]!;
    return asciiOf(device.memory, from, from + Math.max(0, device.length[field]!));
  };
  return {
    ...noEndpoints,
    deviceAuthorization: value(Field.VALUE_B),
    token: value(Field.VALUE_C),
    revocation: value(Field.VALUE_D),
  };
}

function refusal(status: number, error: number): string {
  if (error === ErrorCode.UNREACHABLE) return "not reachable";
  if (status < 200 || status > 299) return `HTTP ${status}`;
  return error === ErrorCode.VALUE_TOO_LONG
    ? "an address is too long"
    : "not the metadata of exactly this issuer with https addresses for the device grant";
}
