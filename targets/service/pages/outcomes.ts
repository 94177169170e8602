// What a person is told of their decision: what has happened, and what to do next. The pages say it, and so does whoever
// decides without them. Who can mend a refusal is told as everywhere (core/tables/remedies.ts).
import type { DecisionOutcome } from "../decisions.ts";

export interface OutcomeWords {
  readonly kind: "good" | "hint" | "warn";
  readonly title: string;
  readonly text: string;
}

/** @param name of the app that asked */
export function outcomeWords(outcome: DecisionOutcome, name: string): OutcomeWords {
  switch (outcome) {
    case "granted":
      return {
        kind: "good",
        title: "Connected",
        text: `Go back to your device: ${name} goes on by itself.`,
      };
    case "access_denied":
      return {
        kind: "hint",
        title: "Not connected",
        text: `${name} got no access to your account. If that was a mistake, get a new code on your device.`,
      };
    case "admin_policy_enforced":
      return {
        kind: "warn",
        title: "Your organization does not allow this",
        text: "Ask your administrator to allow what the app asks for. Then get a new code on your device.",
      };
    case "org_internal":
      return {
        kind: "warn",
        title: "Only for one organization",
        text: "Ask your administrator to admit the account. Then get a new code on your device.",
      };
    default:
      return {
        kind: "warn",
        title: "This did not work",
        text: "The code is no longer waiting for you. Get a new one on your device.",
      };
  }
}
