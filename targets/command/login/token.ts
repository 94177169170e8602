// `picogrant token`: an access token on standard output and nothing else, renewed first where that is due.
import path from "node:path";
import { SignInError } from "../../../platform/session/sign-in-error.ts";
import { integer } from "../../desktop/command-line.ts";
import { Failure } from "../errors.ts";
import { commandLine } from "../option-parser.ts";
import { defaultState, type KeptLogin } from "./kept-login.ts";
import { type KeptToken, keepToken, readKeptToken } from "./kept-token.ts";
import { STATE_OPTION } from "./login-options.ts";
import {
  alone,
  metadataOf,
  notSignedIn,
  type OpenState,
  openSession,
  withKeptLogin,
} from "./open.ts";
import { readySettings } from "./settings.ts";

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
  const state = path.resolve(flags.state);
  await withKeptLogin(state, async (platform, kept) => {
    // Of several that ask at the same time the first has it renewed.
    await alone(platform);
    const earlier = flags.fresh ? undefined : readKeptToken(state, Date.now());
    print(earlier ?? (await renewed(platform, kept, flags)), flags);
  });
  return 0;
}

/** An access token from the session, which may have to ask the server for it. */
async function renewed(
  platform: OpenState,
  { settings }: KeptLogin,
  { timeout, state }: Flags,
): Promise<KeptToken> {
  const ready = await readySettings(settings, platform, metadataOf(platform, settings));
  let trouble = "";
  const onTrouble = ({ message }: SignInError): void => {
    trouble = message;
  };
  const session = await openSession(platform, ready, {
    resumeOnly: true,
    onTrouble,
  }).catch((error: unknown) => {
    const isThere = !(error instanceof SignInError) || error.code !== "not_signed_in";
    throw isThere ? error : notSignedIn(path.resolve(state));
  });
  try {
    const kept = keepToken(path.resolve(state), settings, session);
    return await within(timeout, kept, () => trouble);
  } finally {
    await session.close();
  }
}

function print({ accessToken, expiresAtMs }: KeptToken, { json }: Flags): void {
  const left = Math.floor((expiresAtMs - Date.now()) / 1000);
  const answer = { access_token: accessToken, expires_in: left > 0 ? left : null };
  process.stdout.write(`${json ? JSON.stringify(answer) : accessToken}\n`);
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
