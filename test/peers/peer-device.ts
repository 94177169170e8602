// The device for tests with servers that others wrote: the real driver on Node's HTTP, a note of every
// exchange, and one virtual clock for both sides. Nothing in it knows which server this is.

import type * as complete from "../../core/complete.ts";
import { ClientAuthentication } from "../../core/index.ts";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { discoverServer } from "../../platform/discovery.ts";
import { Driver, type DriverConfig, noEndpoints } from "../../platform/driver.ts";
import { driverConfig } from "../../platform/fake/config.ts";
import {
  ManualClock,
  MemoryStorage,
  RecordedDisplay,
  SeededEntropy,
} from "../../platform/fake/index.ts";
import { NodeHttp } from "../../platform/node/index.ts";
import { PATIENCE_MS } from "../patience.ts";

export const SCOPE = "openid offline_access";
const MEMORY_BYTES = 12_288;

/** One request of the device and what came back, in clear: the provider lives for one test. */
export interface Heard {
  path: string;
  fields: URLSearchParams;
  status: number;
  answer: string;
}

/** Node's HTTP, with a note of every exchange; `lose` makes the next answer get lost on its way. */
class NotedHttp implements Http {
  readonly heard: Heard[] = [];
  busy = false;
  lose = false;
  readonly #http = new NodeHttp();

  send(request: HttpRequest, sink: HttpSink): void {
    const { pathname, search } = new URL(request.url);
    const body = Uint8Array.from({ length: request.bodyTo - request.bodyFrom }, (_, i) => {
      return request.body[request.bodyFrom + i]!;
    });
    const fields = new URLSearchParams(new TextDecoder().decode(body));
    const heard: Heard = { path: pathname + search, fields, status: 0, answer: "" };
    const lost = this.lose;
    this.lose = false;
    this.heard.push(heard);
    this.busy = true;
    this.#http.send(request, {
      status: (status, retryAfter) => {
        heard.status = status;
        if (!lost) sink.status(status, retryAfter);
      },
      body: (bytes, from, to) => {
        const piece = Uint8Array.from({ length: to - from }, (_, i) => bytes[from + i]!);
        heard.answer += new TextDecoder().decode(piece);
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

/** The virtual clock: the provider's is ahead of the device's by `aheadMs`. */
export class SharedTime {
  readonly clock = new ManualClock();
  readonly #startMs = Date.now();
  readonly #set: (ms: number) => void;
  aheadMs = 0;

  constructor(setSystemTime: (ms: number) => void) {
    this.#set = setSystemTime;
  }

  /** Goes to the next moment at which anything happens on the device. */
  next(): void {
    this.clock.advanceToNext();
    this.tell();
  }

  tell(): void {
    this.#set(this.#startMs + this.clock.elapsedMs + this.aheadMs);
  }
}

/** The device: nothing in it knows which server this is. */
export class PeerDevice {
  readonly http = new NotedHttp();
  readonly display = new RecordedDisplay(32, 4);
  readonly driver: Driver;
  readonly time: SharedTime;
  body = "";

  constructor(
    core: typeof complete,
    time: SharedTime,
    endpoints: Driver["endpoints"],
    config: Partial<DriverConfig>,
  ) {
    this.time = time;
    this.driver = new Driver({
      core,
      platform: {
        http: this.http,
        timers: time.clock.timers(),
        storage: new MemoryStorage({ capacity: MEMORY_BYTES }),
        display: this.display,
        entropy: new SeededEntropy(1),
      },
      config: {
        ...driverConfig,
        clientId: "printer",
        clientSecret: "",
        clientAuthentication: ClientAuthentication.NONE,
        scope: SCOPE,
        ...config,
      },
      endpoints,
      memoryBytes: MEMORY_BYTES,
      onApiBody: (bytes, from, to) => {
        const piece = Uint8Array.from({ length: to - from }, (_, i) => bytes[from + i]!);
        this.body += new TextDecoder().decode(piece);
      },
    });
  }

  /** Finds the endpoints by discovery where none are given, then starts. A core of its own for each of the two. */
  static async start(
    makeCore: () => typeof complete,
    time: SharedTime,
    issuer: string,
    config: Partial<DriverConfig> = {},
    known?: Partial<Driver["endpoints"]>,
  ): Promise<PeerDevice> {
    const http = new NodeHttp();
    const host = { http, timers: time.clock.timers() };
    const endpoints = known ?? (await discoverServer(makeCore(), host, issuer)).endpoints;
    http.dispose();
    // The provider's own protected resource stands in for an API.
    const all = { ...noEndpoints, ...endpoints, resources: [`${issuer}/me`] };
    const device = new PeerDevice(makeCore(), time, all, config);
    device.driver.start();
    return device;
  }

  /** Lets virtual time pass, waiting in real time for answers only. */
  async until(what: string, done: () => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (let moments = 0; !done(); ) {
      if (performance.now() > end || moments > 100_000) {
        const log = this.http.heard.map(
          ({ path, status, answer }) => `${path} ${status} ${answer}`,
        );
        throw new Error(`never: ${what}\n${log.slice(-12).join("\n")}\n${this.display.text}`);
      }
      if (this.http.busy) await new Promise((resolve) => setTimeout(resolve, 1));
      else {
        moments++;
        this.time.next();
      }
    }
  }

  /** The exchanges with this path. */
  answers(path: string): Heard[] {
    return this.http.heard.filter((one) => one.path.split("?")[0] === path);
  }

  close(): void {
    this.driver.stop();
    this.http.dispose();
  }
}
