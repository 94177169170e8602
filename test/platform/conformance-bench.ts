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
import type { Http, Storage } from "../../platform/contracts.ts";
import {
  FakeHttp,
  type FakeHttpOptions,
  type FakeResponse,
  ManualClock,
  type SeenRequest,
} from "../../platform/testing/index.ts";
import { bytesOf } from "../../platform/text/text.ts";

export const realEnvironment: Environment = {
  wait: (ms) =>
    new Promise((done) => {
      if (ms === 0) setImmediate(done);
      else setTimeout(done, ms);
    }),
};

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

/** Writes a record. @returns the result of a storage that reports it at once */
export function put(storage: Storage, slot: number, record: string | Uint8Array) {
  const bytes = typeof record === "string" ? bytesOf(record) : record;
  let result: boolean | undefined;
  storage.write(slot, bytes, 0, bytes.length, (ok) => (result = ok));
  return result;
}

/** The record as text; "" for an empty slot, -1 for an unreadable one. */
export function get(storage: Storage, slot: number): string | number | undefined {
  const into = new Uint8Array(storage.capacity);
  let result: string | number | undefined;
  storage.read(slot, into, 0, into.length, (length) => {
    result = length < 0 ? length : new TextDecoder().decode(into.subarray(0, length));
  });
  return result;
}

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
    make: (limits) => ({
      http: wrap(new FakeHttp({ ...limits, ...options, clock, handler })),
    }),
    bench: { wire: false, tls: false, environment: manualEnvironment(clock), start },
  };
}
