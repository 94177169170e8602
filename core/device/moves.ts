// State transitions: the only place where the state of a device changes.

import { must } from "./assertion.ts";
import { resetBackoff } from "./clock.ts";
import { hideCode, turnToFirstPage } from "./frame.ts";
import type { Device } from "./memory.ts";
import { endLifetimes } from "./regions.ts";
import { endFormTrial } from "./request.ts";
import { type Event, isTransition, type State } from "./states.ts";

/** The state, and the event that led to it. */
export interface Moves {
  /** One of State. */
  state: State;
  /** The Event that led to the state. */
  event: Event;
  /** Counts transitions (16 bits), so that a host can notice them. */
  moves: number;
}

export function makeMoves(device: Moves): void {
  device.state = 0;
  device.event = 0;
  device.moves = 0;
}

/** Makes a transition. Wipes data that the new state does not use, resets the backoff, and shows the first page. */
export function moveTo(device: Device & Moves, event: Event, state: State): void {
  ASSERT: must(isTransition(device.state, event, state), "the table has every move");
  device.state = state;
  device.event = event;
  device.moves = (device.moves + 1) & 65535;
  endLifetimes(device, state);
  endFormTrial(device, false);
  hideCode(device);
  turnToFirstPage(device);
  resetBackoff(device);
}
