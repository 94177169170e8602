// A session as a program sees it: an access token that is always fresh, a `fetch` that carries it, and an end.

import { Limit } from "../../core/device/limits.ts";
import { ErrorCode, Outcome, Region, State } from "../../core/index.ts";
import type { Driver } from "../driver.ts";
import type { ReceivedIdToken, TokenResponse } from "../exchange/response-recorder.ts";
import type { IdTokenClaims } from "./id-token.ts";
import { isWithoutSession, type SessionRuntime } from "./session-runtime.ts";
import {
  errorNameOf,
  type GrantErrorCode,
  SignInError,
  signInErrorOf,
  troubleOf,
} from "./sign-in-error.ts";

/** What a session is doing. */
export type SessionStatus =
  /** The access token can be used. */
  | "signed-in"
  /** The access token is being refreshed; whoever asks for it waits. */
  | "refreshing"
  /** Given back by `close`: another start goes on with it. */
  | "closed"
  /** Over: signed out, revoked or ended by the server; nothing brings it back. */
  | "ended";

/** What came of signing out. */
export interface SignOutResult {
  /**
   * The server has confirmed that it has revoked the tokens. An access token that it does not revoke by itself has
   * ended with its refresh token, or lives its minutes out (RFC 7009 §2.1, §2.2.1).
   */
  readonly isRevoked: boolean;
  /**
   * Why it has not: it has no way to, storage that does not answer has kept it from being asked, or the error by its
   * name; "" where it has.
   */
  readonly problem: "" | "no_revocation_endpoint" | "storage_silent" | GrantErrorCode;
  /** Storage has not erased everything: what is left signs nobody in, and the next start erases it. */
  readonly isStored: boolean;
}

/** Made by `signIn`. */
export class Session {
  readonly #runtime: SessionRuntime;
  readonly #onEnd: ((error: SignInError) => unknown) | undefined;
  #waiting: (() => void)[] = [];
  #end: SignInError | undefined;
  #claims: { readonly of: ReceivedIdToken; readonly are: IdTokenClaims } | undefined;
  #signingOut: Promise<SignOutResult> | undefined;
  /** Whose tokens are being revoked. */
  #signedOut: Driver | undefined;
  /** Everything is given back. */
  #left: Promise<void> | undefined;

  /** @internal @param onEnd called once where the session ends without `signOut` or `close` */
  constructor(runtime: SessionRuntime, onEnd: ((error: SignInError) => unknown) | undefined) {
    this.#runtime = runtime;
    this.#onEnd = onEnd;
  }

  /** What it is doing now. */
  get status(): SessionStatus {
    if (this.#end !== undefined) return this.#end.code === "closed" ? "closed" : "ended";
    return this.#device.state === State.SIGNED_IN ? "signed-in" : "refreshing";
  }

  /** Seconds for which the access token is still good; undefined where the server did not say, or there is none. */
  get expiresInS(): number | undefined {
    return this.status === "signed-in" ? this.#leftOf(this.#device.accessLifetimeS) : undefined;
  }

  /** Seconds until the whole session ends (`refresh_token_expires_in`); undefined where nothing is known of that. */
  get endsInS(): number | undefined {
    return this.#end !== undefined ? undefined : this.#leftOf(this.#device.refreshLifetimeS);
  }

  /** What is left of a lifetime by now: the device sleeps until there is something to do. */
  #leftOf(seconds: number): number | undefined {
    const leftS = seconds - this.#runtime.driver.unreportedS;
    return leftS > 0 && seconds < Limit.ENDLESS ? leftS : undefined;
  }

  /** Whether there is a refresh token: without one the session ends with its access token. */
  get isRenewable(): boolean {
    return this.#end === undefined && this.#device.length[Region.REFRESH_TOKEN]! > 0;
  }

  /** Whether the tokens in use are in the storage: where not, the user has to sign in again after a restart. */
  get isSaved(): boolean {
    const { driver, watch } = this.#runtime;
    return this.#device.notSaved === 0 && !watch.isStoring(driver) && !watch.isSilent;
  }

