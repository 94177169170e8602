// Signs in from a program on Node: `const session = await signIn({ server: "github", clientId, state: "dir" })`.

import { homedir } from "node:os";
import path from "node:path";
import type { ServerSettings } from "../configuration/settings.ts";
import type { Display, Platform, Storage } from "../contracts.ts";
import { CapacityError } from "../driver/device.ts";
import { nothing } from "../exchange/callbacks.ts";
import type { Keys } from "../exchange/keys.ts";
import { MetadataError, ServerError } from "../servers/profile.ts";
import type { VerificationPrompt } from "../session/handlers.ts";
import { resolveServer } from "../session/resolve-server.ts";
import { type Session, signInOn } from "../session/session.ts";
import {
  CallbackError,
  cannotPromptUser,
  givenUp,
  metadataErrorOf,
  SignInError,
  unlessAborted,
  wrongOption,
} from "../session/sign-in-error.ts";
import { TokenCache } from "../session/token-cache.ts";
import type { WithTokenCache } from "../storage/token-cache-storage.ts";
import type { FileStorage } from "./file-storage.ts";
import { nodeFetch } from "./http.ts";
import { type PersistentSession, persistentSession } from "./keep-signed-in.ts";
import type { NodeSettings, NodeVerificationPrompt, SignInOptions } from "./options.ts";
import { type NodeAdapters, nodePlatformOver, StateDirectoryError } from "./platform.ts";
import type { QrCode } from "./qr-code.ts";
import type { NodePlatform } from "./state-directory.ts";
import { backgroundTime, LONGEST_WAIT_MS, nodeTimers } from "./timers.ts";

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
 * `signIn` or of a session is pending. `close()` retries to save unsaved tokens.
 * @throws SignInError if signing in fails: its `code` is the reason, its `remedy` says who can fix it
 */
export async function signIn(options: SignInOptions): Promise<Session> {
  const settings = (await import("./options.ts")).parseOptions(options);
  if (settings.signal?.aborted) throw givenUp();
  const node = await openState(settings);
  let session: Promise<Session>;
  try {
    ({ session } = await begin(settings, node));
  } catch (error) {
    node.dispose();
    throw asSignInError(error);
  }
  return await session;
}

/** Signs in when a session is first needed, and again whenever necessary. @param options as for `signIn` */
export function keepSignedIn(options: SignInOptions): PersistentSession {
  return persistentSession(options, signIn);
}

/** Returns the promise in an object, because it may reject with exceptions of callbacks, which must not be converted. */
async function begin(
  options: NodeSettings,
  node: Opened,
): Promise<{ readonly session: Promise<Session> }> {
  const { deviceKey, onCode, onTrouble, resumeOnly, signal } = options;
  const { files } = node;
  const directory = files && (await import("./state-directory.ts"));
  const metadata = files && directory?.storedMetadata(files.directory, options);
  const onRequest = (): void => {
    // No user can be prompted, so the metadata are not needed.
    if (files?.hasRecords === false && (resumeOnly || !onCode)) throw cannotPromptUser(resumeOnly);
  };
  const requesting = { stored: metadata, onRequest, retryHandlers: { onTrouble, signal } };
  const settings = await unlessAborted(signal, () => resolveServer(options, node, requesting));
  const keys = await keysOf(options, settings, node);
  const seal = await sealOf(node, deviceKey);
  const open = (): Storage => seal(node.storage);
  const shared = files && directory && new directory.SharedDirectory(files, open);
  const log = options.log && (await import("../exchange/log.ts")).driverLog(options.log);
  const qr = await import("./qr-code.ts");
  const session = signInOn(
    { ...node, timers: nodeTimers(backgroundTime), storage: open() },
    {
      shared,
      keepAlive,
      // A program's own storage may wear out or be slow, so the access token is not stored there.
      stored: new TokenCache(() => seal(node.storage.tokenCache), files ? "used" : "none"),
      ...settings,
      keys,
      log,
      resources: options.resources,
      fetch: options.fetch ?? nodeFetch(options.http),
    },
    { ...options, onCode: onCode && ((prompt) => onCode(withQr(prompt, qr.QrCode))) },
    () => node.dispose(),
  );
  return { session };
}

