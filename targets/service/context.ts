// The data that all endpoints share.
import type { Attempts } from "./attempts.ts";
import { MANNERS, type Manner } from "./dialects.ts";
import type { Environment, Tasks } from "./environment.ts";
import type { Directory, Fixture } from "./fixture.ts";
import type { Grants } from "./grants.ts";
import type { Observers } from "./observers.ts";
import type { ProviderKeys } from "./openid.ts";
import type { ServiceOptions } from "./options.ts";
import type { Sessions } from "./pages/page-request.ts";
import type { QuotaCounter } from "./quota.ts";
import type { ScopeCatalogue } from "./scopes.ts";
import type { SetSigner } from "./security-events/delivery.ts";
import type { Streams } from "./security-events/streams.ts";
import type { UsedIds } from "./signed-jwt.ts";
import type { SubscriptionOffer } from "./subscription-offers.ts";

export interface ServiceContext {
  readonly env: Environment;
  readonly fixture: Fixture;
  readonly directory: Directory;
  readonly attempts: Attempts;
  readonly grants: Grants;
  readonly deviceCodeQuota: QuotaCounter;
  /** Counts wrong user codes by the network address of the browser. */
  readonly wrongCodes: QuotaCounter;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly signer: SetSigner;
  /** Signs ID tokens. */
  readonly keys: ProviderKeys;
  readonly tasks: Tasks;
  readonly usedAssertions: UsedIds;
  readonly usedProofs: UsedIds;
  /** The secret from which DPoP nonces are derived. It is created on demand. */
  nonceSecret: Uint8Array | undefined;
  readonly observers: Observers;
  /** Subscription offers by "package/product/base plan", and then by offer id. */
  readonly offers: Map<string, Map<string, SubscriptionOffer>>;
  /** `setOptions` of the service replaces this object and `scopes`. */
  options: ServiceOptions;
  scopes: ScopeCatalogue;
}

/** The base URL until `serve` or the option baseUrl sets another one. */
const FALLBACK_BASE_URL = "http://127.0.0.1:8080";

export function mannerOf(context: ServiceContext): Manner {
  return MANNERS[context.options.dialect];
}

export function issuerOf(context: ServiceContext): string {
  return baseUrlOf(context) + context.options.issuerPath;
}

export function baseUrlOf(context: ServiceContext): string {
  return context.options.baseUrl ?? FALLBACK_BASE_URL;
}
