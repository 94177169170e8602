// Carries out the core's commands on the five adapters: the loop that a host written in JavaScript
// would otherwise write itself. A host in C does the same with the core directly (SPEC.md).

import type * as complete from "../core/complete.ts";
import {
  Authorization,
  Command,
  ConfigMember,
  Endpoint,
  Field,
  Region,
  State,
} from "../core/index.ts";
import { addressProblem, originOf, withQuery } from "./address.ts";
import type {
  Bytes,
  Header,
  Http,
  HttpRequest,
  HttpSink,
  Platform,
  TransportFailure,
} from "./contracts.ts";
import { asciiOf } from "./text.ts";

// What one needs for adapters of one's own comes from the same place.
export type {
  Bytes,
  Display,
  Entropy,
  Header,
  Http,
  HttpRequest,
  HttpSink,
  Platform,
  Storage,
  Timers,
  TransportFailure,
} from "./contracts.ts";
export { retryAfterSeconds } from "./retry-after.ts";

/** The core as the driver uses it: the sources, or the built bundle. */
export type Core = Pick<
  typeof complete,
  | "create"
  | "tick"
  | "wakeIn"
  | "responseStart"
  | "responseBody"
  | "responseEnd"
  | "responseFailed"
  | "storageDone"
  | "signIn"
  | "cancel"
  | "signOut"
  | "setStatus"
  | "accessTokenRefused"
> &
  Partial<typeof complete>;

/**
 * Absolute addresses of what the core sends to, with a query of their own where the server wants one. An
 * empty one is reported as unreachable; without `revocation` signing out forgets the tokens.
 */
export interface Endpoints {
  /** Device authorization endpoint (RFC 8628 §3.1). */
  deviceAuthorization: string;
  /** Token endpoint (RFC 6749 §3.2). */
  token: string;
  /** Revocation endpoint (RFC 7009 §2). */
  revocation: string;
  /** Metadata document (RFC 8414 §3), for `discover`. */
  metadata: string;
  /** The first resource server: Endpoint.RESOURCE. */
  videoApi: string;
  /** The second resource server. */
  publisherApi: string;
  /** Polls for security events (RFC 8936). */
  events: string;
}

/** No address at all: to spread, and to fill in what there is. */
export const noEndpoints: Endpoints = {
  deviceAuthorization: "",
  token: "",
  revocation: "",
  metadata: "",
  videoApi: "",
  publisherApi: "",
  events: "",
};

/** Headers of the host's own, such as a client assertion, a client attestation or an API key. */
export interface HostHeaders {
  /** With requests to the authorization server. */
  readonly grant?: readonly Header[];
  /** With calls of resource servers. */
  readonly resource?: readonly Header[];
}

/** For a server that does not speak RFC 8628: an HTTP adapter around the platform's (servers/). */
export type Translate = (
  http: Http,
  client: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scope: string;
    accessToken(): string;
  },
) => Http;

/** The maker's settings; what the platform determines (display, seed) is added by the driver. */
export type DriverConfig = Omit<complete.Config, "columns" | "rows" | "seed" | "server"> & {
  /** The issuer; by default the origin of the token endpoint stands for the server. */
  server?: string;
};

/** Bytes for the core where nothing else is said. */
export const MEMORY_BYTES_DEFAULT = 4096;

/** What a driver is made of. */
export interface DriverOptions {
  /** The sources (`picogrant/core`), or the bundle. */
  readonly core: Core;
  /** The five adapters. */
  readonly platform: Platform;
  /** The maker's settings, of which nothing is kept but in `memory`. */
  readonly config: DriverConfig;
  /** Where requests go. */
  readonly endpoints: Endpoints;
  /** Plain http to other machines is taken as it is: for a network that nobody else is on. */
  readonly allowHttp?: boolean;
  /** Headers of the host's own. */
  readonly headers?: HostHeaders;
  /** For a server that does not speak RFC 8628 (`picogrant/servers`). */
  readonly translate?: Translate | undefined;
  /** Bytes for the core; 4096 by default. */
  readonly memoryBytes?: number;
  /** After anything that may have changed the device's state. */
  readonly onChange?: () => void;
  /** A piece of an API's answer; the range is only good until return. */
  readonly onApiBody?: (bytes: Bytes, from: number, to: number) => void;
  /**
   * `Authorization` of the polls for security events, such as "Bearer ..." with the receiver's own token
   * (RFC 8936 §2.4 leaves it to the two): the user's access token never goes there. Default: none.
   */
  readonly eventsAuthorization?: string;
  /** Checks the signature of a security event token, `bytes[from..to)`: a JWS in compact form. */
  readonly verifyEvent?: (bytes: Bytes, from: number, to: number) => boolean;
}

