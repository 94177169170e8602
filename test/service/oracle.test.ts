// Makes random runs in which the model of the service predicts each response. PICOGRANT_SEED=N selects another seed.

import { expect, test } from "vitest";
import { isFullRun } from "../full-run.ts";
import { runOracle } from "./oracle.ts";

/** The runs must get each of these responses, and no others except RARE. */
const RESPONSES = [
  ...["200", "400 invalid_request", "400 invalid_grant", "400 invalid_scope", "401 invalid_client"],
  ...["400 authorization_pending", "403 authorization_pending", "400 slow_down", "429 slow_down"],
  ...["400 access_denied", "400 bad_verification_code", "403 invalid_grant"],
  ...["428 authorization_pending", "403 slow_down", "403 access_denied", "400 expired_token"],
  ...["400 admin_policy_enforced", "403 org_internal", "400 unsupported_grant_type"],
  ...["403 rate_limit_exceeded", "400 invalid_token", "401 required", "401 authError"],
  ...["403 insufficientPermissions", "403 accessNotConfigured", "403 NoLinkedVideoAccount"],
  ...["403 permissionDenied", "404 notFound", "409 alreadyExists", "400 failedPrecondition"],
  ...["400 required", "400 invalidParameter", "401 insufficientUserAuthentication"],
  ...["401 invalid_token", "403 insufficient_scope", "400 invalid_dpop_proof"],
  ...["400 use_dpop_nonce", "401 invalid_dpop_proof"],
];
/** Not every seed gets these responses. */
const RARE = [
  ...["400 authorization_declined", "403 expired_token", "400 org_internal", "401 use_dpop_nonce"],
];

test("RFC 6749 §4.1.2, §10.4, RFC 8628 §3.5, RFC 7009 §2.1, §2.2, RFC 7636 §4.6, RFC 8936 §2.4, §2.4.1, §2.4.3, RFC 9449 §5, §7.1, §7.2, §8, §11.1, RFC 9700 §2.1.1, §4.14, OpenID Connect Core §2, §5.3, §12.2: every response is the one that the specifications predict, and clients are isolated from each other", async () => {
  const seed = Number(process.env.PICOGRANT_SEED ?? 1);
  const met = await runOracle(seed, isFullRun ? 100_000 : 10_000);
  const usual = [...met].filter((response) => !RARE.includes(response));
  expect(usual.sort()).toEqual(RESPONSES.sort());
});
