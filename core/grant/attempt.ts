// The start of a sign-in, and the end of a sign-in or session.

import { waitFor } from "../device/clock.ts";
import { ErrorCode, setError } from "../device/errors.ts";
import { Limit } from "../device/limits.ts";
import type { Device } from "../device/memory.ts";
import { moveTo } from "../device/moves.ts";
import { type Event, State } from "../device/states.ts";
import { Job, nothingToSave, startJob } from "../records/record-keeping.ts";

/** Discards the current code, if any, and requests a new one after `waitMs`. */
export function requestCode(device: Device, event: Event, waitMs: number): void {
  setError(device, ErrorCode.NONE);
  nothingToSave(device);
  waitFor(device, waitMs);
  moveTo(device, event, State.REQUESTING);
}

/** Ends the sign-in or session, in memory and in storage. Shows the error, if any. */
export function finish(device: Device, event: Event, error: ErrorCode, state: State): void {
  setError(device, error);
  moveTo(device, event, state);
  // If storage cannot erase now, the device retries after this time. Retry-After does not apply to storage.
  waitFor(device, Limit.SAVE_AGAIN_MS);
  startJob(device, Job.WIPE);
}
