// Signing in as one promise, over a driver on any platform that has promises and `fetch`. Node's own part (files,
// the network) is in ../node/sign-in.ts; what happens until there is a session is in attempt.ts.

import type { Platform } from "../contracts.ts";
import type { Session } from "./session.ts";
import { type RuntimeSettings, SessionRuntime } from "./session-runtime.ts";
import type { SignInError } from "./sign-in-error.ts";

/** What the user is to be shown (RFC 8628 §3.3). */
export interface VerificationPrompt {
  /** Exactly as the server sent it: not to be altered. */
  readonly userCode: string;
  /** To be opened in a browser on another device. With `https://` in front where the server sent it without a scheme. */
  readonly verificationUri: string;
  /** The same with the code in it, for a QR code or a link; "" where the server sent none. */
  readonly verificationUriComplete: string;
  /** Seconds until the code expires, at most 86400; `onCode` then gets a new one, up to three times. */
  readonly expiresInS: number;
}

/** What `signIn` calls, and what ends it. Each may return a promise; nobody waits for it. */
export interface SignInHandlers<Prompt = VerificationPrompt> {
  /**
   * Called with each code that the user is to be shown, one from before a restart included; not where there is a session. What it throws
   * ends the sign-in, and is what the promise rejects with. Without it nobody can be asked: a SignInError `wrong_option`
   * where there is no session.
   */
  readonly onCode?: ((prompt: Prompt) => unknown) | undefined;
  /**
   * Called each time that something has come to nothing and will be tried again by itself: the network is away, the
   * server has failed, something else answers in its place, or tokens cannot be saved, erased or renewed. In the session, too.
   * A server that refuses to refresh the tokens costs no session either, unless it refuses the user: `remedy` says who
   * can mend it. It is tried again with growing waits, and for a day what refuses neither the grant nor the client.
   */
  readonly onTrouble?: ((trouble: SignInError) => unknown) | undefined;
  /** Called once where the session ends later on by itself: revoked, or refused by the server. */
  readonly onEnd?: ((error: SignInError) => unknown) | undefined;
  /**
   * Called with what `onTrouble` or `onEnd` have thrown once there is a session. Without it that is an unhandled
   * rejection, as of any promise that nobody listens to.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Only goes on with a session that is there, and asks neither server nor user for a new one: where there is none,
   * a SignInError `not_signed_in`; where the one that is there is not good for the whole scope, `insufficient_scope`.
   */
  readonly resumeOnly?: boolean | undefined;
  /** Gives the sign-in up. A session that there is already is not touched by it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Signs in, or goes on with the session that the storage holds: at once then, before any request.
 * @param dispose gives the platform back; called when the session ends, and where there is none
 * @throws SignInError where the user refuses, the codes run out, the server refuses, or `signal` aborts; what `onCode`
 *   or `onTrouble` have thrown
 */
export function signInOn(
  platform: Platform,
  settings: RuntimeSettings,
  handlers: SignInHandlers,
  dispose: () => void,
): Promise<Session> {
  return new SessionRuntime(platform, settings, handlers, dispose).session;
}