const NO_HEADERS: readonly Header[] = [];

/** Commands in one go: more means that something feeds on itself. */
const COMMANDS_MAX = 256;

/** A request that the next exchange overwrites: a poll makes no object. */
interface ReusedRequest extends HttpRequest {
  method: "GET" | "POST";
  url: string;
  contentType: string;
  authorization: string;
  headers: readonly Header[];
  body: Bytes;
  bodyFrom: number;
  bodyTo: number;
}

/**
 * One exchange: its request, and the sink that passes on what the adapter reports under the request's id.
 * It serves again and again, since a poll must not make an object.
 */
class Exchange implements HttpSink {
  readonly request: ReusedRequest;
  /** From `begin` until the adapter has reported the end, as it must unless the exchange is aborted. */
  isOpen = false;
  private id = 0;
  private streams = false;

  constructor(
    private readonly driver: Driver,
    private readonly onApiBody: DriverOptions["onApiBody"],
  ) {
    this.request = {
      method: "POST",
      url: "",
      contentType: "",
      authorization: "",
      headers: NO_HEADERS,
      body: driver.memory,
      bodyFrom: 0,
      bodyTo: 0,
    };
  }

  begin(id: number): void {
    this.id = id;
    this.isOpen = true;
    this.streams = false;
  }

  status(status: number, retryAfterSeconds: number): void {
    if (!this.isOpen) return;
    const { core, device } = this.driver;
    this.streams = core.responseStart(device, this.id, status, retryAfterSeconds) === 1;
  }

  body(bytes: Bytes, from: number, to: number): void {
    if (!this.isOpen) return;
    const { core, device } = this.driver;
    if (this.streams && device.requestId === this.id) this.onApiBody?.(bytes, from, to);
    core.responseBody(device, this.id, bytes, from, to);
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { driver } = this;
    driver.run();
    driver.core.responseEnd(driver.device, this.id);
    driver.run();
  }

  failed(_failure: TransportFailure): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    const { driver } = this;
    driver.run();
    driver.core.responseFailed(driver.device, this.id);
    driver.run();
  }
}

/**
 * A device on its platform. Nothing happens before `start`, and nothing after `stop`.
 *
 * Adapters must not throw for what the world did (contracts.ts). Where one throws all the same, the driver takes it
 * for a failure of what it was asked to do, goes on, and lets the error reach whoever called: a timer or callback of
 * the platform, which shows it as it shows any fault of a program.
 * @throws RangeError where the memory is too small for the configuration, or the storage for the records
 * @throws TypeError that names the endpoint or the header that is wrong
 */
export class Driver {
  /** The core that was given. */
  readonly core: Core;
  /** The core's state, to look at (memory.ts says what the properties mean). */
  readonly device: complete.Device;
  /** The core's memory: fields and tokens lie in it where `device.start` says. Not to be written. */
  readonly memory: Uint8Array;
  private addresses: Endpoints;
  private readonly platform: Platform;
  private readonly http: Http;
  private readonly options: DriverOptions;
  private lastMs = 0;
  private basic = "";
  private running = false;
  /** A driver starts once: a device that comes back is a new one, which reads its records. */
  private life: "new" | "started" | "stopped" = "new";
  /** What an adapter has thrown, until it is handed on. */
  private thrown: unknown[] = [];
  /**
   * Two exchanges take turns: what a broken adapter reports a second time then finds its exchange closed.
   */
  private exchange: Exchange;
  private exchangeBefore: Exchange;
  private readonly ring = (): void => this.run();
  private readonly stored = (result: number): void => {
    if (this.life !== "started") return;
    this.run();
    this.core.storageDone(this.device, result);
    this.run();
  };
  private readonly written = (ok: boolean): void => this.stored(ok ? 1 : 0);

