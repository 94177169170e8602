// Random runs of the simulated service. Clients, users, administrators and event receivers send any requests in any
// order, also with codes and tokens of others, and the model (ideal-service.ts) predicts each response.

import { createHash } from "node:crypto";
import type { ApprovalChoices } from "../../targets/service/decisions.ts";
import type { Account, Client, ResourceApi } from "../../targets/service/fixture.ts";
import {
  readFixture,
  readSnapshot,
  type Service,
  type ServiceOptionsInput,
  type ServiceSnapshot,
} from "../../targets/service/index.ts";
import { readOptions, type ServiceOptions } from "../../targets/service/options.ts";
import { Bench, errorWordOf, FIXTURE, form, SCOPE_BASE, seededRandom } from "./harness.ts";
import {
  type Attempt,
  type Expected,
  type Fields,
  type Grant,
  IdealService,
  type Possession,
  type Proof,
  SPEECHES,
  type Speech,
} from "./ideal-service.ts";

type Json = Record<string, unknown>;
interface Content {
  readonly fields?: Fields;
  readonly headers?: Record<string, string>;
  readonly json?: object;
}

/** The fixture with an application of another publisher, and a secret that must be encoded. */
const ENVIRONMENT = readFixture({
  ...FIXTURE,
  clients: FIXTURE.clients!.map((client) =>
    client.id === "game-console" ? { ...client, secret: "s+t%20u: \u00e9" } : client,
  ),
  applications: [
    ...FIXTURE.applications!,
    {
      packageName: "test.picogrant.radio",
      publishers: ["ben"],
      subscriptions: [
        { productId: "gold", basePlans: [{ basePlanId: "weekly", type: "auto-renewing" }] },
      ],
    },
  ],
});
const BROADCASTS = ENVIRONMENT.broadcasts;
const EVENTS: Readonly<Record<string, string>> = {
  "sessions-revoked": "risc",
  "account-disabled": "risc",
  "account-enabled": "risc",
  "token-revoked": "oauth",
  "tokens-revoked": "oauth",
};
const POLL_DELIVERY = "https://schemas.openid.net/secevent/risc/delivery-method/poll";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const CONTEXTS = ["urn:picogrant:acr:password", "urn:picogrant:acr:two-factor"] as const;
const APIS: readonly ResourceApi[] = ["video", "publisher"];
const OAUTH_MEMBERS = ["error", "error_description"];
/** The error in the challenge for each error word (RFC 6750 §3.1). */
const CHALLENGES: Readonly<Record<string, string>> = {
  required: "none",
  authError: "invalid_token",
  insufficientPermissions: "insufficient_scope",
  insufficient_scope: "insufficient_scope",
  insufficientUserAuthentication: "insufficient_user_authentication",
  invalid_dpop_proof: "invalid_dpop_proof",
  use_dpop_nonce: "use_dpop_nonce",
};
/** The option dpopWindow in milliseconds. */
const WINDOW_MS = 60_000;
/** Users and copied text insert these characters between letters (RFC 8628 §6.1). */
const GAPS = [" ", "\u3000", "\u2013", "\uff0d", "\u200b", "\u00ad -"];
const PHASES = [{ duration: "P1M", recurrenceCount: 1, otherRegionsConfig: { free: {} } }];

export class OracleRun {
  readonly story: string[] = [];
  readonly met = new Set<string>();
  readonly #roll: () => number;
  #bench: Bench;
  readonly #random: (count: number) => Uint8Array;
  readonly #received: string[] = [];
  readonly #ideal: IdealService;
  readonly #clients: readonly Client[];
  /** The client of each complete sign-in. Other actions prefer it. */
  readonly #usual: Client;
  readonly #accounts: readonly Account[];
  /** The options that the service gets, and the options that result from them. */
  readonly #given: ServiceOptionsInput;
  readonly #options: ServiceOptions;
  readonly #speech: Speech;
  readonly #tokens: string[] = [];
  readonly #seen = new Set<string>();
  #nonce = { value: "none", at: Number.NEGATIVE_INFINITY };
  #used = { key: "", jti: "", at: 0 };
  #proofs = 0;

