// A person at a terminal does not wait for a server that is none: pages of HTML, and addresses that nobody knows.

import { SignInError } from "../../../platform/session/sign-in-error.ts";

/** In a row, over 7 to 14 seconds: what stands in the place of a server that is being started is gone by then. */
const ANSWERS_MAX = 4;

export class WrongAddress {
  /** What to say of it, once there have been enough such answers. */
  error: SignInError | undefined;
  readonly #giveUp: () => void;
  #count = 0;

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp;
  }

  /** Looks at what is tried again before there is a code. */
  look({ answer, code, lacks }: SignInError): void {
    // No answer says nothing of the address.
    if (answer === undefined || answer.failure !== "") return;
    const { error, status, url } = answer;
    // What lacks a member is the server's answer: that is given up by itself, and named.
    const isPage = code === "malformed_response" && lacks === "" && status >= 200 && status <= 299;
    const isUnknown = error === "" && (status === 404 || status === 410);
    this.#count = isPage || isUnknown ? this.#count + 1 : 0;
    if (this.#count < ANSWERS_MAX || this.error !== undefined) return;
    const what = isPage ? "a page, or something else that signs nobody in" : `HTTP ${status}`;
    const message =
      `${url} answers with ${what}, again and again: check the server's address, ` +
      "and whether the network wants a sign-in of its own";
    this.error = new SignInError("useless_answers", "maker", message, { answer });
    this.#giveUp();
  }
}
