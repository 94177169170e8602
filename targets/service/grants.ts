// Grants of accounts to clients, each with its refresh token and access tokens. Implements limits, rotation with a grace
// period, reuse detection and revocation (device spec §2.2, §3, §8; RFC 9700 §4.14).
import { createToken } from "./attempts.ts";
import type { Environment } from "./environment.ts";
import type { Client } from "./fixture.ts";
import type { Observers, ServiceEvent } from "./observers.ts";
import type { Authentication } from "./openid.ts";
import type { ServiceOptions } from "./options.ts";

export interface Grant {
  readonly id: string;
  readonly clientId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly createdAtMs: number;
  /** The end of time-based access. Undefined: the access is not limited in time. */
  readonly expiresAtMs: number | undefined;
  readonly authentication: Authentication;
  /** The thumbprint of the key that refresh requests must prove (RFC 9449 §5), if any. */
  jkt: string | undefined;
  refreshToken: string;
  /** The previous refresh token. It is valid until `graceUntilMs` (`rotationGrace`) or the use of the current token. */
  predecessor: string | undefined;
  graceUntilMs: number;
  /** The last refresh tokens, to detect reuse. The last entry is the current one. */
  readonly refreshTokens: string[];
  readonly accessTokens: Set<string>;
}

/** A grant as plain data, for a snapshot. */
export type GrantSnapshot = Omit<Grant, "accessTokens"> & {
  readonly accessTokens: readonly {
    readonly token: string;
    readonly expiresAtMs: number;
    /** The token's scopes; absent: all scopes of the grant. */
    readonly scopes?: readonly string[] | undefined;
    readonly jkt?: string | undefined;
  }[];
  /** True if the refresh token was displaced by newer grants, or revoked alone. The access tokens stay valid. */
  readonly evicted?: boolean | undefined;
};

/** The number of replaced refresh tokens that a grant stores. An older token counts as unknown. */
const REPLACED_TOKENS_MAX = 16;

export interface AccessToken {
  readonly grant: Grant;
  /** The grant's scopes, or fewer if the refresh requested fewer. */
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  /** The thumbprint of the key to which the token is bound (RFC 9449 §6); undefined: a bearer token. */
  readonly jkt: string | undefined;
}

/** The client of a token request, and the thumbprint of the key that the request proves, if any. */
export interface Requester {
  readonly client: Client;
  readonly jkt: string | undefined;
}

/** Only refresh tokens of public clients are bound to a key. Other clients authenticate to refresh (RFC 9449 §5). */
const boundKey = ({ client, jkt }: Requester): string | undefined =>
  client.secret === undefined && !client.jwks ? jkt : undefined;

export interface IssuedTokens {
  grant: Grant;
  scopes: readonly string[];
  accessToken: string;
  jkt: string | undefined;
  /** Lifetime of the access token in seconds. */
  expiresIn: number;
  /** Remaining time-based access in seconds; undefined: until it is revoked. */
  refreshExpiresIn: number | undefined;
  /** The refresh token, if it is new: at the first issue, after a rotation, or if the client sent the previous one. */
  refreshToken: string | undefined;
}

type GrantChange = Extract<ServiceEvent, { type: "grant" }>["change"];

export interface GrantCounts {
  grants: number;
  refreshTokens: number;
  accessTokens: number;
  accountsWithEvictedGrants: number;
}

export interface GrantRequest {
  by: Requester;
  accountId: string;
  scopes: readonly string[];
  accessSeconds: number | undefined;
  authentication: Authentication;
}

export class Grants {
  readonly #refreshTokens = new Map<string, Grant>();
  readonly #accessTokens = new Map<string, AccessToken>();
  readonly #byId = new Map<string, Grant>();
  readonly #byAccount = new Map<string, Set<Grant>>();
  readonly #byClientAndAccount = new Map<string, Set<Grant>>();
  // Evicted grants by account. Their access tokens may still be valid, so `revokeAll` must include them.
  readonly #evicted = new Map<string, Set<Grant>>();
  readonly #clientsEver = new Map<string, Set<string>>();
  readonly #env: Environment;
  readonly #options: () => ServiceOptions;
  readonly #observers: Observers;
  #issued = 0;

