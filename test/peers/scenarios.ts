// The device for tests with other servers: the real driver with Node's HTTP, a log of every exchange, and one virtual
// clock for both sides. Device and server must complete five scenarios, with any client authentication.

import { ErrorCode, Field, State } from "../../core/index.ts";
import { clientAuthentications } from "../../platform/configuration/settings.ts";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { type Driver, type DriverConfig, noEndpoints } from "../../platform/driver.ts";
import { NodeHttp } from "../../platform/node/index.ts";
import { discoverServer } from "../../platform/servers/discovery.ts";
import {
  driverConfig,
  ManualClock,
  MemoryStorage,
  type RecordedDisplay,
} from "../../platform/testing/index.ts";
import { asciiOf, formEncodeText } from "../../platform/text/text.ts";
import { driverOn } from "../environment/driver-port.ts";
import { Environment } from "../environment/environment.ts";
import { TIMEOUT_MS } from "../timeouts.ts";
import type { ForeignServer, Method } from "./own-service.ts";

const MEMORY_BYTES = 12_288;

/** A request of the device and its response, with their secrets, because the server exists only during the tests. */
interface Received {
  path: string;
  fields: URLSearchParams;
  status: number;
  received: string;
}

/** Node's HTTP with a log of every exchange. `lose` discards the next response. */
class RecordingHttp implements Http {
  readonly received: Received[] = [];
  busy = false;
  lose = false;
  readonly #http = new NodeHttp();

  send(request: HttpRequest, sink: HttpSink): void {
    const { pathname, search } = new URL(request.url);
    const fields = new URLSearchParams(asciiOf(request.body, request.bodyFrom, request.bodyTo));
    const received: Received = { path: pathname + search, fields, status: 0, received: "" };
    const lost = this.lose;
    this.lose = false;
    this.received.push(received);
    this.busy = true;
    this.#http.send(request, {
      status: (status, retryAfter) => {
        received.status = status;
        if (!lost) sink.status(status, retryAfter);
      },
      body: (bytes, from, to) => {
        received.received += asciiOf(bytes, from, to);
        if (!lost) sink.body(bytes, from, to);
      },
      end: () => {
        this.busy = false;
        if (lost) sink.failed("unreachable");
        else sink.end();
      },
      failed: (failure) => {
        this.busy = false;
        sink.failed(failure);
      },
    });
  }

  abort(): void {
    this.busy = false;
    this.#http.abort();
  }

  dispose(): void {
    this.#http.dispose();
  }
}

/** The virtual clock. The server's clock is ahead of the device's clock by `aheadMs`. */
export class SharedTime {
  readonly clock = new ManualClock();
  readonly #startMs = Date.now();
  readonly #set: (ms: number) => void;
  aheadMs = 0;

  constructor(setSystemTime: (ms: number) => void) {
    this.#set = setSystemTime;
  }

  next(): void {
    this.clock.advanceToNext();
    this.report();
  }

  report(): void {
    this.#set(this.#startMs + this.clock.elapsedMs + this.aheadMs);
  }
}

export class PeerDevice {
  readonly http = new RecordingHttp();
  readonly display: RecordedDisplay;
  readonly driver: Driver;
  readonly #time: SharedTime;

  constructor(time: SharedTime, endpoints: Driver["endpoints"], config: Partial<DriverConfig>) {
    this.#time = time;
    const storage = new MemoryStorage({ capacity: MEMORY_BYTES });
    const environment = new Environment({ clock: time.clock, storage, columns: 32 });
    this.display = environment.display;
    this.driver = driverOn(
      { ...environment, http: this.http },
      { config: { ...driverConfig, ...config }, endpoints, memoryBytes: MEMORY_BYTES },
    );
  }

  /** Discovers the endpoints, unless `endpoints` of the server has them. Then starts the device. */
  static async start(
    { clients, issuer, scope, endpoints: known }: ForeignServer,
    method: Method,
    time: SharedTime,
  ): Promise<PeerDevice> {
    const http = new NodeHttp();
    const endpoints = known ?? (await discoverServer(http, issuer)).endpoints;
    http.dispose();
    const { id: clientId, secret: clientSecret } = clients[method];
    const clientAuthentication = clientAuthentications[method];
    const config = { clientId, clientSecret, clientAuthentication, scope };
    const device = new PeerDevice(time, { ...noEndpoints, ...endpoints }, config);
    device.driver.start();
    return device;
  }

  /** Advances virtual time, and waits in real time only for responses. */
  async until(what: string, done: () => boolean): Promise<void> {
    const end = performance.now() + TIMEOUT_MS;
    for (let moments = 0; !done(); ) {
      if (performance.now() > end || moments > 100_000) {
        const log = this.http.received.map(
          ({ path, status, received }) => `${path} ${status} ${received}`,
        );
        throw new Error(`never: ${what}\n${log.slice(-12).join("\n")}\n${this.display.text}`);
      }
      if (this.http.busy) await new Promise((resolve) => setTimeout(resolve, 1));
      else {
        moments++;
        this.#time.next();
      }
    }
  }

  responses(path: string): Received[] {
    return this.http.received.filter((one) => one.path.split("?")[0] === path);
  }

  close(): void {
    this.driver.stop();
    this.http.dispose();
  }
}

export const SCENARIOS = ["sign-in", "denial", "expiry", "refresh", "sign-out"] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** @throws Error that names the event which did not happen */
export async function play(
  server: ForeignServer,
  method: Method,
  scenario: Scenario,
  time: SharedTime,
): Promise<void> {
  const device = await PeerDevice.start(server, method, time);
  try {
    await new Scene(server, method, device, time).play(scenario);
  } finally {
    device.close();
  }
}

