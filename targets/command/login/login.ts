// `picogrant login`: shows the code, waits for the user, and prints who has signed in and for how long.

import { clientAuthentications } from "../../../platform/configuration/settings.ts";
import { QrCode } from "../../../platform/node/qr-code.ts";
import { type NodeVerificationPrompt, withQr } from "../../../platform/node/sign-in.ts";
import type { VerificationPrompt } from "../../../platform/session/handlers.ts";
import type { Session } from "../../../platform/session/session.ts";
import { SignInError, unlessAborted } from "../../../platform/session/sign-in-error.ts";
import { UsageError } from "../../desktop/command-line.ts";
import { Exit, interruptibly, outcomeBy } from "../exit-codes.ts";
import type { Part } from "../option-parser.ts";
import {
  asClock,
  hasBrowser,
  hasUtf8,
  inWords,
  isScreen,
  openOnEnter,
  type Paint,
  paintFor,
  showCountdown,
  showProgress,
} from "../terminal.ts";
import { type LoginOptions, loginLine, loginOptionsOf } from "./login-options.ts";
import {
  commandFor,
  httpOptionsOf,
  isSameLogin,
  lasting,
  loginCommand,
  metadataOf,
  type OpenState,
  openSession,
  openState,
  readStoredLogin,
  type StoredLogin,
  writeStoredLogin,
} from "./open.ts";
import { type ReadySettings, readySettings } from "./settings.ts";
import {
  claimsIn,
  discard,
  expiryOf,
  factsOf,
  nameIn,
  placeOf,
  requestIdentity,
  whyNot,
} from "./stored-session.ts";

export const login: Part = {
  line: loginLine,
  act: async (line) => {
    const options = loginOptionsOf(line);
    const platform = openState(options.state, options.settings);
    // The session refreshes its tokens, so that the command can report whether the server still accepts them.
    platform.stored.access = "renewed";
    const { storage } = platform;
    let isOurs = false;
    try {
      const found = readStoredLogin(options.state);
      isOurs = true;
      // If there are no records, login.json is left over from a login that was killed before it received a code.
      const stored = storage.hasRecords ? found : undefined;
      checkStored(stored, options);
      await interruptibly((end) => loginOn(platform, options, stored, end));
      return Exit.DONE;
    } finally {
      // Keep login.json if there are records. They may belong to an earlier login.
      if (isOurs && !storage.hasRecords) discard(options.state);
      platform.dispose();
    }
  },
};

/** Refuses to overwrite the tokens of another login, because nobody could revoke them afterwards. @throws UsageError */
function checkStored(stored: StoredLogin | undefined, { state, settings }: LoginOptions): void {
  if (stored === undefined) return;
  const end = `end that login first: ${commandFor("logout", state)}`;
  const { server, config, clientId = "", keyFile } = stored.settings;
  if (!isSameLogin(stored.settings, settings)) {
    const what = `${state} holds a login at ${server ?? config} ${clientId}`;
    throw new UsageError(`${what}; give this one a name with --account, or ${end}`);
  }
  // A login with a key may replace one without.
  if (keyFile === undefined || keyFile === settings.keyFile) return;
  const what = `${state} holds a login with --key-file ${keyFile}`;
  throw new UsageError(`${what}; log in with that key, or ${end}; if it is lost, delete ${state}`);
}

async function loginOn(
  platform: OpenState,
  options: LoginOptions,
  stored: StoredLogin | undefined,
  end: AbortController,
): Promise<void> {
  const { settings, state, timeout } = options;
  const { signal } = end;
  const screen = new Screen(options);
  const tooLate = (): void => end.abort(tooLateError(timeout, screen));
  const limit = timeout === undefined ? undefined : setTimeout(tooLate, timeout * 1000);
  let ready: ReadySettings | undefined;
  let session: Session | undefined;
  let unusable = 0;
  const onTrouble = (trouble: SignInError): void => {
    screen.showTrouble(trouble);
    unusable = isUnusable(trouble) ? unusable + 1 : 0;
    if (session === undefined && unusable === UNUSABLE_MAX) end.abort(unusableError(trouble));
    if (session !== undefined && isRefusal(trouble)) end.abort(refusalOf(trouble, options));
    if (session !== undefined && trouble.code === "not_saved") end.abort(lasting(trouble));
  };
  try {
    ready = await readySettings(settings, platform, {
      stored: metadataOf(platform, settings),
      retryHandlers: { onTrouble: (trouble: SignInError) => screen.showTrouble(trouble), signal },
    });
    if (options.again && stored !== undefined)
      await signOutBefore(platform, ready, onTrouble, signal);
    // Without --again, the settings of a stored login stay until the server has accepted others.
    if (stored === undefined || options.again)
      writeStoredLogin(state, { version: 1, settings, who: "" });
    const onCode = (prompt: VerificationPrompt): void => screen.showCode(withQr(prompt, QrCode));
    session = await openSession(platform, ready, { onCode, onTrouble, signal });
    screen.stopWaiting();
    let who = "";
    let isShown = false;
    try {
      const token = await session.accessToken(signal);
      const output = nameIn(claimsIn(session.tokenResponse));
      const http = httpOptionsOf(settings);
      const request = () => requestIdentity(settings, token, http, session!);
      who = output || (options.again ? "" : (stored?.who ?? ""));
      writeStoredLogin(state, { version: 1, settings, who });
      who ||= await unlessAborted(signal, request);
      writeStoredLogin(state, { version: 1, settings, who });
      isShown = session.isSaved;
      if (isShown) screen.showSession(ready, session, who);
    } finally {
      await session.close();
    }
    // Only the last attempt has saved the tokens.
    if (!isShown && !signal.aborted) screen.showSession(ready, session, who);
  } catch (error) {
    if (stored !== undefined && error instanceof SignInError && error.code === "session_ended") {
      screen.showTrouble(error);
      clearTimeout(limit);
      return await loginOn(platform, options, undefined, end);
    }
    throw ready === undefined ? error : withHint(error, settings, ready);
  } finally {
    clearTimeout(limit);
    screen.stopWaiting();
  }
}

