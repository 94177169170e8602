// What a person, or an administrator, does to an account after granting: remove an app, sign out
// everywhere, disable, enable. The account page and the programmatic controls both come through here,
// and event receivers hear of each (device doc §6).
import type { ServiceContext } from "./context.ts";
import { emitAccountEvent, emitTokenRevoked } from "./security-events/emit.ts";
import { EVENT_TYPES } from "./security-events/event-types.ts";

/** Why an account was disabled, where that is known. */
export type DisableReason = "hijacking" | "bulk-account";

/** Ends what an account granted to one client; returns how many grants lived. */
export function removeApp(context: ServiceContext, accountId: string, clientId: string): number {
  const grants = context.grants.revokeAll(accountId, clientId);
  for (const grant of grants) emitTokenRevoked(context, grant);
  return grants.length;
}

/** Ends every grant of an account; returns how many lived. */
export function revokeTokens(context: ServiceContext, accountId: string): number {
  const grants = context.grants.revokeAll(accountId);
  emitAccountEvent(context, EVENT_TYPES.tokensRevoked, accountId);
  return grants.length;
}

/** Ends every grant and every browser session of an account; returns how many grants lived. */
export function signOutEverywhere(context: ServiceContext, accountId: string): number {
  context.sessions.endAll(accountId);
  emitAccountEvent(context, EVENT_TYPES.sessionsRevoked, accountId);
  return revokeTokens(context, accountId);
}

/** Disables an account: nothing it granted works any more, and it can grant nothing. */
export function disableAccount(
  context: ServiceContext,
  accountId: string,
  reason?: DisableReason,
): void {
  const account = context.directory.account(accountId);
  if (account.disabled) return;
  account.disabled = true;
  context.grants.revokeAll(accountId);
  emitAccountEvent(context, EVENT_TYPES.accountDisabled, accountId, reason && { reason });
}

/** Enables an account again. Tokens revoked meanwhile stay dead. */
export function enableAccount(context: ServiceContext, accountId: string): void {
  const account = context.directory.account(accountId);
  if (!account.disabled) return;
  account.disabled = false;
  emitAccountEvent(context, EVENT_TYPES.accountEnabled, accountId);
}

/** Tells receivers that the account's password must be changed; nothing else happens here. */
export function requireCredentialChange(context: ServiceContext, accountId: string): void {
  emitAccountEvent(
    context,
    EVENT_TYPES.credentialChangeRequired,
    context.directory.account(accountId).id,
  );
}
