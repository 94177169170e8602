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
} from "../../platform/conformance/index.ts";
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
  const faultFor = ({ url }: SeenRequest): FakeFault | undefined => {
    if (url.startsWith(DEAD)) return { kind: "refuse" };
    const plan = plans[0];
    if (plan === undefined) return undefined;
    if (plan.kind === "hang") return { kind: "hang", acted: true };
    if (plan.kind !== "answer") return { kind: "reset-after" };
    return plan.cutAtByte === undefined ? undefined : { kind: "truncate", atByte: plan.cutAtByte };
  };
  const handler = ({ method, url, body }: SeenRequest): FakeAnswer => {
    requests.push({ method, target: url.replace(ORIGIN, ""), headers: [], body });
    const plan = plans.shift();
    if (plan?.kind !== "answer") return { status: 599 };
    const retryAfter = plan.headers?.find(([name]) => name === "Retry-After")?.[1] ?? "";
    return {
      status: plan.status,
      body: plan.body ?? new Uint8Array(0),
      retryAfterSeconds: /^\d+$/.test(retryAfter) ? Number(retryAfter) : -1,
      ...(plan.pieceBytes === undefined ? {} : { chunkBytes: plan.pieceBytes }),
      ...(plan.pieceDelayMs === undefined ? {} : { chunkDelayMs: plan.pieceDelayMs }),
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
      http: wrap(new FakeHttp({ ...limits, ...options, clock, faultFor, handler })),
    }),
    bench: { wire: false, tls: false, world: manualWorld(clock), start },
  };
}
