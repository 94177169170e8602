// The fixture: the accounts, clients and other data with which a service starts. `Directory` has a copy of the data that
// can change while the service runs: accounts, organizations and clients.

import * as z from "zod";
import { SIGNING_ALGORITHMS } from "./openid.ts";
import { describeIssue } from "./options.ts";
import { SCOPE_NAMES } from "./scopes.ts";
import { publicKeySchema } from "./signed-jwt.ts";

const id = z.string().min(1).max(200);
const scopeNames = z
  .array(z.enum(SCOPE_NAMES, { error: `is no scope; the scopes are ${SCOPE_NAMES.join(", ")}` }))
  .default([]);
const apis = ["video", "publisher"] as const;
const quota = z.strictObject({ requests: z.int().min(0), windowSeconds: z.int().min(1) });

const organization = z.strictObject({
  id,
  name: z.string(),
  /** Scopes that the administrator does not allow members to grant (admin_policy_enforced). */
  blockedScopes: scopeNames,
});

const account = z.strictObject({
  id,
  name: z.string(),
  email: z.string(),
  kind: z.enum(["user", "service"]).default("user"),
  organization: id.optional(),
  blockedScopes: scopeNames,
  /** Maximum duration of the grants of this account in seconds (time-based access). */
  timeBasedAccess: z.int().min(1).optional(),
  disabled: z.boolean().default(false),
});

const registeredKey = publicKeySchema.refine((key) => !("d" in key), "has a private key");

function keysOf(value: unknown): unknown {
  const { keys } = { ...(value as { keys?: unknown }) };
  return value === undefined || Array.isArray(value) ? value : (keys ?? [value]);
}

const client = z.strictObject({
  id,
  /** A client with neither a secret nor keys is public. */
  secret: z.string().min(1).optional(),
  /** The client's public keys for private_key_jwt (RFC 7591 §2): a JWK set, or a single key. */
  jwks: z.preprocess(keysOf, z.array(registeredKey).min(1).optional()),
  name: z.string(),
  type: z
    .enum(["tv-and-limited-input", "web", "desktop", "mobile"])
    .default("tv-and-limited-input"),
  /** Only accounts of this organization may use the client. Others get org_internal. */
  internalTo: id.optional(),
  /** Scopes that the client may request although most clients may not (scopes.ts). Only "publisher" is such a scope. */
  permittedScopes: scopeNames,
  /** The resource APIs that are enabled for the client's project (device spec §1). */
  enabledApis: z.array(z.enum(apis)).default([...apis]),
  /** Overrides the service's deviceCodeQuota. */
  deviceCodeQuota: quota.optional(),
  pkce: z.enum(["optional", "required"]).default("optional"),
  /** The signature algorithm of the client's ID tokens (id_token_signed_response_alg of a registration). */
  idTokenAlgorithm: z.enum(SIGNING_ALGORITHMS).default("RS256"),
});

const broadcast = z.strictObject({
  id,
  account: id,
  title: z.string(),
  description: z.string().default(""),
  scheduledStartTime: z.iso.datetime(),
  status: z.enum(["upcoming", "active", "completed"]),
  broadcastType: z.enum(["event", "persistent"]).default("event"),
  privacy: z.enum(["public", "unlisted", "private"]).default("public"),
});

const basePlan = z.strictObject({
  basePlanId: z.string().regex(/^[a-z0-9-]{1,63}$/),
  type: z.enum(["auto-renewing", "prepaid", "installments"]),
});

const application = z.strictObject({
  packageName: id,
  publishers: z.array(id),
  subscriptions: z.array(
    z.strictObject({
      productId: z.string().regex(/^[a-z0-9_.]{1,40}$/),
      basePlans: z.array(basePlan),
    }),
  ),
});

const receiver = z.strictObject({
  id,
  name: z.string(),
  /** The bearer token for the endpoints of the stream. */
  token: z.string().min(8),
  /** The receiver gets events about users of these clients. The clients are the audience of its event tokens. */
  clients: z.array(id).min(1),
});

const fixtureSchema = z.strictObject({
  organizations: z.array(organization).default([]),
  accounts: z.array(account).default([]),
  clients: z.array(client).default([]),
  broadcasts: z.array(broadcast).default([]),
  applications: z.array(application).default([]),
  receivers: z.array(receiver).default([]),
});

export type FixtureInput = z.input<typeof fixtureSchema>;
export type Fixture = z.output<typeof fixtureSchema>;
type Organization = z.output<typeof organization>;
export type Account = z.output<typeof account>;
export type Client = z.output<typeof client>;
export type Broadcast = z.output<typeof broadcast>;
export type ResourceApi = (typeof apis)[number];
export type Application = z.output<typeof application>;
export type Receiver = z.output<typeof receiver>;

/** The results of `readFixture`. They are checked and frozen, so `readFixture` returns them unchanged. */
const known = new WeakSet<object>();

