// What happened to the device, in order: its states with the events that led there, and what people
// and faults did meanwhile.
import { ErrorCode, Event, State } from "../../../../core/complete.ts";
import type { Driver } from "../../../../platform/driver.ts";
import type { DecisionOutcome } from "../../../service/decisions.ts";
import type { ServiceEvent } from "../../../service/observers.ts";
import { outcomeWords } from "../../../service/pages/consent-views.ts";
import { type Reason, reasonOfDevice } from "./reasons.ts";
import { sentenceOf } from "./remedies.ts";

// When things happen in the simulated world. Much of it happens at one and the same millisecond, so time
// alone does not tell what led to what.

export interface Moment {
  /** The world's time. */
  readonly atMs: number;
  /** Place among all that happened; what led to it has a smaller one. */
  readonly order: number;
}

/** Hands out moments, each once, for all the logs of one world. */
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

// States, events and errors of the core in words.

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

/** Why it has failed, where the event does not say so itself, from whom that is, and who can mend it. */
function errorSuffix({ device }: Driver, reason: Reason | undefined): string {
  if (reason === undefined) return "";
  const name = errorName(device.error);
  const what = name === eventName(device.event) ? "" : `: ${name}`;
  return `${what}, says ${reason.from}. ${sentenceOf(reason.mend)}`;
}

// What people decide about the device's codes, whoever does it and wherever: told once, where it takes effect.

export interface Decision {
  /** As the log tells it: "ada allows". */
  readonly what: string;
  /** What the phone's page says of it. */
  readonly page: { readonly title: string; readonly text: string };
  readonly isGranted: boolean;
  /** The code on the display at that moment. */
  readonly userCode: string;
  /** Whether by a key or a button, without the service's pages. */
  readonly isByKey: boolean;
  /** Its place in the order of all that happened. */
  readonly order: number;
}

type Attempt = ServiceEvent & { type: "attempt" };

export class Decisions {
  /** Whether it is a key or a button that decides now. */
  isByKey = false;
  /** Who decided last as somebody who has an account. */
  accountId: string | undefined;
  #last: Decision | undefined;

  readonly #timeline: Timeline;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /**
   * @param app as people know it
   * @returns whether this was a decision
   */
  hear(event: Attempt, userCode: string, app: string): boolean {
    if (event.state !== "granted" && event.state !== "refused") return false;
    const isGranted = event.state === "granted";
    const what = isGranted ? `${event.accountId} allows` : describeRefusal(event);
    const { order } = this.#timeline.note(what, "person");
    this.accountId = event.accountId ?? this.accountId;
    const outcome = (event.refusal ?? "granted") as DecisionOutcome;
    const page = outcomeWords(outcome, app);
    this.#last = { what, page, isGranted, userCode, isByKey: this.isByKey, order };
    return true;
  }

  /**
   * What was decided about this code; where none is on the display (""), about the one before.
   * @param isOut whether nobody is signed in any more: what was allowed is over then
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
