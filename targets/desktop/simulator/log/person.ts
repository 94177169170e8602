// What the person does on the service's own pages, one line for each step: opens the page or enters the code, types
// it, signs in. How they decide is told where it takes effect (simulation.ts).
import type { ServiceEvent } from "../../../service/observers.ts";
import type { Service } from "../../../service/service.ts";
import type { Timeline } from "./timeline.ts";

type Exchange = ServiceEvent & { type: "exchange" };

/** What the account page does, by the last word of its form's address, in a person's words. */
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

/** What was done on the account page, and whose account it is; undefined for everything else. */
function accountDeedOf(event: Exchange): { account: string; deed: AccountDeed } | undefined {
  // Every deed of that page leads back to it.
  if (event.method !== "POST" || event.status !== 303) return undefined;
  const name = /^\/account\/([a-z-]+)$/.exec(event.path)?.[1];
  const deed = ACCOUNT_DEED_NAMES.find((one) => one === name);
  const account = new URLSearchParams(event.requestBody).get("account");
  return deed && account ? { account, deed } : undefined;
}

/** Reads the service's events of one world. */
export class PersonSteps {
  /** Whether the code came with the address of the page that is open: there is nothing to type then. */
  #isScanned = false;

  /**
   * @param isCodeShown without a code on a display, an open page is not the beginning of anything
   * @returns what the person has just done, "" where it is nothing to tell
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
    // Whatever was wrong with it: the next one is typed.
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

/** Has what the person does on the service's pages told as it happens; the same page a second time is not. */
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
