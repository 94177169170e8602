// `picogrant login`: shows the code, waits for the user, says who signed in and for how long.

import { clientAuthentications } from "../../../platform/configuration/client-settings.ts";
import { QrCode } from "../../../platform/node/qr-code.ts";
import { type NodeVerificationPrompt, withQr } from "../../../platform/node/sign-in.ts";
import { removeMetadata } from "../../../platform/node/state-directory.ts";
import type { Session } from "../../../platform/session/session.ts";
import type { VerificationPrompt } from "../../../platform/session/sign-in.ts";
import { SignInError } from "../../../platform/session/sign-in-error.ts";
import { UsageError } from "../../desktop/command-line.ts";
import { Failure } from "../option-parser.ts";
import { asClock, CountdownLine, inWords, type Paint, paintFor } from "../terminal.ts";
import {
  isSameLogin,
  type KeptLogin,
  readKeptLogin,
  removeKeptLogin,
  writeKeptLogin,
} from "./kept-login.ts";
import { askWho, claimsIn, nameIn } from "./kept-session.ts";
import { type LoginOptions, readLoginOptions } from "./login-options.ts";
import {
  givenUpBy,
  httpOptionsOf,
  metadataOf,
  type OpenState,
  onSignals,
  openSession,
  openState,
  WrongAddress,
} from "./open.ts";
import { type ReadySettings, readySettings } from "./settings.ts";

/** As shells say it of a program that ended by SIGINT. */
const GIVEN_UP = 130;

export async function login(argv: readonly string[]): Promise<number> {
  const options = readLoginOptions(argv);
  const platform = openState(options.state, options.settings);
  // Who logs in wants to know whether the server still takes the session.
  platform.kept.access = "renewed";
  try {
    const kept = readKeptLogin(options.state);
    checkKept(kept, options);
    return await loginOn(platform, options, kept);
  } finally {
    platform.dispose();
  }
}

/** Tokens of another login must not be written over: nobody could revoke them any more. */
function checkKept(kept: KeptLogin | undefined, { state, settings }: LoginOptions): void {
  if (kept === undefined || isSameLogin(kept.settings, settings)) return;
  const { server, config, clientId = "" } = kept.settings;
  throw new UsageError(
    `${state} holds a login at ${server ?? config} ${clientId}: picogrant logout ends it; ` +
      "or choose another directory with --state",
  );
}

async function loginOn(
  platform: OpenState,
  options: LoginOptions,
  kept: KeptLogin | undefined,
): Promise<number> {
  const { settings, state } = options;
  const screen = new Screen(options);
  let ready: ReadySettings | undefined;
  const giveUp = new AbortController();
  const onSignal = (): void => giveUp.abort();
  const ignore = onSignals(onSignal);
  const limit = new TimeLimit(options.timeoutS, onSignal);
  const address = new WrongAddress(onSignal);
  try {
    const patience = {
      onTrouble: (trouble: SignInError) => screen.showTrouble(trouble),
      signal: giveUp.signal,
    };
    ready = await readySettings(settings, platform, {
      kept: metadataOf(platform, settings),
      patience,
    });
    writeKeptLogin(state, { version: 1, settings, who: kept?.who ?? "" });
    const onCode = (prompt: VerificationPrompt): void => screen.showCode(withQr(prompt, QrCode));
    if (options.again && kept !== undefined) await signOutBefore(platform, ready);
    const refusal = new Refusal();
    const session = await openSession(platform, ready, {
      onCode,
      onTrouble: (trouble) => {
        screen.showTrouble(trouble);
        refusal.look(trouble);
        address.look(trouble);
      },
      signal: giveUp.signal,
    });
    screen.stopWaiting();
    limit.end();
    try {
      await Promise.race([session.accessToken(), refusal.seen, givenUpBy(giveUp.signal)]);
      const said = nameIn(claimsIn(session.tokenResponse));
      const who = said || kept?.who || (await ask(options, session));
      writeKeptLogin(state, { version: 1, settings, who });
      screen.showSession(ready, session, who, options);
      return 0;
    } finally {
      await session.close();
    }
  } catch (error) {
    screen.stopWaiting();
    if (!(error instanceof SignInError)) throw error;
    const isGivenUp = error.code === "aborted";
    // Another login may be waiting for its user in the same directory, or a session be there.
    if (!isGivenUp || kept === undefined) {
      removeKeptLogin(state);
      removeMetadata(state);
    }
    const reason = address.error ?? (limit.isOver ? limit.error : error);
    screen.showError(reason);
    const hint = ready === undefined ? "" : methodHint(error, settings, ready);
    if (hint !== "") process.stderr.write(`picogrant login: ${hint}\n`);
    return isGivenUp && reason === error ? GIVEN_UP : 1;
  } finally {
    limit.end();
    ignore();
  }
}

/** Of --timeout: a script does not wait for a person for ever. */
class TimeLimit {
  isOver = false;
  readonly error: SignInError;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(seconds: number | undefined, giveUp: () => void) {
    const message = `nobody has allowed it within ${seconds} s; try again`;
    this.error = new SignInError("aborted", "user", message);
    if (seconds === undefined) return;
    this.#timer = setTimeout(() => {
      this.isOver = true;
      giveUp();
    }, seconds * 1000);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Servers refuse a secret that comes otherwise than they want it by the same name as a wrong one (RFC 6749 §5.2), and some
 * list ways in their metadata that they do not take.
 */
