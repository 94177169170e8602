// login.json beside the tokens: where the login was made, with what, and who signed in. No secret is in it.

import { homedir } from "node:os";
import path from "node:path";
import { readOwn, reasonOf, removeOwn, writeOwn } from "../../../platform/node/files.ts";
import { StateDirectoryError } from "../../../platform/node/platform.ts";
import { UsageError } from "../../desktop/command-line.ts";
import type { LoginSettings } from "./settings.ts";

export interface KeptLogin {
  readonly version: 1;
  readonly settings: LoginSettings;
  /** Who signed in, as far as the server said. */
  readonly who: string;
}

/** Where tokens are kept unless --state says otherwise: the XDG base directory for state. "" for a user without a home. */
export function defaultState(env: NodeJS.ProcessEnv = process.env): string {
  try {
    const base = env.XDG_STATE_HOME || path.join(homedir(), ".local", "state");
    return path.join(base, "picogrant");
  } catch {
    return "";
  }
}

/** The directory of --state. @throws UsageError where there is none */
export function stateOf({ state }: { readonly state: string }): string {
  if (state !== "") return path.resolve(state);
  throw new UsageError(
    "this user has no home directory: name a directory with --state, or set HOME",
  );
}

/** @throws UsageError where the file is not one of ours */
export function readKeptLogin(directory: string): KeptLogin | undefined {
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
    const kept = JSON.parse(`${content}`) as KeptLogin;
    if (kept.version === 1 && typeof kept.settings === "object") return kept;
  } catch {
    // Said below.
  }
  throw new UsageError(`${file}: is no login of this version; delete it and sign in again`);
}

export function writeKeptLogin(directory: string, kept: KeptLogin): void {
  writeOwn(fileIn(directory), `${JSON.stringify(kept, null, 2)}\n`);
}

export function removeKeptLogin(directory: string): void {
  removeOwn(fileIn(directory));
}

function fileIn(directory: string): string {
  return path.join(directory, "login.json");
}

/** Whether two logins are at the same server as the same client: only then do they share tokens. */
export function isSameLogin(one: LoginSettings, other: LoginSettings): boolean {
  const identity = ({ server, serverParameters = {}, config, clientId }: LoginSettings): string =>
    JSON.stringify([server, Object.entries(serverParameters).sort(), config, clientId]);
  return identity(one) === identity(other);
}
