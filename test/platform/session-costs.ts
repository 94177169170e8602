// npm run tool -- sessions: counts what sessions cost on Node. It starts programs as processes, which run this file
// too.

import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Session, signIn } from "../../platform/node/sign-in.ts";
import { fetchWithToken } from "../../platform/session/fetch.ts";
import {
  type SimulatedServiceOptions,
  startSimulatedService,
} from "../../targets/service/simulated-service.ts";
import { countHandshakes, sessionAsDevice } from "../../targets/workbench/budgets/handshakes.ts";
import { commandLine, printTable } from "../../targets/workbench/script-options.ts";

const REQUESTS = 7;
const STARTS = 10;
const PROGRAMS = 12;
const SESSIONS = 1000;
/** The lifetime of tokens, and how often a program may find an expired one. */
const LIFETIME_S = 12;
const RUNS = 2;
const BODY_BYTES = 50_000_000;

/** Arguments of a program: the service's address, and a directory. */
interface Place {
  readonly url: string;
  readonly state: string;
}

function started({ url, state }: Place): Promise<Session> {
  const server = { deviceAuthorization: `${url}/device/code`, token: `${url}/token` };
  return signIn({ server, clientId: "public-printer", scope: "openid", state, onCode: () => {} });
}

function usedBytes(): number {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The bytes of memory for each of many sessions. The first session has loaded all modules before. */
async function memory(place: Place): Promise<number> {
  const held: Session[] = [await started(place)];
  const states = Array.from({ length: SESSIONS }, (_, at) => `${place.state}-${at}`);
  // Every file except the lock.
  const filter = (name: string): boolean => !path.basename(name).startsWith("lock-");
  for (const state of states) cpSync(place.state, state, { recursive: true, filter });
  const before = usedBytes();
  for (const state of states) held.push(await started({ ...place, state }));
  const bytes = (usedBytes() - before) / SESSIONS;
  await Promise.all(held.map((session) => session.close()));
  return bytes;
}

async function use(place: Place): Promise<number> {
  const session = await started(place);
  const endMs = performance.now() + (RUNS + 0.5) * LIFETIME_S * 1000;
  while (performance.now() < endMs) {
    await session.accessToken();
    await wait(500);
  }
  await session.close();
  return 0;
}

/** How many bytes of memory each byte of a Request's body takes at most. */
async function body(): Promise<number> {
  const bytes = new Uint8Array(BODY_BYTES).fill(1);
  const request = new Request("https://api.test", { method: "POST", body: bytes });
  const source = { accessToken: async () => "a".repeat(32), refused() {} };
  const sending: typeof fetch = async (_, init) => {
    let sent = 0;
    for await (const piece of new Response(init!.body).body!) sent += piece.length;
    if (sent !== BODY_BYTES) throw new Error(`${sent} bytes were sent`);
    return new Response();
  };
  const peak = (): number => process.resourceUsage().maxRSS * 1024;
  const before = peak();
  await fetchWithToken(source, { fetch: sending }, request);
  return (peak() - before) / BODY_BYTES;
}

const programs = { memory, use, body };
type Program = keyof typeof programs;

/** @returns the program's count */
async function run(program: Program, place: Place): Promise<number> {
  const execArgv = [...process.execArgv, "--expose-gc"];
  const child = fork(import.meta.filename, [], { execArgv });
  child.send([program, place]);
  const [counted] = (await once(child, "message")) as [number];
  return counted;
}

/** Counts the refreshes during `act`, with a session that an earlier start has stored. */
async function renewals(
  folder: string,
  options: SimulatedServiceOptions,
  act: (place: Place) => Promise<unknown>,
): Promise<number> {
  const service = await startSimulatedService({ approve: "ada", options });
  const place = { url: service.url, state: path.join(folder, new URL(service.url).port) };
  let count = 0;
  service.observe((event) => {
    if (event.type === "grant" && event.change === "refreshed") count++;
  });
  await (await started(place)).close();
  await act(place);
  await service.close();
  return count;
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "picogrant-sessions-"));
  const short = { accessTokenLifetime: LIFETIME_S, refreshTokenRotation: true };
  const startAgain = async (place: Place): Promise<void> => {
    for (let count = 0; count < STARTS; count++) {
      const session = await started(place);
      await session.accessToken();
      await session.close();
    }
  };
  const together = (count: number) =>
    renewals(folder, short, (place) =>
      Promise.all(Array.from({ length: count }, () => run("use", place))),
    );
  const measured: Partial<Record<"memory" | "body", number>> = {};
  const [{ whole, resumed }, starts, one, many] = await Promise.all([
    countHandshakes(sessionAsDevice, REQUESTS - 1, 1, { keepAliveTimeout: 75_000 }),
    renewals(folder, {}, startAgain),
    together(1),
    together(PROGRAMS),
    renewals(folder, {}, async (place) => {
      measured.memory = await run("memory", place);
      measured.body = await run("body", place);
    }),
  ]);
  rmSync(folder, { recursive: true });
  const rows: [what: string, most: number, measured: number][] = [
    [`connections for ${REQUESTS} requests over TLS`, 1, whole + resumed],
    [`renewals at ${STARTS} starts`, 1, starts],
    [`renewals of ${PROGRAMS} programs at once, as of one`, one, many],
    [`KB of memory for each of ${SESSIONS} sessions`, 70, Math.ceil(measured.memory! / 1000)],
    ["the peak while a Request is sent, in bodies of it", 2.1, Number(measured.body!.toFixed(1))],
  ];
  printTable([["sessions on Node", "at most", "measured"], ...rows.map((row) => row.map(String))]);
  if (rows.some(([, most, found]) => !(found <= most))) process.exitCode = 1;
}

if (process.send === undefined) {
  commandLine("sessions", "What sessions cost on Node; fails above a limit.").parse();
  await measure();
} else {
  process.once("message", async ([program, place]: [Program, Place]) => {
    process.send!(await programs[program](place), () => process.disconnect());
  });
}
