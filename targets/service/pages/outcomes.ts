// What a person is told of their decision: what has happened, and what to do next. The pages say it, and so does whoever
// decides without them. Who can mend a refusal is told as everywhere (core/tables/remedies.ts).
import type { DecisionOutcome } from "../decisions.ts";
import type { Translate } from "./languages.ts";

export interface OutcomeWords {
  readonly kind: "good" | "hint" | "warn";
  readonly title: string;
  readonly text: string;
}

/** @param name of the app that asked */
export function outcomeWords(outcome: DecisionOutcome, t: Translate, name: string): OutcomeWords {
  const again = ` ${t("Then get a new code on your device.")}`;
  switch (outcome) {
    case "granted":
      return {
        kind: "good",
        title: t("Connected"),
        text: t("Go back to your device: {app} goes on by itself.", { app: name }),
      };
    case "access_denied":
      return {
        kind: "hint",
        title: t("Not connected"),
        text: t(
          "{app} got no access to your account. If that was a mistake, get a new code on your device.",
          {
            app: name,
          },
        ),
      };
    case "admin_policy_enforced":
      return {
        kind: "warn",
        title: t("Your organization does not allow this"),
        text: t("Ask your administrator to allow what the app asks for.") + again,
      };
    case "org_internal":
      return {
        kind: "warn",
        title: t("Only for one organization"),
        text: t("Ask your administrator to admit the account.") + again,
      };
    default:
      return {
        kind: "warn",
        title: t("This did not work"),
        text: t("The code is no longer waiting for you. Get a new one on your device."),
      };
  }
}
