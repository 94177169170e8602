// Accounts, organizations and clients while the service runs: the fixture's, plus what controls and
// the account page have changed since (disabled accounts, policies).
import type { Account, Client, Fixture, Organization, ResourceApi } from "./fixture.ts";
import { SCOPE_NAMES } from "./scopes.ts";

export class Directory {
  readonly accounts: ReadonlyMap<string, Account>;
  readonly clients: ReadonlyMap<string, Client>;
  readonly organizations: ReadonlyMap<string, Organization>;

  constructor(fixture: Fixture) {
    // Copies: two services made from one fixture must not see each other's changes.
    this.accounts = new Map(fixture.accounts.map((account) => [account.id, { ...account }]));
    this.clients = new Map(fixture.clients.map((client) => [client.id, { ...client }]));
    this.organizations = new Map(fixture.organizations.map((entry) => [entry.id, { ...entry }]));
  }

  /** The account, or an Error that names the missing id: for programmatic controls. */
  account(id: string): Account {
    const account = this.accounts.get(id);
    if (!account) throw new Error(`no account "${id}" in the fixture`);
    return account;
  }

  /** Names of scopes that this account may not grant, by its own policy or its organization's. */
  blockedScopes(account: Account): readonly string[] {
    const organization = this.organizations.get(account.organization ?? "");
    return [...account.blockedScopes, ...(organization?.blockedScopes ?? [])];
  }

  /** The scopes that an account, or else an organization, of this id blocks by its own policy. */
  policyOf(accountOrOrganizationId: string): readonly string[] {
    const holder =
      this.accounts.get(accountOrOrganizationId) ?? this.organizations.get(accountOrOrganizationId);
    if (!holder) throw new Error(`no account or organization "${accountOrOrganizationId}"`);
    return holder.blockedScopes;
  }

  /** Replaces the blocked scopes of an account or, if no account has this id, an organization. */
  setPolicy(accountOrOrganizationId: string, blockedScopes: readonly string[]): void {
    const unknown = blockedScopes.find((name) => !SCOPE_NAMES.includes(name));
    if (unknown !== undefined) throw new Error(`no scope "${unknown}"`);
    const holder =
      this.accounts.get(accountOrOrganizationId) ?? this.organizations.get(accountOrOrganizationId);
    if (!holder) throw new Error(`no account or organization "${accountOrOrganizationId}"`);
    holder.blockedScopes = [...blockedScopes];
  }

  /** Makes an account a member of an organization, or of none, whatever it was before. */
  admit(accountId: string, organizationId: string | undefined): void {
    const account = this.account(accountId);
    if (organizationId !== undefined && !this.organizations.has(organizationId))
      throw new Error(`no organization "${organizationId}"`);
    account.organization = organizationId;
  }

  /** Says which resource APIs are enabled for a client's project from now on (device doc §1). */
  setEnabledApis(clientId: string, apis: readonly ResourceApi[]): void {
    const client = this.clients.get(clientId);
    if (!client) throw new Error(`no client "${clientId}"`);
    client.enabledApis = [...apis];
  }
}
