// What is done with a login that is kept. `picogrant token`: an access token on standard output and nothing else, renewed
// first where that is due.

import type { TokenResponse } from "../../../platform/exchange/answer-ear.ts";
import { askFor } from "../../../platform/exchange/whole.ts";
import { NodeHttp, type NodeHttpOptions } from "../../../platform/node/index.ts";
import { forgetIn, removeMetadata } from "../../../platform/node/state-directory.ts";
import { addressProblem, isSameIssuer } from "../../../platform/servers/address.ts";
import { metadataAddresses } from "../../../platform/servers/discovery.ts";
import { serverOf, type UserInfo } from "../../../platform/servers/index.ts";
import { namedAddressProblem } from "../../../platform/servers/named-address.ts";
import type { SignOutResult } from "../../../platform/session/session.ts";
import { SignInError } from "../../../platform/session/sign-in-error.ts";
import { objectIn, printable } from "../../../platform/text/text.ts";
import { integer } from "../../desktop/command-line.ts";
import { commandLine, Failure } from "../option-parser.ts";
import { defaultState, type KeptLogin, removeKeptLogin, stateOf } from "./kept-login.ts";
import { STATE_OPTION } from "./login-options.ts";
import {
  alone,
  givenUpBy,
  metadataOf,
  notSignedIn,
  type OpenState,
  onSignals,
  openSession,
  withKeptLogin,
} from "./open.ts";
import { type LoginSettings, readySettings } from "./settings.ts";

interface Flags {
  state: string;
  timeout: number;
  fresh?: boolean;
  json?: boolean;
}

const HELP = `
Example: curl -H "Authorization: Bearer $(picogrant token)" https://api.github.com/user`;

export async function token(argv: readonly string[]): Promise<number> {
  const flags = commandLine("token", "Prints an access token that is good now, for scripts.")
    .option(...STATE_OPTION, defaultState())
    .option(
      "--timeout <seconds>",
      "give up when it cannot be renewed by then",
      integer(1, 86_400),
      60,
    )
    .option("--fresh", "have it renewed in any case, as after an answer of 401")
    .option("--json", "print access_token and expires_in as one JSON object")
    .addHelpText("after", HELP)
    .parse(argv, { from: "user" })
    .opts<Flags>();
  const state = stateOf(flags);
  await withKeptLogin(state, async (platform, kept) => {
    // Of several that ask at the same time the first has it renewed.
    await alone(platform);
    if (flags.fresh) platform.kept.access = "renewed";
    await printToken(platform, kept, flags);
  });
  return 0;
}

/** From the session, which has it, or has to ask the server for it. */
async function printToken(
  platform: OpenState,
  { settings }: KeptLogin,
  { timeout, json, ...flags }: Flags,
): Promise<void> {
  const ready = await readySettings(settings, platform, { kept: metadataOf(platform, settings) });
  let trouble = "";
  const onTrouble = ({ message }: SignInError): void => {
    trouble = message;
  };
  const session = await openSession(platform, ready, {
    resumeOnly: true,
    onTrouble,
  }).catch((error: unknown) => {
    const isThere = !(error instanceof SignInError) || error.code !== "not_signed_in";
    throw isThere ? error : notSignedIn(stateOf(flags));
  });
  const giveUp = new AbortController();
  const ignore = onSignals(() => giveUp.abort());
  try {
    const token = within(timeout, session.accessToken(), () => trouble);
    const accessToken = await Promise.race([token, givenUpBy(giveUp.signal)]);
    const answer = { access_token: accessToken, expires_in: session.expiresInS ?? null };
    process.stdout.write(`${json ? JSON.stringify(answer) : accessToken}
`);
  } finally {
    // A refresh that is under way comes to its end: its answer may be the only refresh token that there is.
    await session.close();
    ignore();
  }
}

/** @throws Failure where it takes longer */
async function within<T>(seconds: number, promise: Promise<T>, trouble: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const late = `the server did not renew the access token within ${seconds} s`;
    const fail = (): void => reject(new Failure(`${late}; ${trouble() || "try again later"}`));
    timer = setTimeout(fail, seconds * 1000);
  });
  // When the session is closed, its promise ends too, and nobody listens any more.
  promise.catch(() => {});
  return await Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