/** So many consecutive unusable responses (7 to 14 s) end the login. A proxy may send one while a server restarts. */
const UNUSABLE_MAX = 4;

/** Whether the address is probably not that of an authorization server. A user at a terminal should not wait for it. */
function isUnusable({ response, code, lacks }: SignInError): boolean {
  const { error = "", status = 0 } = response ?? {};
  // If only a member is missing, the core ends the sign-in, and the error names the member.
  const isPage = code === "malformed_response" && lacks === "" && status <= 299;
  return isPage || (error === "" && (status === 404 || status === 410));
}

function unusableError({ response }: SignInError): SignInError {
  const what = `responds with HTTP ${response?.status} and nothing that signs in, again and again`;
  const message =
    `${response?.url} ${what}: check the server's address, ` +
    "and whether the network wants a sign-in of its own";
  return new SignInError("unusable_responses", "developer", message, { response });
}

/** The error at the end of --timeout, which keeps a script from waiting forever. */
function tooLateError(seconds: number | undefined, { codes, trouble }: Screen): SignInError {
  const [code, what] =
    codes > 0
      ? (["aborted", "the user has not allowed it"] as const)
      : ([trouble?.code ?? "unreachable", "the server has sent no usable response"] as const);
  const why = codes > 0 ? "try again" : (trouble?.message ?? "try again");
  return new SignInError(code, trouble?.remedy ?? "user", `${what} within ${seconds} s; ${why}`);
}

/**
 * Adds a hint to an error about the client. A server returns the same error for a wrong secret and for a secret that is
 * sent in the wrong way (RFC 6749 §5.2). Some servers do not accept the methods that their metadata list.
 */
function withHint(
  error: unknown,
  { config, secret, clientAuthentication }: LoginOptions["settings"],
  { driver }: ReadySettings,
): unknown {
  if (!(error instanceof SignInError)) return error;
  const { code, remedy, message, response } = error;
  const isClients = code === "invalid_client" || code === "unauthorized_client";
  if (!isClients || config !== undefined || secret === "none" || clientAuthentication) return error;
  const isBasic = driver.config.clientAuthentication === clientAuthentications.client_secret_basic;
  const methods = ["client_secret_post", "client_secret_basic"];
  const [now, other] = isBasic ? methods.reverse() : methods;
  const hint = `the secret went by ${now}; if it is right, try --client-authentication ${other}`;
  return new SignInError(code, remedy, `${message}; ${hint}`, { response });
}

/** Whether the server refuses to refresh stored tokens. A user at a terminal should not wait until it accepts them. */
function isRefusal({ remedy, response }: SignInError): boolean {
  return response !== undefined && (remedy === "developer" || remedy === "administrator");
}

function refusalOf(refused: SignInError, { state, settings }: LoginOptions): SignInError {
  const anew = `to sign in again: ${loginCommand(state, settings, { again: true })}`;
  const end = `to end the session: ${commandFor("logout", state)}`;
  const message = `the server refuses to renew the stored tokens; ${anew}; ${end}`;
  return new SignInError(refused.code, refused.remedy, message, refused);
}

async function signOutBefore(
  platform: OpenState,
  ready: ReadySettings,
  onTrouble: (trouble: SignInError) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const session = await openSession(platform, ready, { resumeOnly: true, onTrouble });
    signal.addEventListener("abort", () => void session.close());
    process.stderr.write("picogrant login: revoking the tokens of the earlier login first\n");
    const { problem: why } = await session.signOut();
    if (why) process.stderr.write(`picogrant login: ${ready.title} ${whyNot(why)}\n`);
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
  }
}

