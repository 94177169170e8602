// login.json beside the tokens: where the login was made, with what, and who signed in. No secret is in it.

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Session } from "../../../platform/session/session.ts";
import { UsageError } from "../../desktop/command-line.ts";
import type { LoginSettings } from "./settings.ts";

export interface KeptLogin {
  readonly version: 1;
  readonly settings: LoginSettings;
  /** Who signed in, as far as the server said. */
  readonly who: string;
}

/** Where tokens are kept unless --state says otherwise: the XDG base directory for state. */
export function defaultState(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_STATE_HOME || path.join(homedir(), ".local", "state");
  return path.join(base, "picogrant");
}

/** @throws UsageError where the file is not one of ours */
export function readKeptLogin(directory: string): KeptLogin | undefined {
  const file = fileIn(directory);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`cannot read ${file} (${code}); choose another directory with --state`);
  }
  try {
    const kept = JSON.parse(text) as KeptLogin;
    if (kept.version === 1 && typeof kept.settings === "object") return kept;
  } catch {
    // Said below.
  }
  throw new UsageError(`${file}: is no login of this version; delete it and sign in again`);
}

export function writeKeptLogin(directory: string, kept: KeptLogin): void {
  writeWhole(fileIn(directory), `${JSON.stringify(kept, null, 2)}\n`);
}

/** Writes a file that only its owner can read. Its readers see the old one or the new one. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.draft`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

export function removeKeptLogin(directory: string): void {
  rmSync(fileIn(directory), { force: true });
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

// access.json beside the records: an access token that is still good, so that a script that asks often does not make the
// server renew it each time. The core itself keeps the refresh token only, where there is one. Where the tokens are to be
// sealed nothing of this is written.

export interface KeptToken {
  readonly accessToken: string;
  /** By the calendar, ms. */
  readonly expiresAtMs: number;
}

/** A token is not handed out in its last seconds: it has to reach a server first. */
const MARGIN_MS = 60_000;

export function readKeptToken(directory: string, nowMs: number): KeptToken | undefined {
  try {
    const kept = JSON.parse(readFileSync(tokenFileIn(directory), "utf8")) as KeptToken;
    const isGood = typeof kept.accessToken === "string" && kept.expiresAtMs > nowMs + MARGIN_MS;
    return isGood ? kept : undefined;
  } catch {
    // Not there, or not ours: a new one will be.
    return undefined;
  }
}

export async function keepToken(
  directory: string,
  { keyFile }: LoginSettings,
  session: Session,
): Promise<KeptToken> {
  const accessToken = await session.accessToken();
  const expiresAtMs = Date.now() + (session.expiresInS ?? 0) * 1000;
  const kept = { accessToken, expiresAtMs };
  if (keyFile === undefined && session.expiresInS !== undefined) {
    writeWhole(tokenFileIn(directory), JSON.stringify(kept));
  }
  return kept;
}

export function removeKeptToken(directory: string): void {
  rmSync(tokenFileIn(directory), { force: true });
}

function tokenFileIn(directory: string): string {
  return path.join(directory, "access.json");
}
