// The last look before anything is sent: is this where the request was meant to go? Whatever has put an address
// together before (a maker, a program, a server's metadata, a translation), it is compared here with what was allowed,
// and nothing of picogrant's reaches a socket by another way.

import type { HttpRequest } from "../contracts.ts";
import { addressProblem, originOf } from "../servers/address.ts";
import { sentForms } from "../text/form.ts";
import { Filter } from "./filter.ts";

/** What somebody has allowed. */
export interface Allowed {
  /** As it was configured, or found and checked: nothing goes to another scheme, host or port than its. */
  readonly address: string;
  /** Plain http to other machines is right here. */
  readonly allowHttp: boolean;
  /** What may not stand in an address, where others read it: proxies, logs, histories (RFC 6750 §5.3). */
  readonly secrets: readonly string[];
}

/** A shorter one may be an ordinary word of a path. No server's tokens are that short (RFC 6749 §10.10). */
const SECRET_LENGTH_MIN = 16;

/** Why `url` must not be asked, "" where it may. An address that was allowed itself may be all that it is. */
export function leakGuard(url: string, allowed: Allowed): string {
  const problem = addressProblem(url, allowed.allowHttp);
  if (problem !== "") return `the address ${problem}`;
  if (url === allowed.address) return "";
  if (originOf(url) !== originOf(allowed.address)) return "the address is another server's";
  return allowed.secrets.some((secret) => holds(url, secret)) ? "a secret is in the address" : "";
}

function holds(url: string, secret: string): boolean {
  if (secret.length < SECRET_LENGTH_MIN) return false;
  return [...sentForms(secret)].some((form) => url.includes(form));
}

/** What does not pass is not sent, and reported as not reachable. */
export class LeakGuard extends Filter {
  /** Where the next request is meant to go. */
  address = "";
  readonly #allowed: (address: string) => Allowed;
  /**
   * The two addresses that passed last as they are: polls go where those before them went, a new code is asked for at
   * the other, and neither makes a string.
   */
  #passed = "";
  #passedBefore = "";

  /** @param allowed what goes for requests that are meant for an address */
  constructor(allowed: (address: string) => Allowed) {
    super();
    this.#allowed = allowed;
  }

  override send(request: HttpRequest): void {
    const { url } = request;
    const isAsBefore = url === this.address && (url === this.#passed || url === this.#passedBefore);
    const refusal = isAsBefore ? "" : leakGuard(url, this.#allowed(this.address));
    if (refusal !== "") {
      this.above.failed("unreachable", refusal);
      return;
    }
    if (url !== this.#passed) this.#passedBefore = this.#passed;
    this.#passed = url;
    this.below.send(request);
  }
}
