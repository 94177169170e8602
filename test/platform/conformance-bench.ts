// Helpers to run the conformance suites in these tests: an environment with real or simulated time, and the fake adapters.

import { it } from "vitest";
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

/** An environment in which time passes only on the simulated clock. */
export function manualEnvironment(clock: ManualClock): Environment {
  return {
    async wait(ms) {
      clock.advance(ms);
    },
  };
}

export const itConforms = <Make>(
  subject: string,
  suite: (make: Make) => ConformanceCase[],
  make: Make,
): void => it.each(suite(make))(`${subject}: $name`, (one) => one.run());

const ORIGIN = "http://server.example";
const DEAD = "http://dead.example";

/** Fake adapters and their servers on one clock. `wrap` can add a fault to the adapter. */
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
    // The fault wraps the limits, because a faulty adapter may have none.
    make: (limits) => ({
      http: wrap(new FakeHttp({ ...limits, ...options, clock, handler })),
    }),
    bench: { wire: false, tls: false, environment: manualEnvironment(clock), start },
  };
}