  constructor(options: DriverOptions) {
    this.options = options;
    this.core = options.core;
    this.platform = options.platform;
    checkHeaders(options.headers);
    checkEndpoints(options.endpoints, options.allowHttp);
    this.addresses = options.endpoints;
    this.memory = new Uint8Array(options.memoryBytes ?? MEMORY_BYTES_DEFAULT);
    const { columns, rows } = options.platform.display;
    const config = {
      ...options.config,
      server: options.config.server ?? originOf(options.endpoints.token),
      columns,
      rows,
      seed: seedFrom(options.platform),
    };
    const device = this.core.create(this.memory, config);
    if (!device) {
      const wrong = this.core.configError?.(config) ?? ConfigMember.NONE;
      if (wrong !== ConfigMember.NONE) {
        throw new RangeError(`the configuration: ${memberName(wrong)} is missing or out of range`);
      }
      throw new RangeError(
        `${this.memory.length} bytes of memory are too few for this configuration; give more`,
      );
    }
    checkStorage(device, options.platform.storage.capacity);
    this.device = device;
    this.exchange = this.newExchange();
    this.exchangeBefore = this.newExchange();
    const { clientId, clientSecret, scope } = options.config;
    const accessToken = (): string => accessTokenOf(this.device, this.memory);
    this.http =
      options.translate?.(this.platform.http, { clientId, clientSecret, scope, accessToken }) ??
      this.platform.http;
  }

  /** Where requests go. */
  get endpoints(): Endpoints {
    return this.addresses;
  }

  /** Replaced as a whole by discovery. @throws TypeError that names the endpoint that is wrong */
  set endpoints(endpoints: Endpoints) {
    checkEndpoints(endpoints, this.options.allowHttp);
    this.addresses = endpoints;
  }

  /**
   * Reads the records back and goes on from there.
   * @throws Error where it has been called before
   */
  start(): void {
    if (this.life !== "new") throw new Error("a driver starts once; make a new one");
    this.life = "started";
    this.lastMs = this.platform.timers.now();
    this.run();
  }

  /**
   * Stops at once, as a loss of power would, for good; the storage is left as it is. What is asked of the driver
   * afterwards has no effect.
   */
  stop(): void {
    this.life = "stopped";
    this.platform.timers.cancel();
    this.http.abort();
  }

  /** Asks for a code, or for a new one (core: signIn). */
  signIn(): void {
    this.happen(() => this.core.signIn(this.device));
  }

  /** Gives up the attempt to sign in (core: cancel). */
  cancel(): void {
    this.happen(() => this.core.cancel(this.device));
  }

  /** Revokes and wipes the tokens (core: signOut). */
  signOut(): void {
    this.happen(() => this.core.signOut(this.device));
  }

  /** Sets the application's line below "Signed in", printable ASCII. */
  setStatus(text: string): void {
    const bytes = Array.from(text, (character) => character.charCodeAt(0));
    this.happen(() => this.core.setStatus(this.device, bytes, 0, bytes.length));
  }

  /** The access token as it is now, "" where there is none that can be used. */
  get accessToken(): string {
    const { state, accessLifeS } = this.device;
    const isUsable = state === State.SIGNED_IN && accessLifeS > 0;
    return isUsable ? accessTokenOf(this.device, this.memory) : "";
  }

  /** An answer of 401 to a request made with the access token: it is renewed (core: accessTokenRefused). */
  accessTokenRefused(): void {
    this.happen(() => this.core.accessTokenRefused(this.device));
  }

  /** Whether there are tokens, the access token being renewed included. */
  get isSignedIn(): boolean {
    return this.device.state === State.SIGNED_IN || this.device.state === State.REFRESHING;
  }

  /**
   * Tells the core of something that happened. The time until now passes first: a wait that the event
   * starts (the interval to the next poll) must not be shortened by what came before it.
   */
  happen(event: () => void): void {
    if (this.life === "stopped") return;
    this.run();
    event();
    this.run();
  }

  /** Lets the core work until it has nothing to do, then sleeps. Called from every callback. */
  run(): void {
    // A callback from within a command: the loop below is still going and takes it up.
    if (this.running || this.life !== "started") return;
    this.running = true;
    try {
      const now = this.platform.timers.now();
      // Timers may wrap at 2^32.
      let command = this.core.tick(this.device, Math.min((now - this.lastMs) >>> 0, 134217727));
      this.lastMs = now;
      for (let count = 0; command !== Command.NONE && this.life === "started"; count++) {
        if (count > COMMANDS_MAX) throw new Error("the core does not come to rest");
        this.perform(command);
        command = this.core.tick(this.device, 0);
      }
    } finally {
      this.running = false;
    }
    if (this.life !== "started") return;
    this.platform.timers.alarm(this.core.wakeIn(this.device), this.ring);
    if (this.thrown.length > 0) throw this.thrown.shift();
    this.options.onChange?.();
  }

