// The service with its controls for tests and simulators. server.ts adds sockets.

import { createApp } from "./app.ts";
import { type Attempt, Attempts } from "./attempts.ts";
import { baseUrlOf, issuerOf, type ServiceContext } from "./context.ts";
import {
  type ApprovalChoices,
  approve,
  type DecisionOutcome,
  type DisableReason,
  deny,
  disableAccount,
  enableAccount,
  removeApp,
  requireCredentialChange,
  revokeTokens,
  signOutEverywhere,
} from "./decisions.ts";
import { MANNERS } from "./dialects.ts";
import { dispatch } from "./endpoints.ts";
import { type Environment, Tasks } from "./environment.ts";
import { Directory, type FixtureInput, type ResourceApi, readFixture } from "./fixture.ts";
import { type GrantCounts, Grants } from "./grants.ts";
import { exchangeEvent, type Observer, Observers } from "./observers.ts";
import { ProviderKeys } from "./openid.ts";
import {
  optionsOf,
  readOptions,
  type ServiceOptions,
  type ServiceOptionsInput,
} from "./options.ts";
import { Sessions } from "./pages/page-request.ts";
import { QuotaCounter } from "./quota.ts";
import { createScopes } from "./scopes.ts";
import { SetSigner } from "./security-events/delivery.ts";
import { Streams } from "./security-events/streams.ts";
import { UsedIds } from "./signed-jwt.ts";
import { restoreSnapshot, type ServiceSnapshot, takeSnapshot } from "./snapshot.ts";
import type { ProtocolRequest, ProtocolResponse } from "./wire.ts";

export interface ServiceSettings extends Environment {
  fixture: FixtureInput;
  options?: ServiceOptionsInput;
  /** The `snapshot` of an earlier service, checked by `readSnapshot`. */
  snapshot?: ServiceSnapshot | undefined;
}

export interface PendingAttempt {
  userCode: string;
  clientId: string;
  clientName: string;
  scopes: readonly string[];
  createdAtMs: number;
  expiresAtMs: number;
}

export interface Service {
  /** Handles any request, pages included. `env` is the object that the Node server passes; it has the connection. */
  fetch(request: Request, env?: unknown): Promise<Response>;
  /** Handles a request to any endpoint except the pages, synchronously. */
  handle(request: ProtocolRequest): ProtocolResponse;
  readonly options: Readonly<ServiceOptions>;
  readonly baseUrl: string;
  readonly issuer: string;
  /** Changes options while the service runs. Issued codes and tokens keep their lifetimes. */
  setOptions(changes: ServiceOptionsInput): void;
  /** Returns a function that removes the observer. */
  observe(observer: Observer): () => void;
  pending(): PendingAttempt[];
  approve(userCode: string, accountId: string, choices?: ApprovalChoices): DecisionOutcome;
  deny(userCode: string): DecisionOutcome;
  /** The scopes that the policy of an account or an organization blocks. */
  policyOf(accountOrOrganizationId: string): readonly string[];
  /** Blocks scopes (names such as "video") for an account or an organization. */
  setPolicy(accountOrOrganizationId: string, blockedScopes: readonly string[]): void;
  /** Makes an account a member of an organization. `undefined` ends a membership. */
  admit(accountId: string, organizationId: string | undefined): void;
  organizationOf(accountId: string): string | undefined;
  /** Sets the resource APIs that are enabled for a client's project. Other APIs reject the client's calls. */
  setEnabledApis(clientId: string, apis: readonly ResourceApi[]): void;
  /** Revokes all grants of an account, or only those to one client. Returns how many of them were valid. */
  revokeAllFor(accountId: string, clientId?: string): number;
  /** Revokes all grants and ends all browser sessions of an account. Returns the number of grants that were valid. */
  signOutEverywhere(accountId: string): number;
  isDisabled(accountId: string): boolean;
  disableAccount(accountId: string, reason?: DisableReason): void;
  enableAccount(accountId: string): void;
  /** Sends account-credential-change-required to the event receivers. */
  requireCredentialChange(accountId: string): void;
  /** Makes new keys for ID tokens. The old ones stay in the key set for `retiredKeySeconds`. */
  rotateKeys(): void;
  /** Simulates a restart: quotas, browser sessions and DPoP nonces are lost, and with `loseCodes` also all codes. */
  restart(how: { loseCodes: boolean }): void;
  /** Runs the tasks that are due, if the environment has no scheduler. Returns their number. */
  runDue(): Promise<number>;
  /** Codes and grants for a service after a restart. The data are secret. */
  snapshot(): ServiceSnapshot;
  /** The numbers of stored objects, for tests that memory stays bounded. */
  counts(): { attempts: number } & GrantCounts;
}

