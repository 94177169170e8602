// Commands for a stored login.

import { text } from "node:stream/consumers";
import { Option } from "commander";
import type { TokenResponse } from "../../../platform/exchange/response-recorder.ts";
import { NodeHttp, type NodeHttpOptions } from "../../../platform/node/index.ts";
import { discardIn, removeMetadata } from "../../../platform/node/state-directory.ts";
import { isSameIssuer } from "../../../platform/servers/address.ts";
import { requestFor } from "../../../platform/servers/discovery.ts";
import { serverOf, type UserInfo } from "../../../platform/servers/index.ts";
import { metadataAddresses, namedAddressProblem } from "../../../platform/servers/named-address.ts";
import type { Session, SignOutResult } from "../../../platform/session/session.ts";
import { SignInError, unlessAborted } from "../../../platform/session/sign-in-error.ts";
import { objectIn, printable } from "../../../platform/text/text.ts";
import { integer } from "../../desktop/command-line.ts";
import { Exit, Failure, outcomeBy } from "../exit-codes.ts";
import type { Part } from "../option-parser.ts";
import { inWords } from "../terminal.ts";
import {
  accountsStored,
  alone,
  directoryOf,
  lasting,
  loginCommand,
  metadataOf,
  type OpenState,
  openSession,
  type Place,
  removeStoredLogin,
  withPlace,
  withStoredLogin,
} from "./open.ts";
import { type LoginSettings, type ReadySettings, readySettings } from "./settings.ts";

interface SessionFlags extends Place {
  readonly timeout: number;
  readonly fresh?: boolean;
  readonly json?: boolean;
}

const HELP = `
Example: curl -H "Authorization: Bearer $(picogrant token)" https://api.github.com/user`;

export const token: Part = {
  line: (line) =>
    withPlace(line)
      .addOption(timeoutOption("give up when it cannot be renewed by then", 60))
      .option("--fresh", "have it renewed in any case, as after a 401 response")
      .option("--json", "print access_token and expires_in as one JSON object")
      .addHelpText("after", HELP),
  act: async (line) => {
    const flags = line.opts<SessionFlags>();
    await withSession(flags, async ({ session, unbound }, accessToken) => {
      const response = {
        access_token: await accessToken(),
        expires_in: session.expiresInS ?? null,
      };
      if (isBound(session)) process.stderr.write(`picogrant token: ${BOUND}: ${unbound}\n`);
      print(flags.json ? JSON.stringify(response) : response.access_token);
    });
    return Exit.DONE;
  },
};

const BOUND = "only requests with a proof (DPoP) can use this token; to sign in for a bearer token";

const isBound = ({ tokenResponse }: Pick<Session, "tokenResponse">): boolean =>
  `${tokenResponse?.token_type}`.toLowerCase() === "dpop";

export const status: Part = {
  line: (line) =>
    withPlace(line)
      .addOption(timeoutOption("how long to wait for the server", 10))
      .option("--json", "print server, client_id, who, scope, expires_in, renews, ends_in"),
  act: async (line) => {
    await showStatus(line.opts<SessionFlags>());
    return Exit.DONE;
  },
};

/** `account` has the members that `accounts --json` adds. */
async function showStatus(flags: SessionFlags, account: object = {}): Promise<void> {
  await withSession(flags, async ({ session, ready, who }, accessToken) => {
    await accessToken().catch((error: SignInError) => {
      // After other errors the user is still signed in.
      if (error.code === "aborted" || session.status === "ended") throw error;
      // `withSession` throws this error at the end.
      if (error.code === "not_saved") return;
      const { event, message } = outcomeBy(error);
      if (flags.json) print(JSON.stringify({ ...event, event: "trouble" }));
      process.stderr.write(`picogrant status: ${message}\n`);
    });
    if (flags.json) {
      print(JSON.stringify({ event: "status", ...factsOf(ready, session, who), ...account }));
      return;
    }
    print(`Signed in ${placeOf(ready, who)}`);
    print(`Client ${ready.driver.config.clientId}, scope ${session.scope || "not known"}.`);
    for (const words of expiryOf(session)) print(words);
  });
}

