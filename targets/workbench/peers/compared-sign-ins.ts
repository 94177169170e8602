// Hostile scenarios: what a server or a network does to a client on the way to its token, and how the
// client's way through it is judged.

import { MemoryStorage } from "../../../platform/fake/index.ts";
import { type Client, speed } from "./clients.ts";
import { type Answer, ScriptedServer } from "./scripted-server.ts";

const intervalS = 5;
/** Polls may come this much early: timers and sockets of a busy machine are not exact. */
const tolerance = 0.8;
const runLimitMs = 4000;

const code = {
  device_code: "dev-1",
  user_code: "ABCD-EFGH",
  verification_url: "https://www.example.com/device",
  verification_uri: "https://www.example.com/device",
  expires_in: 600,
  interval: intervalS,
};
const tokens = {
  access_token: "good",
  token_type: "bearer",
  scope: "email",
  expires_in: 3600,
  refresh_token: "r",
};
const pending: Answer = { status: 428, body: { error: "authorization_pending" } };
const html = "<!DOCTYPE html><title>502</title>";

/** Answers by number of the request (from 0): of a code, and of a poll. */
export interface Scenario {
  readonly name: string;
  device(count: number): Answer;
  token(count: number, form: URLSearchParams): Answer;
  /** Seconds to the earliest poll behind poll `count`; default the interval. */
  earliestS?(count: number): number;
  /** The power goes after this many polls. */
  restartAfter?: number;
}

const given = (): Answer => ({ body: code });
const granted: Answer = { body: tokens };

/** Pending, then `answers`, then pending, then granted. */
function polls(...answers: Answer[]): Scenario["token"] {
  return (count) => [pending, ...answers, pending][count] ?? granted;
}

const without = (name: keyof typeof code) => () => {
  const { [name]: _left, ...body } = code;
  return { body };
};

export const scenarios: readonly Scenario[] = [
  { name: "nothing goes wrong", device: given, token: polls() },
  { name: "only verification_url", device: without("verification_uri"), token: polls() },
  {
    name: "quota: 403 with error_code, once",
    device: (count) =>
      count === 0 ? { status: 403, body: { error_code: "rate_limit_exceeded" } } : given(),
    token: polls(),
  },
  {
    name: "connection reset while pending",
    device: given,
    token: polls({ reset: true }, { reset: true }),
  },
  { name: "502 with HTML while pending", device: given, token: polls({ status: 502, body: html }) },
  {
    name: "three slow_downs",
    device: given,
    token: polls(...Array(3).fill({ status: 403, body: { error: "slow_down" } })),
    earliestS: (count) => intervalS * (1 + Math.min(3, Math.max(0, count))),
  },
  { name: "no interval", device: without("interval"), token: polls() },
  {
    name: "interval as a string",
    device: () => ({ body: { ...code, interval: "5" } }),
    token: polls(),
  },
  {
    name: "503 with Retry-After: 12",
    device: given,
    token: polls({ status: 503, headers: { "Retry-After": "12" }, body: "" }),
    earliestS: (count) => (count === 1 ? 12 : intervalS),
  },
  {
    name: "the code expires, the user comes late",
    device: (count) => ({ body: { ...code, device_code: `dev-${count + 1}`, expires_in: 20 } }),
    token: (count, form) => {
      if (form.get("device_code") !== "dev-1") return granted;
      return count < 4 ? pending : { status: 400, body: { error: "expired_token" } };
    },
  },
  {
    name: "captive portal: 302, then 200 with HTML",
    device: given,
    token: polls({ status: 302, headers: { Location: "/portal" }, body: html }, { body: html }),
  },
  { name: "body cut off while pending", device: given, token: polls({ body: tokens, cut: 20 }) },
  {
    name: "10,000,000 B body while pending",
    device: given,
    token: polls({
      status: 428,
      body: { error: "authorization_pending", padding: "x".repeat(10_000_000) },
    }),
  },
  { name: "power lost while pending", device: given, token: polls(pending), restartAfter: 2 },
];

/** How a client came through. */
export interface Outcome {
  readonly verdict: "completes" | "starts over" | "fails cleanly" | "breaks";
  readonly why: string;
}

/** Whether a poll came before its time; the times run `speed` times faster. */
function earlyPoll(server: ScriptedServer, scenario: Scenario): string | undefined {
  const times = server.seen.filter(({ path }) => path === "/token").map(({ at }) => at);
  for (let index = 1; index < times.length; index++) {
    const earliestS = scenario.earliestS?.(index - 1) ?? intervalS;
    const gapS = ((times[index]! - times[index - 1]!) * speed) / 1000;
    if (gapS < earliestS * tolerance)
      return `polls ${gapS.toFixed(1)} s instead of ${earliestS} s after`;
  }
  return undefined;
}

/** Runs until the scenario is over: once, or with a loss of power in between. */
async function attempt(client: Client, base: string, stops: AbortController[]): Promise<string> {
  const kept = new MemoryStorage({});
  const limit = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error("no end")), runLimitMs).unref();
  });
  let last: unknown;
  for (const stop of stops) {
    try {
      return await Promise.race([client.signIn(base, kept, stop.signal), limit]);
    } catch (error) {
      last = error;
      if (!stop.signal.aborted) break;
    }
  }
  throw last;
}

function messageOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { message?: string } };
  const why = typeof cause?.message === "string" ? `${message} (${cause.message})` : message;
  return `${name === "Error" ? "" : `${name}: `}${why}`.replace(/\s+/g, " ").slice(0, 90);
}

/** Takes one client through one scenario. */
export async function judge(client: Client, scenario: Scenario): Promise<Outcome> {
  let devices = 0;
  let tokenRequests = 0;
  const stops = scenario.restartAfter
    ? [new AbortController(), new AbortController()]
    : [new AbortController()];
  const server = new ScriptedServer(({ path, form }) => {
    if (path === "/device") return scenario.device(devices++);
    if (path !== "/token") return { body: html };
    if (tokenRequests + 1 === scenario.restartAfter) setImmediate(() => stops[0]!.abort());
    return scenario.token(tokenRequests++, form);
  });
  const strays: string[] = [];
  const stray = (error: unknown) => strays.push(messageOf(error));
  process.on("unhandledRejection", stray);
  try {
    const token = await attempt(client, await server.listen(), stops);
    if (token !== "good") return { verdict: "breaks", why: `takes ${token} for the token` };
    const early = scenario.restartAfter ? undefined : earlyPoll(server, scenario);
    if (early) return { verdict: "breaks", why: early };
    if (devices > 1 && scenario.restartAfter) {
      return { verdict: "starts over", why: "a new code, the user types again" };
    }
    return { verdict: "completes", why: "" };
  } catch (error) {
    if (strays.length > 0) return { verdict: "breaks", why: `stray: ${strays[0]}` };
    const why = messageOf(error);
    return why === "no end" ? { verdict: "breaks", why } : { verdict: "fails cleanly", why };
  } finally {
    for (const stop of stops) stop.abort();
    process.off("unhandledRejection", stray);
    await server.close();
  }
}