// Who has signed in: from the ID token, or by asking the server with the access token, where it is known whom to ask.

/** Standard claims (OpenID Connect Core 1.0 §5.1), then what other servers call the same. */
const NAMES = ["name", "display_name", "preferred_username", "username", "login", "email"] as const;
const IDENTIFIERS = ["sub", "id"] as const;

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of the ID token that came straight from the token endpoint (OpenID Connect Core 1.0 §2): to show them. */
export function claimsIn({ id_token: token }: TokenResponse = {}): Claims | undefined {
  if (typeof token !== "string") return undefined;
  return objectIn(Buffer.from(token.split(".")[1] ?? "", "base64url"));
}

/** A person in one line, "" where nothing says who it is. */
export function nameIn(claims: Claims | undefined): string {
  const text = (key: string): string => {
    const value = claims?.[key];
    return typeof value === "string" || typeof value === "number" ? printable(`${value}`) : "";
  };
  const names = [...new Set(NAMES.map(text).filter((name) => name !== ""))];
  const [first = "", second] = names;
  if (first !== "") return (second === undefined ? first : `${first} (${second})`).slice(0, 200);
  return (IDENTIFIERS.map(text).find((id) => id !== "") ?? "").slice(0, 200);
}

/** Asks the server. Whatever goes wrong, the login is none the worse for it: "" then. */
export async function askWho(
  login: LoginSettings,
  accessToken: string,
  options: NodeHttpOptions,
): Promise<string> {
  const asked = await userInfoOf(login, options);
  if (asked === undefined) return "";
  const { address, scheme = "Bearer" } = asked;
  const { allowHttp } = login;
  return nameIn(await getJson(address, allowHttp, `${scheme} ${accessToken}`, options));
}

/** From the server's profile, or from the metadata of its issuer. */
export async function userInfoOf(
  { server = "", serverParameters = {}, allowHttp }: LoginSettings,
  options: NodeHttpOptions,
): Promise<UserInfo | undefined> {
  if (server === "") return undefined;
  // Whether the client has a secret makes no difference here.
  if (!server.includes("://")) return serverOf(server, serverParameters, true).userInfo;
  if (addressProblem(server, allowHttp) !== "") return undefined;
  for (const metadata of metadataAddresses(server)) {
    const { issuer, userinfo_endpoint: found } =
      (await getJson(metadata, allowHttp, "", options)) ?? {};
    if (typeof issuer !== "string" || !isSameIssuer(issuer, server) || typeof found !== "string")
      continue;
    return namedAddressProblem(found, server, allowHttp) === "" ? { address: found } : undefined;
  }
  return undefined;
}

async function getJson(
  url: string,
  allowHttp: boolean,
  authorization: string,
  options: NodeHttpOptions,
): Promise<Claims | undefined> {
  const http = new NodeHttp({ ...options, timeLimitMs: 10_000 });
  try {
    const answer = await askFor(http, url, allowHttp, authorization);
    return answer.status === 200 ? objectIn(answer.body) : undefined;
  } finally {
    http.dispose();
  }
}

// `picogrant logout`: has the server revoke the tokens, and forgets them.

interface LogoutFlags {
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
    .opts<LogoutFlags>();
  const state = stateOf(flags);
  await withKeptLogin(state, async (platform, kept) => {
    if (flags.local) {
      await alone(platform);
      await forgetIn(platform.storage);
      forget(state);
      const { server, config } = kept.settings;
      return told({ server: server ?? config, revoked: false, stored: false }, flags, FORGOTTEN);
    }
    const ready = await readySettings(kept.settings, platform, {
      kept: metadataOf(platform, kept.settings),
    });
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

function told(result: object, { json }: LogoutFlags, words: string): void {
  const line = json ? JSON.stringify({ event: "signed_out", ...result }) : words;
  process.stdout.write(`${line}\n`);
}

function forget(state: string): void {
  removeMetadata(state);
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
