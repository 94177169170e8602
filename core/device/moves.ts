// Moving from one state to the next: the only place where the state of a device changes.

import type { Device } from "./memory.ts";
import { endLives } from "./regions.ts";
import type { Event, State } from "./states.ts";

/**
 * Makes a move of the table (states.ts). It ends the lives of what the new state has no use for, hides a code that
 * is shown, and failures are counted anew after it.
 */
export function moveTo(device: Device, event: Event, state: State): void {
  device.state = state;
  device.event = event;
  device.moves = (device.moves + 1) & 65535;
  endLives(device, state);
  device.codeShown = 0;
  // The display turns to the first page.
  device.pageEnd = device.pageMs = 0;
  device.backoffMs = 0;
}
