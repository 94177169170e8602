// A model of the service, written from the specifications and RFCs, not from the service: who may do what, and what each
// response means. Codes and tokens come from the service's responses.

import type { ApprovalChoices } from "../../targets/service/decisions.ts";
import type { Account, Client, ResourceApi } from "../../targets/service/fixture.ts";
import type { ServiceOptions, ServiceOptionsInput } from "../../targets/service/options.ts";

/** The expected response, with the members that can be predicted. */
export interface Expected {
  readonly status: number;
  /** `error`, `error_code` or the reason of an API error; "" for success. */
  readonly word: string;
  /** Whether the response to a request with HTTP Basic has a challenge (RFC 6749 §5.2). */
  readonly isChallenged?: boolean;
  /** The error in the challenge of a resource, if the word does not determine it. */
  readonly challenge?: string | undefined;
  readonly members?: Readonly<Record<string, unknown>>;
}

/** What a code request binds to the code: RFC 7636, RFC 9470, OpenID Connect Core §2. */
export interface Proof {
  /** The verifier of the poll. If it is undefined, the poll must have none. */
  readonly verifier?: string | undefined;
  readonly nonce?: string | undefined;
  readonly acr: string;
}

/** The key that a request proves (RFC 9449), or the error of its proof. */
export interface Possession {
  readonly key?: string | undefined;
  readonly error?: string | undefined;
  /** Called when the service has accepted the proof. */
  readonly use?: () => void;
}

export interface Attempt {
  readonly client: Client;
  readonly scopes: readonly string[];
  readonly device: string;
  readonly user: string;
  readonly proof: Proof;
  readonly expiresAt: number;
  state: "pending" | "granted" | "refused" | "claimed";
  refusal: string;
  interval: number;
  lastPoll: number;
  account?: Account;
  decidedAt: number;
  granted: readonly string[];
  accessSeconds?: number | undefined;
  grant?: Grant;
}

export interface Grant {
  readonly client: Client;
  readonly account: Account;
  readonly scopes: readonly string[];
  readonly authAt: number;
  readonly acr: string;
  /** The key that a refresh has to prove, if any. */
  key: string | undefined;
  /** With Infinity, the access is not limited in time. */
  readonly endsAt: number;
  /** The refresh tokens, the current one last. */
  readonly refresh: string[];
  graceUntil: number;
  /** The replaced refresh token, which is valid until `graceUntil`. */
  predecessor: string | undefined;
  /** Whether the refresh token is valid. Newer grants may displace it. The access tokens then stay valid. */
  runs: boolean;
  /** Whether the service still knows that the account has used this client. */
  isKnown: boolean;
}

export interface AccessToken {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  readonly key: string | undefined;
  runs: boolean;
}

/** An event that a receiver has not acknowledged yet. */
export interface IdealEvent {
  readonly type: string;
  readonly account?: string;
  readonly refreshToken?: string;
}

type Refreshed = Expected & {
  grant?: Grant;
  rotates?: boolean;
  scopes?: readonly string[];
};

interface Stream {
  readonly clients: readonly string[];
  isPolled: boolean;
  isEnabled: boolean;
  waiting: IdealEvent[];
}

const OK: Expected = { status: 200, word: "" };
const refused = (status: number, word: string, description?: string): Expected => ({
  ...{ status, word },
  ...(description !== undefined && { members: { error_description: description } }),
});
const INVALID_REQUEST = refused(400, "invalid_request");
const INVALID_GRANT = refused(400, "invalid_grant");
const BAD_CODE = refused(400, "bad_device_code");
const INVALID_CLIENT = { ...refused(401, "invalid_client"), isChallenged: true };
/** Device spec §5.4. This response never has a challenge. */
const NO_CLIENT = refused(401, "invalid_client");
/** Device spec §7, rows of "Poll". */
const PENDING = refused(428, "authorization_pending", "Precondition Required");
const SLOW_DOWN = refused(403, "slow_down", "Forbidden");
const REFUSALS: Readonly<Record<string, Expected>> = {
  access_denied: refused(403, "access_denied", "Forbidden"),
  admin_policy_enforced: refused(400, "admin_policy_enforced"),
  org_internal: refused(403, "org_internal"),
};

