// The core as a life uses it: functions made of a bundle's text.

import type * as complete from "../../core/complete.ts";

export type LivesCore = Omit<
  typeof complete,
  "Command" | "Endpoint" | "CallState" | "ErrorCode" | "ErrorKind" | "Event" | "Field" | "Region"
>;

const cores = new WeakMap<LivesCore, LivesCore>();

/** Evaluates a bundle. Each call makes functions of its own. */
export function coreOf(code: string): LivesCore {
  const core = evaluate(code);
  // An engine evaluates a text that it knows already to functions that share what they have learnt.
  cores.set(core, evaluate(`// for watched memories\n${code}`));
  return core;
}

/**
 * The same core in functions of its own, for memories that are proxies: a function that has met one is slow
 * for good, also with the typed arrays of all other lives.
 */
export function coreForWatched(core: LivesCore): LivesCore {
  return cores.get(core) ?? core;
}

function evaluate(code: string): LivesCore {
  return new Function(`${code}\nreturn picogrant;`)() as LivesCore;
}
