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
import { FIXTURE, VIDEO_READONLY } from "../service/harness.ts";

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

/** Decides the newest pending attempt at its `poll`-th unanswered poll, as a person would in between. */
export function decideAtPoll(
  { service }: Running,
  poll: number,
  decide: (userCode: string) => void,
): void {
  let polls = 0;
  const stop = service.observe((event) => {
    if (
      event.type !== "exchange" ||
      !/authorization_pending/.test(event.responseBody) ||
      ++polls < poll
    )
      return;
    stop();
    decide(service.pending().at(-1)!.userCode);
  });
}

// The project's own service behind a real socket, as a server among the others.

const CODE_LIFE_S = 120;
const ACCESS_LIFE_S = 900;

export async function startOwnService(): Promise<ForeignServer> {
  const service = createService({
    ...nodeEnvironment(),
    // Read at each call: the scenarios move the date.
    now: () => Date.now(),
    fixture: FIXTURE,
    options: {
      refreshTokenRotation: true,
      codeLifetime: CODE_LIFE_S,
      accessTokenLifetime: ACCESS_LIFE_S,
    },
  });
  const server = await serve(service);
  const decided = async (outcome: string): Promise<void> => {
    if (outcome !== "granted" && outcome !== "access_denied")
      throw new Error(`the service: ${outcome}`);
  };
  const television = { id: "living-room-tv", secret: "tv-secret" };
  return {
    name: "the service of this project",
    issuer: server.url,
    clients: {
      none: { id: "public-printer", secret: "" },
      client_secret_post: television,
      client_secret_basic: television,
    },
    scope: VIDEO_READONLY,
    codeLifeS: CODE_LIFE_S,
    accessLifeS: ACCESS_LIFE_S,
    approve: (_, userCode) => decided(service.approve(userCode, "ada")),
    deny: (_, userCode) => decided(service.deny(userCode)),
    close: () => server.close(),
  };
}
