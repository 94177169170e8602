// A session as a program uses it, on any platform with promises and `fetch`. ../node/sign-in.ts is the part for Node.

import { Limit } from "../../core/device/limits.ts";
import { ErrorCode, Outcome, Region, State } from "../../core/index.ts";
import type { Platform } from "../contracts.ts";
import type { Driver } from "../driver.ts";
import type { ReceivedIdToken, TokenResponse } from "../exchange/response-recorder.ts";
import type { IdTokenClaims } from "./claims.ts";
import type { SessionSettings } from "./drivers.ts";
import type { SignInHandlers } from "./handlers.ts";
import { isWithoutSession } from "./life-cycle.ts";
import { SessionRuntime } from "./session-runtime.ts";
import {
  endedElsewhere,
  errorNameOf,
  type GrantErrorCode,
  SignInError,
  signInErrorOf,
  troubleOf,
} from "./sign-in-error.ts";

/** The values of `Session.status`. */
export type SessionStatus =
  /** The session is neither being refreshed nor signed out. Its access token may have expired (`expiresInS`). */
  | "signed-in"
  /** The access token is being refreshed, or the session is being signed out. */
  | "refreshing"
  /** The program has called `close()`. The tokens stay stored, and the next start resumes the session. */
  | "closed"
  /** The session was signed out, or was ended by the server, another program or a failure. This status is final. */
  | "ended";

/** The result of signing out. */
export interface SignOutResult {
  /**
   * The server has confirmed the revocation. It may have refused to revoke the access token, but this token usually
   * ends with the refresh token (RFC 7009 §2.1).
   */
  readonly isRevoked: boolean;
  /**
   * Why the tokens are not revoked: the server has no revocation endpoint, storage did not respond before the request, or
   * the error code; "" if they are revoked.
   */
  readonly problem: "" | "no_revocation_endpoint" | "storage_silent" | GrantErrorCode;
  /** Records or the token cache are left. If storage has not stored the sign-out, the next start may resume the session. */
  readonly isStored: boolean;
}

/** A session, as `signIn` returns it. */
export class Session {
  readonly #runtime: SessionRuntime;
  #claims: { readonly of: ReceivedIdToken; readonly are: IdTokenClaims } | undefined;
  #signingOut: Promise<SignOutResult> | undefined;