export function waitingText(secondsLeft: number): string {
  return `${asClock(secondsLeft)} left to allow it, Ctrl-C gives up`;
}

/** The QR code and the complete address are shown only if they fit, so that nothing scrolls off the screen. */
export function codeLines(
  { userCode, verificationUri, verificationUriComplete, qr }: NodeVerificationPrompt,
  { columns, rows, hasQr }: Record<"columns" | "rows", number> & { hasQr: boolean },
  paint: Paint,
): string[] {
  const short = [`Open   ${verificationUri}`, `Enter  ${userCode}`];
  const long = verificationUriComplete ? [...short, `or open ${verificationUriComplete}`] : short;
  const picture = hasQr ? `${qr}`.split("\n") : [];
  const isWide = (picture[0]?.length ?? 0) <= columns;
  const left = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum - Math.ceil(line.length / columns), rows - 1);
  const drawn = isWide && left(short) >= picture.length ? picture : [];
  const lines = left(long) >= drawn.length ? long : short;
  const text = lines.map((line) => line.slice(0, 7) + paint.bold(line.slice(7)));
  return [...drawn.map(paint.paper), ...text];
}

class Screen {
  readonly #options: LoginOptions;
  readonly #stream: NodeJS.WriteStream;
  readonly #paint: Paint;
  codes = 0;
  trouble: SignInError | undefined;
  #stopCountdown = (): void => {};
  readonly #isBrowserOffered: boolean;
  #stopOpening = (): void => {};

  constructor(options: LoginOptions) {
    const { json, browser } = options;
    this.#options = options;
    this.#isBrowserOffered = browser && !json && hasBrowser(process.stdout, process.env);
    this.#stream = options.json ? process.stderr : process.stdout;
    this.#paint = paintFor(this.#stream, process.env);
  }

  showCode(prompt: NodeVerificationPrompt): void {
    this.stopWaiting();
    const { userCode, verificationUri, verificationUriComplete, expiresInS } = prompt;
    this.#report({
      event: "code",
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: verificationUriComplete || null,
      expires_in: expiresInS,
    });
    if (this.codes++ > 0) this.#print("That code has expired; here is a new one.");
    for (const line of codeLines(prompt, this.#terminal(), this.#paint)) this.#print(line);
    if (!isScreen(this.#stream, process.env)) {
      const limit = this.#options.timeout === undefined ? " (--timeout SECONDS ends it)" : "";
      const lifetime = `the code is valid for ${inWords(expiresInS)}`;
      this.#print(`Waiting until you have allowed it${limit}; ${lifetime}.`);
    }
    if (this.#isBrowserOffered) {
      this.#print("Press Enter to open it in the browser.");
      this.#stopOpening = openOnEnter(verificationUriComplete || verificationUri);
    }
    this.#stopCountdown = showCountdown(this.#stream, expiresInS, waitingText);
  }

  #terminal(): Parameters<typeof codeLines>[1] {
    const { qr } = this.#options;
    const { columns = 80, rows = 24 } = this.#stream;
    const isTerminal = isScreen(this.#stream, process.env);
    const hasQr = qr ?? (isTerminal && hasUtf8(process.env));
    const isLimited = isTerminal && qr !== true;
    const left = rows - Number(this.#isBrowserOffered);
    return isLimited
      ? { columns, rows: left, hasQr }
      : { columns: Infinity, rows: Infinity, hasQr };
  }

  stopWaiting(): void {
    this.#stopOpening();
    this.#stopCountdown();
  }

  showSession(ready: ReadySettings, session: Session, who: string): void {
    const isNew = this.codes > 0;
    this.#report({ event: "signed_in", ...factsOf(ready, session, who), resumed: !isNew });
    this.#print(
      `${isNew ? "Signed" : "Already signed"} in ${placeOf(ready, this.#paint.bold(who))}`,
    );
    for (const line of expiryOf(session)) this.#print(line);
    const [token, logout] = ["token", "logout"].map((name) =>
      commandFor(name, this.#options.state),
    );
    this.#print(this.#paint.faint(`Print a token: ${token}; sign out: ${logout}`));
  }

  showTrouble(trouble: SignInError): void {
    const { code } = trouble;
    const { message } = outcomeBy(trouble);
    const before = this.trouble?.message;
    this.trouble = lasting(trouble);
    if (this.trouble.message === before) return;
    this.#report({ event: "trouble", code, message });
    showProgress("", this.#stream);
    process.stderr.write(`picogrant login: ${message}\n`);
  }

  #print(line: string): void {
    this.#stream.write(`${line}\n`);
  }

  #report(event: object): void {
    if (this.#options.json) process.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
