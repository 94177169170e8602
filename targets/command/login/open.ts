// Opens a directory with tokens, which other programs may use at the same time, and the session of these tokens.

import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { type Command, Option } from "commander";
import type { Display, Storage } from "../../../platform/contracts.ts";
import { type DriverLog, driverLog } from "../../../platform/exchange/log.ts";
import {
  ownersProblem,
  readOwn,
  reasonOf,
  removeOwn,
  writeOwn,
} from "../../../platform/node/files.ts";
import { nodeFetch } from "../../../platform/node/http.ts";
import type { NodeHttpOptions } from "../../../platform/node/index.ts";
import { openKeys } from "../../../platform/node/keys.ts";
import { StateDirectoryError } from "../../../platform/node/platform.ts";
import { accountDirectory } from "../../../platform/node/sign-in.ts";
import {
  type NodePlatform,
  nodePlatformWith,
  storedMetadata,
} from "../../../platform/node/state-directory.ts";
import { SharedDirectory } from "../../../platform/node/state-lock.ts";
import type { SignInHandlers } from "../../../platform/session/handlers.ts";
import type { StoredMetadata } from "../../../platform/session/resolve-server.ts";
import { type Session, signInOn } from "../../../platform/session/session.ts";
import { SignInError } from "../../../platform/session/sign-in-error.ts";
import { TokenCache } from "../../../platform/session/token-cache.ts";
import { SealedStorage } from "../../../platform/storage/sealed-storage.ts";
import { readBytes, readCertificates, UsageError } from "../../desktop/command-line.ts";
import { Failure, interruptibly } from "../exit-codes.ts";
import { commandText, type OptionValues } from "../option-parser.ts";
import type { LoginSettings, ReadySettings } from "./settings.ts";

/** The command itself prints the code, so this display shows nothing. Its columns limit the length of a code. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

/** How long to wait for another program that uses the directory. */
const TIMEOUT_MS = 30_000;

/** The adapters of a directory. */
export interface OpenState extends NodePlatform {
  readonly shared: SharedDirectory;
  readonly stored: TokenCache;
  readonly fetch: typeof fetch;
}

/** The caller must dispose of the adapters. @throws StateDirectoryError, UsageError if a file of the login is invalid */
export function openState(directory: string, login: LoginSettings): OpenState {
  const { keyFile } = login;
  const http = httpOptionsOf(login);
  const platform = nodePlatformWith(noDisplay, {
    stateDirectory: directory,
    isShared: true,
    isSealed: keyFile !== undefined,
    http,
  });
  const { storage, entropy } = platform;
  const seal = (storage: Storage): Storage =>
    keyFile === undefined
      ? storage
      : new SealedStorage({ storage, entropy, deviceKey: readKey(keyFile) });
  const shared = new SharedDirectory(storage, () => seal(storage));
  return {
    ...platform,
    shared,
    stored: new TokenCache(() => seal(storage.tokenCache), "used"),
    fetch: nodeFetch(http),
    dispose() {
      shared.leave();
      platform.dispose();
    },
  };
}

/**
 * Waits for exclusive access to the directory. The access ends when the directory is closed or a session in it is idle.
 * @throws Failure if other programs use the directory for too long
 */
export function alone({ shared, storage }: OpenState): Promise<void> {
  return new Promise((resolve, reject) => {
    let what = "another program is at work there";
    const limit = setTimeout(() => {
      shared.leave();
      reject(new Failure(`${storage.directory}: ${what}; try again when it is done`));
    }, TIMEOUT_MS);
    const entered = (): void => {
      clearTimeout(limit);
      resolve();
    };
    shared.enter(entered, ({ message }) => {
      what = message.replace("; waiting for it", "");
    });
  });
}

function notSignedIn(directory: string, why: string, advice: string): SignInError {
  return new SignInError("not_signed_in", "user", `${directory}: ${why}; ${advice}`);
}

