// The log of the device's states, the actions of users, and the faults.
import { ErrorCode, Event, State } from "../../../../core/complete.ts";
import type { Driver } from "../../../../platform/driver.ts";
import type { DecisionOutcome } from "../../../service/decisions.ts";
import type { ServiceEvent } from "../../../service/observers.ts";
import { outcomeWords } from "../../../service/pages/consent-views.ts";
import { type Reason, reasonOfDevice } from "./reasons.ts";
import { sentenceOf } from "./remedies.ts";

export interface Moment {
  readonly atMs: number;
  /** The position among the entries of all logs, because many have the same time. A cause precedes its effect. */
  readonly order: number;
}

/** Numbers the entries of all logs of a simulation. */
export class Moments {
  #order = 0;

  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  next(): Moment {
    return { atMs: this.#nowMs(), order: this.#order++ };
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

export interface TimelineEntry extends Moment {
  readonly state: string;
  readonly what: string;
  /** "device" if the device has changed its state by itself or after a response. */
  readonly by: Actor;
}

export type Actor = "device" | "user" | "button" | "environment" | "fault" | "manufacturer";

const STORED = 300;

export class Timeline {
  readonly entries: TimelineEntry[] = [];
  /** The number of all entries, including those that are no longer stored. */
  count = 0;
  #moves = -1;

  readonly #moments: Moments;

  constructor(moments: Moments) {
    this.#moments = moments;
  }

  /** Logs an external event. Call this before the event takes effect. */
  note(what: string, by: Actor = "environment"): TimelineEntry {
    if (what === "power on") this.#moves = -1;
    return this.#add("", what, by);
  }

  /** Logs the device's state if it has changed. */
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
    if (this.entries.length > STORED) this.entries.shift();
    return entry;
  }
}

/** The error with source and remedy. Omits the error's name if the event has the same name. */
function errorSuffix({ device }: Driver, reason: Reason | undefined): string {
  if (reason === undefined) return "";
  const name = errorName(device.error);
  const what = name === eventName(device.event) ? "" : `: ${name}`;
  return `${what}, reported by ${reason.from}. ${sentenceOf(reason.fix)}`;
}

export interface Decision {
  /** Text in the log: "ada allows". */
  readonly what: string;
  readonly page: { readonly title: string; readonly text: string };
  readonly isGranted: boolean;
  /** The code on the display. */
  readonly userCode: string;
  /** Whether the user has decided with a key or button of the simulator, instead of the service's pages. */
  readonly isByKey: boolean;
  readonly order: number;
}

type Attempt = ServiceEvent & { type: "attempt" };

export class Decisions {
  /** Whether a key or button is deciding now. */
  isByKey = false;
  accountId: string | undefined;
  #last: Decision | undefined;

  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Returns whether the event was a decision. `app` is the app's name for users. */
  receive(event: Attempt, userCode: string, app: string): boolean {
    if (event.state !== "granted" && event.state !== "refused") return false;
    const isGranted = event.state === "granted";
    const what = isGranted ? `${event.accountId} allows` : describeRefusal(event);
    const { order } = this.#timeline.note(what, "user");
    this.accountId = event.accountId ?? this.accountId;
    const outcome = (event.refusal ?? "granted") as DecisionOutcome;
    const page = outcomeWords(outcome, app);
    this.#last = { what, page, isGranted, userCode, isByKey: this.isByKey, order };
    return true;
  }

  /** The decision about this code; for "", the last decision. If `isOut` (signed out), an approval no longer counts. */
  about(userCode: string, isOut: boolean): Decision | undefined {
    const isOther = userCode !== "" && this.#last?.userCode !== userCode;
    if (isOther || (isOut && this.#last?.isGranted)) this.#last = undefined;
    return this.#last;
  }
}

function describeRefusal({ accountId, refusal }: Attempt): string {
  if (refusal === undefined || refusal === "access_denied") return "user denies";
  return `${accountId ?? "user"} allows, which is refused: ${refusal}`;
}