export const accounts: Part = {
  line: (line) =>
    line
      .addOption(timeoutOption("how long to wait for each server", 10))
      .option("--json", "print each as one JSON object: as status, and account, state"),
  act: async (line) => {
    const flags = line.opts<SessionFlags>();
    const names = accountsStored();
    if (names.length === 0) process.stderr.write("picogrant accounts: there are none\n");
    for (const account of names) {
      let state: string | undefined;
      try {
        state = directoryOf({ account });
        if (!flags.json) print(`${account}: ${state}`);
        await showStatus({ ...flags, account }, { account, state });
      } catch (error) {
        const { event, message } = outcomeBy(error);
        if ((error as SignInError).code === "aborted") throw error;
        const line = state === undefined ? `${account}: ${message}` : message;
        print(flags.json ? JSON.stringify({ ...event, account, state }) : line);
      }
    }
    return Exit.DONE;
  },
};

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const timeoutOption = (what: string, seconds: number): Option =>
  new Option("--timeout <seconds>", what).argParser(integer(1, 86_400)).default(seconds);

/** Facts for --json. A fact is null if it is unknown. */
export function factsOf({ title, driver }: ReadySettings, session: Session, who: string): object {
  return {
    server: title,
    client_id: driver.config.clientId,
    who: who || null,
    scope: session.scope || null,
    expires_in: session.expiresInS ?? null,
    renews: session.isRenewable,
    ends_in: session.endsInS ?? null,
  };
}

export function placeOf({ title }: ReadySettings, who: string): string {
  return `at ${title}${who === "" ? "" : ` as ${who}`}.`;
}

export function expiryOf({ status, expiresInS, endsInS, isRenewable }: Session): string[] {
  const lifetime = expiresInS === undefined ? "" : ` for ${inWords(expiresInS)}`;
  const renewal = isRenewable ? ", and renewed by itself" : "; then sign in again";
  const access =
    status === "refreshing"
      ? "The access token has to be renewed, which the server has not done."
      : `The access token is valid${lifetime}${lifetime || isRenewable ? renewal : ""}.`;
  const end = endsInS === undefined ? [] : [`The session ends in ${inWords(endsInS)}.`];
  return [access, ...end];
}

interface Resumed {
  readonly session: Session;
  readonly ready: ReadySettings;
  readonly who: string;
  /** The command that signs in for a bearer token. */
  readonly unbound: string;
}

/**
 * Resumes the stored session. `accessToken` refreshes the token if necessary, within the time of --timeout.
 * @throws SignInError `not_signed_in` if there is no session, or if it has ended
 */
async function withSession(
  { timeout, fresh, ...flags }: SessionFlags,
  work: (resumed: Resumed, accessToken: () => Promise<string>) => Promise<void>,
): Promise<void> {
  const state = directoryOf(flags);
  await withStoredLogin(state, async (platform, { settings, who }, signal) => {
    // Of several commands that run at the same time, only the first one then has to refresh the token.
    await alone(platform);
    if (fresh) platform.stored.access = "renewed";
    const stored = metadataOf(platform, settings);
    const ready = await unlessAborted(signal, () => readySettings(settings, platform, { stored }));
    let trouble = new SignInError("unreachable", "nobody", "try again later");
    let unsaved: SignInError | undefined;
    const giveUp = new AbortController();
    const onTrouble = (one: SignInError): void => {
      trouble = lasting(one);
      if (one.code !== "not_saved" && one.code !== "not_erased") return;
      unsaved = trouble;
      giveUp.abort();
    };
    const session = await openSession(platform, ready, { resumeOnly: true, onTrouble });
    const accessToken = async (): Promise<string> => {
      const late = AbortSignal.timeout(timeout * 1000);
      try {
        return await session.accessToken(AbortSignal.any([signal, late, giveUp.signal]));
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (unsaved !== undefined) throw unsaved;
        if (!late.aborted) throw error;
        const { code, remedy, message } = trouble;
        const what = `the server did not renew the access token within ${timeout} s`;
        throw new SignInError(code, remedy, `${what}; ${message}`);
      }
    };
    try {
      const unbound = loginCommand(state, settings, { dpop: "off", again: true });
      await work({ session, ready, who, unbound }, accessToken);
    } catch (error) {
      const isOver = session.status === "ended" && error instanceof SignInError;
      throw isOver ? new SignInError("not_signed_in", "user", error.message) : error;
    } finally {
      // Wait for a refresh in flight, because its response may contain the only valid refresh token.
      await session.close();
    }
    // Tokens that were not stored are lost when this program ends, and tokens that were not erased stay.
    if (unsaved !== undefined) throw unsaved;
  });
}