  private perform(command: Command): void {
    try {
      this.carryOut(command);
    } catch (error) {
      this.thrown.push(error);
      this.giveUp(command);
    }
  }

  /** An adapter threw instead of reporting: the core hears of a failure, or it would wait for ever. */
  private giveUp(command: Command): void {
    const { core, device } = this;
    if (command === Command.SEND) this.exchange.failed("unreachable");
    else if (command === Command.LOAD) core.storageDone(device, -1);
    else if (command === Command.STORE || command === Command.ERASE) core.storageDone(device, 0);
    else if (command === Command.VERIFY) core.eventVerified?.(device, device.requestId, 0);
  }

  private carryOut(command: Command): void {
    const { device, memory, platform } = this;
    const from = device.data;
    const to = from + device.dataLength;
    switch (command) {
      case Command.SEND:
        this.send();
        break;
      case Command.ABORT:
        this.http.abort();
        break;
      case Command.SHOW:
        platform.display.show(memory, device.start[Region.FRAME]!);
        break;
      case Command.LOAD:
        platform.storage.read(device.slot, memory, from, to, this.stored);
        break;
      case Command.STORE:
        platform.storage.write(device.slot, memory, from, to, this.written);
        break;
      case Command.ERASE:
        platform.storage.erase(device.slot, this.written);
        break;
      case Command.VERIFY:
        this.core.eventVerified?.(
          device,
          device.requestId,
          this.options.verifyEvent?.(memory, from, to) === true ? 1 : 0,
        );
        break;
      default:
        throw new Error(`unknown command ${command}`);
    }
  }

  private newExchange(): Exchange {
    return new Exchange(this, this.options.onApiBody);
  }

  /** The exchange for the next request. One that never ended belongs to an aborted request for good. */
  private nextExchange(): Exchange {
    const next = this.exchangeBefore.isOpen ? this.newExchange() : this.exchangeBefore;
    this.exchangeBefore = this.exchange;
    this.exchange = next;
    next.begin(this.device.requestId);
    return next;
  }

  private send(): void {
    const { device, memory } = this;
    const exchange = this.nextExchange();
    const base = this.addressOf(device.endpoint);
    if (!base) {
      unaddressed(device.endpoint, exchange);
      return;
    }
    const ownBody = device.endpoint > Endpoint.REVOCATION ? device.callBody : null;
    const hasBody = ownBody !== null || device.bodyLength > 0;
    const { request } = exchange;
    request.method = device.isGet === 1 ? "GET" : "POST";
    request.url =
      device.targetLength > 0
        ? withQuery(base, asciiOf(memory, device.target, device.target + device.targetLength))
        : base;
    request.contentType = hasBody || device.isGet === 0 ? contentType(device.endpoint) : "";
    request.authorization =
      device.endpoint === Endpoint.EVENTS
        ? (this.options.eventsAuthorization ?? "")
        : this.authorization();
    request.headers = this.headersFor(device.endpoint);
    request.body = ownBody ?? memory;
    request.bodyFrom = ownBody ? device.callBodyFrom : device.body;
    request.bodyTo = ownBody ? device.callBodyTo : device.body + device.bodyLength;
    this.http.send(request, exchange);
  }

  private headersFor(endpoint: Endpoint): readonly Header[] {
    const { headers } = this.options;
    if (endpoint <= Endpoint.REVOCATION) return headers?.grant ?? NO_HEADERS;
    return (endpoint >= Endpoint.RESOURCE ? headers?.resource : undefined) ?? NO_HEADERS;
  }

  /** The Authorization header's value, "" for none. */
  private authorization(): string {
    const { device, memory } = this;
    switch (device.authorization) {
      case Authorization.BEARER:
        return `Bearer ${accessTokenOf(device, memory)}`;
      case Authorization.BASIC:
        // Made once: polls carry it, and a poll makes no new string.
        this.basic ||= `Basic ${credentialsOf(device, memory)}`;
        return this.basic;
      default:
        return "";
    }
  }

  private addressOf(endpoint: Endpoint): string {
    const endpoints = this.addresses;
    switch (endpoint) {
      case Endpoint.DEVICE_AUTHORIZATION:
        return endpoints.deviceAuthorization;
      case Endpoint.TOKEN:
        return endpoints.token;
      case Endpoint.REVOCATION:
        return endpoints.revocation;
      case Endpoint.METADATA:
        return endpoints.metadata;
      case Endpoint.RESOURCE:
        return endpoints.videoApi;
      case Endpoint.RESOURCE + 1:
        return endpoints.publisherApi;
      case Endpoint.EVENTS:
        return endpoints.events;
      default:
        return "";
    }
  }
}

