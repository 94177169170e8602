// The person's decision about a pending attempt (device doc §3, §7): who may grant what. And what a person, or an
// administrator, does to an account afterwards: remove an app, sign out everywhere, disable, enable; event receivers hear
// of each (§6). The pages and the programmatic controls both come through here, so that no rule can be walked around.

import { type Attempt, isForgotten, type Refusal } from "./attempts.ts";
import type { ServiceContext } from "./context.ts";
import type { Account } from "./fixture.ts";
import { emitAccountEvent, emitTokenRevoked } from "./security-events/delivery.ts";
import { EVENT_TYPES } from "./security-events/streams.ts";

/** What became of a decision. Codes that are not pending any more are not touched. */
export type DecisionOutcome =
  | "granted"
  | Refusal
  | "unknown-code"
  | "expired"
  | "already-decided"
  | "account-disabled";

/** How much a user allows. */
export interface ApprovalChoices {
  /** The scopes to grant; all that were requested when absent. */
  readonly scopes?: readonly string[] | undefined;
  /** Seconds of time-based access; until revoked when absent. */
  readonly accessSeconds?: number | undefined;
}

/** Whether the attempt can still be decided. */
export function decidable(
  context: ServiceContext,
  attempt: Attempt | undefined,
): "pending" | "unknown-code" | "expired" | "already-decided" {
  const nowMs = context.env.now();
  if (!attempt || isForgotten(attempt, nowMs, context.options.expiredCodeMemory))
    return "unknown-code";
  if (nowMs >= attempt.expiresAtMs) return "expired";
  return attempt.state === "pending" ? "pending" : "already-decided";
}

/**
 * Allows a pending attempt on behalf of an account. An organization's rule may turn it into a
 * refusal that the device learns of at its next poll: admin_policy_enforced or org_internal.
 */
export function approve(
  context: ServiceContext,
  attempt: Attempt | undefined,
  account: Account,
  choices: ApprovalChoices = {},
): DecisionOutcome {
  const state = decidable(context, attempt);
  if (state !== "pending" || !attempt) return state as Exclude<typeof state, "pending">;
  if (account.disabled) return "account-disabled";
  const scopes = attempt.scopes.filter((scope) => choices.scopes?.includes(scope) ?? true);
  const ruled = ruleAgainst(context, attempt.clientId, account, scopes);
  if (ruled) return refuse(context, attempt, ruled, account.id);
  if (scopes.length === 0) return refuse(context, attempt, "access_denied", account.id);

  attempt.state = "granted";
  attempt.decidedAtMs = context.env.now();
  attempt.accountId = account.id;
  attempt.grantedScopes = scopes;
  attempt.accessSeconds = shortest(choices.accessSeconds, account.timeBasedAccess);
  tell(context, attempt);
  return "granted";
}

/** The rule of an organization that keeps this account from granting these scopes to the client. */
function ruleAgainst(
  context: ServiceContext,
  clientId: string,
  account: Account,
  scopes: readonly string[],
): Refusal | undefined {
  const client = context.directory.clients.get(clientId);
  if (client?.internalTo !== undefined && client.internalTo !== account.organization)
    return "org_internal";
  const blocked = context.directory.blockedScopes(account).map((name) => context.scopes.id(name));
  return scopes.some((scope) => blocked.includes(scope)) ? "admin_policy_enforced" : undefined;
}

/**
 * What keeps a granted attempt from its tokens after all: the account was disabled, or its organization made a
 * rule, between the grant and the poll that claims it. The attempt is refused from then on.
 */
export function refuseClaim(
  context: ServiceContext,
  attempt: Attempt,
  account: Account,
): Refusal | undefined {
  const refusal = account.disabled
    ? "access_denied"
    : ruleAgainst(context, attempt.clientId, account, attempt.grantedScopes);
  return refusal && refuse(context, attempt, refusal, account.id);
}

/** Denies a pending attempt. */
export function deny(
  context: ServiceContext,
  attempt: Attempt | undefined,
  accountId?: string,
): DecisionOutcome {
  const state = decidable(context, attempt);
  if (state !== "pending" || !attempt) return state as Exclude<typeof state, "pending">;
  return refuse(context, attempt, "access_denied", accountId);
}

function refuse(
  context: ServiceContext,
  attempt: Attempt,
  refusal: Refusal,
  accountId: string | undefined,
): Refusal {
  attempt.state = "refused";
  attempt.refusal = refusal;
  attempt.accountId = accountId;
  tell(context, attempt);
  return refusal;
}

function shortest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

function tell(context: ServiceContext, attempt: Attempt): void {
  if (!context.observers.any) return;
  const { state, clientId, accountId, refusal, accessSeconds, grantedScopes } = attempt;
  const atMs = context.env.now();
  const isLess = state === "granted" && grantedScopes.length < attempt.scopes.length;
  const scopes = isLess ? grantedScopes : undefined;
  context.observers.tell({
    ...{ type: "attempt", atMs, state, clientId, accountId, refusal, scopes, accessSeconds },
  });
}

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
