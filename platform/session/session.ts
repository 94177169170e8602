// A session as a program sees it: an access token that is always fresh, a `fetch` that carries it, and an end.

import { Region, State } from "../../core/index.ts";
import type { Driver } from "../driver.ts";
import type { ServerAnswer } from "./answer-ear.ts";
import { type FetchSettings, fetchWithToken } from "./fetch.ts";
import { SignInError, signInErrorOf } from "./sign-in-error.ts";

/** What a session is doing. */
export type SessionStatus =
  /** The access token can be used. */
  | "signed-in"
  /** The access token is being refreshed; whoever asks for it waits. */
  | "refreshing"
  /** Over: signed out, revoked or ended by the server; nothing brings it back. */
  | "ended";

/** The core counts a lifetime that no server has told down from 100000000 s: what is that long is not known. */
const UNKNOWN_S = 50_000_000;

function lifetime(seconds: number): number | undefined {
  return seconds > 0 && seconds < UNKNOWN_S ? seconds : undefined;
}

/** A session that is always ready: made by `signIn`. */
export class Session {
  readonly #driver: Driver;
  readonly #dispose: () => void;
  readonly #fetchSettings: FetchSettings;
  #waiting: (() => void)[] = [];
  #end: SignInError | undefined;
  #signOutAsked = false;
  /** Called once when the session ends without `signOut` or `close`. */
  onEnd: ((error: SignInError) => void) | undefined;

  /**
   * @param dispose gives back what the driver stands on; called once
   * @param fetchSettings to whom `fetch` takes the token
   */
  constructor(driver: Driver, dispose: () => void, fetchSettings: FetchSettings = {}) {
    this.#driver = driver;
    this.#fetchSettings = fetchSettings;
    this.#dispose = dispose;
  }

  /** What it is doing now. */
  get status(): SessionStatus {
    if (this.#end !== undefined) return "ended";
    return this.#driver.device.state === State.SIGNED_IN ? "signed-in" : "refreshing";
  }

  /** Seconds for which the access token is still good; undefined where the server did not say, or there is none. */
  get expiresInS(): number | undefined {
    const { accessLifeS } = this.#driver.device;
    return this.status === "signed-in" ? lifetime(accessLifeS) : undefined;
  }

  /** Seconds until the whole session ends (`refresh_token_expires_in`); undefined where nothing is known of that. */
  get endsInS(): number | undefined {
    return this.status === "ended" ? undefined : lifetime(this.#driver.device.refreshLifeS);
  }

  /** Whether there is a refresh token: without one the session ends with its access token. */
  get isRenewable(): boolean {
    return this.status !== "ended" && this.#driver.device.length[Region.PRESENT_REFRESH_TOKEN]! > 0;
  }

  /**
   * The access token, refreshed first where it is about to expire: that waits for as long as the network is away.
   * @param signal gives up waiting
   * @throws SignInError where the session has ended; the signal's reason where it gives up
   */
  async accessToken(signal?: AbortSignal | null): Promise<string> {
    for (;;) {
      if (this.#end !== undefined) throw this.#end;
      const token = this.#driver.accessToken;
      if (token !== "") return token;
      signal?.throwIfAborted();
      await this.#nextChange(signal);
    }
  }

  /** Until something may have changed, or the signal gives up. */
  #nextChange(signal?: AbortSignal | null): Promise<void> {
    return new Promise<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      signal?.addEventListener("abort", wake);
      this.#waiting.push(wake);
    });
  }

  /**
   * As the global `fetch`, with the access token in `Authorization` (RFC 6750 §2.1). An answer of 401 has the token
   * refreshed and the request sent again, exactly once, unless its body is a stream, as that of a `Request` always is.
   * The token goes to the server that is asked here, over https, or to those of `resources` alone where they are given.
   * Redirects are followed: within that server with the token, to another one without token, headers and body.
   * @throws SignInError where the session has ended; TypeError where the token must not go there; whatever `fetch` throws
   */
  fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    return fetchWithToken(
      {
        accessToken: (signal) => this.accessToken(signal),
        // Meanwhile it may have been refreshed for another request.
        refused: (token) => {
          if (this.#driver.accessToken === token) this.#driver.accessTokenRefused();
        },
      },
      this.#fetchSettings,
      input,
      init,
    );
  }

  /** Revokes the tokens at the server, as far as it can be reached, and forgets them here. */
  async signOut(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#signOutAsked = true;
    this.#driver.signOut();
    while (this.#end === undefined) await this.#nextChange();
  }

  /** Lets the program go on without the session; it is there again at the next start. */
  close(): void {
    this.#finish(new SignInError("closed", "nobody", "the session was closed"), false);
  }

  /**
   * To be called after anything that may have changed the device's state.
   * @param answer the newest of the server's
   */
  changed(answer?: ServerAnswer): void {
    const { state } = this.#driver.device;
    if (state === State.FAILED) this.#finish(signInErrorOf(this.#driver.device, answer), true);
    else if (this.#signOutAsked && state === State.SIGNED_OUT) {
      this.#finish(new SignInError("signed_out", "user", "signed out; sign in again"), false);
    }
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #finish(error: SignInError, tell: boolean): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.#dispose();
    for (const wake of this.#waiting.splice(0)) wake();
    if (tell) this.onEnd?.(error);
  }
}