/** Without an address there is nothing to ask: not reachable, but for a server that revokes nothing. */
function unaddressed(endpoint: Endpoint, sink: HttpSink): void {
  if (endpoint !== Endpoint.REVOCATION) {
    sink.failed("unreachable");
    return;
  }
  sink.status(200, -1);
  sink.end();
}

/** @throws TypeError with the first endpoint that secrets must not go to */
function checkEndpoints(endpoints: Endpoints, allowHttp = false): void {
  for (const [name, address] of Object.entries(endpoints) as [string, string][]) {
    const problem = address && addressProblem(address, allowHttp);
    if (problem) throw new TypeError(`endpoints.${name} ${problem}`);
  }
}

/** What the driver and the adapters set themselves. */
const OWN_HEADERS = [
  "accept",
  "authorization",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "transfer-encoding",
  "user-agent",
];

/** @throws TypeError with the first header that cannot be sent */
function checkHeaders(headers: HostHeaders = {}): void {
  for (const header of [...(headers.grant ?? []), ...(headers.resource ?? [])]) {
    const problem = headerProblem(header);
    if (problem) throw new TypeError(`headers: ${problem}`);
  }
}

/** What is wrong with a header of the host's own, "" for nothing. The value may be a secret. */
export function headerProblem([name, value]: Header): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
    return "a name must be a token of RFC 9110 section 5.6.2";
  }
  if (OWN_HEADERS.includes(name.toLowerCase())) return `${name} is not the host's to set`;
  return /^[ -~]*$/.test(value) ? "" : `the value of ${name} must be printable ASCII`;
}

function accessTokenOf(device: complete.Device, memory: Bytes): string {
  const from = device.start[Field.ACCESS_TOKEN]!;
  return asciiOf(memory, from, from + Math.max(0, device.length[Field.ACCESS_TOKEN]!));
}

/** The client's credentials in base64 (RFC 6749 §2.3.1). */
function credentialsOf(device: complete.Device, memory: Bytes): string {
  const from = device.start[Region.CLIENT_CREDENTIALS]!;
  return asciiOf(memory, from, from + Math.max(0, device.length[Region.CLIENT_CREDENTIALS]!));
}

/** Form fields for the grant (RFC 6749 §4), JSON for event polls (RFC 8936) and resource servers. */
function contentType(endpoint: Endpoint): string {
  return endpoint >= Endpoint.EVENTS ? "application/json" : "application/x-www-form-urlencoded";
}

/** A member of the configuration as it is spelled there. */
function memberName(member: ConfigMember): string {
  return ConfigMember[member]!.toLowerCase().replace(/_(.)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
}

/** 26 random bits for the core's jitter; a platform without entropy gives all devices the same. */
function seedFrom(platform: Platform): number {
  const bytes = new Uint8Array(4);
  if (!platform.entropy.fill(bytes, 0, 4)) return 0;
  return (bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24)) & 67108863;
}

/** Bytes of a record beside its values: head, a length in front of each value, checksum (core/SPEC.md). */
const RECORD_FRAME_BYTES = 19;
const LENGTH_BYTES = 2;

/** The longest record that the device may write with the memory that it has. */
function recordBytesMax({ capacity }: complete.Device): number {
  const room = (region: number): number => LENGTH_BYTES + Math.max(0, capacity[region] ?? 0);
  const code =
    room(Field.DEVICE_CODE) +
    room(Field.USER_CODE) +
    room(Field.VERIFICATION_URI) +
    room(Field.VERIFICATION_URI_COMPLETE);
  const token = Math.max(room(Field.ACCESS_TOKEN), room(Region.PRESENT_REFRESH_TOKEN));
  return Math.min(RECORD_FRAME_BYTES + Math.max(code, token), capacity[Region.OUTPUT] ?? 0);
}

/** Better now than when the user has signed in and the tokens do not fit. */
function checkStorage(device: complete.Device, capacity: number): void {
  const needed = recordBytesMax(device);
  if (capacity >= needed) return;
  throw new RangeError(
    `the storage takes records of ${capacity} bytes; with this much memory the device may write ` +
      `${needed}: give the storage more, or the device less memory`,
  );
}
