// A device with a session and what is asked of it: helpers of the tests of calls and of the rows of the
// device document. What needs one subject alone is with its tests.

import { expect } from "vitest";
import { CallState, State } from "../../core/complete.ts";
import { Bench, code, type Reaction, type Sent, tokens } from "./bench.ts";

export const RESOURCE = 5;
export const SECOND_RESOURCE = 6;
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Signed in, with these answers to come. */
export function session(answers: Reaction[] = [], members: object = {}): Bench {
  const bench = new Bench([code(), tokens(members)]);
  bench.until(2);
  bench.answers = answers;
  bench.sent.length = 0;
  return bench;
}

/** Begins a call with this target; what sendCall says. */
export function call(bench: Bench, target: string, body?: string, endpoint = RESOURCE): number {
  const { core, device } = bench;
  if (core.beginCall(device) === 0) return 0;
  const path = bytesOf(target);
  core.addPath(device, path, 0, path.length);
  const lent = body === undefined ? null : bytesOf(body);
  return core.sendCall(device, endpoint, lent ? 0 : 1, lent, 0, lent ? lent.length : 0);
}

/** How the call ended; it has to have. */
export function outcome({ device }: Bench): { error: number; status: number } {
  expect(device.callState).toBe(CallState.DONE);
  return { error: device.callError, status: device.callStatus };
}

export const LIST = "/video/v3/liveBroadcasts?part=id%2Csnippet&mine=true";

export const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const fields = (sent: Sent): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(sent.body));
export const polls = (bench: Bench): Sent[] => bench.sent.filter(({ endpoint }) => endpoint === 1);
export const shown = (bench: Bench): string => bench.frame().join("\n");
export const signedIn = (members: object = {}): Bench => {
  const bench = new Bench([code(), tokens(members)]);
  bench.until(2);
  expect(bench.device.state).toBe(State.SIGNED_IN);
  return bench;
};
