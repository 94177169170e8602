// Everything that the endpoints share, in one object that is passed and never global.
import type { Attempts } from "./attempts.ts";
import { MANNERS, type Manner } from "./dialects.ts";
import type { Environment, Tasks } from "./environment.ts";
import type { Directory, Fixture } from "./fixture.ts";
import type { Grants } from "./grants.ts";
import type { Observers } from "./observers.ts";
import type { ProviderKeys } from "./openid.ts";
import type { ServiceOptions } from "./options.ts";
import type { Sessions } from "./pages/visit.ts";
import type { QuotaCounter } from "./quota.ts";
import type { ScopeCatalogue } from "./scopes.ts";
import type { SetSigner } from "./security-events/delivery.ts";
import type { Streams } from "./security-events/streams.ts";
import type { SubscriptionOffer } from "./subscription-offers.ts";

export interface ServiceContext {
  readonly env: Environment;
  readonly fixture: Fixture;
  readonly directory: Directory;
  readonly attempts: Attempts;
  readonly grants: Grants;
  readonly deviceCodeQuota: QuotaCounter;
  /** Wrong user codes typed, per address. */
  readonly wrongCodes: QuotaCounter;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly signer: SetSigner;
  /** Signs ID tokens. */
  readonly keys: ProviderKeys;
  readonly tasks: Tasks;
  readonly observers: Observers;
  /** Subscription offers by "package/product/base plan", then by offer id. */
  readonly offers: Map<string, Map<string, SubscriptionOffer>>;
  /** May be replaced while the service runs. */
  options: ServiceOptions;
  scopes: ScopeCatalogue;
}

/** Used where nobody has said where the service lives, as in memory without a server. */
const FALLBACK_BASE_URL = "http://127.0.0.1:8080";

/** What its dialect makes it do. */
export function mannerOf(context: ServiceContext): Manner {
  return MANNERS[context.options.dialect];
}

/** Who the service says it is, in metadata and tokens. */
export function issuerOf(context: ServiceContext): string {
  return baseUrlOf(context) + context.options.issuerPath;
}

/** Base of every address the service gives out. */
export function baseUrlOf(context: ServiceContext): string {
  return context.options.baseUrl ?? FALLBACK_BASE_URL;
}
