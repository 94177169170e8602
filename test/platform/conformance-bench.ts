// The conformance suite in these tests: how time passes in it, on the real clock or on a manual one, and the fakes as its
// subjects, each on a manual clock of its own, HTTP with a server that exists only as the plans it was given.

import type {
  ConformanceCase,
  HttpLimits,
  HttpSubject,
  HttpTestBench,
  HttpTestServer,
  RequestOnServer,
  ServerPlan,
  World,
} from "../../platform/conformance.ts";
import type { Http } from "../../platform/contracts.ts";
import {
  type FakeAnswer,
  type FakeFault,
  FakeHttp,
  type FakeHttpOptions,
  ManualClock,
  type SeenRequest,
} from "../../platform/fake/index.ts";

export const realWorld: World = {
  wait: (ms) =>
    new Promise((done) => {
      if (ms === 0) setImmediate(done);
      else setTimeout(done, ms);
    }),
};

/** A world without waiting: its time is the clock's. */
export function manualWorld(clock: ManualClock): World {
  return {
    async wait(ms) {
      clock.advance(ms);
    },
  };
}

/** Cases as rows for `it.each`. */
export function rows(cases: ConformanceCase[]): [string, ConformanceCase][] {
  return cases.map((one) => [one.name, one]);
}

const DEAD = "http://dead.example";

/** Makes fake adapters and the servers they talk to; `wrap` may spoil the adapter. */
export class FakeBench {
  readonly clock = new ManualClock();
  readonly bench: HttpTestBench;
  readonly #options: FakeHttpOptions;
  readonly #wrap: (http: Http, clock: ManualClock, limits: HttpLimits) => Http;
  #requests: RequestOnServer[] = [];
  #plans: ServerPlan[] = [];

  constructor(
    options: FakeHttpOptions = {},
    wrap: (http: Http, clock: ManualClock, limits: HttpLimits) => Http = (http) => http,
  ) {
    this.#options = options;
    this.#wrap = wrap;
    const world: World = manualWorld(this.clock);
    this.bench = { wire: false, tls: false, world, start: () => this.#start() };
  }

  make = (limits: HttpLimits): HttpSubject => {
    const http = new FakeHttp({
      ...limits,
      // After the limits: a broken adapter may have none.
      ...this.#options,
      clock: this.clock,
      faultFor: (request) => this.#faultFor(request),
      handler: (request) => this.#answer(request),
    });
    return { http: this.#wrap(http, this.clock, limits) };
  };

  #start(): HttpTestServer {
    this.#requests = [];
    this.#plans = [];
    return {
      origin: "http://server.example",
      deadOrigin: DEAD,
      plan: (...plans) => this.#plans.push(...plans),
      requests: () => this.#requests,
      closeIdle: () => {},
      close: () => {},
    };
  }

  #faultFor(request: SeenRequest): FakeFault | undefined {
    if (request.url.startsWith(DEAD)) return { kind: "refuse" };
    const plan = this.#plans[0];
    if (plan === undefined) return undefined;
    if (plan.kind === "hang") return { kind: "hang", acted: true };
    if (plan.kind !== "answer") return { kind: "reset-after" };
    return plan.cutAtByte === undefined ? undefined : { kind: "truncate", atByte: plan.cutAtByte };
  }

  #answer(request: SeenRequest): FakeAnswer {
    this.#requests.push({
      method: request.method,
      target: request.url.replace("http://server.example", ""),
      headers: [],
      body: request.body,
    });
    const plan = this.#plans.shift();
    if (plan?.kind !== "answer") return { status: 599 };
    const retryAfter = plan.headers?.find(([name]) => name === "Retry-After")?.[1] ?? "";
    return {
      status: plan.status,
      body: plan.body ?? new Uint8Array(0),
      retryAfterSeconds: /^\d+$/.test(retryAfter) ? Number(retryAfter) : -1,
      ...(plan.pieceBytes === undefined ? {} : { chunkBytes: plan.pieceBytes }),
      ...(plan.pieceDelayMs === undefined ? {} : { chunkDelayMs: plan.pieceDelayMs }),
    };
  }
}