/** Checks the fixture and fills in defaults. Throws an Error with one line that names the first problem. */
export function readFixture(input: unknown): Fixture {
  if (typeof input === "object" && input !== null && known.has(input)) return input as Fixture;
  const fixture = frozen(check(input));
  known.add(fixture);
  return fixture;
}

function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === "object") frozen(inner);
  return Object.freeze(value);
}

function check(input: unknown): Fixture {
  const result = fixtureSchema.safeParse(input);
  if (!result.success) throw new Error(`fixture: ${describeIssue(result.error, fixtureSchema)}`);
  const fixture = result.data;
  checkUnique("organizations", fixture.organizations);
  checkUnique("accounts", fixture.accounts);
  checkUnique("clients", fixture.clients);
  checkUnique("receivers", fixture.receivers);
  checkTokens(fixture.receivers);
  for (const { id, secret, jwks } of fixture.clients)
    if (secret !== undefined && jwks)
      throw new Error(`fixture: clients "${id}": has a secret and keys; remove one`);
  checkReferences(fixture);
  return fixture;
}

function checkUnique(where: string, entries: readonly { id: string }[]): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    if (seen.has(entry.id)) throw new Error(`fixture: ${where}: "${entry.id}" appears twice`);
    seen.add(entry.id);
  }
}

/** If two receivers had the same token, one of them could not configure its stream. */
function checkTokens(receivers: readonly Receiver[]): void {
  const holders = new Map<string, string>();
  for (const { id, token } of receivers) {
    const other = holders.get(token);
    if (other !== undefined)
      throw new Error(`fixture: receivers "${id}" token: is also the token of "${other}"`);
    holders.set(token, id);
  }
}

function checkReferences(fixture: Fixture): void {
  const known = (entries: readonly { id: string }[]) => new Set(entries.map((entry) => entry.id));
  const organizations = known(fixture.organizations);
  const accounts = known(fixture.accounts);
  const clients = known(fixture.clients);
  const check = (where: string, name: string | undefined, names: ReadonlySet<string>) => {
    if (name !== undefined && !names.has(name))
      throw new Error(`fixture: ${where}: "${name}" is not defined`);
  };
  for (const { id, organization } of fixture.accounts)
    check(`accounts "${id}" organization`, organization, organizations);
  for (const { id, internalTo } of fixture.clients)
    check(`clients "${id}" internalTo`, internalTo, organizations);
  for (const { id, account } of fixture.broadcasts)
    check(`broadcasts "${id}" account`, account, accounts);
  for (const { packageName, publishers } of fixture.applications)
    for (const name of publishers) check(`applications "${packageName}"`, name, accounts);
  for (const receiver of fixture.receivers)
    for (const name of receiver.clients) check(`receivers "${receiver.id}"`, name, clients);
}

export class Directory {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly clients: ReadonlyMap<string, Client>;
  readonly organizations: ReadonlyMap<string, Organization>;

  constructor(fixture: Fixture) {
    this.accounts = new Map(fixture.accounts.map((account) => [account.id, { ...account }]));
    this.clients = new Map(fixture.clients.map((client) => [client.id, { ...client }]));
    this.organizations = new Map(fixture.organizations.map((entry) => [entry.id, { ...entry }]));
  }

  /** Throws an Error for an unknown id. */
  account(id: string): Account {
    const account = this.accounts.get(id);
    if (!account) throw new Error(`no account "${id}" in the fixture`);
    return account;
  }

  /** The scopes that this account may not grant, because of its own policy or its organization's. */
  blockedScopes(account: Account): readonly string[] {
    const organization = this.organizations.get(account.organization ?? "");
    return [...account.blockedScopes, ...(organization?.blockedScopes ?? [])];
  }

  #holder(id: string): Account | Organization {
    const holder = this.accounts.get(id) ?? this.organizations.get(id);
    if (!holder) throw new Error(`no account or organization "${id}"`);
    return holder;
  }

  /** The scopes that this account or organization blocks, without those that only an account's organization blocks. */
  policyOf(accountOrOrganizationId: string): readonly string[] {
    return this.#holder(accountOrOrganizationId).blockedScopes;
  }

  setPolicy(accountOrOrganizationId: string, blockedScopes: readonly string[]): void {
    const unknown = blockedScopes.find((name) => !SCOPE_NAMES.includes(name));
    if (unknown !== undefined) throw new Error(`no scope "${unknown}"`);
    this.#holder(accountOrOrganizationId).blockedScopes = [...blockedScopes];
  }

  admit(accountId: string, organizationId: string | undefined): void {
    const account = this.account(accountId);
    if (organizationId !== undefined && !this.organizations.has(organizationId))
      throw new Error(`no organization "${organizationId}"`);
    account.organization = organizationId;
  }

  setEnabledApis(clientId: string, apis: readonly ResourceApi[]): void {
    const client = this.clients.get(clientId);
    if (!client) throw new Error(`no client "${clientId}"`);
    client.enabledApis = [...apis];
  }
}
