// Codes and grants as plain data, which a host can store and load after a restart. Other state, such as quotas, browser
// sessions and event streams, is not included.
import * as z from "zod";
import type { Attempt } from "./attempts.ts";
import { CHALLENGE_METHODS } from "./client-authentication.ts";
import type { ServiceContext } from "./context.ts";
import type { GrantSnapshot } from "./grants.ts";
import { USUAL_CONTEXT } from "./openid.ts";
import { describeIssue } from "./options.ts";

const strings = z.array(z.string());

const attemptSchema = z.object({
  deviceCode: z.string(),
  userCode: z.string(),
  clientId: z.string(),
  scopes: strings,
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
  state: z.enum(["pending", "granted", "refused", "claimed"]),
  refusal: z.enum(["access_denied", "admin_policy_enforced", "org_internal"]).optional(),
  intervalMs: z.number(),
  /** null if the code was never polled, because -Infinity is not JSON. */
  lastPollAtMs: z.number().nullable(),
  accountId: z.string().optional(),
  grantedScopes: strings,
  accessSeconds: z.number().optional(),
  grantId: z
    .string()
    .regex(/^g\d+$/)
    .optional(),
  challenge: z.object({ value: z.string(), method: z.enum(CHALLENGE_METHODS) }).optional(),
  nonce: z.string().optional(),
  // Absent in snapshots of earlier versions.
  acr: z.string().default(USUAL_CONTEXT),
  decidedAtMs: z.number().optional(),
});

const grantSchema = z.object({
  id: z.string().regex(/^g\d+$/),
  clientId: z.string(),
  accountId: z.string(),
  scopes: strings,
  createdAtMs: z.number(),
  expiresAtMs: z.number().optional(),
  authentication: z
    .object({ atMs: z.number(), acr: z.string(), nonce: z.string().optional() })
    .optional(),
  jkt: z.string().optional(),
  refreshToken: z.string(),
  predecessor: z.string().optional(),
  graceUntilMs: z.number(),
  refreshTokens: strings,
  accessTokens: z.array(
    z.object({
      token: z.string(),
      expiresAtMs: z.number(),
      scopes: strings.optional(),
      jkt: z.string().optional(),
    }),
  ),
  evicted: z.boolean().optional(),
});

const snapshotSchema = z.object({
  version: z.literal(1),
  /** The service's clock at the snapshot. The clock of a later service must not be before it. */
  atMs: z.number(),
  attempts: z.array(attemptSchema),
  grants: z.array(grantSchema),
});

export type ServiceSnapshot = z.output<typeof snapshotSchema>;

/** Throws an Error with one line that names the first problem. */
export function readSnapshot(input: unknown): ServiceSnapshot {
  const result = snapshotSchema.safeParse(input);
  if (!result.success) throw new Error(`snapshot: ${describeIssue(result.error, snapshotSchema)}`);
  return result.data;
}

export function takeSnapshot(context: ServiceContext): ServiceSnapshot {
  return {
    version: 1,
    atMs: context.env.now(),
    attempts: context.attempts.all().map((attempt) => ({
      ...attempt,
      lastPollAtMs: Number.isFinite(attempt.lastPollAtMs) ? attempt.lastPollAtMs : null,
      scopes: [...attempt.scopes],
      grantedScopes: [...attempt.grantedScopes],
    })),
    grants: context.grants.dump().map((grant) => ({
      ...grant,
      scopes: [...grant.scopes],
      refreshTokens: [...grant.refreshTokens],
      accessTokens: grant.accessTokens.map(({ scopes, ...rest }) => ({
        ...rest,
        scopes: [...(scopes ?? grant.scopes)],
      })),
      evicted: grant.evicted === true,
    })),
  };
}

export function restoreSnapshot(context: ServiceContext, snapshot: ServiceSnapshot): void {
  for (const attempt of snapshot.attempts) {
    const { refusal, accountId, accessSeconds, grantId } = attempt;
    const { challenge, nonce, decidedAtMs } = attempt;
    const lastPollAtMs = attempt.lastPollAtMs ?? Number.NEGATIVE_INFINITY;
    const optional = {
      ...{ refusal, accountId, accessSeconds, grantId },
      ...{ challenge, nonce, decidedAtMs },
    };
    const whole: Attempt = { ...attempt, lastPollAtMs, ...optional };
    context.attempts.add(whole);
  }
  context.grants.load(
    snapshot.grants.map((grant): GrantSnapshot => {
      const { expiresAtMs, predecessor, authentication, jkt } = grant;
      const unknown = { atMs: grant.createdAtMs, acr: USUAL_CONTEXT, nonce: undefined };
      const known = authentication && { ...unknown, ...authentication };
      return { ...grant, expiresAtMs, predecessor, jkt, authentication: known ?? unknown };
    }),
    snapshot.attempts.flatMap(({ grantId }) => grantId ?? []),
  );
}