/** Standard claims (OpenID Connect Core 1.0 §5.1) and those of other servers, the preferred ones first. */
const NAMES = ["name", "display_name", "preferred_username", "username", "login", "email"] as const;
const IDENTIFIERS = ["sub", "id"] as const;

export type Claims = Readonly<Record<string, unknown>>;

/** The claims are only displayed, and come directly from the token endpoint, so their signature is not checked. */
export function claimsIn({ id_token: token }: TokenResponse = {}): Claims | undefined {
  if (typeof token !== "string") return undefined;
  return objectIn(Buffer.from(token.split(".")[1] ?? "", "base64url"));
}

/** The user's name in one line, or else an identifier; "" if both are unknown. */
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

/** Returns "" if the request fails, because the login does not depend on the name. */
export async function requestIdentity(
  login: LoginSettings,
  accessToken: string,
  options: NodeHttpOptions,
  session?: Session,
): Promise<string> {
  const requested = await userInfoOf(login, options);
  if (requested === undefined) return "";
  const { address, scheme = "Bearer" } = requested;
  if (session && isBound(session)) {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const requested = session.fetch(address, { signal }).then((response) => response.json());
    return nameIn(await requested.catch(() => undefined));
  }
  const { allowHttp } = login;
  return nameIn(await getJson(address, allowHttp, `${scheme} ${accessToken}`, options));
}

export async function userInfoOf(
  { server = "", serverParameters = {}, allowHttp }: LoginSettings,
  options: NodeHttpOptions,
): Promise<UserInfo | undefined> {
  if (server === "") return undefined;
  // Whether the client has a secret (`true`) does not matter for the address.
  if (!server.includes("://")) return serverOf(server, serverParameters, true).userInfo;
  for (const metadata of metadataAddresses(server)) {
    const { issuer, userinfo_endpoint: found } =
      (await getJson(metadata, allowHttp, "", options)) ?? {};
    if (typeof issuer !== "string" || !isSameIssuer(issuer, server) || typeof found !== "string")
      continue;
    return namedAddressProblem(found, server, allowHttp) === "" ? { address: found } : undefined;
  }
  return undefined;
}

const LIMIT_MS = 10_000;

async function getJson(
  url: string,
  allowHttp: boolean,
  authorization: string,
  options: NodeHttpOptions,
): Promise<Claims | undefined> {
  const http = new NodeHttp({ ...options, timeLimitMs: LIMIT_MS });
  try {
    const response = await requestFor(http, url, allowHttp, authorization);
    return response.status === 200 ? objectIn(response.body) : undefined;
  } finally {
    http.dispose();
  }
}

interface LogoutFlags extends Place {
  local?: boolean;
  json?: boolean;
}

export const logout: Part = {
  line: (line) =>
    withPlace(line)
      .option("--local", "delete them here only: they stay valid until they expire")
      .option("--json", "print server, revoked and stored as one JSON object"),
  act: async (line) => {
    const flags = line.opts<LogoutFlags>();
    const state = directoryOf(flags);
    await withStoredLogin(state, async (platform, { settings }, signal) => {
      const { title, problem, isStored } = flags.local
        ? await discardHere(platform, settings, "was not asked to revoke them")
        : await signOut(platform, settings, state, signal);
      const result = { server: title, revoked: problem === "", stored: isStored };
      if (flags.json) print(JSON.stringify({ event: "signed_out", ...result }));
      if (isStored) {
        const outcome = problem === "" ? "has revoked the tokens" : problem;
        const what = `${state}: could not be erased; delete it; ${title} ${outcome}`;
        throw new SignInError("not_erased", "user", what);
      }
      if (!flags.json)
        print(
          problem === ""
            ? `Signed out at ${title}: the tokens are revoked and deleted.`
            : `The tokens are deleted on this computer; ${title} ${problem}.`,
        );
      discard(state);
    });
    return Exit.DONE;
  },
};

/** `problem` is the reason why the server has not revoked the tokens, "" if it has. */
interface SignedOut {
  readonly title: string;
  readonly problem: string;
  readonly isStored: boolean;
}