/** How a dialect's responses differ from the specifications. */
export interface Speech {
  readonly codeMembers: readonly string[];
  readonly errorMembers?: readonly string[];
  readonly statuses?: Readonly<Record<string, number>>;
  readonly words?: Readonly<Record<string, string>>;
  readonly knowsOffline?: true;
  /** Whether the service issues refresh tokens only for the scope offline_access. */
  readonly requestsOffline?: true;
  /** Whether slow_down and the expiry also apply after the decision. */
  readonly bindsAlways?: true;
  readonly options: ServiceOptionsInput;
}

const RFC8628: Speech = {
  codeMembers: ["verification_uri", "verification_uri_complete"],
  statuses: { authorization_pending: 400, slow_down: 400, access_denied: 400, org_internal: 400 },
  knowsOffline: true,
  options: { slowDownGrowth: 5, revocation: "rfc7009" },
};
const ALL_STAY = { refreshTokenRotation: true, rotationGrace: null };
const FORBIDDEN = { authorization_pending: 403, access_denied: 403, invalid_grant: 403 };

export const SPEECHES: Readonly<Record<ServiceOptions["dialect"], Speech>> = {
  specification: { codeMembers: ["verification_url"], options: {} },
  google: {
    codeMembers: ["verification_url"],
    options: { codeChallengeMethods: ["plain", "S256"] },
  },
  rfc8628: RFC8628,
  auth0: {
    ...RFC8628,
    requestsOffline: true,
    statuses: {
      ...RFC8628.statuses,
      ...FORBIDDEN,
      ...{ slow_down: 429, expired_token: 403, bad_device_code: 403 },
    },
    options: { ...RFC8628.options, issuerPath: "/", codeLifetime: 900 },
  },
  entra: {
    ...RFC8628,
    requestsOffline: true,
    codeMembers: ["message", "verification_uri"],
    errorMembers: ["correlation_id", "error_codes", "timestamp", "trace_id"],
    words: { access_denied: "authorization_declined", bad_device_code: "bad_verification_code" },
    options: {
      ...{ ...ALL_STAY, issuerPath: "/picogrant/v2.0", codeLifetime: 900 },
      ...{ slowDownGrowth: 5, revocation: "none" },
    },
  },
  keycloak: {
    ...RFC8628,
    bindsAlways: true,
    options: {
      ...{ ...ALL_STAY, issuerPath: "/realms/picogrant", codeLifetime: 600 },
      ...{ revocation: "rfc7009", accessTokenLifetime: 300 },
    },
  },
};

/** The service recognizes this many replaced refresh tokens. Older ones are unknown. */
const REPLACED_MAX = 16;
/** For at least this time after a code has expired, the device can fetch a decision, if `attemptsMax` permits. */
const DECISION_MEMORY_S = 3600;

const BARE = ["email", "openid", "profile", "offline_access"];
const ALLOWED = [
  "email",
  "openid",
  "profile",
  "storage.appdata",
  "storage.file",
  "video",
  "video.readonly",
];

/** Parameters of a request. "" counts as missing. */
export type Fields = Readonly<Record<string, string | undefined>>;

export class IdealService {
  now: number;
  readonly attempts: Attempt[] = [];
  readonly grants: Grant[] = [];
  readonly access = new Map<string, AccessToken>();
  readonly refreshTokens = new Map<string, Grant>();
  readonly streams: ReadonlyMap<string, Stream>;
  readonly offers = new Map<string, { state: string; readonly hasPhases: boolean }>();
  readonly #windows = new Map<string, { count: number; endsAt: number }>();
  readonly policies = new Map<string, readonly string[]>();
  readonly #options: ServiceOptions;
  readonly #speech: Speech;
  readonly #scopeBase: string;

  constructor(
    speech: Speech,
    options: ServiceOptions,
    scopeBase: string,
    receivers: readonly { id: string; clients: readonly string[] }[],
    now: number,
  ) {
    this.#speech = speech;
    this.#options = options;
    this.#scopeBase = scopeBase;
    this.now = now;
    this.streams = new Map(
      receivers.map(({ id, clients }) => [
        id,
        { clients, isPolled: false, isEnabled: true, waiting: [] },
      ]),
    );
  }

