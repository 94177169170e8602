// The service behind a real socket on this machine, for clients that bring their own HTTP.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import {
  createService,
  nodeEnvironment,
  type RunningServer,
  type Service,
  type ServiceEvent,
  type ServiceOptionsInput,
  serve,
} from "../../targets/service/index.ts";
import { makeTlsIdentities } from "../platform/certificates.ts";
import { FIXTURE } from "../service/harness.ts";

export interface Running {
  service: Service;
  server: RunningServer;
  url: string;
  /** What was exchanged so far, secrets masked. */
  exchanges: Extract<ServiceEvent, { type: "exchange" }>[];
}

/** Starts it with the shortest interval, so that clients that really wait do not wait long. */
export async function startService(options: ServiceOptionsInput = {}): Promise<Running> {
  const service = createService({
    ...nodeEnvironment(),
    fixture: FIXTURE,
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

/** The same over TLS, until the test ends. @returns with the certificate of who signed its own, in a file */
export async function secureService(): Promise<{ service: Service; url: string; ca: string }> {
  const { ca, identities } = makeTlsIdentities();
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-peers-"));
  const file = path.join(folder, "ca.pem");
  writeFileSync(file, ca);
  const service = createService({
    ...nodeEnvironment(),
    fixture: FIXTURE,
    options: { interval: 1, pollToleranceMs: 100 },
  });
  const server = await serve(service, identities.trusted);
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });
  return { service, url: server.url, ca: file };
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
