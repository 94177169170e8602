// The user's actions on the service's pages, one line for each step.
import type { ServiceEvent } from "../../../service/observers.ts";
import type { Service } from "../../../service/service.ts";
import type { Timeline } from "./timeline.ts";

type Exchange = ServiceEvent & { type: "exchange" };

/** The names are the last segments of the addresses to which the forms of the account page are sent. */
const ACCOUNT_ACTIONS = {
  remove: "removes the device's access",
  "sign-out-everywhere": "signs out everywhere",
  disable: "disables the account",
  enable: "enables the account",
  "change-credential": "must change the password",
} as const;

export type AccountAction = keyof typeof ACCOUNT_ACTIONS;
export const ACCOUNT_ACTION_NAMES = Object.keys(ACCOUNT_ACTIONS) as readonly AccountAction[];

export function accountLine(account: string, action: AccountAction): string {
  return `${account} ${ACCOUNT_ACTIONS[action]}`;
}

function accountActionOf(event: Exchange): { account: string; action: AccountAction } | undefined {
  // Every action of the account page redirects to that page.
  if (event.method !== "POST" || event.status !== 303) return undefined;
  const name = /^\/account\/([a-z-]+)$/.exec(event.path)?.[1];
  const action = ACCOUNT_ACTION_NAMES.find((one) => one === name);
  const account = new URLSearchParams(event.requestBody).get("account");
  return action && account ? { account, action } : undefined;
}

export class UserSteps {
  /** Whether the address of the page contains the code. */
  #isScanned = false;

  /** The user's action, or "". If no display shows a code, opening a page is not a step. */
  stepOf(event: Exchange, isCodeShown: boolean): string {
    const did = accountActionOf(event);
    if (did) return accountLine(did.account, did.action);
    const form = new URLSearchParams(event.requestBody);
    switch (`${event.method} ${event.path}`) {
      case "GET /device":
        this.#isScanned = event.query.includes("user_code=");
        if (!isCodeShown) return "";
        return this.#isScanned ? "enters the code" : "opens the page";
      case "POST /device":
        return this.#entered(event.status);
      case "POST /device/account":
        return this.#signedIn(form.get("account"), event.status);
      case "POST /account/choose":
        return this.#signedIn(form.get("account"), event.status);
      default:
        return "";
    }
  }

  #entered(status: number): string {
    const wasScanned = this.#isScanned;
    this.#isScanned = false;
    switch (status) {
      case 200:
        return wasScanned ? "confirms the code" : "types the code";
      case 400:
        return "types a wrong code";
      case 409:
        return "enters a code that was used";
      case 410:
        return "enters a code that has expired";
      case 429:
        return "has typed too many wrong codes";
      default:
        return "";
    }
  }

  #signedIn(account: string | null, status: number): string {
    return account && status < 400 ? `signs in as ${account}` : "";
  }
}

/** Logs the user's actions. A page that is loaded twice is logged once. */
export function watchPages(
  service: Service,
  timeline: Timeline,
  isCodeShown: () => boolean,
  reported: () => void,
): void {
  const user = new UserSteps();
  service.observe((event) => {
    if (event.type !== "exchange") return;
    const step = user.stepOf(event, isCodeShown());
    if (step === "" || timeline.entries.at(-1)?.what === step) return;
    timeline.note(step, "user");
    reported();
  });
}