/** @throws SignInError `not_signed_in` if the directory has no login, and the errors of `work` */
export async function withStoredLogin<T>(
  directory: string,
  work: (state: OpenState, stored: StoredLogin, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // Read the login first, because openState would create the directory.
  const stored = readStoredLogin(directory);
  if (stored === undefined) {
    const how = `how to sign in: ${commandFor("login", directory, { help: true })}`;
    throw notSignedIn(directory, "not signed in there", how);
  }
  const state = openState(directory, stored.settings);
  try {
    return await interruptibly(({ signal }) => work(state, stored, signal));
  } catch (error) {
    const isNone = error instanceof SignInError && error.code === "not_signed_in";
    if (!isNone) throw error;
    const again = `to sign in again: ${loginCommand(directory, stored.settings)}`;
    throw notSignedIn(directory, error.message.split("; ")[0]!, again);
  } finally {
    state.dispose();
  }
}

export function commandFor(name: string, state: string, more: OptionValues = {}): string {
  const own = directoryOf({});
  const isAccount = path.dirname(state) === path.join(own, "accounts");
  const account = isAccount ? path.basename(state) : undefined;
  const place = state === own || isAccount ? undefined : state;
  return commandText(name, { ...more, account, state: place });
}

/** The command that repeats this login. It has no secret: a secret from the environment must be set there again. */
export function loginCommand(
  state: string,
  settings: LoginSettings,
  more: OptionValues = {},
): string {
  const { secret, ...others } = settings;
  const clientSecretFile = typeof secret === "object" ? secret.file : undefined;
  return commandFor("login", state, { ...others, clientSecretFile, ...more });
}

export function httpOptionsOf({
  certificates,
}: Pick<LoginSettings, "certificates">): NodeHttpOptions {
  if (certificates === undefined) return {};
  const ca = readCertificates(certificates);
  refuseOthers(certificates, "certificates");
  return { ca };
}

/** Signs in, or resumes the session of the directory. @throws SignInError, UsageError */
export async function openSession(
  state: OpenState,
  { driver }: ReadySettings,
  handlers: SignInHandlers,
): Promise<Session> {
  const { shared, stored, storage, entropy, fetch } = state;
  const { dpop, audience, config } = driver;
  const { clientId } = config;
  const isKeyed = dpop !== undefined || audience !== undefined;
  const keys = isKeyed
    ? await openKeys({ clientId, dpop, audience, entropy, directory: storage.directory })
    : undefined;
  const settings = { ...driver, shared, stored, keys, fetch, log: debugLog() };
  // The caller closes the directory.
  return await signInOn(state, settings, handlers, () => {});
}

export function lasting({ code, remedy, message, response }: SignInError): SignInError {
  return new SignInError(code, remedy, message.replace(/; trying again in \d+ s$/, ""), {
    response,
  });
}

/** PICOGRANT_DEBUG=1 logs the session's requests and responses on standard error, without secrets. */
function debugLog(): DriverLog | undefined {
  if (!process.env.PICOGRANT_DEBUG) return undefined;
  return driverLog((line) => process.stderr.write(`picogrant: ${line}\n`));
}

/** The metadata that an earlier login stored. @throws UsageError */
export function metadataOf({ storage }: NodePlatform, login: LoginSettings): StoredMetadata {
  const { keyFile, allowHttp } = login;
  const deviceKey = keyFile === undefined ? undefined : readKey(keyFile);
  return storedMetadata(storage.directory, { deviceKey, allowHttp, http: httpOptionsOf(login) });
}

/** @throws UsageError if the file's owner or modes let other users change it, or read a secret in it */
export function refuseOthers(file: string, what: Parameters<typeof ownersProblem>[1]): void {
  const problem = ownersProblem(file, what);
  if (problem !== "") throw new UsageError(`the ${what} ${file}: ${problem}`);
}

function readKey(keyFile: string): Uint8Array {
  const deviceKey = new Uint8Array(readBytes(keyFile, "key"));
  refuseOthers(keyFile, "key");
  if (deviceKey.length < 16) {
    throw new UsageError(`${keyFile}: a key has 16 random bytes or more; make one of 32`);
  }
  return deviceKey;
}

/** The content of login.json in the directory of the tokens. It contains no secret. */
export interface StoredLogin {
  readonly version: 1;
  readonly settings: LoginSettings;
  /** The user's name; "" if it is unknown. */
  readonly who: string;
}

/** The options that select a login. */
export interface Place {
  readonly account?: string | undefined;
  readonly state?: string | undefined;
}

export function withPlace(line: Command): Command {
  return line
    .option("--account <name>", 'the name of the login, if you have several (default: "default")')
    .addOption(
      new Option("--state <directory>", "where its tokens are (mode 0700), instead").conflicts(
        "account",
      ),
    );
}

/** @throws UsageError, SignInError */
export function directoryOf({ account, state }: Place): string {
  if (state === "") throw new UsageError("--state is empty; name a directory");
  if (state) return path.resolve(state);
  try {
    return accountDirectory(account);
  } catch (error) {
    if (error instanceof SignInError) throw error;
    throw new UsageError(
      "this user has no home directory: name a directory with --state, or set HOME",
    );
  }
}

export function accountsStored(): string[] {
  const own = directoryOf({});
  const folder = path.join(own, "accounts");
  const others = existsSync(folder) ? readdirSync(folder).sort() : [];
  const places = [["default", own], ...others.map((name) => [name, path.join(folder, name)])];
  return places.filter(([, place]) => existsSync(fileIn(place!))).map(([name]) => name!);
}

/** Undefined if there is none. @throws UsageError if the file is invalid or cannot be read, StateDirectoryError */
export function readStoredLogin(directory: string): StoredLogin | undefined {
  const file = fileIn(directory);
  let content: Buffer | undefined;
  try {
    content = readOwn(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    if (error instanceof StateDirectoryError) throw error;
    const why = reasonOf(error);
    throw new UsageError(`cannot read ${file} (${why}); choose another directory with --state`);
  }
  if (content === undefined) return undefined;
  try {
    const stored = JSON.parse(`${content}`) as StoredLogin;
    const { server, config = server, secret } = stored.settings;
    const isWhole = secret && [config, stored.who].every((text) => typeof text === "string");
    if (stored.version === 1 && isWhole) return stored;
  } catch {
    // The error below also covers a file that is not JSON.
  }
  throw new UsageError(`${file}: is no login of this version; delete it and sign in again`);
}

export function writeStoredLogin(directory: string, stored: StoredLogin): void {
  writeOwn(fileIn(directory), `${JSON.stringify(stored, null, 2)}\n`);
}

export function removeStoredLogin(directory: string): void {
  removeOwn(fileIn(directory));
}

function fileIn(directory: string): string {
  return path.join(directory, "login.json");
}

/** Whether two logins have the same server and client, so that they may share tokens. */
export function isSameLogin(one: LoginSettings, other: LoginSettings): boolean {
  const identity = ({ server, serverParameters = {}, config, clientId }: LoginSettings): string =>
    JSON.stringify([server, Object.entries(serverParameters).sort(), config, clientId]);
  return identity(one) === identity(other);
}
