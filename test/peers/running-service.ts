// The service behind a real socket on this machine, for clients that bring their own HTTP.
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
    if (event.type !== "exchange" || event.status !== 428 || ++polls < poll) return;
    stop();
    decide(service.pending().at(-1)!.userCode);
  });
}