/** Throws an Error with one line for an invalid fixture or option. */
export function createService(settings: ServiceSettings): Service {
  const context = createContext(settings);
  const { directory, attempts, observers, env } = context;
  if (settings.snapshot) restoreSnapshot(context, settings.snapshot);

  const handle = (request: ProtocolRequest): ProtocolResponse => {
    const response = dispatch(context, request);
    if (observers.any) observers.report(exchangeEvent(env.now(), request, response));
    return response;
  };
  // Create the app on demand, because runs on a virtual clock create many services and use only `handle`.
  let app: ReturnType<typeof createApp> | undefined;

  return {
    async fetch(request, bindings) {
      app ??= createApp(context, handle);
      const response = await app.fetch(request, bindings as object | undefined);
      response.headers.set("date", new Date(env.now()).toUTCString());
      return response;
    },
    handle,
    get options() {
      return context.options;
    },
    get baseUrl() {
      return baseUrlOf(context);
    },
    get issuer() {
      return issuerOf(context);
    },
    setOptions(changes) {
      const anew = changes.dialect && optionsOf(changes.dialect);
      context.options = readOptions({ ...context.options, ...anew, ...changes });
      context.scopes = scopesOf(context.options);
    },
    observe: (observer) => observers.add(observer),
    pending: () => attempts.pending(env.now()).map((attempt) => describePending(context, attempt)),
    approve: (userCode, accountId, choices) =>
      approve(context, attempts.findByUserCode(userCode), directory.account(accountId), choices),
    deny: (userCode) => deny(context, attempts.findByUserCode(userCode)),
    policyOf: (id) => directory.policyOf(id),
    setPolicy: (id, blockedScopes) => directory.setPolicy(id, blockedScopes),
    admit: (id, organizationId) => directory.admit(id, organizationId),
    organizationOf: (id) => directory.account(id).organization,
    setEnabledApis: (clientId, apis) => directory.setEnabledApis(clientId, apis),
    revokeAllFor: (accountId, clientId) =>
      clientId === undefined
        ? revokeTokens(context, directory.account(accountId).id)
        : removeApp(context, directory.account(accountId).id, clientId),
    signOutEverywhere: (accountId) => signOutEverywhere(context, accountId),
    isDisabled: (accountId) => directory.account(accountId).disabled,
    disableAccount: (accountId, reason) => disableAccount(context, accountId, reason),
    enableAccount: (accountId) => enableAccount(context, accountId),
    requireCredentialChange: (accountId) => requireCredentialChange(context, accountId),
    rotateKeys: () => context.keys.rotate(context.options.retiredKeySeconds),
    restart({ loseCodes }) {
      if (loseCodes) attempts.clear();
      context.deviceCodeQuota.clear();
      context.wrongCodes.clear();
      context.sessions.clear();
      context.nonceSecret = undefined;
    },
    runDue: () => context.tasks.runDue(),
    snapshot: () => takeSnapshot(context),
    counts: () => ({ attempts: attempts.size, ...context.grants.sizes }),
  };
}

function createContext(settings: ServiceSettings): ServiceContext {
  const { fixture: fixtureInput, options: optionsInput, snapshot: _, ...env } = settings;
  const fixture = readFixture(fixtureInput);
  const options = readOptions(optionsInput);
  const observers = new Observers();
  const context: ServiceContext = {
    env,
    fixture,
    directory: new Directory(fixture),
    attempts: new Attempts(),
    grants: new Grants(env, () => context.options, observers),
    deviceCodeQuota: new QuotaCounter(),
    wrongCodes: new QuotaCounter(),
    sessions: new Sessions(env),
    streams: new Streams(fixture.receivers),
    signer: new SetSigner(env),
    keys: new ProviderKeys(env),
    tasks: new Tasks(env),
    usedAssertions: new UsedIds(),
    usedProofs: new UsedIds(),
    nonceSecret: undefined,
    observers,
    offers: new Map(),
    options,
    scopes: scopesOf(options),
  };
  return context;
}

function scopesOf({ scopeBase, dialect }: ServiceOptions): ServiceContext["scopes"] {
  return createScopes(scopeBase, MANNERS[dialect].hasOfflineScope);
}

function describePending(context: ServiceContext, attempt: Attempt): PendingAttempt {
  const { userCode, clientId, scopes, createdAtMs, expiresAtMs } = attempt;
  const clientName = context.directory.clients.get(clientId)?.name ?? clientId;
  return { userCode, clientId, clientName, scopes, createdAtMs, expiresAtMs };
}

/** Approves every code as this account. @throws Error if there is no such account */
export function approveAll(service: Service, fixture: FixtureInput, account: string): void {
  if (!fixture.accounts?.some(({ id }) => id === account)) {
    const names = fixture.accounts?.map(({ id }) => id).join(", ");
    throw new Error(`there is no account ${account}; approve as one of ${names}`);
  }
  service.observe((event) => {
    if (event.type !== "attempt" || event.state !== "pending") return;
    // Approve later, because the request that created the attempt is not finished.
    setImmediate(() => {
      for (const { userCode } of service.pending()) service.approve(userCode, account);
    });
  });
}
