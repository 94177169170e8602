// Who owns which bytes, and for how long. This is the only place that says so: a move ends the lives of
// what its new state has no use for (moves.ts), and whoever wants OUTPUT has to claim it here.
//
// Most regions have a place of their own. Three share one, and never at the same time:
//  - DEVICE_CODE lies where PRESENT_REFRESH_TOKEN does: a code lives until there is a session, a refresh token
//    from then on. An answer that brings tokens writes to ACCESS_TOKEN and REFRESH_TOKEN, never there.
//  - CALL lies on what the user is shown of a code: there are calls with a target in a session only.
//  - The values of a call's answer lie in OUTPUT, and so do requests of the grant and records: one at a time.

import { Limit } from "./limits.ts";
import { type Device, Field, Region } from "./memory.ts";
import { State } from "./states.ts";

/** A bit for each state in which a code may be held. While the device starts, its record is read. */
export var CODE_STATES: number =
  (1 << State.STARTING) | (1 << State.REQUESTING) | (1 << State.PENDING);

/** A bit for each state in which tokens may be held. A failure that is not the tokens' leaves them alone. */
export var TOKEN_STATES: number =
  (1 << State.STARTING) |
  (1 << State.SIGNED_IN) |
  (1 << State.REFRESHING) |
  (1 << State.REVOKING) |
  (1 << State.FAILED);

/** A bit for each state that is a session: only in one is the target of a call held. */
export var SESSION_STATES: number = (1 << State.SIGNED_IN) | (1 << State.REFRESHING);

/** Who has OUTPUT. */
export enum OutputUse {
  NOBODY = 0,
  /** A request of the grant, from SEND until the exchange has ended, or ABORT has been given. */
  REQUEST = 1,
  /** A record, from LOAD or STORE until storageDone. */
  RECORD = 2,
  /**
   * The answer to a call, from its SEND on: while it arrives, while an event in it is verified, and until the
   * host has had time to read it: it has once it calls tick after tick has answered NONE.
   */
  ANSWER = 3,
  /** The answer to a call that is done, and tick has answered NONE since: whoever wants OUTPUT gets it. */
  ANSWER_SHOWN = 4,
  /** What one function of the border reads and forgets: an offer's body, an event's claims. */
  SCRATCH = 5,
}

/** Forgets what lies in OUTPUT, the values of the last call's answer among it. */
function emptyOutput(device: Device): void {
  device.size[Region.OUTPUT] = -1;
  for (var field: number = Field.VALUE_A; field <= Field.VALUE_D; field++) device.size[field] = -1;
}

/** Whether OUTPUT could be claimed now. */
export function isOutputFree(device: Device): boolean {
  return device.outputUse === OutputUse.NOBODY || device.outputUse === OutputUse.ANSWER_SHOWN;
}

/** @returns whether the claim is granted: OUTPUT is this owner's until it gives it back */
export function claimOutput(device: Device, use: OutputUse): boolean {
  if (!isOutputFree(device)) return false;
  emptyOutput(device);
  device.outputUse = use;
  return true;
}

/** Gives OUTPUT back, if it is this owner's; what lies there may be overwritten from now on. */
export function releaseOutput(device: Device, use: OutputUse): void {
  if (device.outputUse === use) {
    emptyOutput(device);
    device.outputUse = OutputUse.NOBODY;
  }
}

/** Before a code is read or asked for: it lies where no answer with tokens is written to. */
export function placeDeviceCode(device: Device): void {
  device.size[Region.PRESENT_REFRESH_TOKEN] = -1;
  device.at[Field.DEVICE_CODE] = device.at[Region.PRESENT_REFRESH_TOKEN];
}

/** The token that an answer brought becomes the present one, and the present one the one before. */
export function swapRefreshTokens(device: Device): void {
  var at = device.at[Field.REFRESH_TOKEN];
  var size = device.size[Field.REFRESH_TOKEN];
  device.at[Field.REFRESH_TOKEN] = device.at[Region.PRESENT_REFRESH_TOKEN];
  device.size[Field.REFRESH_TOKEN] = device.size[Region.PRESENT_REFRESH_TOKEN];
  device.at[Region.PRESENT_REFRESH_TOKEN] = at;
  device.size[Region.PRESENT_REFRESH_TOKEN] = size;
}

/** Ends the lives of all that `state` has no use for. */
export function endLives(device: Device, state: State): void {
  if (!((CODE_STATES >> state) & 1)) {
    for (var field: number = Field.DEVICE_CODE; field <= Field.VERIFICATION_URI_COMPLETE; field++) {
      device.size[field] = -1;
    }
  }
  if (!((TOKEN_STATES >> state) & 1)) dropTokens(device);
  if (!((SESSION_STATES >> state) & 1)) {
    device.size[Region.CALL] = -1;
    device.isBuilding = device.hasNextPage = 0;
  }
}

/** Forgets every token in memory. */
export function dropTokens(device: Device): void {
  device.size[Field.ACCESS_TOKEN] = -1;
  device.size[Field.REFRESH_TOKEN] = -1;
  device.size[Region.PRESENT_REFRESH_TOKEN] = -1;
  device.refreshLifeS = Limit.ENDLESS_S;
}
