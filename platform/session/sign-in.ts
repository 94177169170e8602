// Signing in as one promise, over a driver on any platform that has promises and `fetch`. Node's own part (files,
// the network) is in ../node/sign-in.ts.

import * as core from "../../core/complete.ts";
import { ErrorCode, ErrorKind, Field, State } from "../../core/index.ts";
import type { Platform } from "../contracts.ts";
import { Driver, type DriverOptions } from "../driver.ts";
import { asciiOf } from "../text.ts";
import { AnswerEar } from "./answer-ear.ts";
import { checkResources, type FetchSettings } from "./fetch.ts";
import { Session } from "./session.ts";
import type { ServerSettings } from "./settings.ts";
import { SignInError, signInErrorOf, troubleOf } from "./sign-in-error.ts";

/** What the user is to be shown (RFC 8628 §3.3). */
export interface VerificationPrompt {
  /** Exactly as the server sent it: not to be altered. */
  readonly userCode: string;
  /** To be opened in a browser on another device. */
  readonly verificationUri: string;
  /** The same with the code in it, for a QR code or a link; "" where the server sent none. */
  readonly verificationUriComplete: string;
  /** Seconds until the code expires; a new one then comes by itself, three times. */
  readonly expiresInS: number;
}

/** What `signIn` calls, and what ends it. */
export interface SignInHandlers {
  /** Called with each code that the user is to be shown; not at all where there is a session already. */
  readonly onCode?: ((prompt: VerificationPrompt) => void) | undefined;
  /**
   * Called each time that a request has come to nothing and will be made again by itself: the network is away, the
   * server has failed, or something else answers in its place. In the session, too. Nothing needs to be done.
   */
  readonly onTrouble?: ((trouble: SignInError) => void) | undefined;
  /** Called once where the session ends later on by itself: revoked, or refused by the server. */
  readonly onEnd?: ((error: SignInError) => void) | undefined;
  /**
   * Only goes on with a session that is there, and asks neither server nor user for a new one: where there is none,
   * a SignInError `not_signed_in`. The session may have to refresh its access token first.
   */
  readonly resumeOnly?: boolean | undefined;
  /** Gives the sign-in up. A session that there is already is not touched by it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Signs in, or goes on with the session that the storage holds.
 * @param dispose gives the platform back; called when the session ends, and where there is none
 * @throws SignInError where the user refuses, the codes run out, the server refuses, or `signal` aborts
 */
export function signInOn(
  platform: Platform,
  settings: ServerSettings & Pick<DriverOptions, "allowHttp" | "headers"> & FetchSettings,
  handlers: SignInHandlers,
  dispose: () => void,
): Promise<Session> {
  checkResources(settings);
  return new Promise((resolve, reject) => {
    let session: Session | undefined;
    let shownCode = "";
    const ear = new AnswerEar();
    const { signal, resumeOnly = false } = handlers;
    const release = (): void => {
      signal?.removeEventListener("abort", abort);
      driver.stop();
      dispose();
    };
    const fail = (error: SignInError): void => {
      release();
      reject(error);
    };
    const abort = (): void => {
      if (session !== undefined) return;
      driver.cancel();
      fail(new SignInError("aborted", "nobody", "signing in was given up"));
    };
    const changed = (): void => {
      const { state } = driver.device;
      if (session !== undefined) {
        session.changed(ear.newest);
        return;
      }
      if (state === State.FAILED) fail(signInErrorOf(driver.device, ear.newest));
      else if (resumeOnly && isWithoutSession(state)) fail(notSignedIn());
      else if (state === State.PENDING) shownCode = tell(driver, shownCode, handlers.onCode);
      else if (driver.accessToken !== "" || (resumeOnly && driver.isSignedIn)) {
        session = new Session(driver, release, settings);
        session.onEnd = handlers.onEnd;
        resolve(session);
      }
    };
    const config = resumeOnly ? { ...settings.config, autoStart: 0 } : settings.config;
    const translate = ear.around(settings.translate);
    const driver = new Driver({
      core,
      platform,
      ...settings,
      config,
      translate,
      onChange: changed,
    });
    ear.onAnswer = (answer) => {
      if (isTrouble(driver.device)) handlers.onTrouble?.(troubleOf(driver.device, answer));
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    else driver.start();
  });
}

/** Something that passes by itself, other than a user who has not decided yet. */
function isTrouble(device: core.Device): boolean {
  const { error } = device;
  if (error === ErrorCode.NONE || error <= ErrorCode.SLOW_DOWN) return false;
  return core.errorKind(device, error) === ErrorKind.TRANSIENT;
}

/** Nothing is kept that could become a session without the user. */
function isWithoutSession(state: State): boolean {
  return state === State.SIGNED_OUT || state === State.REQUESTING || state === State.PENDING;
}

function notSignedIn(): SignInError {
  return new SignInError("not_signed_in", "user", "not signed in; sign in first");
}

/** Tells of the code unless it is the one told of last; returns the one that is told of now. */
function tell(
  driver: Driver,
  told: string,
  onCode: ((prompt: VerificationPrompt) => void) | undefined,
): string {
  const textOf = (field: Field): string => {
    const from = driver.device.start[field]!;
    return asciiOf(driver.memory, from, from + Math.max(0, driver.device.length[field]!));
  };
  const userCode = textOf(Field.USER_CODE);
  if (userCode === told || driver.device.codeShown <= 0) return told;
  onCode?.({
    userCode,
    verificationUri: textOf(Field.VERIFICATION_URI),
    verificationUriComplete: textOf(Field.VERIFICATION_URI_COMPLETE),
    expiresInS: driver.device.codeLifeS,
  });
  return userCode;
}