  /** Status and error word in the dialect. */
  inDialect({ status, word }: Expected): [status: number, word: string] {
    const { statuses = {}, words = {} } = this.#speech;
    const usual = word === "bad_device_code" ? "invalid_grant" : word;
    return [statuses[word] ?? status, words[word] ?? usual];
  }

  scope(name: string): string {
    return BARE.includes(name) ? name : `${this.#scopeBase}/auth/${name}`;
  }

  // The device authorization request (device spec §2.1, §4.1, §5, §8).

  requestCode(client: Client | undefined, fields: Fields): Expected {
    const { client_id, scope, code_challenge, code_challenge_method: method } = fields;
    if (!client_id) return INVALID_REQUEST;
    if (client === undefined || client.type === "web") return NO_CLIENT;
    const quota = client.deviceCodeQuota ?? this.#options.deviceCodeQuota;
    if (quota && !this.#take(client.id, quota)) return refused(403, "rate_limit_exceeded");
    if (!scope) return INVALID_REQUEST;
    const required = scope.split(" ");
    const offline = this.#speech.knowsOffline ? ["offline_access"] : [];
    const allowed = [...ALLOWED, ...offline, ...client.permittedScopes].map((one) =>
      this.scope(one),
    );
    if (!required.every((one) => allowed.includes(one))) return refused(400, "invalid_scope");
    const { codeLifetime, interval, codeChallengeMethods: methods } = this.#options;
    if (code_challenge && !methods.some((one) => one === method)) return INVALID_REQUEST;
    return { ...OK, members: { expires_in: codeLifetime, interval } };
  }

  #take(key: string, quota: NonNullable<ServiceOptions["deviceCodeQuota"]>): boolean {
    let window = this.#windows.get(key);
    if (window === undefined || this.now >= window.endsAt) {
      window = { count: 0, endsAt: this.now + quota.windowSeconds * 1000 };
      this.#windows.set(key, window);
    }
    if (window.count >= quota.requests) return false;
    window.count++;
    return true;
  }

  begin(client: Client, scope: string, device: string, user: string, proof: Proof): Attempt {
    const attempt: Attempt = {
      ...{ client, device, user, proof, state: "pending", refusal: "", granted: [], decidedAt: 0 },
      scopes: [...new Set(scope.split(" "))],
      expiresAt: this.now + this.#options.codeLifetime * 1000,
      interval: this.#options.interval * 1000,
      lastPoll: Number.NEGATIVE_INFINITY,
    };
    // Discards attempts that ended long ago, and the oldest attempts above the limit.
    const { attempts } = this;
    const { attemptsMax } = this.#options;
    while (attempts[0] && (attempts.length >= attemptsMax || this.isDiscarded(attempts[0])))
      attempts.shift();
    attempts.push(attempt);
    return attempt;
  }

  isDiscarded({ state, expiresAt }: Attempt): boolean {
    const { expiredCodeMemory } = this.#options;
    const isDecided = state === "granted" || state === "refused";
    const memory = isDecided ? Math.max(expiredCodeMemory, DECISION_MEMORY_S) : expiredCodeMemory;
    return this.now >= expiresAt + memory * 1000;
  }

  pending(): string[] {
    const waits = ({ state, expiresAt }: Attempt): boolean =>
      state === "pending" && this.now < expiresAt;
    return this.attempts.filter(waits).map(({ user }) => user);
  }

  // The user's decision (device spec §3).

