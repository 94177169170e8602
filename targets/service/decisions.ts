// The person's decision about a pending attempt (device doc §3, §7): who may grant what. The consent
// pages and the programmatic controls both come through here, so that no rule can be walked around.
import { type Attempt, isForgotten, type Refusal } from "./attempts.ts";
import type { ServiceContext } from "./context.ts";
import type { Account } from "./fixture.ts";

/** What became of a decision. Codes that are not pending any more are not touched. */
export type DecisionOutcome =
  | "granted"
  | Refusal
  | "unknown-code"
  | "expired"
  | "already-decided"
  | "account-disabled";

export interface ApprovalChoices {
  /** The scopes to grant; all that were requested when absent. */
  scopes?: readonly string[] | undefined;
  /** Seconds of time-based access; until revoked when absent. */
  accessSeconds?: number | undefined;
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
