// What the scenarios need to know of an authorization server that runs on this machine.

import type { Endpoints } from "../../platform/driver.ts";
import {
  createService,
  type FixtureInput,
  nodeEnvironment,
  type RunningServer,
  type Service,
  type ServiceEvent,
  type ServiceOptionsInput,
  serve,
} from "../../targets/service/index.ts";
import { FIXTURE } from "../service/harness.ts";

/** RFC 6749 §2.3.1, RFC 7591 §2. */
export const METHODS = ["none", "client_secret_post", "client_secret_basic"] as const;
export type Method = (typeof METHODS)[number];

export interface ForeignClient {
  readonly id: string;
  readonly secret: string;
}

export interface ForeignServer {
  readonly name: string;
  readonly issuer: string;
  /** Where it has no metadata that say so. */
  readonly endpoints?: Pick<Endpoints, "deviceAuthorization" | "token">;
  /** A client for each way of authenticating. */
  readonly clients: Readonly<Record<Method, ForeignClient>>;
  readonly scope: string;
  readonly codeLifeS: number;
  readonly accessLifeS: number;
  /** The person at the verification page. */
  approve(address: string, userCode: string): Promise<void>;
  deny(address: string, userCode: string): Promise<void>;
  /** Tells a server in another process what time it is. */
  setTime?(ms: number): void;
  close(): Promise<void>;
}

// The service behind a real socket on this machine, for clients that bring their own HTTP.

export interface Running {
  service: Service;
  server: RunningServer;
  url: string;
  /** What was exchanged so far, secrets masked. */
  exchanges: Extract<ServiceEvent, { type: "exchange" }>[];
}

/** Starts it with the shortest interval, so that clients that really wait do not wait long. */
export async function startService(
  options: ServiceOptionsInput = {},
  fixture: FixtureInput = FIXTURE,
): Promise<Running> {
  const service = createService({
    ...nodeEnvironment(),
    fixture,
    // Timers of clients are exact to some milliseconds only.
    options: { interval: 1, pollToleranceMs: 100, ...options },
  });
  const exchanges: Running["exchanges"] = [];
  service.observe((event) => {
    if (event.type === "exchange") exchanges.push(event);
  });
  const server = await serve(service);
  return { service, server, url: server.url, exchanges };
}
