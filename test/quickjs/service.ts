// The simulated service for devices in other processes: over HTTP or HTTPS, restarted in its place, slow
// on request, and with an ear for every secret that crosses the wire.

import { onTestFinished } from "vitest";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type Service,
  type ServiceSnapshot,
  serve,
} from "../../targets/service/index.ts";
import { FIXTURE } from "../service/harness.ts";

export interface Certificate {
  key: string;
  cert: string;
}

export class RunningService {
  service: Service;
  url = "";
  /** Everything that nobody but device and service may know. */
  readonly secrets = new Set<string>();
  /** The last header `Authorization` of each path. */
  readonly authorizations = new Map<string, string | null>();
  /** `METHOD path status` of each exchange. */
  readonly log: string[] = [];
  /** How long the service thinks about each answer, ms. */
  delayMs = 0;
  readonly #certificate: Certificate | undefined;
  #server: RunningServer | undefined;

  constructor(certificate?: Certificate) {
    this.#certificate = certificate;
    this.service = this.#make();
    onTestFinished(() => this.stop());
  }

  async start(): Promise<void> {
    const front: Service = {
      ...this.service,
      options: this.service.options,
      baseUrl: this.service.baseUrl,
      fetch: (request, env) => this.#answer(request, env),
    };
    const port = this.url === "" ? 0 : Number(new URL(this.url).port);
    this.#server = await serve(front, { port, ...this.#certificate });
    this.url = this.#server.url;
    this.service.setOptions({ baseUrl: this.url });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close();
  }

  /** Ends it and starts another that knows what the first one wrote down, at the same address. */
  async restart(): Promise<void> {
    const snapshot = this.service.snapshot();
    await this.stop();
    this.service = this.#make(snapshot);
    await this.start();
  }

  #make(snapshot?: ServiceSnapshot): Service {
    return createService({
      ...nodeEnvironment(),
      fixture: FIXTURE,
      options: { interval: 1, pollToleranceMs: 100, tokenCharacters: "awkward" },
      snapshot,
    });
  }

  async #answer(request: Request, env: unknown): Promise<Response> {
    const body = await request.clone().text();
    for (const [name, value] of new URLSearchParams(body)) {
      if (/secret|token|device_code/.test(name)) this.#keep(value);
    }
    this.#keep(request.headers.get("authorization")?.replace(/^Bearer /, ""));
    if (this.delayMs > 0) await new Promise((done) => setTimeout(done, this.delayMs));
    const response = await this.service.fetch(request, env);
    const text = await response.clone().text();
    for (const [, value] of text.matchAll(/"(?:\w+_token|device_code)":\s*"([^"]+)"/g)) {
      this.#keep(value);
    }
    this.authorizations.set(new URL(request.url).pathname, request.headers.get("authorization"));
    this.log.push(`${request.method} ${new URL(request.url).pathname} ${response.status}`);
    return response;
  }

  #keep(secret: string | null | undefined): void {
    if (!secret || secret.length < 6) return;
    this.secrets.add(secret);
    this.secrets.add(encodeURIComponent(secret));
  }
}
