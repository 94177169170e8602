// `picogrant logout`: has the server revoke the tokens, and forgets them.

import path from "node:path";
import { forgetIn } from "../../../platform/node/forget-directory.ts";
import { removeMetadata } from "../../../platform/node/kept-metadata.ts";
import type { SignOutResult } from "../../../platform/session/session.ts";
import { SignInError } from "../../../platform/session/sign-in-error.ts";
import { Failure } from "../errors.ts";
import { commandLine } from "../option-parser.ts";
import { defaultState, removeKeptLogin } from "./kept-login.ts";
import { removeKeptToken } from "./kept-token.ts";
import { STATE_OPTION } from "./login-options.ts";
import { alone, metadataOf, notSignedIn, openSession, withKeptLogin } from "./open.ts";
import { readySettings } from "./settings.ts";

interface Flags {
  state: string;
  local?: boolean;
  json?: boolean;
}

export async function logout(argv: readonly string[]): Promise<number> {
  const flags = commandLine("logout", "Has the server revoke the tokens, and forgets them here.")
    .option(...STATE_OPTION, defaultState())
    .option(
      "--local",
      "forget them here alone, and ask no server: they stay good until they expire",
    )
    .option("--json", "print what came of it as one JSON object")
    .parse(argv, { from: "user" })
    .opts<Flags>();
  const state = path.resolve(flags.state);
  await withKeptLogin(state, async (platform, kept) => {
    if (flags.local) {
      await alone(platform);
      await forgetIn(platform.storage);
      forget(state);
      const { server, config } = kept.settings;
      return told({ server: server ?? config, revoked: false, stored: false }, flags, FORGOTTEN);
    }
    const ready = await readySettings(kept.settings, platform, metadataOf(platform, kept.settings));
    const session = await openSession(platform, ready, {
      resumeOnly: true,
    }).catch((error: unknown) => {
      if (!(error instanceof SignInError)) throw error;
      // The session ended at the server before: there is nothing left to revoke.
      forget(state);
      throw error.code === "not_signed_in" ? notSignedIn(state) : error;
    });
    const { isRevoked, problem, isStored } = await session.signOut();
    forget(state);
    const result = {
      event: "signed_out",
      server: ready.title,
      revoked: isRevoked,
      stored: isStored,
    };
    if (flags.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else process.stdout.write(`${inWords(ready.title, problem)}\n`);
    if (isStored) throw new Failure(`${state}: could not be erased; delete it`);
  });
  return 0;
}

const FORGOTTEN = "The tokens are forgotten here; the server was not asked to revoke them.";

function told(result: object, { json }: Flags, words: string): void {
  const line = json ? JSON.stringify({ event: "signed_out", ...result }) : words;
  process.stdout.write(`${line}\n`);
}

function forget(state: string): void {
  removeMetadata(state);
  removeKeptToken(state);
  removeKeptLogin(state);
}

function inWords(title: string, problem: SignOutResult["problem"]): string {
  if (problem === "") return `Signed out at ${title}: the tokens are revoked and forgotten.`;
  const why =
    problem === "no_revocation_endpoint"
      ? "has no way to revoke them"
      : `did not confirm that it has revoked them (${problem})`;
  return `The tokens are forgotten here; ${title} ${why}.`;
}
