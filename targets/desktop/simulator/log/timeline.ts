// What happened to the device, in order: its states with the events that led there, and what people
// and faults did meanwhile.

import { Event, State } from "../../../../core/complete.ts";
import { sentenceOf } from "../../../../core/tables/remedies.ts";
import type { Driver } from "../../../../platform/driver.ts";
import type { Moment, Moments } from "./moments.ts";
import { errorName, eventName, stateName } from "./names.ts";
import { type Reason, reasonOfDevice } from "./reasons.ts";

export interface TimelineEntry extends Moment {
  /** State after it, or "" for something that came from outside. */
  readonly state: string;
  readonly what: string;
  /** Whose deed it was; "device" where the device moved by itself or by an answer. */
  readonly by: Actor;
}

/** Who may do something in this world; a fault is what goes wrong there, its end is not. */
export type Actor = "device" | "person" | "button" | "world" | "fault" | "maker";

const KEPT = 300;

export class Timeline {
  readonly entries: TimelineEntry[] = [];
  /** All there ever were: a reader that knows the number sees what is new. */
  count = 0;
  #moves = -1;

  readonly #moments: Moments;

  constructor(moments: Moments) {
    this.#moments = moments;
  }

  /** Something from outside: a person, a fault, the power switch. Told before what it leads to. */
  note(what: string, by: Actor = "world"): TimelineEntry {
    if (what === "power on") this.#moves = -1;
    return this.#add("", what, by);
  }

  /** Takes the device's state down if it moved since the last time. */
  observe(driver: Driver): void {
    const { device } = driver;
    if (device.moves === this.#moves) return;
    this.#moves = device.moves;
    if (device.event === Event.NONE) return;
    const hasFailed = device.state === State.FAILED;
    this.#add(
      stateName(device.state),
      `${eventName(device.event)}${errorSuffix(driver, hasFailed ? reasonOfDevice(driver) : undefined)}`,
      "device",
    );
  }

  #add(state: string, what: string, by: Actor): TimelineEntry {
    const entry = { ...this.#moments.next(), state, what, by };
    this.count++;
    this.entries.push(entry);
    if (this.entries.length > KEPT) this.entries.shift();
    return entry;
  }
}

export { errorName, eventName, stateName } from "./names.ts";

/** Why it has failed, where the event does not say so itself, from whom that is, and who can mend it. */
function errorSuffix({ device }: Driver, reason: Reason | undefined): string {
  if (reason === undefined) return "";
  const name = errorName(device.error);
  const what = name === eventName(device.event) ? "" : `: ${name}`;
  return `${what}, says ${reason.from}. ${sentenceOf(reason.mend)}`;
}
