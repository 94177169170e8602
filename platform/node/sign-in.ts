// Signs in from a program on Node: `const session = await signIn({ server: "github", clientId, state: "dir" })`.

import { homedir } from "node:os";
import path from "node:path";
import type { Display, Platform, Storage } from "../contracts.ts";
import { CapacityError } from "../driver/device.ts";
import { nothing } from "../exchange/callbacks.ts";
import type { Keys } from "../exchange/keys.ts";
import { MetadataError, ServerError } from "../servers/profile.ts";
import type { VerificationPrompt } from "../session/handlers.ts";
import { resolveServer, type ServerSettings } from "../session/resolve-server.ts";
import { type Session, signInOn } from "../session/session.ts";
import { cannotPromptUser } from "../session/session-runtime.ts";
import {
  CallbackError,
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
 * Signs in, or resumes the session that `state` holds without user interaction. The process stays alive while a promise
 * of `signIn` or of a session is pending, not for the session alone. `close()` also retries to save unsaved tokens.
 * @throws SignInError if signing in fails: its `code` says why, its `remedy` who can fix it
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

/** Signs in when a session is first needed, and again whenever necessary. @param options as those of `signIn` */
export function keepSignedIn(options: SignInOptions): PersistentSession {
  return persistentSession(options, signIn);
}

/** Not the session's own promise, which may reject with what a callback has thrown, unchanged. */
async function begin(
  options: NodeSettings,
  node: Opened,
): Promise<{ readonly session: Promise<Session> }> {
  const { deviceKey, allowHttp, headers, onCode, onTrouble, resumeOnly, signal } = options;
  const { files } = node;
  const directory = files && (await import("./state-directory.ts"));
  const metadata = files && directory?.storedMetadata(files.directory, options);
  const onRequest = (): void => {
    // The metadata would not be used.
    if (files?.hasRecords === false && (resumeOnly || !onCode)) throw cannotPromptUser(options);
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
      // A program's own storage may wear out, or be slow: there each start refreshes the token.
      stored: new TokenCache(() => seal(node.storage.tokenCache), files ? "used" : "none"),
      ...settings,
      allowHttp,
      headers,
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

/** The adapters, and the files with the tokens. */
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
 * The directory of an account of the command `picogrant` (`login --account NAME`), for `state`: both then share the session.
 * @throws SignInError `wrong_option` for a name that cannot be an account's
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
  // The parameters of a known server are in `server` here.
  if (error instanceof ServerError) {
    const path = error.path.replace("serverParameters.", "server.");
    return wrongOption(`${path} ${error.problem}`, error);
  }
  // Any other error is a fault of picogrant, and is not presented as the program's.
  return error instanceof CapacityError ? wrongOption(error.message, error) : error;
}

/** Creates the QR code when it is first read: not every program draws one. */
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

/** The program shows the code itself; the columns of the display are the capacity of a code. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

/** The device's storage: a seal remembers what it has read, so each device gets a new one. */
async function sealOf(
  { entropy }: Platform,
  deviceKey: Uint8Array | undefined,
): Promise<(storage: Storage) => Storage> {
  if (deviceKey === undefined) return (storage) => storage;
  const { SealedStorage } = await import("../storage/sealed-storage.ts");
  return (storage) => new SealedStorage({ storage, entropy, deviceKey });
}

/**
 * Erases what `signIn` has stored in the directory `state`, without a network request: the tokens stay valid until they
 * expire. `session.signOut()` revokes them. Waits for another program that uses the same tokens.
 * @throws StateDirectoryError if the directory cannot be used; SignInError `not_erased`
 */
export async function discard(state: string): Promise<void> {
  const { discardDirectory } = await import("./state-directory.ts");
  await discardDirectory(state);
}
