// What a person, or an administrator, does to an account after granting: remove an app, sign out
// everywhere, disable, enable. The account page and the programmatic controls both come through here.
import type { ServiceContext } from "./context.ts";

/** Ends what an account granted to one client; returns how many grants lived. */
export function removeApp(context: ServiceContext, accountId: string, clientId: string): number {
  return context.grants.revokeAll(accountId, clientId).length;
}

/** Ends every grant and every browser session of an account; returns how many grants lived. */
export function signOutEverywhere(context: ServiceContext, accountId: string): number {
  context.sessions.endAll(accountId);
  return context.grants.revokeAll(accountId).length;
}

/** Disables an account: nothing it granted works any more, and it can grant nothing. */
export function disableAccount(context: ServiceContext, accountId: string): void {
  const account = context.directory.account(accountId);
  if (account.disabled) return;
  account.disabled = true;
  context.sessions.endAll(accountId);
  context.grants.revokeAll(accountId);
}

/** Enables an account again. Tokens revoked meanwhile stay dead. */
export function enableAccount(context: ServiceContext, accountId: string): void {
  context.directory.account(accountId).disabled = false;
}
