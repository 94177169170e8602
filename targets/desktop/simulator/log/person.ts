// The user's actions on the service's pages, one line per step: opens the page or enters the code, types it, signs in.
// The decision is logged where it takes effect (simulation.ts).
import type { ServiceEvent } from "../../../service/observers.ts";
import type { Service } from "../../../service/service.ts";
import type { Timeline } from "./timeline.ts";

type Exchange = ServiceEvent & { type: "exchange" };

/** Actions of the account page by the last segment of the form's address. */
const ACCOUNT_DEEDS = {
  remove: "removes the device's access",
  "sign-out-everywhere": "signs out everywhere",
  disable: "disables the account",
  enable: "enables the account",
  "change-credential": "must change the password",
} as const;

export type AccountDeed = keyof typeof ACCOUNT_DEEDS;
export const ACCOUNT_DEED_NAMES = Object.keys(ACCOUNT_DEEDS) as readonly AccountDeed[];

/** "ada signs out everywhere" */
export function accountLine(account: string, deed: AccountDeed): string {
  return `${account} ${ACCOUNT_DEEDS[deed]}`;
}

/** The action on the account page and its account; undefined for other events. */
function accountDeedOf(event: Exchange): { account: string; deed: AccountDeed } | undefined {
  // Every action of that page redirects to it.
  if (event.method !== "POST" || event.status !== 303) return undefined;
  const name = /^\/account\/([a-z-]+)$/.exec(event.path)?.[1];
  const deed = ACCOUNT_DEED_NAMES.find((one) => one === name);
  const account = new URLSearchParams(event.requestBody).get("account");
  return deed && account ? { account, deed } : undefined;
}

export class PersonSteps {
  /** The code came with the page's address, so the user does not type it. */
  #isScanned = false;

  /**
   * @param isCodeShown without a code on a display, opening a page is not a step
   * @returns what the user has just done, "" for other events
   */
  stepOf(event: Exchange, isCodeShown: boolean): string {
    const did = accountDeedOf(event);
    if (did) return accountLine(did.account, did.deed);
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
    // After any error, the user types the next code.
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

/** Logs what the user does on the service's pages as it happens; a page loaded twice is logged once. */
export function watchPages(
  service: Service,
  timeline: Timeline,
  isCodeShown: () => boolean,
  told: () => void,
): void {
  const person = new PersonSteps();
  service.observe((event) => {
    if (event.type !== "exchange") return;
    const step = person.stepOf(event, isCodeShown());
    if (step === "" || timeline.entries.at(-1)?.what === step) return;
    timeline.note(step, "person");
    told();
  });
}