async function keysOf(
  { signer, clientId }: NodeSettings,
  { dpop, audience }: ServerSettings,
  { entropy, files }: Opened,
): Promise<Keys | undefined> {
  if (dpop === undefined && audience === undefined) return undefined;
  const { openKeys } = await import("./keys.ts");
  return await openKeys({
    ...{ signer, clientId, dpop, audience, entropy },
    directory: files?.directory,
  });
}

function keepAlive(): () => void {
  const timeout = setInterval(nothing, LONGEST_WAIT_MS);
  return () => clearInterval(timeout);
}

/** The adapters, and the files that contain the tokens. */
type Opened = NodeAdapters & {
  readonly storage: Storage & WithTokenCache;
  readonly files?: FileStorage;
};

async function openState(options: NodeSettings): Promise<Opened> {
  const { state, storage, http } = options;
  try {
    if (storage !== undefined) {
      const { ValueSlots } = await import("../storage/value-storage.ts");
      const slots = new ValueSlots(storage);
      return { ...nodePlatformOver(slots, noDisplay, http), storage: slots };
    }
    const { nodePlatformWith } = await import("./state-directory.ts");
    const stateDirectory = state!;
    const isSealed = options.deviceKey !== undefined;
    const node = nodePlatformWith(noDisplay, { stateDirectory, isShared: true, isSealed, http });
    return await claimed(node, options);
  } catch (error) {
    throw asSignInError(error);
  }
}

/** @throws StateDirectoryError if the directory belongs to another client */
async function claimed(node: NodePlatform, options: NodeSettings): Promise<Opened> {
  const { claimDirectory } = await import("./state-directory.ts");
  let disclaim: () => void;
  try {
    disclaim = claimDirectory(node.storage, options);
  } catch (error) {
    node.dispose();
    throw error;
  }
  return {
    ...node,
    files: node.storage,
    dispose() {
      disclaim();
      node.dispose();
    },
  };
}

/**
 * The directory of an account of the command `picogrant` (`login --account NAME`). With it as `state`, program and command
 * share the session.
 * @throws SignInError `wrong_option` if the name is not valid for an account
 */
export function accountDirectory(account = "default"): string {
  if (!/^[\w@+][\w@+.-]{0,63}$/.test(account))
    throw wrongOption("account must be 1..64 letters, digits or _@+.-, and not begin with . or -");
  const base = process.env.XDG_STATE_HOME || path.join(homedir(), ".local", "state");
  const isDefault = account === "default";
  return path.join(base, "picogrant", ...(isDefault ? [] : ["accounts", account]));
}

/** Converts every error before the first request to one class. */
function asSignInError(error: unknown): unknown {
  if (error instanceof CallbackError) return error.cause;
  if (error instanceof MetadataError) return metadataErrorOf(error);
  if (error instanceof StateDirectoryError) {
    return new SignInError("state_unusable", "user", error.message, { cause: error });
  }
  // For a profile, the path of the invalid parameter is in `server`.
  if (error instanceof ServerError) {
    const path = error.path.replace("serverParameters.", "server.");
    return wrongOption(`${path} ${error.problem}`, error);
  }
  // Any other error is a bug of picogrant and is thrown unchanged.
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

/** Without a display, its columns only limit the length of a user code. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

/**
 * Creates the storage of a device. Sealed storage remembers the records that it has read, so each device needs a new one.
 */
async function sealOf(
  { entropy }: Platform,
  deviceKey: Uint8Array | undefined,
): Promise<(storage: Storage) => Storage> {
  if (deviceKey === undefined) return (storage) => storage;
  const { SealedStorage } = await import("../storage/sealed-storage.ts");
  return (storage) => new SealedStorage({ storage, entropy, deviceKey });
}

/**
 * Erases the tokens in the directory `state` without a network request. They stay valid until they expire;
 * `session.signOut()` revokes them. Waits for other programs that use the same tokens.
 * @throws StateDirectoryError if the directory cannot be used; SignInError `not_erased`
 */
export async function discard(state: string): Promise<void> {
  const { discardDirectory } = await import("./state-directory.ts");
  await discardDirectory(state);
}
