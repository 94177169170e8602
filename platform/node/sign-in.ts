// Signs in from a program on Node: `const session = await signIn({ server: "github", clientId, state: "dir" })`.

import { homedir } from "node:os";
import path from "node:path";
import { CapacityError } from "../driver/device.ts";
import { nothing } from "../exchange/callbacks.ts";
import { MetadataError } from "../servers/profile.ts";
import type { VerificationPrompt } from "../session/handlers.ts";
import { resolveServer } from "../session/resolve-server.ts";
import { type Session, signInOn } from "../session/session.ts";
import {
  cannotPromptUser,
  givenUp,
  metadataErrorOf,
  SignInError,
  wrongOption,
} from "../session/sign-in-error.ts";
import { type PersistentSession, persistentSession } from "./keep-signed-in.ts";
import type { NodeVerificationPrompt, SignInOptions } from "./options.ts";
import { StateDirectoryError } from "./platform.ts";
import type { QrCode } from "./qr-code.ts";
import type { OpenState } from "./state-directory.ts";
import { backgroundTime, nodeTimers } from "./timers.ts";

export type {
  Client,
  NamedServer,
  ServerAddresses,
  ServerChoice,
  ServerIdentity,
} from "../configuration/settings.ts";
export type { PublicJwk, Signer } from "../contracts.ts";
export type { ServerResponse, TokenResponse } from "../exchange/response-recorder.ts";
export { type ResponseHead, type StepUp, stepUpOf } from "../exchange/step-up.ts";
export type { IdTokenClaims } from "../session/claims.ts";
export type { SignInHandlers, VerificationPrompt } from "../session/handlers.ts";
export { Session, type SessionStatus, type SignOutResult } from "../session/session.ts";
export {
  type GrantErrorCode,
  type Remedy,
  SignInError,
  type SignInErrorCode,
} from "../session/sign-in-error.ts";
export type { ValueStorage } from "../storage/value-storage.ts";
export type { PersistentSession } from "./keep-signed-in.ts";
export type { NodeVerificationPrompt, SignInOptions } from "./options.ts";
export type { QrCode } from "./qr-code.ts";

/**
 * Signs in, or resumes the session in `state` without user interaction. The process stays alive only while a promise of
 * `signIn` or of a session is pending, or while a request is in flight. `close()` retries to save unsaved tokens.
 * @throws SignInError if signing in fails: its `code` is the reason, its `remedy` says who can fix it
 */
export async function signIn(options: SignInOptions): Promise<Session> {
  const { openState, parseOptions } = await import("./state-directory.ts");
  const settings = await parseOptions(options);
  const { onCode, resumeOnly, signal, log } = settings;
  if (signal?.aborted) throw givenUp();
  let state: OpenState | undefined;
  // Awaited outside `try`, because exceptions of callbacks are not converted to SignInError.
  let session: Promise<Session>;
  try {
    state = await openState(settings);
    const { files, dispose } = state;
    const onRequest = (): void => {
      // There is no session to resume, and no user can be prompted, so the metadata are not needed.
      if (files?.hasRecords === false && (resumeOnly || !onCode))
        throw cannotPromptUser(resumeOnly);
    };
    const requesting = { stored: state.metadata, onRequest, retryHandlers: settings };
    const server = await resolveServer(settings, state, requesting);
    const { QrCode } = onCode ? await import("./qr-code.ts") : {};
    session = signInOn(
      { ...state, timers: nodeTimers(backgroundTime) },
      {
        keepAlive,
        ...{ shared: state.shared, stored: state.stored, keys: await state.keys(server) },
        ...server,
        log: log && (await import("../exchange/log.ts")).driverLog(log),
        resources: settings.resources,
        fetch: state.fetch,
      },
      { ...settings, onCode: onCode && ((prompt) => onCode(withQr(prompt, QrCode!))) },
      dispose,
    );
  } catch (error) {
    state?.dispose();
    throw asSignInError(error);
  }
  return await session;
}

/** Signs in when a session is first needed, and again whenever necessary. @param options as for `signIn` */
export function keepSignedIn(options: SignInOptions): PersistentSession {
  return persistentSession(options, signIn);
}

function keepAlive(): () => void {
  const timeout = setInterval(nothing, 1_000_000_000);
  return () => clearInterval(timeout);
}

/**
 * Returns the directory of an account of the command `picogrant` (`login --account NAME`). With it as `state`, program
 * and command share the session.
 * @throws SignInError `wrong_option` if the name is not valid for an account
 */
export function accountDirectory(account = "default"): string {
  if (typeof account !== "string" || !/^[\w@+][\w@+.-]{0,63}$/.test(account))
    throw wrongOption("account must be 1..64 letters, digits or _@+.-, and not begin with . or -");
  const base = process.env.XDG_STATE_HOME || path.join(homedir(), ".local", "state");
  const isDefault = account === "default";
  return path.join(base, "picogrant", ...(isDefault ? [] : ["accounts", account]));
}

/** Converts errors of the preparation (options, directory, metadata, memory) to SignInError. */
function asSignInError(error: unknown): unknown {
  if (error instanceof MetadataError) return metadataErrorOf(error);
  if (error instanceof StateDirectoryError) {
    return new SignInError("state_unusable", "user", error.message, { cause: error });
  }
  // A SignInError is complete. Any other error is a bug of picogrant. Both are thrown unchanged.
  return error instanceof CapacityError ? wrongOption(error.message, error) : error;
}

/** Creates the QR code when the program first reads it, because not every program draws one. */
export function withQr(prompt: VerificationPrompt, Code: typeof QrCode): NodeVerificationPrompt {
  let made: QrCode | undefined;
  return {
    ...prompt,
    get qr() {
      made ??= new Code(prompt.verificationUriComplete || prompt.verificationUri);
      return made;
    },
  };
}

/**
 * Erases the tokens in the directory `state` without a network request. The server accepts them until they expire,
 * unless `session.signOut()` has revoked them. Waits for other programs that use the same tokens.
 * @throws StateDirectoryError if the directory cannot be used; SignInError `not_erased`, `wrong_option`
 */
export async function discard(state: string): Promise<void> {
  if (typeof state !== "string" || !/^[^\0]+$/.test(state))
    throw wrongOption("state must be the name of a directory");
  const { discardDirectory } = await import("./state-directory.ts");
  await discardDirectory(state);
}
