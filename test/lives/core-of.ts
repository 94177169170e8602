// The core as a life uses it: functions made of a bundle's text.

import type * as complete from "../../core/complete.ts";
import { named } from "../../platform/named-core.ts";
import { evaluateWatched, Watch } from "./watched-core.ts";

export type LivesCore = Omit<
  typeof complete,
  "Command" | "Endpoint" | "CallState" | "ErrorCode" | "ErrorKind" | "Event" | "Field" | "Region"
>;

/** The same core for a memory that is watched. */
interface WatchedCore {
  readonly core: LivesCore;
  readonly watch: Watch;
}

const codes = new WeakMap<LivesCore, string>();
const watchedCores = new WeakMap<LivesCore, WatchedCore>();

/** Evaluates a bundle. Each call makes functions of its own. */
export function coreOf(code: string): LivesCore {
  const core = named(new Function(`${code}\nreturn picogrant;`)() as LivesCore);
  codes.set(core, code);
  return core;
}

/**
 * The same core, rewritten so that it asks before each access to the memory that is being watched; undefined for
 * a core that no bundle's text was evaluated to.
 */
export function watchedCoreOf(core: LivesCore): WatchedCore | undefined {
  const known = watchedCores.get(core);
  const code = codes.get(core);
  if (known || code === undefined) return known;
  const watch = new Watch();
  const made = { core: named(evaluateWatched(code, watch) as LivesCore), watch };
  watchedCores.set(core, made);
  return made;
}
