// The conformance suite in these tests: how time passes in it, on the real clock or on a manual one, and the fakes as its
// subjects, each on a manual clock of its own, HTTP with a server that exists only as the plans it was given.

import type {
  ConformanceCase,
  Environment,
  HttpLimits,
  HttpSubject,
  HttpTestBench,
  HttpTestServer,
  RequestOnServer,
  ServerPlan,
} from "../../platform/conformance/index.ts";
import type { Http } from "../../platform/contracts.ts";
import {
  FakeHttp,
  type FakeHttpOptions,
  type FakeResponse,
  ManualClock,
  type SeenRequest,
} from "../../platform/testing/index.ts";

export const realEnvironment: Environment = {
  wait: (ms) =>
    new Promise((done) => {
      if (ms === 0) setImmediate(done);
      else setTimeout(done, ms);
    }),
};

/** A world without waiting: its time is the clock's. */
export function manualEnvironment(clock: ManualClock): Environment {
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

const ORIGIN = "http://server.example";
const DEAD = "http://dead.example";

/** Fake adapters on one clock, and the servers that they talk to; `wrap` may spoil the adapter. */
export function fakeServers(
  options: FakeHttpOptions = {},
  wrap: (http: Http) => Http = (http) => http,
): { make: (limits: HttpLimits) => HttpSubject; bench: HttpTestBench } {
  const clock = new ManualClock();
  let requests: RequestOnServer[] = [];
  let plans: ServerPlan[] = [];
  const handler = ({ method, url, body }: SeenRequest): FakeResponse => {
    if (url.startsWith(DEAD)) return { fault: { kind: "refuse" } };
    requests.push({ method, target: url.replace(ORIGIN, ""), headers: [], body });
    const plan = plans.shift();
    if (plan === undefined) return { status: 599 };
    if (plan.kind === "hang") return { fault: { kind: "hang" } };
    if (plan.kind !== "response") return { fault: { kind: "reset-after" } };
    const { status, body: output = "", pieceBytes, pieceDelayMs, cutAtByte } = plan;
    const retryAfter = plan.headers?.find(([name]) => name === "Retry-After")?.[1] ?? "";
    return {
      ...{ status, body: output },
      retryAfterSeconds: /^\d+$/.test(retryAfter) ? Number(retryAfter) : -1,
      ...(pieceBytes !== undefined && { chunkBytes: pieceBytes }),
      ...(pieceDelayMs !== undefined && { chunkDelayMs: pieceDelayMs }),
      ...(cutAtByte !== undefined && { fault: { kind: "truncate", atByte: cutAtByte } }),
    };
  };
  const start = (): HttpTestServer => {
    requests = [];
    plans = [];
    return {
      ...{ origin: ORIGIN, deadOrigin: DEAD, requests: () => requests },
      plan: (...more) => plans.push(...more),
      ...{ closeIdle: () => {}, close: () => {} },
    };
  };
  return {
    // After the limits: a broken adapter may have none.
    make: (limits) => ({
      http: wrap(new FakeHttp({ ...limits, ...options, clock, handler })),
    }),
    bench: { wire: false, tls: false, environment: manualEnvironment(clock), start },
  };
}
