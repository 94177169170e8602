// How an attempt to sign in begins, and how it or a session ends: what several rooms of the core have in common.

import { waitFor } from "../device/clock.ts";
import { ErrorCode, setError } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { type Event, State } from "../device/states.ts";
import { Job, nothingToSave, startJob } from "../records/record-keeping.ts";

/** Gives up whatever code there is and asks for a new one after `waitMs`. */
export function requestCode(device: Device, event: Event, waitMs: number): void {
  setError(device, ErrorCode.NONE);
  nothingToSave(device);
  waitFor(device, waitMs);
  moveTo(device, event, State.REQUESTING);
}

/** Ends the attempt or session for good, in memory and in storage; the error, if any, is shown. */
export function finish(device: Device, event: Event, error: ErrorCode, state: State): void {
  setError(device, error);
  moveTo(device, event, state);
  // If storage does not erase now, it is asked again after this, whatever Retry-After said.
  waitFor(device, Limit.SAVE_AGAIN_MS);
  startJob(device, Job.WIPE);
}
