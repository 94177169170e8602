// What happened to the device, in order: its states with the events that led there, and what people
// and faults did meanwhile.
import { type Device, ErrorCode, Event, State } from "../../../../core/complete.ts";
import { missingRoomOf } from "../../../../platform/missing-room.ts";
import type { Moment, Moments } from "./moments.ts";

export interface TimelineEntry extends Moment {
  /** State after it, or "" for something that came from outside. */
  readonly state: string;
  readonly what: string;
  /** Whose deed it was; "device" where the device moved by itself or by an answer. */
  readonly by: Actor;
}

/** Who may do something in this world. */
export type Actor = "device" | "person" | "button" | "world" | "maker";

const KEPT = 300;

export class Timeline {
  readonly entries: TimelineEntry[] = [];
  /** All there ever were: a reader that knows the number sees what is new. */
  count = 0;
  #moves = -1;

  constructor(private readonly moments: Moments) {}

  /** Something from outside: a person, a fault, the power switch. Told before what it leads to. */
  note(what: string, by: Actor = "world"): void {
    if (what === "power on") this.#moves = -1;
    this.#add("", what, by);
  }

  /** Takes the device's state down if it moved since the last time. */
  observe(device: Device): void {
    if (device.moves === this.#moves) return;
    this.#moves = device.moves;
    if (device.event === Event.NONE) return;
    this.#add(
      stateName(device.state),
      `${eventName(device.event)}${errorSuffix(device)}`,
      "device",
    );
  }

  #add(state: string, what: string, by: Actor): void {
    this.count++;
    this.entries.push({ ...this.moments.next(), state, what, by });
    if (this.entries.length > KEPT) this.entries.shift();
  }
}

function words(name: string): string {
  return name.toLowerCase().replaceAll("_", " ");
}

export function stateName(state: number): string {
  return words(State[state] ?? `state ${state}`);
}

export function eventName(event: number): string {
  return words(Event[event] ?? `event ${event}`);
}

export function errorName(error: number): string {
  return error === ErrorCode.NONE ? "" : words(ErrorCode[error] ?? `error ${error}`);
}

function errorSuffix(device: Device): string {
  if (device.state !== State.FAILED || !device.error) return "";
  const room = missingRoomOf(device);
  return `: ${errorName(device.error)}${room && ` (${room})`}`;
}
