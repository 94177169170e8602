// The last check of each request with a token or a client secret, before it is sent. It compares the request's address,
// which may come from the developer, a program, a server's metadata or a translation, with the allowed address.

import type { HttpRequest } from "../contracts.ts";
import { addressProblem, originOf } from "../servers/address.ts";
import { sentForms } from "../text/text.ts";
import { Filter } from "./filter.ts";

export interface Allowed {
  /** The configured or discovered address. The request must have the same scheme, host and port. */
  readonly address: string;
  readonly allowHttp: boolean;
  /** Values that must not appear in a URL, because proxies, logs and browser histories may store URLs (RFC 6750 §5.3). */
  readonly secrets: readonly string[];
}

/** Shorter values are not checked, because they may be an ordinary part of a path. Tokens are longer (RFC 6749 §10.10). */
const SECRET_LENGTH_MIN = 16;

/** Returns why a request to `url` is not allowed, "" if it is. The allowed address itself is not searched for secrets. */
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

/** The filter does not send a refused request, and reports the server as unreachable. */
export class LeakGuard extends Filter {
  address = "";
  readonly #allowed: (address: string) => Allowed;
  /** The last two addresses that passed. Polls and code requests repeat them, and the check must not allocate strings. */
  #passed = "";
  #passedBefore = "";

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
