// A device against oidc-provider: the provider behind a real socket with its own pages and its device
// flow switched on, the device on the real driver and Node's HTTP, and one virtual clock for both.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type * as complete from "../../core/complete.ts";
import type { Http, HttpRequest, HttpSink } from "../../platform/contracts.ts";
import { discoverEndpoints } from "../../platform/discovery.ts";
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
export const CODE_LIFE_S = 120;
export const ACCESS_LIFE_S = 900;

const CLIENTS = [
  { client_id: "printer", token_endpoint_auth_method: "none" as const },
  {
    client_id: "television",
    client_secret: "a secret/with+odd&characters",
    token_endpoint_auth_method: "client_secret_post" as const,
  },
];

export interface RunningProvider {
  issuer: string;
  close(): Promise<void>;
}

/** Starts the provider on a port of its own. */
export async function startProvider(): Promise<RunningProvider> {
  const { Provider } = await import("oidc-provider");
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: CLIENTS.map((client) => ({
      ...client,
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      redirect_uris: [],
      response_types: [],
    })),
    features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
    issueRefreshToken: async () => true,
    cookies: { keys: ["only for this test"] },
    ttl: { DeviceCode: CODE_LIFE_S, AccessToken: ACCESS_LIFE_S },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

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

  private constructor(
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
        storage: new MemoryStorage({}),
        display: this.display,
        entropy: new SeededEntropy(1),
      },
      config: {
        ...driverConfig,
        clientId: "printer",
        clientSecret: "",
        scope: SCOPE,
        ...config,
      },
      endpoints,
      memoryBytes: 12_288,
      onApiBody: (bytes, from, to) => {
        const piece = Uint8Array.from({ length: to - from }, (_, i) => bytes[from + i]!);
        this.body += new TextDecoder().decode(piece);
      },
    });
  }

  /** Finds the endpoints by discovery, then starts. A core of its own for each of the two. */
  static async start(
    makeCore: () => typeof complete,
    time: SharedTime,
    issuer: string,
    config: Partial<DriverConfig> = {},
  ): Promise<PeerDevice> {
    const http = new NodeHttp();
    const host = { http, timers: time.clock.timers() };
    const endpoints = await discoverEndpoints(makeCore(), host, issuer);
    http.dispose();
    // The provider's own protected resource stands in for an API.
    const all = { ...noEndpoints, ...endpoints, videoApi: `${issuer}/me` };
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

/** The user with a browser: keeps cookies, follows redirects, fills in the provider's own forms. */
export class PeerBrowser {
  #cookies = new Map<string, string>();
  #address = "";
  html = "";

  async open(url: string, init: RequestInit = {}): Promise<void> {
    let next: string | null = url;
    let options = init;
    while (next) {
      this.#address = new URL(next, this.#address || undefined).href;
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { ...(options.headers as Record<string, string>), cookie };
      const response: Response = await fetch(this.#address, {
        ...options,
        headers,
        redirect: "manual",
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair] = line.split(";", 1);
        const at = pair!.indexOf("=");
        this.#cookies.set(pair!.slice(0, at), pair!.slice(at + 1));
      }
      this.html = await response.text();
      next = response.headers.get("location");
      options = {};
    }
  }

  /** Sends the page's form with its hidden fields and these. */
  async submit(fields: Record<string, string> = {}): Promise<void> {
    const form = /<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/s.exec(this.html);
    if (!form) throw new Error(`no form on the page:\n${this.html}`);
    const sent = new URLSearchParams();
    for (const [, tag] of form[2]!.matchAll(/<input\s([^>]*type="hidden"[^>]*)>/g)) {
      sent.set(/name="([^"]*)"/.exec(tag!)![1]!, /value="([^"]*)"/.exec(tag!)?.[1] ?? "");
    }
    for (const [name, value] of Object.entries(fields)) sent.set(name, value);
    await this.open(form[1]!, {
      method: "POST",
      body: sent.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  }

  /** Types the code in, signs in and agrees. */
  async approve(address: string, userCode: string): Promise<void> {
    await this.open(address);
    await this.submit({ user_code: userCode });
    await this.submit();
    await this.submit({ login: "ada", password: "any" });
    await this.submit();
  }

  /** Types the code in and chooses to abort. */
  async deny(address: string, userCode: string): Promise<void> {
    await this.open(address);
    await this.submit({ user_code: userCode });
    await this.submit({ abort: "yes" });
  }
}