async function signOut(
  platform: OpenState,
  settings: LoginSettings,
  state: string,
  signal: AbortSignal,
): Promise<SignedOut> {
  const stored = metadataOf(platform, settings);
  let ready: ReadySettings;
  try {
    ready = await unlessAborted(signal, () => readySettings(settings, platform, { stored }));
  } catch (error) {
    if (!(error instanceof SignInError) || error.code === "aborted") throw error;
    // Without metadata, the address of the revocation endpoint is unknown.
    return await discardHere(platform, settings, `was not asked to revoke them (${error.message})`);
  }
  let before = "";
  const onTrouble = (one: SignInError): void => {
    const { message } = lasting(one);
    // A failed write matters only if erasing fails too, and then `logout` fails.
    if (one.code === "not_saved" || message === before) return;
    process.stderr.write(`picogrant logout: ${message}\n`);
    before = message;
  };
  const session = await openSession(platform, ready, { resumeOnly: true, onTrouble }).catch(
    (error) => {
      // The session has ended, so there is no token to revoke.
      if (error instanceof SignInError && error.code === "not_signed_in") discard(state);
      throw error;
    },
  );
  const { problem, isStored } = await unlessAborted(signal, () => {
    signal.addEventListener("abort", () => void session.close());
    return session.signOut();
  });
  return { title: ready.title, problem: problem && whyNot(problem), isStored };
}

export const whyNot = (problem: SignOutResult["problem"]): string =>
  problem === "no_revocation_endpoint"
    ? "has no way to revoke them"
    : `did not confirm that it has revoked them (${problem})`;

async function discardHere(
  platform: OpenState,
  { server = "", config = server }: LoginSettings,
  problem: string,
): Promise<SignedOut> {
  await alone(platform);
  await discardIn(platform.storage);
  return { title: config, problem, isStored: false };
}

export function discard(state: string): void {
  removeMetadata(state);
  removeStoredLogin(state);
}

// git's protocol for credential helpers (gitcredentials(7)).

const GIT_HELP = `
Sign in first, then:
  git config --global credential.https://github.com.helper '!picogrant git-credential'

git gets the token for the host of the login's server only, and for those of --host.`;

interface GitFlags extends SessionFlags {
  readonly host?: readonly string[];
}

export const gitCredential: Part = {
  line: (line) =>
    withPlace(line)
      // A credential helper must ignore operations that it does not know.
      .argument("<operation>", "get, store or erase")
      .option("--host <host>", "another host that may get the token, repeatable", allOf)
      .addOption(timeoutOption("give up when it cannot be renewed by then", 60))
      .addHelpText("after", GIT_HELP),
  act: async (line) => {
    const { host: more = [], ...flags } = line.opts<GitFlags>();
    const isRefused = line.args[0] === "erase";
    if (line.args[0] !== "get" && !isRefused) return Exit.DONE;
    const { protocol, host, username = "oauth2" } = fieldsOf(await text(process.stdin));
    await withSession({ ...flags, fresh: isRefused }, async (resumed, accessToken) => {
      const { session, ready, unbound } = resumed;
      const { token, deviceAuthorization } = ready.driver.endpoints;
      const origins = [token, deviceAuthorization].map((endpoint) => new URL(endpoint).origin);
      const allowed = [...origins, ...more.map((name) => `https://${name}`)];
      if (!allowed.includes(`${protocol}://${host}`)) return;
      const fields = [`username=${username}`, `password=${await accessToken()}`];
      if (isBound(session)) throw new Failure(`${BOUND}: ${unbound}`);
      const { expiresInS } = session;
      if (expiresInS !== undefined) {
        fields.push(`password_expiry_utc=${Math.floor(Date.now() / 1000) + expiresInS}`);
      }
      if (!isRefused) process.stdout.write(`${fields.join("\n")}\n`);
    });
    return Exit.DONE;
  },
};

const allOf = (host: string, before: readonly string[] = []): string[] => [...before, host];

function fieldsOf(input: string): Record<string, string | undefined> {
  return Object.fromEntries(
    input.split("\n").map((line) => [line.split("=", 1)[0], line.slice(line.indexOf("=") + 1)]),
  );
}
