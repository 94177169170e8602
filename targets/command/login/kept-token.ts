// access.json beside the records: an access token that is still good, so that a script that asks often does not make the
// server renew it each time. The core itself keeps the refresh token only, where there is one. Where the tokens are to be
// sealed nothing of this is written.

import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Session } from "../../../platform/session/session.ts";
import { writeWhole } from "./kept-login.ts";
import type { LoginSettings } from "./settings.ts";

export interface KeptToken {
  readonly accessToken: string;
  /** By the calendar, ms. */
  readonly expiresAtMs: number;
}

/** A token is not handed out in its last seconds: it has to reach a server first. */
const MARGIN_MS = 60_000;

export function readKeptToken(directory: string, nowMs: number): KeptToken | undefined {
  try {
    const kept = JSON.parse(readFileSync(fileIn(directory), "utf8")) as KeptToken;
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
    writeWhole(fileIn(directory), JSON.stringify(kept));
  }
  return kept;
}

export function removeKeptToken(directory: string): void {
  rmSync(fileIn(directory), { force: true });
}

function fileIn(directory: string): string {
  return path.join(directory, "access.json");
}
