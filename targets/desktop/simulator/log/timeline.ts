// The log of the device: its states with their causes, and the actions of users and faults.
import { ErrorCode, Event, State } from "../../../../core/complete.ts";
import type { Driver } from "../../../../platform/driver.ts";
import type { DecisionOutcome } from "../../../service/decisions.ts";
import type { ServiceEvent } from "../../../service/observers.ts";
import { outcomeWords } from "../../../service/pages/consent-views.ts";
import { type Reason, reasonOfDevice } from "./reasons.ts";
import { sentenceOf } from "./remedies.ts";

// The time of an event, and its position in the order of events, because many happen in the same millisecond.

export interface Moment {
  readonly atMs: number;
  /** The event's position among all events. A cause has a smaller position than its effect. */
  readonly order: number;
}

/** Gives each event of a simulation its moment. All logs share this order. */
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

// Names of states, events and errors of the core, for display.

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
  /** The cause of the state. "device" if the device changed its state by itself or after a response. */
  readonly by: Actor;
}

export type Actor = "device" | "user" | "button" | "environment" | "fault" | "manufacturer";

const STORED = 300;

export class Timeline {
  readonly entries: TimelineEntry[] = [];
  /** The number of all entries so far, including discarded ones. */
  count = 0;
  #moves = -1;

  readonly #moments: Moments;

  constructor(moments: Moments) {
    this.#moments = moments;
  }

  /** Records an external event. Call it before the event takes effect. */
  note(what: string, by: Actor = "environment"): TimelineEntry {
    if (what === "power on") this.#moves = -1;
    return this.#add("", what, by);
  }

  /** Records the device's state if it has changed. */
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

/** The error of a failure with source and remedy, if the event does not name it. */
function errorSuffix({ device }: Driver, reason: Reason | undefined): string {
  if (reason === undefined) return "";
  const name = errorName(device.error);
  const what = name === eventName(device.event) ? "" : `: ${name}`;
  return `${what}, reported by ${reason.from}. ${sentenceOf(reason.fix)}`;
}

// A decision about the device's code. It is logged once, when it takes effect.

export interface Decision {
  /** The text in the log: "ada allows". */
  readonly what: string;
  readonly page: { readonly title: string; readonly text: string };
  readonly isGranted: boolean;
  /** The code that the display showed. */
  readonly userCode: string;
  /** Whether the user decided with a key or a button of the simulator, instead of the service's pages. */
  readonly isByKey: boolean;
  /** The position among all events. */
  readonly order: number;
}

type Attempt = ServiceEvent & { type: "attempt" };

export class Decisions {
  /** Whether the current decision comes from a key or a button. */
  isByKey = false;
  accountId: string | undefined;
  #last: Decision | undefined;

  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** @param app the app's name for users @returns whether the event was a decision */
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

  /**
   * The decision about this code; for "", the decision about the previous one.
   * @param isOut whether nobody is signed in, so that an earlier approval no longer counts
   */
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