  /** The newest token response without its tokens; undefined for a session of an older program, until the first refresh. */
  get tokenResponse(): TokenResponse | undefined {
    return this.#runtime.recorder.tokenResponse;
  }

  /**
   * What the access token is good for: as the server has said, or else as it was asked for (RFC 6749 §5.1). Undefined
   * for a session of an older program, until the first renewal.
   */
  get scope(): string | undefined {
    const { requested, recorder } = this.#runtime;
    return recorder.scope === "" ? requested : recorder.scope;
  }

  /**
   * Who has signed in: what the newest ID token says, checked as OpenID Connect Core 1.0 §3.1.3.7 asks, with the keys
   * that the issuer publishes. It is kept over restarts. Undefined where the server has sent none, as it does where
   * `openid` is not in the scope.
   * @throws SignInError `wrong_id_token` where it is not to be believed; `no_metadata` where the issuer is not known, or
   *   does not say what it signs with; `unreachable`
   */
  async claims(): Promise<IdTokenClaims | undefined> {
    const { recorder, settings } = this.#runtime;
    const received = recorder.idToken;
    if (received === undefined) return undefined;
    if (received === this.#claims?.of) return this.#claims.are;
    const { config, issuer, allowHttp = false } = settings;
    const { claimsOf } = await import("./claims.ts");
    const { clientId, clientSecret } = config;
    const requested = { clientId, clientSecret, allowHttp, fetch: settings.fetch ?? fetch };
    const are = await claimsOf(received, issuer, requested, this.#claims?.are);
    this.#claims = { of: received, are };
    return are;
  }

  /**
   * The access token, refreshed first where it is about to expire: that waits for as long as the network is away.
   * @param signal gives up waiting
   * @throws SignInError where the session has ended, or the server refuses to refresh its tokens, which are kept and tried
   *   again; the signal's reason where it gives up
   */
  async accessToken(signal?: AbortSignal | null): Promise<string> {
    for (;;) {
      if (this.#end !== undefined) throw this.#end;
      const { driver, watch } = this.#runtime;
      // A refresh token that has taken another's place is kept before anything is done with what came along with it.
      const token = watch.isStoring(driver) ? "" : driver.accessToken;
      // Another program may have ended the session, or renewed the tokens.
      const isCurrent = this.#runtime.isCurrent();
      if (token !== "" && isCurrent) return token;
      signal?.throwIfAborted();
      this.#throwIfRefused();
      const changed = this.#nextChange(signal);
      // A token that nobody has wanted for a while may have run out, or the machine has slept: now it is wanted.
      if (isCurrent && this.#device.state === State.SIGNED_IN && !watch.isStoring(driver)) {
        driver.accessTokenRefused();
      } else if (driver.unreportedS > 0) driver.run();
      await changed;
    }
  }

  /** What no waiting mends is told to whoever waits; the session lives on, and the device tries again. */
  #throwIfRefused(): void {
    const { driver, recorder } = this.#runtime;
    const isRefused = driver.core.outcome(this.#device) === Outcome.REFUSED;
    if (this.#device.state !== State.REFRESHING || !isRefused) return;
    throw recorder.newest ? troubleOf(this.#device, recorder.newest) : signInErrorOf(this.#device);
  }

  /** Until something may have changed, or the signal gives up. */
  #nextChange(signal?: AbortSignal | null): Promise<void> {
    return this.#runtime.awaited<void>((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      signal?.addEventListener("abort", wake);
      this.#waiting.push(wake);
    });
  }

  /**
   * As the global `fetch`, with the access token in `Authorization` (RFC 6750 §2.1). A 401 has the token refreshed and the
   * request sent again once, unless reading uses `init.body` up, or the API requires another sign-in (RFC 9470, `stepUpOf`).
   * The token goes over https to the server of this request, or only to those of `resources` where they are given.
   * Redirects are followed: within that server with the token, to another one without token, headers and body.
   * @throws SignInError where the session has ended; TypeError where the token must not go there; whatever `fetch` throws
   */
  async fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    // Not every program has its requests sent from here.
    const { fetchWithToken } = await import("./fetch.ts");
    return await fetchWithToken(
      {
        accessToken: (signal) => this.accessToken(signal),
        // Meanwhile it may have been refreshed for another request.
        refused: (token) => {
          const { driver, settings } = this.#runtime;
          settings.log?.log("an API has refused the access token (401)");
          if (driver.accessToken === token) driver.accessTokenRefused();
        },
      },
      this.#runtime.settings,
      input,
      init,
    );
  }

  /**
   * Revokes the tokens at the server, as far as it can be reached, and forgets them here. Resolves when both are done
   * or have come to nothing, at the latest after some minutes: a server that is away is asked four times.
   * @throws SignInError where the session has ended before
   */
  signOut(): Promise<SignOutResult> {
    this.#signingOut ??= this.#signOut();
    return this.#signingOut;
  }

  async #signOut(): Promise<SignOutResult> {
    if (this.#end !== undefined) throw this.#end;
    const { watch } = this.#runtime;
    this.#signedOut = this.#runtime.driver;
    this.#signedOut.signOut();
    while (
      this.#end === undefined &&
      !watch.isSilent &&
      (this.#device.state !== State.SIGNED_OUT || watch.isAtStorage(this.#runtime.driver))
    ) {
      await this.#nextChange();
    }
    // It may have ended meanwhile.
    const end: SignInError | undefined = this.#end;
    if (end !== undefined) throw end;
    this.#finish(new SignInError("signed_out", "user", "signed out; sign in again"));
    // What could not be erased is tried once more before everything is given back.
    await this.#left;
    return this.#signOutResult();
  }

  #signOutResult(): SignOutResult {
    const { driver, watch } = this.#runtime;
    const { state, error, slotsUsed } = this.#device;
    const isOver = state === State.SIGNED_OUT;
    let problem: SignOutResult["problem"] = isOver ? "" : "storage_silent";
    if (driver.endpoints.revocation === "") problem = "no_revocation_endpoint";
    else if (error !== ErrorCode.NONE) problem = errorNameOf(this.#device);
    // What could not be read, or erased, counts as used.
    return { isRevoked: problem === "", problem, isStored: slotsUsed > 0 || watch.isSilent };
  }

  /** Closes the session; the next start resumes it. Waits at most ten seconds for a refresh that is under way. */
  async close(): Promise<void> {
    this.#finish(new SignInError("closed", "nobody", "the session was closed"));
    await this.#left;
  }

  /** @internal To be called after anything that may have changed the device's state. */
  changed(): void {
    const { state } = this.#device;
    if (this.#end === undefined) {
      if (state === State.FAILED) {
        this.#endBy(signInErrorOf(this.#device, this.#runtime.recorder.newest));
      } else if (this.#signedOut !== undefined) this.#goOnSigningOut(state);
      else if (isWithoutSession(state)) this.#endBy(endedElsewhere());
    }
    this.#wake();
  }

  /** Where another program has refreshed the tokens meanwhile, those are to be revoked. */
  #goOnSigningOut(state: State): void {
    const { driver } = this.#runtime;
    if (driver === this.#signedOut) return;
    if (driver.isSignedIn) {
      this.#signedOut = driver;
      driver.signOut();
    } else if (state === State.REVOKING) this.#signedOut = driver;
    else if (isWithoutSession(state)) this.#finish(endedElsewhere());
  }

  /** @internal Somebody has signed in anew where the session was. */
  endElsewhere(): void {
    this.#endBy(endedElsewhere());
  }

  #endBy(error: SignInError): void {
    this.#finish(error);
    this.#runtime.call(() => this.#onEnd?.(error));
  }

  get #device(): SessionRuntime["driver"]["device"] {
    return this.#runtime.driver.device;
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #finish(error: SignInError): void {
    if (this.#end !== undefined) return;
    this.#runtime.settings.log?.log(`the session ends: ${error.code}`);
    this.#end = error;
    this.#left = this.#runtime.leave();
    this.#wake();
  }
}

function endedElsewhere(): SignInError {
  const message = "another program with the same state has ended the session; sign in again";
  return new SignInError("session_ended", "user", message);
}
