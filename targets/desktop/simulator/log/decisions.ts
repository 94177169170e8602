// What people decide about the device's codes, whoever does it and wherever: told once, where it takes effect.
import type { ServiceEvent } from "../../../service/observers.ts";
import type { Timeline } from "./timeline.ts";

export interface Decision {
  /** As the log tells it: "ada allows". */
  readonly what: string;
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
  #last: Decision | undefined;

  constructor(private readonly timeline: Timeline) {}

  /** @returns whether this was a decision */
  hear(event: Attempt, userCode: string): boolean {
    if (event.state !== "granted" && event.state !== "refused") return false;
    const what = event.state === "granted" ? `${event.accountId} allows` : describeRefusal(event);
    const { order } = this.timeline.note(what, "person");
    this.#last = { what, userCode, isByKey: this.isByKey, order };
    return true;
  }

  /** What was decided about this code; where none is on the display (""), about the one before. */
  about(userCode: string): Decision | undefined {
    if (userCode !== "" && this.#last?.userCode !== userCode) this.#last = undefined;
    return this.#last;
  }
}

function describeRefusal({ accountId, refusal }: Attempt): string {
  if (refusal === undefined || refusal === "access_denied") return "user denies";
  return `${accountId ?? "user"} allows, which is refused: ${refusal}`;
}
