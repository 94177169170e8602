// The environment of a service that runs for real on Node: the system's clock, randomness, timers,
// and fetch for pushed events.
import { randomBytes } from "node:crypto";
import type { Environment, PushAnswer, PushDelivery } from "./environment.ts";

const PUSH_TIMEOUT_MS = 10_000;
// RFC 8935 answers are short; whatever else comes is not worth keeping.
const ANSWER_CHARACTERS_MAX = 4096;

/** Real time, real entropy, real network. Timers do not keep the process alive. */
export function nodeEnvironment(): Required<Environment> {
  return {
    now: Date.now,
    random: (count) => randomBytes(count),
    schedule: (delayMs, task) => {
      setTimeout(task, delayMs).unref();
    },
    push,
  };
}

async function push({ url, headers, body }: PushDelivery): Promise<PushAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    // A redirect could carry a person's event anywhere.
    redirect: "manual",
    signal: AbortSignal.timeout(PUSH_TIMEOUT_MS),
  });
  return { status: response.status, body: (await response.text()).slice(0, ANSWER_CHARACTERS_MAX) };
}
