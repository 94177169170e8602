// What people decide about the device's codes, whoever does it and wherever: told once, where it takes effect.
import type { DecisionOutcome } from "../../../service/decisions.ts";
import type { ServiceEvent } from "../../../service/observers.ts";
import { outcomeWords } from "../../../service/pages/outcomes.ts";
import type { Timeline } from "./timeline.ts";

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