  constructor(seed: number) {
    const random = seededRandom(seed);
    this.#roll = () => new DataView(random(4).buffer).getUint32(0) / 2 ** 32;
    const quota = { requests: this.#below(8), windowSeconds: 1 + this.#below(60) };
    const dialects = Object.keys(SPEECHES) as ServiceOptions["dialect"][];
    const dialect = this.#chance(0.5) ? "specification" : this.#one(dialects);
    const its: ServiceOptionsInput = {
      codeLifetime: this.#one([20, 300, 1800]),
      slowDownGrowth: this.#one([0, 5]),
      accessTokenLifetime: this.#one([5, 3600, 3600]),
      refreshTokenRotation: this.#chance(0.5),
      rotationGrace: this.#one([0, 60, null]),
      revocation: this.#one(["specification", "specification", "rfc7009", "rfc7009-each-alone"]),
      codeChallengeMethods: this.#one([["S256"], ["S256", "plain"]]),
    };
    // Without these options, the dialect's defaults apply.
    const own = this.#chance(0.3) ? its : {};
    this.#given = {
      ...{ dialect, ...(dialect === "specification" ? its : own) },
      interval: this.#below(7),
      attemptsMax: this.#one([4, 250_000, 250_000]),
      expiredCodeMemory: this.#one([0, 60, 3600]),
      pollToleranceMs: this.#one([0, 500]),
      deviceCodeQuota: this.#one([null, quota]),
      replayedCodeRevokes: this.#chance(0.5),
      refreshTokensPerClientAndUser: 1 + this.#below(4),
      refreshTokensPerUser: 1 + this.#below(8),
      offersPerSubscription: this.#one([4, 250]),
      waitingEventsMax: this.#one([3, 1000]),
      dpop: this.#one(["off", "allowed", "allowed", "required"]),
      dpopNonces: this.#chance(0.5),
      stepUp: this.#one([null, null, null, null, { maxAge: 600 }, { acr: CONTEXTS[1] }]),
    };
    this.#speech = SPEECHES[dialect];
    const { dialect: _, ...reported } = this.#given;
    this.#options = readOptions({ ...this.#speech.options, ...reported });
    const { clients, accounts, organizations } = structuredClone(ENVIRONMENT);
    this.#clients = clients;
    this.#accounts = accounts;
    const [publisher] = clients.filter(({ permittedScopes }) => permittedScopes.length > 0);
    // Refresh tokens are bound only to the keys of public clients, so some runs prefer such a client.
    const isPublic = this.#chance(0.2);
    const others = clients.filter(({ secret }) => !isPublic || secret === undefined);
    this.#usual = this.#chance(0.4) ? publisher! : this.#one(others);
    const start = Date.UTC(2026, 0, 1);
    this.#ideal = new IdealService(
      this.#speech,
      this.#options,
      SCOPE_BASE,
      ENVIRONMENT.receivers,
      start,
    );
    for (const { id, blockedScopes } of organizations) this.#ideal.setPolicy(id, blockedScopes);
    this.#random = seededRandom(seed + 1);
    this.#bench = this.#start();
  }

  get #issuer(): string {
    return this.#service.baseUrl + this.#options.issuerPath;
  }

  get #service(): Service {
    return this.#bench.service;
  }

  #start(snapshot?: ServiceSnapshot): Bench {
    const bench = new Bench(this.#given, {
      now: () => this.#ideal.now,
      random: this.#random,
      fixture: ENVIRONMENT,
      // Fake the signatures, because a real one takes as long as hundreds of steps.
      makeKey: () => ({ publicJwk: { kid: "k" }, sign: (data) => data.subarray(0, 4) }),
      // A valid signature equals the member x of its key.
      verify: (key, _, signature) => Buffer.from(signature).toString() === key.x,
      snapshot,
    });
    this.#nonce = { value: "none", at: Number.NEGATIVE_INFINITY };
    this.#used = { key: "", jti: "", at: 0 };
    bench.service.observe((event) => this.#received.push(JSON.stringify(event)));
    return bench;
  }

  /** Makes one random action. @throws Error if a response differs from the prediction */
  async step(): Promise<void> {
    await this.#act(this.#roll() * 100);
    const waiting = this.#service.pending().map(({ userCode }) => userCode);
    this.#expect("what waits, the oldest first", this.#ideal.pending(), waiting);
  }

  async #act(action: number): Promise<void> {
    if (action < 14) return this.#requestCode();
    if (action < 26) return this.#decide();
    if (action < 45) return this.#poll();
    if (action < 57) return this.#refresh();
    if (action < 60) return this.#revoke();
    if (action < 80)
      return this.#usual.permittedScopes.length > 0 || action < 62
        ? this.#offer()
        : this.#listBroadcasts();
    if (action < 83) return this.#administer();
    if (action < 88) return this.#receive();
    if (action < 91) return this.#signIn();
    if (action < 93) return this.#requestIdentity();
    if (action > 99) return this.#restart();
    return this.#wait();
  }

  /** Checks that no observer has received a secret, and that nothing is left of ended grants. */
  end(): void {
    const secrets = [...this.#seen, ...this.#clients.flatMap(({ secret }) => secret ?? [])];
    const reported = this.#received.join("\n");
    for (const secret of secrets)
      this.#expect(`${secret} reached an observer`, false, reported.includes(secret));
    this.#expect("a failure was reported", false, reported.includes('"failure"'));
    for (const { id } of this.#accounts) this.#service.revokeAllFor(id);
    const { attempts: _, ...left } = this.#service.counts();
    const none = { grants: 0, refreshTokens: 0, accessTokens: 0, accountsWithEvictedGrants: 0 };
    this.#expect("what is left of the grants", none, left);
  }

  /** Restarts the service, or starts a new one from its snapshot. */
  #restart(): void {
    if (this.#chance(0.3)) {
      const loseCodes = this.#chance(0.5);
      this.#service.restart({ loseCodes });
      this.#nonce.at = Number.NEGATIVE_INFINITY;
      this.#ideal.restart(loseCodes);
      return;
    }
    this.story.push("another service resumes from the snapshot");
    this.#bench = this.#start(readSnapshot(JSON.parse(JSON.stringify(this.#service.snapshot()))));
    this.#ideal.restore();
    for (const [holder, blocked] of this.#ideal.policies) this.#service.setPolicy(holder, blocked);
    for (const { id, enabledApis } of this.#clients) this.#service.setEnabledApis(id, enabledApis);
    for (const { id, organization, disabled } of this.#accounts) {
      this.#service.admit(id, organization);
      if (disabled) this.#service.disableAccount(id);
      else this.#service.enableAccount(id);
    }
  }

  #wait(): void {
    const { now, attempts, access } = this.#ideal;
    const codes = attempts.slice(-10).map(({ expiresAt }) => expiresAt);
    const tokens = [...access.values()].slice(-10).map(({ expiresAt }) => expiresAt);
    const ends = [...codes, ...tokens].filter((end) => end > now);
    if (ends.length > 0 && this.#chance(0.2)) this.#ideal.now = this.#one(ends) - this.#below(2);
    else if (this.#chance(0.85)) this.#ideal.now += this.#one([1, 500, 999, 3000]);
    else this.#ideal.now += this.#one([20_000, 61_000, 1e6]);
  }

  #below(count: number): number {
    return Math.floor(this.#roll() * count);
  }

  #chance(share: number): boolean {
    return this.#roll() < share;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  /** Picks a random element, mostly one that is still valid. */
  #pick<T>(list: readonly T[], runs: (one: T) => boolean): T | undefined {
    if (this.#chance(0.1)) return this.#one(list);
    const last = list.slice(-30);
    const alive = this.#chance(0.85) ? last.filter(runs) : [];
    return this.#one(alive.length > 0 ? alive : last);
  }

  /** Mostly a valid access token with one of these scopes. */
  #aToken(scopes: readonly string[]): string | undefined {
    return this.#pick(this.#tokens, (token) => {
      const found = this.#ideal.liveAccess(token)?.scopes ?? [];
      return scopes.some((name) => found.includes(this.#ideal.scope(name)));
    });
  }

  #running(): string[] {
    return this.#tokens.slice(-60).filter((token) => this.#ideal.liveAccess(token));
  }

  #anAttempt(...states: readonly Attempt["state"][]): Attempt | undefined {
    const { attempts, now } = this.#ideal;
    return this.#pick(attempts, (one) => states.includes(one.state) && now < one.expiresAt);
  }

  #expect(what: string, expected: unknown, found: unknown): void {
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    throw new Error(
      `${what}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`,
    );
  }

  async #request(
    method: string,
    target: string,
    expected: Expected,
    { fields, headers = {}, json }: Content,
  ): Promise<Json> {
    const [credentials, rest] = fields ? this.#basic(fields, headers) : [headers, {}];
    const body = json ? JSON.stringify(json) : fields && form(rest);
    const type = json ? "application/json" : "application/x-www-form-urlencoded";
    const all: Record<string, string> = {
      ...(body !== undefined && { "content-type": type }),
      ...credentials,
    };
    if (all.dpop) {
      const htu = this.#service.baseUrl + target.split("?")[0];
      all.dpop = proofOf({ htm: method, htu, ...(JSON.parse(all.dpop) as Json) });
    }
    // The HTTP app takes most of the time and treats all requests alike, so few requests use it.
    const { json: reply, ...response } = this.#chance(0.05)
      ? await this.#bench.fetch(method, target, body, all)
      : this.#bench.send(method, target, body, all);
    const { text } = response;
    const { "dpop-nonce": nonce } = response.headers;
    if (nonce !== undefined) this.#nonce = { value: nonce, at: this.#ideal.now };
    const what = `${method} ${target} ${body ?? ""}${all.authorization?.slice(0, 24) ?? ""}`;
    this.story.push(`${what}\n    ${response.status} ${text.slice(0, 300)}`);
    if (this.story.length > 30) this.story.shift();
    const word = errorWordOf(reply) ?? "";
    this.met.add(`${response.status} ${word}`.trim());
    this.#expect(what, this.#ideal.inDialect(expected), [response.status, word]);
    for (const [name, value] of Object.entries(expected.members ?? {}))
      this.#expect(`${what}, ${name}`, value, reply[name]);
    if (expected.word === "") return reply;
    const { "www-authenticate": challenge = "" } = response.headers;
    if (word === "invalid_client") {
      const isBasic = /^Basic/.test(all.authorization ?? "");
      this.#expect(what, isBasic && expected.isChallenged === true, /^Basic /.test(challenge));
    }
    const reason = expected.challenge ?? CHALLENGES[word];
    if (reason && response.status !== 400)
      this.#expect(what, reason, /^(?:Bearer|DPoP) .*error="(\w+)"/.exec(challenge)?.[1] ?? "none");
    // An OAuth error has two members, and the quota error only one (device spec §2.3).
    const isApi = /^\/(video|publisher)/.test(target) || word === "notFound";
    const names = Object.keys(isApi ? (reply.error as Json) : reply).sort();
    const ofGrant = /^.(userinfo)/.test(target) ? [] : (this.#speech.errorMembers ?? []);
    const usual = [...OAUTH_MEMBERS, ...ofGrant].sort();
    const own = isApi ? ["code", "details", "errors", "message", "status"] : usual;
    this.#expect(what, expected.word === "rate_limit_exceeded" ? ["error_code"] : own, names);
    if (isApi) this.#expect(what, response.status, (reply.error as Json).code);
    return reply;
  }

  /** Sometimes a client authenticates with HTTP Basic (RFC 6749 §2.3.1), with or without encoding. */
  #basic(fields: Fields, headers: Record<string, string>): [Record<string, string>, Fields] {
    const { client_id, client_secret, ...rest } = fields;
    if (!client_id || this.#chance(0.8)) return [headers, fields];
    const isEncoded = this.#chance(0.5);
    const encode = (text = ""): string => (isEncoded ? encodeURIComponent(text) : text);
    const pair = Buffer.from(`${encode(client_id)}:${encode(client_secret)}`).toString("base64");
    return [
      { ...headers, authorization: `Basic ${pair}` },
      { ...rest, ...(this.#chance(0.5) && { client_id }) },
    ];
  }

  /** The credentials of a client, mostly of `fitting`, sometimes wrong. */
  #credentials(fitting: Client | undefined): [Client | undefined, Fields] {
    const client = fitting && this.#chance(0.85) ? fitting : this.#one(this.#clients);
    const odd = this.#roll();
    if (odd < 0.02) return [undefined, { client_id: "nobody", client_secret: "x" }];
    if (odd < 0.04) return [client, { client_secret: client.secret }];
    const { id: client_id, secret } = client;
    if (odd < 0.07) return [client, { client_id, client_secret: `${secret}x` }];
    if (odd < 0.09) return [client, { client_id }];
    return [client, { client_id, client_secret: secret }];
  }

  /** Checks that each issued value is new, and consists of printable ASCII. */
  #fresh(reply: Json, ...names: readonly string[]): string[] {
    return names.map((name) => {
      const value = String(reply[name]);
      this.#expect(`${name} ${value} is new, and printable`, true, /^[!-~]+$/.test(value));
      this.#expect(`${name} ${value} is new, and printable`, false, this.#seen.has(value));
      this.#seen.add(value);
      return value;
    });
  }

  async #requestCode(): Promise<void> {
    const [client, { client_id }] = this.#credentials(this.#chance(0.5) ? this.#usual : undefined);
    const odd = this.#roll();
    const names = ["email", "openid", "profile", "video", "video.readonly", "storage.file"];
    if (odd < 0.03 || client?.permittedScopes.length) names.push("publisher");
    const scopes = names.filter(() => this.#chance(0.5)).map((name) => this.#ideal.scope(name));
    if (this.#chance(this.#speech.requestsOffline ? 0.5 : 0.05)) scopes.push("offline_access");
    if (odd > 0.94) scopes.push(this.#ideal.scope("video.upload"));
    if (odd > 0.97) scopes.push(scopes[0]?.toUpperCase() ?? "EMAIL");
    const verifier = this.#chance(0.2)
      ? Buffer.from(this.#random(33)).toString("base64url")
      : undefined;
    const method = this.#one(["S256", "S256", "S256", "plain"]);
    const fields = {
      ...{ client_id, scope: scopes.join(" ") },
      ...(verifier && {
        code_challenge: method === "S256" ? sha256(verifier) : verifier,
        code_challenge_method: method,
      }),
      nonce: this.#chance(0.1) ? `n${this.#below(1e6)}` : undefined,
      acr_values: this.#chance(0.2) ? `other ${CONTEXTS[1]}` : undefined,
    };
    const acr = CONTEXTS[fields.acr_values ? 1 : 0];
    const proof = { verifier, nonce: fields.nonce, acr };
    await this.#startSignIn(client_id ? client : undefined, fields, proof);
  }

  async #startSignIn(
    client: Client | undefined,
    fields: Fields,
    proof: Proof,
  ): Promise<Attempt | undefined> {
    const expected = this.#ideal.requestCode(client, fields);
    const reply = await this.#request("POST", "/device/code", expected, { fields });
    if (expected.word !== "") return undefined;
    const [device, user] = this.#fresh(reply, "device_code", "user_code");
    this.#expect("space for the user code", true, user!.length <= 15);
    const { codeMembers } = this.#speech;
    const usual = ["device_code", "expires_in", "interval", "user_code"];
    this.#expect("members", [...usual, ...codeMembers].sort(), Object.keys(reply).sort());
    const address = reply.verification_url ?? reply.verification_uri;
    this.#expect("address", `${this.#service.baseUrl}/device`, address);
    const { message = user } = reply;
    this.#expect("message", true, String(message).includes(user!));
    return this.#ideal.begin(client!, fields.scope!, device!, user!, proof);
  }

  /** A sign-in in which the user allows everything. Later actions use its tokens. */
  async #signIn(): Promise<void> {
    const { id: client_id, secret: client_secret, permittedScopes } = this.#usual;
    const offline = this.#speech.requestsOffline ? ["offline_access"] : [];
    const scope = ["email", permittedScopes[0] ?? "video", ...offline]
      .map((name) => this.#ideal.scope(name))
      .join(" ");
    const acr = CONTEXTS[1];
    const requested = { client_id, scope, acr_values: acr };
    const attempt = await this.#startSignIn(this.#usual, requested, { acr });
    if (attempt === undefined) return;
    this.#allow(attempt.user, this.#accounts[this.#below(2)]!);
    const fields = { client_id, client_secret, device_code: attempt.device };
    await this.#pollWith(this.#usual, { ...fields, grant_type: DEVICE_GRANT });
  }

  async #poll(): Promise<void> {
    const attempt = this.#anAttempt("pending", "granted");
    if (attempt && this.#chance(0.4)) this.#ideal.now += this.#options.interval * 1000;
    const [client, credentials] = this.#credentials(attempt?.client);
    const odd = this.#roll();
    const device_code =
      odd < 0.02 ? "" : odd < 0.04 ? `${attempt?.device}x` : (attempt?.device ?? "none");
    const verifier = attempt?.proof.verifier;
    const other = odd > 0.91 ? sha256(`${odd}`) : undefined;
    const code_verifier = odd > 0.9 && odd < 0.93 ? other : verifier;
    const fields = { ...credentials, device_code, code_verifier, grant_type: DEVICE_GRANT };
    if (odd > 0.98) {
      const expected = { status: 400, word: "unsupported_grant_type" };
      const wrong = { ...fields, grant_type: "password" };
      await this.#request("POST", "/token", expected, { fields: wrong });
      return;
    }
    await this.#pollWith(client, fields);
  }

  async #pollWith(client: Client | undefined, fields: Fields): Promise<void> {
    const [headers, by] = this.#prove();
    const { attempt: granted, ...expected } = this.#ideal.poll(client, fields, by);
    const reply = await this.#request("POST", "/token", expected, { fields, headers });
    if (granted === undefined) return;
    const hasRefresh = this.#ideal.hasRefresh(granted.granted);
    this.#expect("a refresh token", hasRefresh, "refresh_token" in reply);
    const names = hasRefresh ? ["refresh_token"] : [];
    const [access, ...refresh] = this.#fresh(reply, "access_token", ...names);
    const grant = this.#ideal.claimed(granted, access!, refresh[0], by);
    this.#tokens.push(access!, ...refresh);
    this.#expectTokens(reply, grant, grant.scopes, by, granted.proof.nonce);
  }

  /** Checks a token response (device spec §2.2; OpenID Connect Core §2, §12.2). */
  #expectTokens(
    reply: Json,
    grant: Grant,
    scopes: readonly string[],
    { key }: Possession,
    nonce?: string,
  ): void {
    const { expires_in, scope, token_type, refresh_token_expires_in } = reply;
    const expected = {
      ...this.#ideal.lifetimes(grant),
      scope: scopes.join(" "),
      token_type: key === undefined ? "Bearer" : "DPoP",
    };
    const found = { expires_in, refresh_token_expires_in, scope, token_type };
    this.#expect("tokens", expected, found);
    this.#expect("an ID token", scopes.includes("openid"), "id_token" in reply);
    if (!scopes.includes("openid")) return;
    const iat = Math.floor(this.#ideal.now / 1000);
    const claims = {
      nonce,
      ...{ iss: this.#issuer, sub: grant.account.id, aud: grant.client.id },
      ...{ iat, exp: iat + this.#options.idTokenLifetime },
      ...{ auth_time: Math.floor(grant.authAt / 1000), acr: grant.acr },
      at_hash: sha256(String(reply.access_token), 16),
    };
    this.#expect("the ID token", claims, {
      nonce: undefined,
      ...claimsOf(String(reply.id_token)),
    });
  }

  async #refresh(): Promise<void> {
    const known = this.#ideal.refreshTokens;
    // Sometimes send an invalid refresh token whose access tokens are still valid.
    const running = new Set(this.#running().map((one) => this.#ideal.access.get(one)!.grant));
    const isRequired = this.#chance(0.15)
      ? (grant: Grant) => !grant.runs && running.has(grant)
      : (grant: Grant) => this.#ideal.isLive(grant);
    const token = this.#pick([...known.keys()], (one) => isRequired(known.get(one)!));
    const its = token === undefined ? undefined : known.get(token);
    const [client, credentials] = this.#credentials(its?.client);
    const odd = this.#roll();
    const scope = odd < 0.1 ? its?.scopes[0] : odd < 0.12 ? this.#ideal.scope("publisher") : "";
    const refresh_token = odd > 0.98 ? "" : odd > 0.96 ? `${token}x` : (token ?? "none");
    const fields = { ...credentials, refresh_token, scope, grant_type: "refresh_token" };
    const [headers, by] = this.#prove();
    const { grant, rotates, scopes, ...expected } = this.#ideal.refresh(client, fields, by);
    const before = grant?.refresh.at(-1);
    const reply = await this.#request("POST", "/token", expected, { fields, headers });
    if (grant === undefined) return;
    const [access] = this.#fresh(reply, "access_token");
    const successor = rotates ? this.#fresh(reply, "refresh_token")[0] : undefined;
    // Without rotation, only a refresh with the previous refresh token returns a refresh token.
    const isCurrent = token === before || this.#options.rotationGrace === null;
    if (!rotates)
      this.#expect("refresh_token", isCurrent ? undefined : before, reply.refresh_token);
    this.#ideal.refreshed(grant, scopes!, access!, successor, by);
    this.#tokens.push(access!, ...(successor === undefined ? [] : [successor]));
    this.#expectTokens(reply, grant, scopes!, by);
  }

  async #revoke(): Promise<void> {
    const token = this.#chance(0.1)
      ? this.#one(["", "unknown"])
      : (this.#aToken(["email", "video"]) ?? "");
    const its = this.#ideal.access.get(token)?.grant ?? this.#ideal.refreshTokens.get(token);
    const isAnonymous = this.#chance(0.5);
    const [client, fields] = isAnonymous ? [undefined, {}] : this.#credentials(its?.client);
    const expected = this.#ideal.revoke(token, client, fields);
    await this.#request("POST", `/revoke?${form({ token })}`, expected, { fields });
  }

  /** A proof, which `#request` completes, and the expected result of its check. Some token requests have no proof. */
  #prove(token?: string): [Record<string, string>, Possession] {
    const { dpop, dpopNonces } = this.#options;
    const { now } = this.#ideal;
    if (token === undefined && this.#chance(0.3))
      return [{}, dpop === "required" ? { error: "invalid_dpop_proof" } : {}];
    const key = this.#chance(0.85) ? "device" : "thief";
    const odd = this.#roll();
    const isReplayed = odd < 0.1 && this.#used.key === key && now - this.#used.at < WINDOW_MS;
    const jti = isReplayed ? this.#used.jti : `${++this.#proofs}`;
    const isOld = odd > 0.9 && odd < 0.95;
    const claims = {
      ...{ key, jti, iat: Math.floor(now / 1000) - (isOld ? 62 : 0) },
      ...{ nonce: this.#nonce.value, ath: token && sha256(token), ...(odd > 0.97 && { htm: "x" }) },
    };
    const headers = { dpop: JSON.stringify(claims) };
    if (dpop === "off") return [headers, {}];
    const window = (at: number): number => Math.floor(at / WINDOW_MS);
    const isFresh = window(now) - window(this.#nonce.at) <= 1;
    if (odd > 0.97) return [headers, { error: "invalid_dpop_proof" }];
    if (dpopNonces && !isFresh) return [headers, { error: "use_dpop_nonce" }];
    if ((isOld && !dpopNonces) || isReplayed) return [headers, { error: "invalid_dpop_proof" }];
    const use = (): void => {
      this.#used = { key, jti, at: now };
    };
    return [headers, { key, use }];
  }

  /** Presents a token. Returns headers, parameters, the token as the model sees it, and the error of the proof. */
  #present(
    token?: string,
  ): [Record<string, string>, Fields, string | undefined, string | undefined] {
    if (token === undefined) return [{}, {}, undefined, undefined];
    const isBound = this.#ideal.access.get(token)?.key !== undefined;
    if (this.#options.dpop !== "off" && this.#chance(isBound ? 0.9 : 0.1)) {
      const [headers, by] = this.#prove(token);
      const worth = this.#ideal.presented(token, by);
      return [{ ...headers, authorization: `DPoP ${token}` }, {}, worth, by.error];
    }
    const worth = this.#ideal.presented(token, undefined);
    return this.#chance(0.8)
      ? [{ authorization: `Bearer ${token}` }, {}, worth, undefined]
      : [{}, { access_token: token }, worth, undefined];
  }

  #anyToken(...scopes: readonly string[]): string | undefined {
    const odd = this.#roll();
    if (odd < 0.03) return undefined;
    return odd < 0.06 ? "none" : this.#aToken(scopes);
  }

  async #requestIdentity(token = this.#anyToken("openid")): Promise<void> {
    const [headers, inQuery, worth, error] = this.#present(token);
    const expected = error ? { status: 401, word: error } : this.#ideal.userinfo(worth);
    await this.#request("GET", `/userinfo?${form(inQuery)}`, expected, { headers });
  }

  async #listBroadcasts(): Promise<void> {
    const token = this.#anyToken("video", "video.readonly");
    const [headers, inQuery, worth, challenge] = this.#present(token);
    const odd = this.#roll();
    const part = odd < 0.05 ? "" : "id";
    const query = { part, ...(odd < 0.95 && { mine: odd < 0.9 ? "true" : "false" }) };
    const { ids, ...expected } = this.#ideal.listBroadcasts(worth, query, ({ id }) =>
      BROADCASTS.filter(
        ({ account, broadcastType }) => account === id && broadcastType !== "persistent",
      ).map((one) => one.id),
    );
    const target = `/video/v3/liveBroadcasts?${form({ ...query, ...inQuery })}`;
    const { items } = await this.#request("GET", target, { ...expected, challenge }, { headers });
    if (ids)
      this.#expect(
        "own broadcasts",
        ids,
        (items as Json[]).map(({ id }) => id),
      );
  }

  async #offer(): Promise<void> {
    const token = this.#anyToken("publisher");
    const [headers, inQuery, worth, challenge] = this.#present(token);
    const applications = ENVIRONMENT.applications;
    const caller = this.#ideal.access.get(token ?? "")?.grant.account.id ?? "";
    const own = applications.find(({ publishers }) => publishers?.includes(caller));
    const application = own && this.#chance(0.9) ? own : this.#one([...applications, undefined]);
    const isThere = (): boolean => this.#chance(0.95);
    const subscription = isThere() ? application?.subscriptions[0] : undefined;
    const basePlan = isThere() && subscription ? this.#one(subscription.basePlans) : undefined;
    const packageName = application?.packageName ?? "test.picogrant.nobody";
    const productId = subscription?.productId ?? "silver";
    const basePlanId = basePlan?.basePlanId ?? "daily";
    const offerId = this.#one(["intro", "spring"]);
    const action = this.#one([
      "create",
      "create",
      "get",
      "activate",
      "deactivate",
      "delete",
    ] as const);
    const odd = this.#roll();
    const regionsVersion = odd < 0.03 ? "" : odd < 0.06 ? "1999/01" : "2022/02";
    const agrees = odd < 0.95;
    const hasPhases = this.#chance(0.5);
    const parents = { packageName, productId, basePlanId };
    const planOf = (id: string): string => `${packageName}/${productId}/${id}`;
    const predicted = this.#ideal.offer(worth, action, {
      ...{ plan: planOf(basePlanId), offerId, regionsVersion, agrees, hasPhases },
      publishers: application?.publishers,
      isPlan: basePlan !== undefined,
      renewsItself: basePlan?.type === "auto-renewing",
      plans: subscription?.basePlans.map((one) => planOf(one.basePlanId)) ?? [],
    });
    const expected = { ...predicted, challenge };
    const plan = `/publisher/v3/applications/${packageName}/subscriptions/${productId}/basePlans/${basePlanId}/offers`;
    const query = (more: Fields): string => form({ ...more, ...inQuery });
    if (action === "create") {
      const target = `${plan}?${query({ offerId, "regionsVersion.version": regionsVersion })}`;
      const json = {
        ...parents,
        ...(!agrees && { productId: "x" }),
        ...(hasPhases && { phases: PHASES }),
      };
      await this.#request("POST", target, expected, { headers, json });
      return;
    }
    const verb = action === "activate" || action === "deactivate" ? `:${action}` : "";
    const method = action === "get" ? "GET" : action === "delete" ? "DELETE" : "POST";
    await this.#request(method, `${plan}/${offerId}${verb}?${query({})}`, expected, { headers });
  }

  #decide(): void {
    const attempt = this.#anAttempt("pending");
    if (attempt === undefined) return;
    const odd = this.#roll();
    const { user } = attempt;
    const typed =
      odd < 0.03 ? user.toLowerCase() : odd < 0.1 ? user.replaceAll("-", this.#one(GAPS)) : user;
    const account = this.#one(this.#chance(0.6) ? this.#accounts.slice(0, 2) : this.#accounts);
    if (this.#chance(0.1)) {
      const found = this.#service.deny(typed);
      this.story.push(`denied ${typed}: ${found}`);
      this.#expect(`the rejection of ${typed}`, this.#ideal.deny(typed), found);
      return;
    }
    const scopes = this.#chance(0.2) ? attempt.scopes.filter(() => this.#chance(0.5)) : undefined;
    const accessSeconds = this.#chance(0.2) ? this.#one([1, 30, 3600, 7200]) : undefined;
    this.#allow(typed, account, { scopes, accessSeconds });
  }

  #allow(typed: string, account: Account, choices: ApprovalChoices = {}): void {
    const found = this.#service.approve(typed, account.id, choices);
    this.story.push(`${account.id} allows ${typed}: ${found}`);
    const expected = this.#ideal.approve(typed, account, choices);
    this.#expect(`the decision of ${account.id} about ${typed}`, expected, found);
  }

  async #administer(): Promise<void> {
    const running = this.#running();
    const account = this.#one(this.#chance(0.5) ? this.#accounts.slice(0, 2) : this.#accounts);
    const client = this.#chance(0.5) ? this.#usual : this.#one(this.#clients);
    const { id } = account;
    const action = this.#one([0, 0, 1, 2, 3, 3, 4, 4, 5, 5, 6]);
    this.story.push(`action ${action} of or about ${id}, ${client.id}`);
    if (action === 0) {
      const ran = this.#ideal.revokeAll(account, client);
      this.#expect("grants that were alive", ran, this.#service.revokeAllFor(id, client.id));
    } else if (action === 1) {
      this.#ideal.reportOfAccount("sessions-revoked", account);
      const ran = this.#ideal.revokeAll(account);
      this.#ideal.reportOfAccount("tokens-revoked", account);
      this.#expect("grants that were alive", ran, this.#service.signOutEverywhere(id));
    } else if (action === 2) {
      this.#service.disableAccount(id);
      if (!account.disabled) {
        account.disabled = true;
        this.#ideal.revokeAll(account);
        this.#ideal.reportOfAccount("account-disabled", account);
      }
    } else if (action === 3) {
      this.#service.enableAccount(id);
      if (account.disabled) this.#ideal.reportOfAccount("account-enabled", account);
      account.disabled = false;
    } else if (action === 4) {
      const holder = this.#one([id, "harbour-school", "northwind"]);
      const blocked = ["video", "video.readonly", "publisher"].filter(() => this.#chance(0.2));
      this.#ideal.setPolicy(holder, blocked);
      this.#service.setPolicy(holder, blocked);
    } else if (action === 5 && this.#chance(0.5)) {
      this.#given.dpop = this.#options.dpop = this.#one(["off", "allowed", "required"]);
      this.#service.setOptions({ dpop: this.#options.dpop });
    } else if (action === 5) {
      this.#options.refreshTokenRotation = !this.#options.refreshTokenRotation;
      this.#given.refreshTokenRotation = this.#options.refreshTokenRotation;
      this.#service.setOptions({ refreshTokenRotation: this.#options.refreshTokenRotation });
    } else if (this.#chance(0.5)) {
      account.organization = this.#one(["harbour-school", "northwind", undefined]);
      this.#service.admit(id, account.organization);
    } else {
      client.enabledApis = APIS.filter(() => this.#chance(0.8));
      this.#service.setEnabledApis(client.id, client.enabledApis);
    }
    const ended = running.filter((token) => !this.#ideal.liveAccess(token));
    if (ended.length > 0) await this.#requestIdentity(this.#one(ended));
  }

  async #receive(): Promise<void> {
    const { id, token } = this.#one(ENVIRONMENT.receivers);
    const stream = this.#ideal.streams.get(id)!;
    const post = (path: string, json: object): Promise<Json> => {
      const headers = { authorization: `Bearer ${token}` };
      return this.#request(
        "POST",
        `/events/v1/${path}`,
        { status: 200, word: "" },
        { headers, json },
      );
    };
    if (!stream.isPolled || this.#chance(0.1)) {
      await post("stream:update", { delivery: { delivery_method: POLL_DELIVERY } });
      stream.isPolled = true;
      return;
    }
    if (this.#chance(0.2)) {
      const status = this.#one(["enabled", "enabled", "disabled"]);
      await post("stream/status:update", { status });
      stream.isEnabled = status === "enabled";
      return;
    }
    const maxEvents = this.#one([1, 100]);
    const sets = (await post("poll", { maxEvents })).sets as Record<string, string>;
    const expected = stream.isEnabled ? stream.waiting.slice(0, maxEvents) : [];
    const found = Object.values(sets).map((set) => this.#reported(set, stream.clients));
    // If the service did not return the refresh token, the model accepts any identifier.
    const hashed = expected.map(({ type, account, refreshToken }, at) => [
      type,
      account ?? (refreshToken ? hashOf(refreshToken) : found[at]?.[1]),
    ]);
    this.#expect(`events for ${id}`, hashed, found);
    if (this.#chance(0.3)) return;
    stream.waiting = stream.waiting.slice(expected.length);
    await post("poll", { maxEvents: 0, ack: [...Object.keys(sets), "unknown"] });
  }

  /** The type and the subject of a security event token. */
  #reported(set: string, clients: readonly string[]): [string, unknown] {
    const claims = claimsOf(set);
    this.#expect("issuer and audience", [this.#issuer, clients], [claims.iss, claims.aud]);
    const [[uri, payload] = ["", {}]] = Object.entries(claims.events as Json);
    const type = uri.slice(uri.lastIndexOf("/") + 1);
    const of = EVENTS[type];
    this.#expect("its type", `https://schemas.openid.net/secevent/${of}/event-type/${type}`, uri);
    const { sub, token } = (payload as { subject: Json }).subject;
    return [type, sub ?? token];
  }
}

function claimsOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Json;
}

/** A proof whose signature is the member x of its key. */
function proofOf({ key, ...claims }: Json): string {
  const x = String(key).padEnd(43, "x");
  const head = { typ: "dpop+jwt", alg: "ES256", jwk: { kty: "EC", crv: "P-256", x, y: x } };
  const parts = [JSON.stringify(head), JSON.stringify(claims), x];
  return parts.map((part) => Buffer.from(part).toString("base64url")).join(".");
}

function sha256(text: string, bytes = 32): string {
  return createHash("sha256").update(text).digest().subarray(0, bytes).toString("base64url");
}

function hashOf(token: string): string {
  const sha512 = (data: string | Buffer): Buffer => createHash("sha512").update(data).digest();
  return sha512(sha512(token)).toString("base64");
}

/** Makes runs of 250 steps. Returns status and error word of all responses. @throws Error with the actions of the run */
export async function runOracle(seed: number, steps: number): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  for (let done = 0, lifetime = 0; done < steps; lifetime++) {
    const ran = new OracleRun((seed * 1000 + lifetime + 1) >>> 0);
    for (let step = 0; step < 250 && done < steps; step++, done++) {
      try {
        await ran.step();
      } catch (error) {
        const where = `PICOGRANT_SEED=${seed}, run ${lifetime}, step ${step}`;
        const story = ran.story.map((line) => `  ${line}`).join("\n");
        throw new Error(`${where}: ${(error as Error).message}\n${story}`);
      }
    }
    ran.end();
    for (const reply of ran.met) met.add(reply);
  }
  return met;
}
