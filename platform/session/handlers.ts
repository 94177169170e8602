import { guarded } from "../exchange/callbacks.ts";
import type { SignInError } from "./sign-in-error.ts";

/** The texts that the program shows to the user (RFC 8628 §3.3). */
export interface VerificationPrompt {
  /** The user code, exactly as the server sent it. Show it unaltered. */
  readonly userCode: string;
  /** The address to open in a browser on another device. Begins with `https://` if the server sent no scheme. */
  readonly verificationUri: string;
  /** The address with the code, for a QR code or a link; "" if the server sent none. */
  readonly verificationUriComplete: string;
  /** Seconds until the code expires, at most 86400. After that, `onCode` receives a new code, up to three times. */
  readonly expiresInS: number;
}

/** The callbacks of `signIn`, and the options that end a sign-in. A callback may return a promise, which is not awaited. */
export interface SignInHandlers<Prompt = VerificationPrompt> {
  /**
   * Called with each code to show to the user, including a code from before a restart. Not called during a session. If
   * `onCode` throws, the sign-in ends, and `signIn` rejects with that error. If `onCode` is missing and there is no
   * session, signing in fails with `wrong_option`.
   */
  readonly onCode?: ((prompt: Prompt) => unknown) | undefined;
  /**
   * Called for each failure that is retried, and for a long wait, also during the session: no network, an error of the
   * server, an unexpected response (as from a captive portal), or tokens that cannot be saved, erased or refreshed.
   * `remedy` says who can fix the problem. If the server rejects a refresh, but not the grant itself, the session
   * continues and retries with growing waits for a day. If the server rejects the client, the session retries without a
   * limit. If `onTrouble` throws before there is a session, the sign-in ends, as with `onCode`.
   */
  readonly onTrouble?: ((trouble: SignInError) => unknown) | undefined;
  /** Called once if the session ends by itself, for example after a revocation. */
  readonly onEnd?: ((error: SignInError) => unknown) | undefined;
  /** Called with exceptions of callbacks during a session. Without `onError`, they become unhandled rejections. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Only resumes a stored session. If there is none, `signIn` fails with `not_signed_in`; if its scope is too narrow, with
   * `insufficient_scope`.
   */
  readonly resumeOnly?: boolean | undefined;
  /** Aborts the sign-in. It has no effect on a session. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `onCode`, `onTrouble` or `onEnd`, which may throw or return a promise that rejects. Before there is a session,
 * the error ends the sign-in, and `signIn` rejects with it. During a session, `onError` receives the error. Without
 * `onError`, or if `onError` throws too, the error becomes an unhandled rejection.
 */
export function callHandler(
  handler: () => unknown,
  signIn: { readonly life: { readonly hasSession: boolean }; end(error: unknown): void },
  onError: SignInHandlers["onError"] = unhandled,
): void {
  guarded(handler, (error) => {
    if (signIn.life.hasSession) guarded(() => onError(error), unhandled);
    else signIn.end(error);
  });
}

function unhandled(error: unknown): void {
  void Promise.reject(error);
}