  /** In the user's input, case matters, but dashes and spaces do not. */
  #decidable(typed: string): Attempt | string {
    const plain = (code: string): string => code.replaceAll(/[^A-Za-z]/g, "");
    const attempt = this.attempts.find(({ user }) => plain(user) === plain(typed));
    if (attempt === undefined || this.isDiscarded(attempt)) return "unknown-code";
    if (this.now >= attempt.expiresAt) return "expired";
    return attempt.state === "pending" ? attempt : "already-decided";
  }

  approve(typed: string, account: Account, { scopes, accessSeconds }: ApprovalChoices): string {
    const attempt = this.#decidable(typed);
    if (typeof attempt === "string") return attempt;
    if (account.disabled) return "account-disabled";
    const granted = attempt.scopes.filter((one) => scopes?.includes(one) ?? true);
    attempt.account = account;
    const refusal = this.#ruleAgainst(attempt.client, account, granted);
    if (refusal !== "" || granted.length === 0) {
      attempt.state = "refused";
      attempt.refusal = refusal || "access_denied";
      return attempt.refusal;
    }
    const limits = [accessSeconds, account.timeBasedAccess].filter((one) => one !== undefined);
    attempt.state = "granted";
    attempt.decidedAt = this.now;
    attempt.granted = granted;
    attempt.accessSeconds = limits.length > 0 ? Math.min(...limits) : undefined;
    return "granted";
  }

  deny(typed: string): string {
    const attempt = this.#decidable(typed);
    if (typeof attempt === "string") return attempt;
    attempt.state = "refused";
    attempt.refusal = "access_denied";
    return "access_denied";
  }

  setPolicy(holder: string, names: readonly string[]): void {
    this.policies.set(holder, names);
  }

  #ruleAgainst(client: Client, account: Account, scopes: readonly string[]): string {
    if (client.internalTo !== undefined && client.internalTo !== account.organization)
      return "org_internal";
    const blocked = [account.id, account.organization ?? ""]
      .flatMap((holder) => this.policies.get(holder) ?? [])
      .map((name) => this.scope(name));
    return scopes.some((one) => blocked.includes(one)) ? "admin_policy_enforced" : "";
  }

  // The token endpoint (device spec §2.2, §4.2, §4.3, §7).

  #authenticate(
    client: Client | undefined,
    fields: Fields,
    { error, use }: Possession = {},
  ): Expected | undefined {
    if (!fields.client_id) return INVALID_REQUEST;
    if (client === undefined) return INVALID_CLIENT;
    if (client.secret !== undefined && !fields.client_secret) return INVALID_REQUEST;
    if (client.secret !== undefined && fields.client_secret !== client.secret)
      return INVALID_CLIENT;
    if (error !== undefined) return refused(400, error);
    use?.();
    return undefined;
  }

  poll(
    client: Client | undefined,
    fields: Fields,
    by: Possession,
  ): Expected & { attempt?: Attempt } {
    const wrong = this.#authenticate(client, fields, by);
    if (wrong) return wrong;
    if (client!.type === "web") return NO_CLIENT;
    if (!fields.device_code) return INVALID_REQUEST;
    const attempt = this.attempts.find(({ device }) => device === fields.device_code);
    // The code of another client counts as unknown.
    if (attempt === undefined || attempt.client !== client || this.isDiscarded(attempt))
      return BAD_CODE;
    if (fields.code_verifier !== attempt.proof.verifier) return INVALID_GRANT;
    if (attempt.state === "claimed") {
      if (this.#options.replayedCodeRevokes) this.end(attempt.grant!);
      return INVALID_GRANT;
    }
    if (attempt.state === "pending" || this.#speech.bindsAlways) {
      if (this.now >= attempt.expiresAt) return refused(400, "expired_token");
      const waited = this.now - attempt.lastPoll + this.#options.pollToleranceMs;
      attempt.lastPoll = this.now;
      if (waited < attempt.interval) {
        attempt.interval += this.#options.slowDownGrowth * 1000;
        return SLOW_DOWN;
      }
    }
    if (attempt.state === "refused") return REFUSALS[attempt.refusal]!;
    return attempt.state === "granted" ? this.#claim(attempt) : PENDING;
  }

  /** Checks the approval again, because the rules may have changed since. */
  #claim(attempt: Attempt): Expected & { attempt?: Attempt } {
    const account = attempt.account!;
    const refusal = account.disabled
      ? "access_denied"
      : this.#ruleAgainst(attempt.client, account, attempt.granted);
    if (refusal !== "") {
      attempt.state = "refused";
      attempt.refusal = refusal;
      return REFUSALS[refusal]!;
    }
    return { ...OK, attempt };
  }

  hasRefresh(scopes: readonly string[]): boolean {
    return !this.#speech.requestsOffline || scopes.includes("offline_access");
  }

  claimed(
    attempt: Attempt,
    accessToken: string,
    refreshToken: string | undefined,
    { key }: Possession,
  ): Grant {
    const { client, granted: scopes, accessSeconds, decidedAt: authAt } = attempt;
    const account = attempt.account!;
    const { acr } = attempt.proof;
    const grant: Grant = {
      ...{ client, account, scopes, refresh: [], graceUntil: 0, predecessor: undefined },
      ...{ authAt, acr, isKnown: true, key: client.secret === undefined ? key : undefined },
      endsAt:
        accessSeconds === undefined ? Number.POSITIVE_INFINITY : this.now + accessSeconds * 1000,
      runs: true,
    };
    attempt.state = "claimed";
    attempt.grant = grant;
    this.grants.push(grant);
    if (refreshToken !== undefined) this.#remember(grant, refreshToken);
    this.#displaceOldest(grant);
    this.#give(grant, scopes, accessToken, key);
    return grant;
  }

  /** Device spec §8: above either limit, the oldest refresh token becomes invalid. */
  #displaceOldest({ client, account }: Grant): void {
    const { refreshTokensPerClientAndUser: perPair, refreshTokensPerUser: perUser } = this.#options;
    const ofUser = this.grants.filter((one) => one.account === account && this.isLive(one));
    const ofPair = ofUser.filter((one) => one.client === client);
    for (const one of ofPair.slice(0, Math.max(0, ofPair.length - perPair))) one.runs = false;
    const left = ofUser.filter(({ runs }) => runs);
    for (const one of left.slice(0, Math.max(0, left.length - perUser))) one.runs = false;
  }

  lifetimes(grant: Pick<Grant, "endsAt">): Readonly<Record<string, number | undefined>> {
    const left = Math.floor((grant.endsAt - this.now) / 1000);
    return {
      expires_in: Math.min(this.#options.accessTokenLifetime, left),
      refresh_token_expires_in: Number.isFinite(left) ? left : undefined,
    };
  }

  refresh(client: Client | undefined, fields: Fields, by: Possession): Refreshed {
    const wrong = this.#authenticate(client, fields, by);
    if (wrong) return wrong;
    const token = fields.refresh_token;
    if (!token) return INVALID_REQUEST;
    const grant = this.#known(token);
    if (grant === undefined || grant.client !== client || this.now > grant.endsAt - 1000)
      return INVALID_GRANT;
    if (grant.key !== undefined && grant.key !== by.key) return INVALID_GRANT;
    const scopes = fields.scope ? fields.scope.split(" ") : grant.scopes;
    if (!scopes.every((one) => grant.scopes.includes(one))) return refused(400, "invalid_scope");
    const { refreshTokenRotation: rotates, rotationGrace } = this.#options;
    if (token === grant.refresh.at(-1) || rotationGrace === null) {
      grant.predecessor = undefined;
      return { ...OK, grant, rotates, scopes };
    }
    if (token === grant.predecessor && this.now < grant.graceUntil)
      return { ...OK, grant, rotates: false, scopes };
    // RFC 9700 §4.14.2: two clients may have the token, and the server cannot know which one is honest.
    this.end(grant);
    return INVALID_GRANT;
  }

  refreshed(
    grant: Grant,
    scopes: readonly string[],
    accessToken: string,
    successor: string | undefined,
    { key }: Possession,
  ): void {
    if (grant.client.secret === undefined) grant.key ??= key;
    if (successor !== undefined) {
      grant.predecessor = grant.refresh.at(-1);
      grant.graceUntil = this.now + (this.#options.rotationGrace ?? 0) * 1000;
      this.#remember(grant, successor);
    }
    this.#give(grant, scopes, accessToken, key);
  }

  #remember(grant: Grant, refreshToken: string): void {
    grant.refresh.push(refreshToken);
    this.refreshTokens.set(refreshToken, grant);
  }

  #give(
    grant: Grant,
    scopes: readonly string[],
    accessToken: string,
    key: string | undefined,
  ): void {
    const lifetime = this.#options.accessTokenLifetime * 1000;
    const expiresAt = Math.min(this.now + lifetime, grant.endsAt);
    this.access.set(accessToken, { grant, scopes, expiresAt, key, runs: true });
  }

  isLive({ runs, endsAt }: Grant): boolean {
    return runs && this.now < endsAt;
  }

  /** The live grant of a refresh token that is current or that the service recognizes as replaced. */
  #known(token: string): Grant | undefined {
    const grant = this.refreshTokens.get(token);
    const isRecent = grant?.refresh.slice(-REPLACED_MAX - 1).includes(token);
    return grant && isRecent && this.isLive(grant) ? grant : undefined;
  }

  liveAccess(token: string): AccessToken | undefined {
    const found = this.access.get(token);
    return found?.runs && this.now < found.expiresAt ? found : undefined;
  }

  /** RFC 9449 §7: a token with the wrong scheme or without its key is unknown. */
  presented(token: string | undefined, by: Possession | undefined): string | undefined {
    if (token === undefined) return undefined;
    by?.use?.();
    const { key } = this.access.get(token) ?? {};
    const isRight = by
      ? by.error === undefined && key === by.key
      : key === undefined && this.#options.dpop !== "required";
    return isRight ? token : "none";
  }

  // Revocation (device spec §4.4).

  /** Ends a grant with its refresh token and all its access tokens. */
  end(grant: Grant): void {
    grant.runs = false;
    for (const one of this.access.values()) if (one.grant === grant) one.runs = false;
  }

  revoke(token: string, client: Client | undefined, fields: Fields): Expected {
    if (this.#options.revocation === "none") return refused(404, "notFound");
    if (!token) return INVALID_REQUEST;
    const access = this.liveAccess(token);
    const grant = access?.grant ?? this.#known(token);
    const { revocation: rule } = this.#options;
    const isSpecification = rule === "specification";
    // Device spec §4.4 requires no credentials. If a client sends some, they must be valid, and the token the client's.
    if (!isSpecification || fields.client_id || fields.client_secret) {
      const wrong = this.#authenticate(client, fields);
      if (wrong) return wrong;
      if (grant && grant.client !== client)
        return refused(400, isSpecification ? "invalid_token" : "invalid_grant");
    }
    if (grant === undefined) return isSpecification ? refused(400, "invalid_token") : OK;
    // RFC 7009 §2.1: the server decides whether revoking one token also revokes the other.
    if (rule !== "rfc7009-each-alone") this.end(grant);
    else if (access) access.runs = false;
    else grant.runs = false;
    return OK;
  }

  // Actions of users and administrators, and their events (device spec §3, §6).

  revokeAll(account: Account, client?: Client): number {
    const its = this.grants.filter(
      (one) => one.account === account && (client === undefined || one.client === client),
    );
    const live = its.filter((one) => this.isLive(one));
    for (const one of its) this.end(one);
    for (const { client: its, refresh } of client === undefined ? [] : live)
      this.#report("token-revoked", [its.id], { refreshToken: refresh.at(-1) ?? "" });
    return live.length;
  }

  /** The receivers of clients that the account has used get the event. */
  reportOfAccount(type: string, account: Account): void {
    const used = this.grants
      .filter((one) => one.account === account && one.isKnown)
      .map(({ client }) => client.id);
    this.#report(type, used, { account: account.id });
  }

  #report(type: string, clients: readonly string[], about: Omit<IdealEvent, "type">): void {
    for (const stream of this.streams.values()) {
      if (!stream.isPolled || !stream.isEnabled) continue;
      if (!stream.clients.some((id) => clients.includes(id))) continue;
      stream.waiting.push({ type, ...about });
      if (stream.waiting.length > this.#options.waitingEventsMax) stream.waiting.shift();
    }
  }

  /** Discards quotas and, if `losesCodes`, all codes. */
  restart(losesCodes: boolean): void {
    this.#windows.clear();
    if (losesCodes) this.attempts.length = 0;
  }

  /** A new service loads only codes and grants. */
  restore(): void {
    this.restart(false);
    this.offers.clear();
    for (const stream of this.streams.values())
      Object.assign(stream, { isPolled: false, isEnabled: true, waiting: [] });
    for (const grant of this.grants) grant.isKnown &&= this.isLive(grant);
  }

  // The resource APIs (device spec §4.5, §5; offer spec; OpenID Connect Core §5.3).

  userinfo(token: string | undefined): Expected {
    const found = token === undefined ? undefined : this.liveAccess(token);
    if (found === undefined) return refused(401, "invalid_token");
    const { grant, scopes } = found;
    if (!scopes.includes("openid")) return refused(403, "insufficient_scope");
    const { id: sub, name, email } = grant.account;
    return {
      ...OK,
      members: {
        sub,
        name: scopes.includes("profile") ? name : undefined,
        email: scopes.includes("email") ? email : undefined,
        email_verified: scopes.includes("email") ? true : undefined,
      },
    };
  }

  /** The token if it allows this call, or else the error. */
  call(
    token: string | undefined,
    scopes: readonly string[],
    api: ResourceApi,
  ): AccessToken | (Expected & { runs?: never }) {
    if (token === undefined) return refused(401, "required");
    const found = this.liveAccess(token);
    if (found === undefined) return refused(401, "authError");
    if (!scopes.some((name) => found.scopes.includes(this.scope(name))))
      return refused(403, "insufficientPermissions");
    if (!found.grant.client.enabledApis.includes(api)) return refused(403, "accessNotConfigured");
    const { acr = found.grant.acr, maxAge = Infinity } = this.#options.stepUp ?? {};
    if (acr !== found.grant.acr || this.now - found.grant.authAt > maxAge * 1000)
      return refused(401, "insufficientUserAuthentication");
    return found;
  }

  listBroadcasts(
    token: string | undefined,
    query: Fields,
    own: (account: Account) => readonly string[],
  ): Expected & { ids?: readonly string[] } {
    const caller = this.call(token, ["video", "video.readonly"], "video");
    if (caller.runs === undefined) return caller;
    const { account } = caller.grant;
    if (account.kind === "service") return refused(403, "NoLinkedVideoAccount");
    if (!query.part || query.mine === undefined) return refused(400, "required");
    if (query.mine !== "true") return refused(400, "invalidParameter");
    return { ...OK, ids: own(account) };
  }

  offer(
    token: string | undefined,
    action: "create" | "get" | "activate" | "deactivate" | "delete",
    at: {
      readonly plan: string;
      readonly offerId: string;
      /** The application's publishers; undefined if there is no such application. */
      readonly publishers: readonly string[] | undefined;
      readonly isPlan: boolean;
      readonly renewsItself: boolean;
      readonly plans: readonly string[];
      readonly regionsVersion: string;
      /** Whether application, product and base plan are the same in the body and in the path. */
      readonly agrees: boolean;
      readonly hasPhases: boolean;
    },
  ): Expected {
    const caller = this.call(token, ["publisher"], "publisher");
    if (caller.runs === undefined) return caller;
    if (at.publishers === undefined) return refused(404, "notFound");
    if (!at.publishers.includes(caller.grant.account.id)) return refused(403, "permissionDenied");
    if (!at.isPlan) return refused(404, "notFound");
    const key = `${at.plan}/${at.offerId}`;
    const found = this.offers.get(key);
    const state = (word: string): Expected => ({
      ...OK,
      members: { state: word, offerId: at.offerId },
    });
    if (action === "create") {
      if (at.offerId === "" || at.regionsVersion === "") return refused(400, "required");
      if (at.regionsVersion !== "2022/02") return refused(400, "invalidParameter");
      if (!at.renewsItself) return refused(400, "failedPrecondition");
      if (!at.agrees) return refused(400, "invalidParameter");
      if (found) return refused(409, "alreadyExists");
      const offers = [...this.offers.keys()].filter((one) =>
        at.plans.some((plan) => one.startsWith(`${plan}/`)),
      );
      if (at.plans.length + offers.length >= this.#options.offersPerSubscription)
        return refused(400, "failedPrecondition");
      this.offers.set(key, { state: "DRAFT", hasPhases: at.hasPhases });
      return state("DRAFT");
    }
    if (found === undefined) return refused(404, "notFound");
    if (action === "get") return state(found.state);
    if (action === "delete") {
      if (found.state !== "DRAFT") return refused(400, "failedPrecondition");
      this.offers.delete(key);
      return OK;
    }
    if (action === "activate" ? !found.hasPhases : found.state === "DRAFT")
      return refused(400, "failedPrecondition");
    found.state = action === "activate" ? "ACTIVE" : "INACTIVE";
    return state(found.state);
  }
}