  /** @internal */
  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime;
  }

  get #end(): SignInError | undefined {
    const { isOver, reason } = this.#runtime.life;
    return isOver ? (reason as SignInError) : undefined;
  }

  get #driver(): Driver {
    return this.#runtime.drivers.current;
  }

  get #device(): Driver["device"] {
    return this.#driver.device;
  }

  get status(): SessionStatus {
    if (this.#end !== undefined) return this.#end.code === "closed" ? "closed" : "ended";
    return this.#device.state === State.SIGNED_IN ? "signed-in" : "refreshing";
  }

  /** Seconds until the access token expires; undefined if unknown, or if there is no valid token. */
  get expiresInS(): number | undefined {
    return this.status === "signed-in" ? this.#leftOf(this.#device.accessLifetimeS) : undefined;
  }

  /** Seconds until the whole session ends (`refresh_token_expires_in`); undefined if unknown, or after the end. */
  get endsInS(): number | undefined {
    return this.#end !== undefined ? undefined : this.#leftOf(this.#device.refreshLifetimeS);
  }

  /** Returns the rest of a lifetime. The device counts down only when it wakes, so subtract the time since then. */
  #leftOf(seconds: number): number | undefined {
    const leftS = seconds - this.#driver.unreportedS;
    return leftS > 0 && seconds < Limit.ENDLESS ? leftS : undefined;
  }

  /** Whether there is a refresh token. Without a refresh token, the session ends with its access token. */
  get isRenewable(): boolean {
    return this.#end === undefined && this.#device.length[Region.REFRESH_TOKEN]! > 0;
  }

  /** Whether the tokens in use are stored. If not, the user may have to sign in again after a restart. */
  get isSaved(): boolean {
    const { watch } = this.#runtime;
    return this.#device.notSaved === 0 && !watch.isStoring && !watch.isSilent;
  }

  /** The newest token response without access and refresh token; undefined after a restart if it was not stored. */
  get tokenResponse(): TokenResponse | undefined {
    return this.#runtime.drivers.recorder.tokenResponse;
  }

  /**
   * The scope of the access token: the scope that the server has returned or, if it returned none, the requested scope
   * (RFC 6749 §5.1). After a restart, it is undefined if it was not stored, at least until the first refresh.
   */
  get scope(): string | undefined {
    const { tokens, recorder } = this.#runtime.drivers;
    return recorder.scope === "" ? tokens.requested : recorder.scope;
  }

  /**
   * Validates the newest ID token against the issuer's keys, as OpenID Connect Core 1.0 §3.1.3.7 requires, and returns its
   * claims. The token is stored across restarts. Returns undefined if the server has sent no ID token, for example
   * without `openid` in the scope.
   * @throws SignInError `wrong_id_token` if the token is invalid; `clock_wrong`; `no_metadata` if the issuer is unknown, or
   * publishes no keys; `unreachable`
   */
  async claims(): Promise<IdTokenClaims | undefined> {
    const { drivers, settings } = this.#runtime;
    const received = drivers.recorder.idToken;
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
   * Returns a valid access token. If the current one has expired or is being refreshed, waits for the refresh, without
   * a time limit: for example, until there is a network, or space to store new tokens.
   * @param signal ends the wait
   * @throws SignInError if the session has ended, or if the server refuses a refresh (the tokens stay stored, and the
   * session retries); the signal's reason
   */
  async accessToken(signal?: AbortSignal | null): Promise<string> {
    const { drivers, life, watch } = this.#runtime;
    for (;;) {
      if (this.#end !== undefined) throw this.#end;
      const driver = drivers.current;
      // A rotated refresh token must be stored before the access token of the same response is used.
      const token = watch.isStoring ? "" : driver.accessToken;
      const isStale = drivers.replaceIfStale();
      if (token !== "" && !isStale) return token;
      signal?.throwIfAborted();
      if (!isStale) this.#throwIfRefused();
      const changed = life.nextChange(signal);
      // The token has expired since the device last woke, for example while the machine slept: refresh it now.
      if (!isStale && this.#device.state === State.SIGNED_IN && !watch.isStoring) {
        driver.accessTokenRefused();
      } else if (driver.unreportedS > 0) driver.run();
      await changed;
    }
  }

  /** Throws the error of a refresh that waiting cannot fix, if any. The session stays, and the device retries. */
  #throwIfRefused(): void {
    const { recorder } = this.#runtime.drivers;
    const isRefused = this.#driver.core.outcome(this.#device) === Outcome.REFUSED;
    if (this.#device.state !== State.REFRESHING || !isRefused) return;
    throw recorder.newest ? troubleOf(this.#device, recorder.newest) : signInErrorOf(this.#device);
  }

  /**
   * Works like the global `fetch`, and sends the access token in `Authorization` (RFC 6750 §2.1). After a 401, it
   * refreshes the token and repeats the request once. It does not repeat a request whose sending has consumed
   * `init.body`, or if the API requires another sign-in (RFC 9470, `stepUpOf`). If `resources` is set, only those
   * servers get the token. Plain http is refused, except to this machine or with `allowHttp`. A redirect to another
   * server gets neither token nor body.
   * @throws SignInError if the session has ended, or if the signer fails; TypeError if the address must not receive the
   * token; errors of `fetch`
   */
  async fetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const { fetchWithToken } = await import("./fetch.ts");
    return await fetchWithToken(
      {
        accessToken: (signal) => this.accessToken(signal),
        refused: (token) => {
          this.#runtime.settings.log?.log("an API has refused the access token (401)");
          if (this.#driver.accessToken === token) this.#driver.accessTokenRefused();
        },
      },
      this.#runtime.settings,
      input,
      init,
    );
  }

  /**
   * Waits for a refresh in flight, revokes the tokens at the server, and erases them here. Resolves when both steps have succeeded or failed. If the
   * server is unreachable, this may take minutes: the session tries four times, and reports failures to `onTrouble`.
   * @throws SignInError if the session has ended before, or if `close` or another program ends it meanwhile
   */
  signOut(): Promise<SignOutResult> {
    this.#signingOut ??= this.#signOut();
    return this.#signingOut;
  }

  async #signOut(): Promise<SignOutResult> {
    const runtime = this.#runtime;
    const { drivers, life, watch } = runtime;
    if (this.#end !== undefined) throw this.#end;
    life.move("signOut");
    // The response to a refresh may have a new refresh token, which must be revoked.
    const isRefreshing = () => this.#device.state === State.REFRESHING && this.#device.inFlight > 0;
    while (!life.isOver && isRefreshing()) await life.nextChange();
    if (!life.isOver && isWithoutSession(this.#device.state)) runtime.end(endedElsewhere());
    const { code } = (life.reason ?? {}) as Partial<SignInError>;
    if (code === "session_ended" && this.#device.state === State.FAILED) {
      // The server has ended the session, so the tokens are invalid.
      await life.released();
      return { isRevoked: true, problem: "", isStored: this.#isStored };
    }
    if (life.isOver) throw life.reason;
    let revoking = drivers.current;
    revoking.signOut();
    while (
      !life.isOver &&
      !watch.isSilent &&
      (this.#device.state !== State.SIGNED_OUT || watch.isAtStorage)
    ) {
      await life.nextChange();
      const { current } = drivers;
      if (life.isOver || current === revoking) continue;
      // If another program has refreshed the tokens meanwhile, revoke the new ones.
      if (current.isSignedIn || this.#device.state === State.REVOKING) {
        revoking = current;
        revoking.signOut();
      } else if (isWithoutSession(this.#device.state)) runtime.end(endedElsewhere());
    }
    if (this.#end !== undefined) throw this.#end;
    runtime.end(new SignInError("signed_out", "user", "signed out; sign in again"));
    await life.released();
    const { state, error } = this.#device;
    const isOver = state === State.SIGNED_OUT;
    let problem: SignOutResult["problem"] = isOver ? "" : "storage_silent";
    if (this.#driver.endpoints.revocation === "") problem = "no_revocation_endpoint";
    else if (isOver && error !== ErrorCode.NONE) problem = errorNameOf(this.#device);
    return { isRevoked: problem === "", problem, isStored: this.#isStored };
  }

  /** Whether something is left in storage. A slot that cannot be read or erased counts as used. */
  get #isStored(): boolean {
    const { settings, watch } = this.#runtime;
    const isCached = settings.stored?.isLeft || settings.stored?.isBusy || false;
    return this.#device.slotsUsed > 0 || watch.isSilent || isCached;
  }

  /** Closes the session. The next start resumes it. Waits at most ten seconds for a refresh or a write in progress. */
  async close(): Promise<void> {
    this.#runtime.end(new SignInError("closed", "nobody", "the session was closed"));
    await this.#runtime.life.released();
  }
}

/**
 * @param dispose releases the platform; called after the end of the session or of a failed sign-in
 * @throws SignInError with the reason if there is no session; exceptions of `onCode` or `onTrouble`. If the settings
 * are invalid, the function throws instead of returning a promise, and does not call `dispose`
 */
export function signInOn(
  platform: Platform,
  settings: SessionSettings,
  handlers: SignInHandlers,
  dispose: () => void,
): Promise<Session> {
  const runtime = new SessionRuntime(platform, settings, handlers, dispose);
  return runtime.signIn().then(() => new Session(runtime));
}
