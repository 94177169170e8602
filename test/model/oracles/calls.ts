// A call, as the host sees it: where it is, how it ended, and what may be read of it.

import { CallState, ErrorCode, Field, Region } from "../../../core/complete.ts";
import { Calls } from "../ideal/calls.ts";
import { Holder } from "../ideal/purpose.ts";
import { type Scene, same, textAt } from "./oracle.ts";

export function checkCall(scene: Scene): void {
  const { device, ideal } = scene;
  const { calls } = ideal;
  same(scene, "calls", "callState", CallState[device.callState], CallState[calls.state]);
  same(scene, "calls", "hasNextPage", device.hasNextPage === 1, calls.hasNextPage);
  if (calls.state === CallState.DONE) {
    same(scene, "calls", "callError", ErrorCode[device.callError], ErrorCode[calls.error]);
    same(scene, "calls", "callStatus", device.callStatus, calls.status);
    same(scene, "calls", "callErrorField", device.callErrorField, calls.errorField);
    same(scene, "calls", "callBody of a call that is done", device.callBody, null);
  }
}

function regionText({ device, memory }: Scene, region: number): string | undefined {
  const size = device.length[region]!;
  return size < 0 ? undefined : textAt(memory, device.start[region]!, size);
}

/** What stands in a value's region: one that is too long is there in part. */
function checkValue(
  scene: Scene,
  what: string,
  field: number,
  right: string | undefined,
  count: number,
): void {
  const seen = regionText(scene, field);
  const room = Math.floor(scene.ideal.room(Region.OUTPUT) / count) - 1;
  if (right !== undefined && right.length > room) return;
  same(scene, "calls", what, seen, right);
}

/** At the end of a call: the texts that SPEC.md lets the host read, until it has had the time to. */
export function checkOutcome(scene: Scene): void {
  const { ideal } = scene;
  const { outcome, error, isDone } = ideal.calls;
  const isThere = ideal.holder === Holder.ANSWER || ideal.holder === Holder.READ;
  if (!outcome || !isDone || !isThere) return;
  const { refusal, addresses } = outcome;
  if (refusal) {
    checkValue(scene, "the refusal's name", Field.VALUE_A, refusal.errors.name, 3);
    checkValue(scene, "the refusal's reason", Field.VALUE_B, refusal.reason, 3);
    checkValue(scene, "the refusal's message", Field.VALUE_C, refusal.message, 3);
  } else if (addresses && !error) {
    checkValue(scene, "device_authorization_endpoint", Field.VALUE_B, addresses.device, 4);
    checkValue(scene, "token_endpoint", Field.VALUE_C, addresses.token, 4);
    checkValue(scene, "revocation_endpoint", Field.VALUE_D, addresses.revocation, 4);
  } else if (outcome.isNothing) {
    for (const field of Calls.VALUES) checkValue(scene, "a value", field, undefined, 1);
  }
}
