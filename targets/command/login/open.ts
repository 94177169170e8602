// What login, token and logout share: the directory with the tokens, locked while one of them is at work, and a
// session in it.

import { readFileSync, type Stats, statSync } from "node:fs";
import path from "node:path";
import type { Display } from "../../../platform/contracts.ts";
import {
  type NodeHttpOptions,
  type NodePlatform,
  nodePlatform,
  StateDirectoryError,
} from "../../../platform/node/index.ts";
import { keptMetadata } from "../../../platform/node/kept-metadata.ts";
import { pathProblem } from "../../../platform/path-owners.ts";
import { SealedStorage } from "../../../platform/sealed-storage.ts";
import type { Session } from "../../../platform/session/session.ts";
import type { KeptMetadata } from "../../../platform/session/settings.ts";
import { type SignInHandlers, signInOn } from "../../../platform/session/sign-in.ts";
import { UsageError } from "../../desktop/usage-error.ts";
import { Failure } from "../errors.ts";
import { type KeptLogin, readKeptLogin } from "./kept-login.ts";
import { type LoginSettings, type ReadySettings, readText } from "./settings.ts";

/** This command shows the code itself; a code has as much room as a display has columns. */
const noDisplay: Display = { columns: 80, rows: 2, show: () => {} };

/** Another of these commands may be at work: scripts ask for tokens at the same time. */
const LOCK_PATIENCE_MS = 30_000;

/**
 * The adapters over a directory; to be disposed of.
 * @throws StateDirectoryError where the directory cannot be used, or stays in use; UsageError for a file
 */
export async function openPlatform(
  directory: string,
  http: NodeHttpOptions,
): Promise<NodePlatform> {
  const endMs = performance.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      return nodePlatform({ stateDirectory: directory, display: noDisplay, http });
    } catch (error) {
      const isInUse = error instanceof StateDirectoryError && error.message.includes(": in use");
      if (!isInUse || performance.now() > endMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** How a login that is not there is told; the same for token and logout. */
export function notSignedIn(directory: string): Failure {
  return new Failure(`${directory}: not signed in there; picogrant login signs in`);
}

/**
 * Does something with the login that a directory holds, which nobody else uses meanwhile.
 * @throws Failure where nobody is signed in there
 */
export async function withKeptLogin<T>(
  directory: string,
  work: (platform: NodePlatform, kept: KeptLogin) => Promise<T>,
): Promise<T> {
  // Before a directory is made for nothing.
  const before = readKeptLogin(directory);
  if (before === undefined) throw notSignedIn(directory);
  const platform = await openPlatform(directory, httpOptionsOf(before.settings));
  try {
    // Another of these commands may have signed out while this one waited.
    const kept = readKeptLogin(directory);
    if (kept === undefined) throw notSignedIn(directory);
    return await work(platform, kept);
  } finally {
    platform.dispose();
  }
}

/** What the login says about certificates. */
export function httpOptionsOf({
  certificates,
}: Pick<LoginSettings, "certificates">): NodeHttpOptions {
  if (certificates === undefined) return {};
  const ca = readText(certificates, "file of certificates");
  if (ca.includes("-----BEGIN CERTIFICATE-----")) return { ca };
  throw new UsageError(`${certificates}: holds no PEM certificate; give the authority's`);
}

/** Signs in, or goes on with what the directory holds. @throws SignInError, UsageError */
export function openSession(
  platform: NodePlatform,
  login: LoginSettings,
  { driver }: ReadySettings,
  handlers: SignInHandlers,
): Promise<Session> {
  const storage = login.keyFile === undefined ? platform.storage : sealed(platform, login.keyFile);
  // The directory is given back by whoever opened it.
  return signInOn({ ...platform, storage }, driver, handlers, () => {});
}

/** What an issuer has said of itself at an earlier login. @throws UsageError */
export function metadataOf({ storage }: NodePlatform, login: LoginSettings): KeptMetadata {
  const { keyFile, allowHttp } = login;
  const deviceKey = keyFile === undefined ? undefined : readKey(keyFile);
  return keptMetadata(storage.directory, { deviceKey, allowHttp, http: httpOptionsOf(login) });
}

const statusOf = (file: string): Stats | null => statSync(file, { throwIfNoEntry: false }) ?? null;

function sealed({ storage, entropy }: NodePlatform, keyFile: string): SealedStorage {
  return new SealedStorage({ storage, entropy, deviceKey: readKey(keyFile) });
}

function readKey(keyFile: string): Uint8Array {
  let deviceKey: Uint8Array;
  try {
    deviceKey = new Uint8Array(readFileSync(keyFile));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`cannot read the key ${keyFile} (${code}); check --key-file`);
  }
  const problem = pathProblem(path.resolve(keyFile), "owner", process.getuid?.(), statusOf);
  if (problem !== "") throw new UsageError(`the key ${keyFile} ${problem}`);
  if (deviceKey.length < 16) {
    throw new UsageError(`${keyFile}: a key has 16 random bytes or more; make one of 32`);
  }
  return deviceKey;
}