  constructor(env: Environment, options: () => ServiceOptions, observers: Observers) {
    this.#env = env;
    this.#options = options;
    this.#observers = observers;
  }

  /** Stores a grant and its first tokens. Above a limit, the oldest grant is evicted, and no receiver is notified. */
  issue(request: GrantRequest): IssuedTokens {
    const nowMs = this.#env.now();
    const { accessSeconds, by } = request;
    const grant: Grant = {
      id: `g${++this.#issued}`,
      clientId: by.client.id,
      accountId: request.accountId,
      scopes: request.scopes,
      authentication: request.authentication,
      jkt: boundKey(by),
      createdAtMs: nowMs,
      expiresAtMs: accessSeconds === undefined ? undefined : nowMs + accessSeconds * 1000,
      refreshToken: "",
      predecessor: undefined,
      graceUntilMs: 0,
      refreshTokens: [],
      accessTokens: new Set(),
    };
    this.#index(grant);
    this.#setRefreshToken(grant);
    this.#enforceLimits(grant);
    this.#report(grant, "issued");
    return { ...this.#issueAccessToken(grant, nowMs, by), refreshToken: grant.refreshToken };
  }

  /**
   * Exchanges a refresh token of this client (device spec §4.3) for tokens with `scopes`, or with all granted scopes.
   * "invalid_scope": the scopes exceed the granted ones (RFC 6749 §6). Undefined: the token or its key is not valid.
   */
  refresh(
    token: string,
    by: Requester,
    scopes?: readonly string[],
  ): IssuedTokens | "invalid_scope" | undefined {
    const grant = this.#refreshTokens.get(token);
    if (!grant || grant.clientId !== by.client.id || this.#endIfExpired(grant)) return undefined;
    // Check the key first, so that a stolen token without the key does not end the grant.
    if (grant.jkt !== undefined && grant.jkt !== by.jkt) return undefined;
    // Many clients treat a lifetime of 0 as unlimited, so a grant in its last second counts as expired.
    if (secondsUntil(grant.expiresAtMs ?? Number.POSITIVE_INFINITY, this.#env.now()) < 1)
      return undefined;
    if (scopes?.some((scope) => !grant.scopes.includes(scope))) return "invalid_scope";
    const { refreshTokenRotation: rotate, rotationGrace } = this.#options();
    grant.jkt ??= boundKey(by);
    const isCurrent = token === grant.refreshToken || rotationGrace === null;
    // A client that sends the previous token has probably not received the response with the new one, so it gets the
    // same new token again. This does not extend the grace period.
    const isAgain = token === grant.predecessor && this.#env.now() < grant.graceUntilMs;
    if (!isCurrent && !isAgain) {
      // A replaced token was used, so someone other than the client probably has it (RFC 9700 §4.14.2).
      this.#end(grant, "revoked");
      return undefined;
    }
    if (isCurrent && rotate) this.#rotate(grant);
    else if (isCurrent) grant.predecessor = undefined;
    this.#report(grant, "refreshed");
    return {
      ...this.#issueAccessToken(grant, this.#env.now(), by, scopes),
      refreshToken: rotate || !isCurrent ? grant.refreshToken : undefined,
    };
  }

  findAccessToken(token: string): AccessToken | undefined {
    const found = this.#accessTokens.get(token);
    if (!found || this.#env.now() >= found.expiresAtMs) return undefined;
    return found;
  }

  findByToken(token: string): Grant | undefined {
    const grant = this.findAccessToken(token)?.grant ?? this.#refreshTokens.get(token);
    return grant && !this.#endIfExpired(grant) ? grant : undefined;
  }

  /** Finds a grant whose tokens may still be valid, even if it was evicted. */
  find(id: string, accountId: string): Grant | undefined {
    const found = this.#byId.get(id);
    if (found) return found;
    for (const grant of this.#evicted.get(accountId) ?? []) if (grant.id === id) return grant;
    return undefined;
  }

  /** The valid grants of an account, or only those to one client, oldest first. */
  ofAccount(accountId: string, clientId?: string): Grant[] {
    const grants = [...(this.#byAccount.get(accountId) ?? [])];
    return grants.filter(
      (grant) =>
        (clientId === undefined || grant.clientId === clientId) && !this.#endIfExpired(grant),
    );
  }

  clientsEverOf(accountId: string): ReadonlySet<string> {
    return this.#clientsEver.get(accountId) ?? new Set();
  }

  revoke(grant: Grant): void {
    this.#end(grant, "revoked");
    this.#dropAccessTokens(grant);
  }

  /** Revokes a single token. The other tokens of the grant stay valid, which RFC 7009 §2.1 allows. */
  revokeAlone(grant: Grant, token: string): void {
    if (grant.accessTokens.delete(token)) this.#accessTokens.delete(token);
    else this.#end(grant, "evicted");
  }

  /** Revokes the grants of an account, or only those to one client. Returns those that were valid and not evicted. */
  revokeAll(accountId: string, clientId?: string): Grant[] {
    for (const grant of [...(this.#evicted.get(accountId) ?? [])])
      if (clientId === undefined || grant.clientId === clientId) this.#dropAccessTokens(grant);
    const grants = this.ofAccount(accountId, clientId);
    for (const grant of grants) this.#end(grant, "revoked");
    return grants;
  }

  get sizes(): GrantCounts {
    return {
      grants: this.#byId.size,
      refreshTokens: this.#refreshTokens.size,
      accessTokens: this.#accessTokens.size,
      accountsWithEvictedGrants: this.#evicted.size,
    };
  }

  /** The evicted grants and the valid ones, as plain data that a host can store (snapshot.ts). */
  dump(): GrantSnapshot[] {
    const evicted = [...this.#evicted.values()].flatMap((grants) => [...grants]);
    return [
      ...evicted.map((grant) => ({ ...this.#dumpOne(grant), evicted: true })),
      ...[...this.#byId.values()]
        .filter((grant) => !this.#endIfExpired(grant))
        .map((grant) => this.#dumpOne(grant)),
    ];
  }

  #dumpOne(grant: Grant): GrantSnapshot {
    const accessTokens = [...grant.accessTokens].map((token) => ({
      token,
      expiresAtMs: this.#accessTokens.get(token)?.expiresAtMs ?? 0,
      scopes: this.#accessTokens.get(token)?.scopes,
      jkt: this.#accessTokens.get(token)?.jkt,
    }));
    return { ...grant, accessTokens };
  }

  /**
   * Loads the result of `dump` into a service that has issued nothing yet.
   * @param claimed ids of grants whose codes were claimed, also of ended grants, so that no id is used again
   */
  load(snapshots: readonly GrantSnapshot[], claimed: readonly string[]): void {
    for (const id of claimed) this.#issued = Math.max(this.#issued, Number(id.slice(1)));
    for (const { accessTokens, evicted, ...rest } of snapshots) {
      const grant: Grant = { ...rest, accessTokens: new Set() };
      if (evicted) addTo(this.#evicted, grant.accountId, grant);
      else {
        this.#index(grant);
        for (const token of grant.refreshTokens) this.#refreshTokens.set(token, grant);
      }
      for (const { token, expiresAtMs, scopes = grant.scopes, jkt } of accessTokens) {
        this.#accessTokens.set(token, { grant, scopes, expiresAtMs, jkt });
        grant.accessTokens.add(token);
      }
      this.#issued = Math.max(this.#issued, Number(grant.id.slice(1)));
    }
  }

  #issueAccessToken(
    grant: Grant,
    nowMs: number,
    { jkt }: Requester,
    scopes: readonly string[] = grant.scopes,
  ): Omit<IssuedTokens, "refreshToken"> {
    this.#discardExpiredAccessTokens(nowMs);
    const { accessTokenLifetime, tokenCharacters } = this.#options();
    const accessToken = createToken(this.#env, "pga.", tokenCharacters);
    const lifetimeMs = accessTokenLifetime * 1000;
    const expiresAtMs = Math.min(nowMs + lifetimeMs, grant.expiresAtMs ?? Number.POSITIVE_INFINITY);
    this.#accessTokens.set(accessToken, { grant, scopes, expiresAtMs, jkt });
    grant.accessTokens.add(accessToken);
    return {
      grant,
      scopes,
      accessToken,
      jkt,
      expiresIn: secondsUntil(expiresAtMs, nowMs),
      refreshExpiresIn:
        grant.expiresAtMs === undefined ? undefined : secondsUntil(grant.expiresAtMs, nowMs),
    };
  }

  #rotate(grant: Grant): void {
    grant.predecessor = grant.refreshToken;
    grant.graceUntilMs = this.#env.now() + (this.#options().rotationGrace ?? 0) * 1000;
    this.#setRefreshToken(grant);
  }

  #setRefreshToken(grant: Grant): void {
    grant.refreshToken = createToken(this.#env, "pgr.", this.#options().tokenCharacters);
    grant.refreshTokens.push(grant.refreshToken);
    this.#refreshTokens.set(grant.refreshToken, grant);
    if (grant.refreshTokens.length > REPLACED_TOKENS_MAX + 1)
      this.#refreshTokens.delete(grant.refreshTokens.shift()!);
  }

  #index(grant: Grant): void {
    this.#byId.set(grant.id, grant);
    addTo(this.#byAccount, grant.accountId, grant);
    addTo(this.#byClientAndAccount, pairKey(grant), grant);
    const clients = this.#clientsEver.get(grant.accountId) ?? new Set<string>();
    this.#clientsEver.set(grant.accountId, clients.add(grant.clientId));
  }

  #enforceLimits(grant: Grant): void {
    const { refreshTokensPerClientAndUser, refreshTokensPerUser } = this.#options();
    const pair = this.#byClientAndAccount.get(pairKey(grant));
    const all = this.#byAccount.get(grant.accountId);
    if (!pair || !all) return;
    const isOver = () =>
      pair.size > refreshTokensPerClientAndUser || all.size > refreshTokensPerUser;
    // Expired grants do not count towards the limits. `ofAccount` removes them.
    if (isOver()) this.ofAccount(grant.accountId);
    while (pair.size > refreshTokensPerClientAndUser) this.#end(first(pair), "evicted");
    while (all.size > refreshTokensPerUser) this.#end(first(all), "evicted");
  }

  #endIfExpired(grant: Grant): boolean {
    if (grant.expiresAtMs === undefined || this.#env.now() < grant.expiresAtMs) return false;
    this.#end(grant, "expired");
    return true;
  }

  #end(grant: Grant, change: GrantChange): void {
    if (!this.#byId.delete(grant.id)) return;
    for (const token of grant.refreshTokens) this.#refreshTokens.delete(token);
    // The access tokens of an evicted grant stay valid until they expire.
    if (change !== "evicted") this.#dropAccessTokens(grant);
    else if (grant.accessTokens.size > 0) addTo(this.#evicted, grant.accountId, grant);
    removeFrom(this.#byAccount, grant.accountId, grant);
    removeFrom(this.#byClientAndAccount, pairKey(grant), grant);
    this.#report(grant, change);
  }

  #discardExpiredAccessTokens(nowMs: number): void {
    for (const [token, { grant, expiresAtMs }] of this.#accessTokens) {
      if (expiresAtMs > nowMs) return;
      this.#accessTokens.delete(token);
      grant.accessTokens.delete(token);
      if (grant.accessTokens.size === 0) removeFrom(this.#evicted, grant.accountId, grant);
    }
  }

  #dropAccessTokens(grant: Grant): void {
    for (const token of grant.accessTokens) this.#accessTokens.delete(token);
    grant.accessTokens.clear();
    removeFrom(this.#evicted, grant.accountId, grant);
  }

  #report(grant: Grant, change: GrantChange): void {
    if (!this.#observers.any) return;
    const { clientId, accountId } = grant;
    this.#observers.report({ type: "grant", atMs: this.#env.now(), change, clientId, accountId });
  }
}

/** Rounds down, so that a client does not use a token after its expiry. */
function secondsUntil(thenMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((thenMs - nowMs) / 1000));
}

function pairKey(grant: Grant): string {
  return JSON.stringify([grant.clientId, grant.accountId]);
}

function first<T>(set: ReadonlySet<T>): T {
  for (const item of set) return item;
  throw new Error("an empty set has no first item");
}

function addTo(index: Map<string, Set<Grant>>, key: string, grant: Grant): void {
  const set = index.get(key);
  if (set) set.add(grant);
  else index.set(key, new Set([grant]));
}

function removeFrom(index: Map<string, Set<Grant>>, key: string, grant: Grant): void {
  const set = index.get(key);
  set?.delete(grant);
  if (set?.size === 0) index.delete(key);
}
