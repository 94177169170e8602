// The application's part of a life: a call of the video API with whatever token the device has, and
// asking for security events.

import { CallState, Endpoint } from "../../core/complete.ts";
import type { Board } from "./board.ts";

const TARGET = Buffer.from("/liveBroadcasts?part=id&mine=true");

/** Starts a call; false where one is under way or nobody is signed in. */
export function callApi({ driver }: Board): boolean {
  if (!driver) return false;
  const { core, device } = driver;
  if (!core.beginCall?.(device)) return false;
  core.addPath?.(device, TARGET, 0, TARGET.length);
  const begun = core.sendCall?.(device, Endpoint.RESOURCE, 1, null, 0, 0) === 1;
  driver.run();
  return begun;
}

/** Asks for the events that wait; false where a call is under way or nobody is signed in. */
export function pollEvents({ driver }: Board): boolean {
  if (driver?.core.pollEvents?.(driver.device) !== 1) return false;
  driver.run();
  return true;
}

/** How the last call ended; undefined while it is under way or none was made. */
export function callResult({ driver }: Board): { status: number; error: number } | undefined {
  if (driver?.device.callState !== CallState.DONE) return undefined;
  return { status: driver.device.callStatus, error: driver.device.callError };
}