class Scene {
  readonly #server: ForeignServer;
  readonly #method: Method;
  readonly #device: PeerDevice;
  readonly #time: SharedTime;

  constructor(server: ForeignServer, method: Method, device: PeerDevice, time: SharedTime) {
    this.#server = server;
    this.#method = method;
    this.#device = device;
    this.#time = time;
  }

  async play(scenario: Scenario): Promise<void> {
    switch (scenario) {
      case "sign-in":
        await this.#signIn();
        must(this.#text(Field.ACCESS_TOKEN) !== "", "there is no access token");
        break;
      case "denial":
        await this.#deny();
        break;
      case "expiry":
        await this.#expire();
        break;
      case "refresh":
        await this.#refresh();
        break;
      default:
        await this.#signOut();
    }
  }

  /** RFC 8628 §3.5: pending twice, then approved. */
  async #signIn(): Promise<void> {
    const device = this.#device;
    await this.#untilState(State.PENDING);
    const polls = this.#tokenResponses().length;
    await device.until("two polls", () => this.#tokenResponses().length === polls + 2);
    await device.until("their responses", () => !device.http.busy);
    for (const { received } of this.#tokenResponses().slice(-2)) {
      must(JSON.parse(received).error === "authorization_pending", `a poll returned ${received}`);
    }
    await this.#server.approve(this.#text(Field.VERIFICATION_URI), this.#text(Field.USER_CODE));
    await this.#untilState(State.SIGNED_IN);
  }

  async #deny(): Promise<void> {
    await this.#untilState(State.PENDING);
    await this.#server.deny(this.#text(Field.VERIFICATION_URI), this.#text(Field.USER_CODE));
    await this.#untilState(State.FAILED);
    const { error } = this.#device.driver.device;
    must(error === ErrorCode.ACCESS_DENIED, `the error is ${ErrorCode[error]}`);
  }

  /** The server's clock is ahead, so the code expires there first. The device then requests a new code, which works. */
  async #expire(): Promise<void> {
    const device = this.#device;
    const time = this.#time;
    await this.#untilState(State.PENDING);
    const code = this.#text(Field.USER_CODE);
    time.aheadMs += (this.#server.codeLifetimeS + 1) * 1000;
    time.report();
    await device.until("a new code", () => {
      const { state } = device.driver.device;
      must(state !== State.FAILED, "the device gave up");
      return state === State.PENDING && this.#text(Field.USER_CODE) !== code;
    });
    await this.#signIn();
  }

  /** Refreshes twice. The second refresh uses the refresh token of the first response, if there was one. */
  async #refresh(): Promise<void> {
    await this.#signIn();
    for (let count = 0; count < 2; count++) {
      const before = this.#text(Field.ACCESS_TOKEN);
      const startMs = this.#time.clock.elapsedMs;
      await this.#device.until("a refresh", () => {
        must(this.#device.driver.device.state !== State.FAILED, "the session ended");
        return this.#text(Field.ACCESS_TOKEN) !== before && !this.#device.http.busy;
      });
      const waitedS = (this.#time.clock.elapsedMs - startMs) / 1000;
      must(waitedS < this.#server.accessLifetimeS, `the refresh came ${waitedS} s later`);
      const last = this.#tokenResponses().at(-1)!;
      must(last.fields.get("grant_type") === "refresh_token", "it was no refresh");
      must(last.status === 200, `its status was ${last.status}`);
    }
  }

  /** RFC 7009: the sign-out sends a request for each token. Afterwards, the refresh token is invalid. */
  async #signOut(): Promise<void> {
    await this.#signIn();
    const { refresh_token: token } = JSON.parse(this.#tokenResponses().at(-1)!.received);
    const { length } = this.#device.http.received;
    this.#device.driver.signOut();
    await this.#untilState(State.SIGNED_OUT);
    const requested = this.#device.http.received.slice(length);
    must(requested.length === 2, `${requested.length} requests were needed`);
    must(requested[0]!.status === 200, `the revocation returned ${requested[0]!.status}`);
    must(!requested.some(({ path }) => path.includes("?")), "a token was in the address");
    const status = await this.#refreshByHand(token as string);
    must(status === 400, `the revoked token still gets ${status}`);
  }

  #tokenResponses(): Received[] {
    const { pathname } = new URL(this.#device.driver.endpoints.token);
    // A server that requires JSON rejects the first form, and the device retries.
    return this.#device.responses(pathname).filter(({ status }) => status !== 415);
  }

  #text(field: number): string {
    const { memory, start, length } = this.#device.driver.device;
    const from = start[field]!;
    return asciiOf(memory, from, from + length[field]!);
  }

  async #untilState(state: State): Promise<void> {
    const { device } = this.#device.driver;
    await this.#device.until(State[state]!, () => {
      const failed = device.state === State.FAILED && state !== State.FAILED;
      must(!failed, `the device failed with ${ErrorCode[device.error]}: ${this.#lastResponse()}`);
      return device.state === state;
    });
  }

  #lastResponse(): string {
    const last = this.#device.http.received.at(-1);
    return last ? `${last.path} ${last.status} ${last.received}` : "there was no request";
  }

  async #refreshByHand(token: string): Promise<number> {
    const { id, secret } = this.#server.clients[this.#method];
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: token });
    const headers: Record<string, string> = {};
    if (this.#method === "client_secret_basic") {
      const pair = `${formEncodeText(id)}:${formEncodeText(secret)}`;
      headers.authorization = `Basic ${Buffer.from(pair).toString("base64")}`;
    } else body.set("client_id", id);
    if (this.#method === "client_secret_post") body.set("client_secret", secret);
    const { token: address } = this.#device.driver.endpoints;
    return (await fetch(address, { method: "POST", body, headers })).status;
  }
}

function must(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise);
}
