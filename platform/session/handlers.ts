// What a program receives during a sign-in and a session.

import type { SignInError } from "./sign-in-error.ts";

/** What the user is to be shown (RFC 8628 §3.3). */
export interface VerificationPrompt {
  /** Exactly as the server sent it. Show it unaltered. */
  readonly userCode: string;
  /** The address to open in a browser on another device. Begins with `https://` if the server sent no scheme. */
  readonly verificationUri: string;
  /** The address with the code, for a QR code or a link; "" if the server sent none. */
  readonly verificationUriComplete: string;
  /** Seconds until the code expires, at most 86400; `onCode` then gets a new one, up to three times. */
  readonly expiresInS: number;
}

/** The callbacks of `signIn`, and what ends it. Callbacks may return a promise, which is not awaited. */
export interface SignInHandlers<Prompt = VerificationPrompt> {
  /**
   * Called with each code to show to the user, also with one from before a restart. Not called during a session. An
   * exception ends the sign-in, and the promise rejects with it. Without `onCode` and a session, signing in fails with
   * `wrong_option`.
   */
  readonly onCode?: ((prompt: Prompt) => unknown) | undefined;
  /**
   * Called for each failure that is retried, also during the session: no network, a failed server, something else that
   * responds in its place, or tokens that cannot be saved, erased or refreshed. `remedy` says who can fix it. If the server
   * rejects a refresh, but not the grant itself, the session continues and the refresh is retried with growing waits; unless
   * the server rejects the client, for at most a day.
   */
  readonly onTrouble?: ((trouble: SignInError) => unknown) | undefined;
  /** Called once if the session ends by itself: it was revoked, or the server rejects it. */
  readonly onEnd?: ((error: SignInError) => unknown) | undefined;
  /** Called with exceptions of `onTrouble` or `onEnd` during a session. Without it, they are unhandled rejections. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Only resumes a stored session. Without one, fails with `not_signed_in`; if its scope is too narrow, with
   * `insufficient_scope`.
   */
  readonly resumeOnly?: boolean | undefined;
  /** Aborts the sign-in. It has no effect on a session. */
  readonly signal?: AbortSignal | undefined;
}
