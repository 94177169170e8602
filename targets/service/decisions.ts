// The user's decision about a pending attempt (device spec §3, §7), and actions on an account, which notify the event
// receivers (§6). The pages and the functions for programs both use this file, so the same rules apply to both.

import { type Attempt, isDiscarded, type Refusal } from "./attempts.ts";
import type { ServiceContext } from "./context.ts";
import type { Account } from "./fixture.ts";
import { emitAccountEvent, emitTokenRevoked } from "./security-events/delivery.ts";
import { EVENT_TYPES } from "./security-events/streams.ts";

/** The result of a decision. If the code is no longer pending, the decision has no effect. */
export type DecisionOutcome =
  | "granted"
  | Refusal
  | "unknown-code"
  | "expired"
  | "already-decided"
  | "account-disabled";

/** What the user grants. */
export interface ApprovalChoices {
  /** The scopes to grant; absent: all requested scopes. */
  readonly scopes?: readonly string[] | undefined;
  /** Duration of the access in seconds; absent: until revoked. The account's `timeBasedAccess` is an upper limit. */
  readonly accessSeconds?: number | undefined;
}

export function decidable(
  context: ServiceContext,
  attempt: Attempt | undefined,
): "pending" | "unknown-code" | "expired" | "already-decided" {
  const nowMs = context.env.now();
  if (!attempt || isDiscarded(attempt, nowMs, context.options.expiredCodeMemory))
    return "unknown-code";
  if (nowMs >= attempt.expiresAtMs) return "expired";
  return attempt.state === "pending" ? "pending" : "already-decided";
}

/**
 * Approves a pending attempt for an account. Refuses the attempt if a policy forbids a scope (admin_policy_enforced),
 * the client is of another organization (org_internal), or no scope is chosen (access_denied).
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
  report(context, attempt);
  return "granted";
}

/** The rule, if any, that forbids this account to grant these scopes to the client. */
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
 * Call this when a poll claims the tokens of an approved attempt. Refuses the attempt if the account was disabled since
 * the approval, or if a rule now forbids the access.
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
  report(context, attempt);
  return refusal;
}

function shortest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}

function report(context: ServiceContext, attempt: Attempt): void {
  if (!context.observers.any) return;
  const { state, clientId, accountId, refusal, accessSeconds, grantedScopes } = attempt;
  const atMs = context.env.now();
  const isLess = state === "granted" && grantedScopes.length < attempt.scopes.length;
  const scopes = isLess ? grantedScopes : undefined;
  context.observers.report({
    ...{ type: "attempt", atMs, state, clientId, accountId, refusal, scopes, accessSeconds },
  });
}

export type DisableReason = "hijacking" | "bulk-account";

/** Revokes the grants of an account to one client. Returns how many of them were valid. */
export function removeApp(context: ServiceContext, accountId: string, clientId: string): number {
  const grants = context.grants.revokeAll(accountId, clientId);
  for (const grant of grants) emitTokenRevoked(context, grant);
  return grants.length;
}

/** Revokes every grant of an account. Returns how many of them were valid. */
export function revokeTokens(context: ServiceContext, accountId: string): number {
  const grants = context.grants.revokeAll(accountId);
  emitAccountEvent(context, EVENT_TYPES.tokensRevoked, accountId);
  return grants.length;
}

/** Revokes every grant and ends every browser session of an account. Returns the number of grants that were valid. */
export function signOutEverywhere(context: ServiceContext, accountId: string): number {
  context.sessions.endAll(accountId);
  emitAccountEvent(context, EVENT_TYPES.sessionsRevoked, accountId);
  return revokeTokens(context, accountId);
}

/** Disables an account: revokes its grants, and prevents new ones. */
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

/** Enables an account again. Tokens that were revoked stay revoked. */
export function enableAccount(context: ServiceContext, accountId: string): void {
  const account = context.directory.account(accountId);
  if (!account.disabled) return;
  account.disabled = false;
  emitAccountEvent(context, EVENT_TYPES.accountEnabled, accountId);
}

/** Notifies receivers that the account's password must be changed. */
export function requireCredentialChange(context: ServiceContext, accountId: string): void {
  emitAccountEvent(
    context,
    EVENT_TYPES.credentialChangeRequired,
    context.directory.account(accountId).id,
  );
}