function methodHint(
  { code }: SignInError,
  { config, secret, clientAuthentication }: LoginOptions["settings"],
  { driver }: ReadySettings,
): string {
  const isClients = code === "invalid_client" || code === "unauthorized_client";
  if (!isClients || config !== undefined || secret === "none" || clientAuthentication) return "";
  const isBasic = driver.config.clientAuthentication === clientAuthentications.client_secret_basic;
  const [now, other] = isBasic
    ? ["client_secret_basic", "client_secret_post"]
    : ["client_secret_post", "client_secret_basic"];
  return `the secret went by ${now}; if it is right, try --client-authentication ${other}`;
}

/** Waiting does not help a person at a terminal where the server refuses to renew tokens that are kept. */
class Refusal {
  /** Never fulfilled; rejected where the maker or the administrator has to mend something. */
  readonly seen: Promise<never>;
  #reject!: (reason: Failure) => void;

  constructor() {
    this.seen = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Nobody may be waiting for it yet, or any more.
    this.seen.catch(() => {});
  }

  look({ remedy, answer }: SignInError): void {
    const isTheirs = answer !== undefined && (remedy === "maker" || remedy === "administrator");
    if (!isTheirs) return;
    const ways = "picogrant login --again signs in anew, picogrant logout ends the session";
    this.#reject(new Failure(`the tokens are kept, and the server refuses to renew them; ${ways}`));
  }
}

/** Ends the session that is kept, as far as the server takes part in it. */
async function signOutBefore(platform: OpenState, ready: ReadySettings): Promise<void> {
  try {
    const session = await openSession(platform, ready, { resumeOnly: true });
    await session.signOut();
  } catch (error) {
    // There is nothing left to end.
    if (!(error instanceof SignInError)) throw error;
  }
}

async function ask({ settings }: LoginOptions, session: Session): Promise<string> {
  return await askWho(settings, await session.accessToken(), httpOptionsOf(settings));
}

/** The time comes first: a narrow terminal cuts the line off. */
export function waitingText(secondsLeft: number): string {
  return `${asClock(secondsLeft)} left to allow it, Ctrl-C gives up`;
}

/** What the person sees, and with --json what the machine reads. */
class Screen {
  readonly #options: LoginOptions;
  readonly #stream: NodeJS.WriteStream;
  readonly #paint: Paint;
  #waiting: CountdownLine | undefined;
  #codes = 0;
  #trouble = "";

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#stream = options.json ? process.stderr : process.stdout;
    this.#paint = paintFor(this.#stream, process.env);
  }

  showCode(prompt: NodeVerificationPrompt): void {
    this.stopWaiting();
    const { userCode, verificationUri, verificationUriComplete, expiresInS } = prompt;
    this.#tell({
      event: "code",
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: verificationUriComplete || null,
      expires_in: expiresInS,
    });
    if (this.#codes++ > 0) this.#say("That code has expired; here is a new one.");
    this.#say(`Open   ${this.#paint.bold(verificationUri)}`);
    this.#say(`Enter  ${this.#paint.bold(userCode)}`);
    if (verificationUriComplete) this.#say(`or open ${verificationUriComplete}`);
    this.#drawQr(prompt);
    if (!this.#stream.isTTY) {
      this.#say(`Waiting until you have allowed it; the code is good for ${inWords(expiresInS)}.`);
    }
    this.#waiting = new CountdownLine(this.#stream, expiresInS, waitingText);
  }

  #drawQr({ qr }: NodeVerificationPrompt): void {
    const lines = `${qr}`.split("\n");
    const { isTTY = false, columns = 80 } = this.#stream;
    const fits = isTTY && columns >= (lines[0]?.length ?? 0);
    if (!(this.#options.qr ?? fits)) return;
    for (const line of lines) this.#say(this.#paint.paper(line));
  }

  stopWaiting(): void {
    this.#waiting?.stop();
    this.#waiting = undefined;
  }

  showSession(
    { title, driver }: ReadySettings,
    session: Session,
    who: string,
    options: LoginOptions,
  ): void {
    const { expiresInS, endsInS, isRenewable } = session;
    const isNew = this.#codes > 0;
    this.#tell({
      event: "signed_in",
      server: title,
      client_id: driver.config.clientId,
      who: who || null,
      expires_in: expiresInS ?? null,
      renews: isRenewable,
      ends_in: endsInS ?? null,
      resumed: !isNew,
    });
    const name = who === "" ? "" : ` as ${this.#paint.bold(who)}`;
    this.#say(`${isNew ? "Signed in" : "Already signed in"} at ${title}${name}.`);
    const life = expiresInS === undefined ? "" : ` for ${inWords(expiresInS)}`;
    const renewal = isRenewable ? ", and renewed by itself" : "; then sign in again";
    this.#say(`The access token is good${life}${life || isRenewable ? renewal : ""}.`);
    if (endsInS !== undefined) this.#say(`The session ends in ${inWords(endsInS)}.`);
    const state = options.stateIsDefault ? "" : ` --state ${options.state}`;
    this.#say(
      this.#paint.faint(`picogrant token${state} prints one; picogrant logout${state} ends it.`),
    );
  }

  /** Once for each that is another: it is tried again and again. */
  showTrouble({ code, message }: SignInError): void {
    const lasting = message.replace(/; trying again in \d+ s$/, "");
    if (lasting === this.#trouble) return;
    this.#trouble = lasting;
    this.#tell({ event: "trouble", code, message });
    this.#waiting?.clear();
    process.stderr.write(`picogrant login: ${message}\n`);
  }

  showError(error: SignInError): void {
    const { code, remedy, message } = error;
    this.#tell({ event: "error", code, remedy, message });
    process.stderr.write(`picogrant login: ${message}\n`);
  }

  #say(line: string): void {
    this.#stream.write(`${line}\n`);
  }

  #tell(event: object): void {
    if (this.#options.json) process.stdout.write(`${JSON.stringify(event)}\n`);
  }
}
