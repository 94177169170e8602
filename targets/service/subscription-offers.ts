// The publishing API's subscription offers, in memory. Offer spec §4 defines only the creation. The other operations
// follow real publishing APIs.
import * as z from "zod";
import { authenticateCaller, type Caller } from "./bearer.ts";
import type { ServiceContext } from "./context.ts";
import { ApiError, invalidParameter, jsonOf, methodNotAllowed, singleValue } from "./errors.ts";
import type { Application } from "./fixture.ts";
import { describeIssue } from "./options.ts";
import { json, type ProtocolRequest, type ProtocolResponse } from "./wire.ts";

/** The parts of the path {packageName}/subscriptions/{productId}/basePlans/{basePlanId}/offers[/{offerId}[:verb]]. */
interface OfferPath {
  packageName: string;
  productId: string;
  basePlanId: string;
  offerId: string | undefined;
  verb: string | undefined;
}

const OFFER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
const BASE_PLAN_ID = /^[a-z0-9-]{1,63}$/;
const PRODUCT_ID = /^[a-z0-9_.]{1,40}$/;
const PACKAGE_NAME = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;

/** The members of offer spec §2, and `phases`: without it, an offer sells nothing. Other members are stored as sent. */
const offerSchema = z.looseObject({
  packageName: z.string(),
  productId: z.string(),
  basePlanId: z.string(),
  offerId: z.string().optional(),
  state: z.unknown().optional(),
  phases: z.array(z.looseObject({})).min(1).max(2).optional(),
});

type OfferState = "DRAFT" | "ACTIVE" | "INACTIVE";

export type SubscriptionOffer = Omit<z.output<typeof offerSchema>, "offerId" | "state"> & {
  offerId: string;
  state: OfferState;
};

type BasePlan = Application["subscriptions"][number]["basePlans"][number];

const SHAPE =
  /^([^/]+)\/subscriptions\/([^/]+)\/basePlans\/([^/]+)\/offers(?:\/([^/:]+)(?::(\w+))?)?$/;
const PAGE_SIZE_MAX = 50;
const REGIONS_VERSIONS = ["2022/01", "2022/02", "2025/01", "2025/02", "2025/03"];

/** Handles all paths under {publisher_api_url}/publisher/v3/applications/. @throws ApiError */
export function subscriptionOffers(
  context: ServiceContext,
  request: ProtocolRequest,
  rest: string,
): ProtocolResponse {
  const caller = authenticateCaller(context, request, ["publisher"], "publisher");
  const path = readPath(rest);
  const plan = findBasePlan(context, caller, path);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const offers = offersOf(context, path);
  const { offerId, verb } = path;
  if (offerId === undefined) {
    if (method === "POST") return create(context, request, path, plan);
    if (method === "GET") return list(request, [...offers.values()]);
    return methodNotAllowed("api", ["GET", "POST"]);
  }
  if (verb === undefined) {
    if (method === "GET") return json(200, find(offers, offerId));
    if (method === "DELETE") return remove(offers, offerId);
    return methodNotAllowed("api", ["GET", "DELETE"]);
  }
  if (verb !== "activate" && verb !== "deactivate") throw notFound("There is no such operation.");
  if (method !== "POST") return methodNotAllowed("api", ["POST"]);
  checkActionBody(request, path);
  return json(200, (verb === "activate" ? activated : deactivated)(find(offers, offerId)));
}

function readPath(rest: string): OfferPath {
  const parts = SHAPE.exec(rest);
  if (!parts) throw notFound("There is no such operation.");
  const [packageName, productId, basePlanId, offerId] = parts.slice(1, 5).map(decodeSegment);
  checkFormat("packageName", packageName!, PACKAGE_NAME);
  checkFormat("productId", productId!, PRODUCT_ID);
  checkFormat("basePlanId", basePlanId!, BASE_PLAN_ID);
  if (offerId !== undefined) checkFormat("offerId", offerId, OFFER_ID);
  return {
    packageName: packageName!,
    productId: productId!,
    basePlanId: basePlanId!,
    offerId,
    verb: parts[5],
  };
}

function decodeSegment(segment: string | undefined): string | undefined {
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw invalidParameter("path", "The path is not correctly percent-encoded.");
  }
}

function checkFormat(name: string, value: string, format: RegExp): void {
  if (!format.test(value))
    throw invalidParameter(name, `Invalid ${name}: it must match ${format.source}`);
}

function findBasePlan(context: ServiceContext, caller: Caller, path: OfferPath): BasePlan {
  const { applications } = context.fixture;
  const app = applications.find(({ packageName }) => packageName === path.packageName);
  if (!app) throw notFound(`Package not found: ${path.packageName}.`);
  if (!app.publishers.includes(caller.account.id))
    throw new ApiError(
      "PERMISSION_DENIED",
      "permissionDenied",
      "The caller does not have permission.",
    );
  const subscription = app.subscriptions.find(({ productId }) => productId === path.productId);
  if (!subscription) throw notFound(`Subscription not found: ${path.productId}.`);
  const plan = subscription.basePlans.find(({ basePlanId }) => basePlanId === path.basePlanId);
  if (!plan) throw notFound(`Base plan not found: ${path.basePlanId}.`);
  return plan;
}

/** Creates a draft from the body under the id in the query (offer spec §4). */
function create(
  context: ServiceContext,
  request: ProtocolRequest,
  path: OfferPath,
  plan: BasePlan,
): ProtocolResponse {
  const query = new URLSearchParams(request.query);
  const offerId = singleValue(query, "offerId") ?? "";
  if (offerId === "") throw invalidParameter("offerId", "Offer ID must be specified.", "required");
  checkFormat("offerId", offerId, OFFER_ID);
  checkRegionsVersion(query);
  // Only auto-renewing base plans can have offers (offer spec §1).
  if (plan.type !== "auto-renewing")
    throw failedPrecondition("Only auto-renewing base plans can have subscription offers.");
  const body = readOffer(request, path, offerId);

  const offers = offersOf(context, path);
  if (offers.has(offerId))
    throw new ApiError("ALREADY_EXISTS", "alreadyExists", `Offer already exists: ${offerId}.`);
  if (plansAndOffers(context, path) >= context.options.offersPerSubscription)
    throw failedPrecondition("The subscription has too many base plans and offers.");
  const offer: SubscriptionOffer = { ...body, offerId, state: "DRAFT" };
  offers.set(offerId, offer);
  return json(200, offer);
}

/** The query may name the version regionsVersion.version or regionsVersion[version]. */
function checkRegionsVersion(query: URLSearchParams): void {
  const versions = new Set([
    ...query.getAll("regionsVersion.version"),
    ...query.getAll("regionsVersion[version]"),
  ]);
  const [version = "", other] = versions;
  const name = "regionsVersion.version";
  if (version === "")
    throw invalidParameter(name, "Regions Version must be specified.", "required");
  if (other !== undefined || !REGIONS_VERSIONS.includes(version))
    throw invalidParameter(name, `Unknown regions version: ${[...versions].join(", ")}.`);
}

function readOffer(request: ProtocolRequest, path: OfferPath, offerId: string) {
  const result = offerSchema.safeParse(jsonOf(request));
  if (!result.success) {
    const issue = result.error.issues[0]!;
    const location = String(issue.path[0] ?? "body");
    throw invalidParameter(location, `Invalid offer: ${describeIssue(result.error, offerSchema)}`);
  }
  const { offerId: idInBody = offerId, state: _ignored, ...offer } = result.data;
  // The ids of the body must equal those of the path (offer spec §2).
  for (const name of ["packageName", "productId", "basePlanId"] as const)
    if (offer[name] !== path[name])
      throw invalidParameter(name, `The ${name} of the body must equal that of the path.`);
  if (idInBody !== offerId)
    throw invalidParameter("offerId", "The offerId of the body must equal that of the query.");
  return offer;
}

// The body of :activate and :deactivate is empty or an object. If it has ids, they must be those of the path.
function checkActionBody(request: ProtocolRequest, path: OfferPath): void {
  if (request.body.length === 0) return;
  const body = jsonOf(request);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidParameter("body", "The body must be an object.");
  const values = body as Record<string, unknown>;
  for (const name of ["packageName", "productId", "basePlanId", "offerId"] as const)
    if (values[name] !== undefined && values[name] !== path[name])
      throw invalidParameter(name, `The ${name} of the body must equal that of the path.`);
}

function list(request: ProtocolRequest, offers: readonly SubscriptionOffer[]): ProtocolResponse {
  const query = new URLSearchParams(request.query);
  const size = readNumber(query, "pageSize", PAGE_SIZE_MAX) || PAGE_SIZE_MAX;
  const start = readNumber(query, "pageToken", 0);
  const end = start + Math.min(size, PAGE_SIZE_MAX);
  return json(200, {
    subscriptionOffers: offers.slice(start, end),
    ...(end < offers.length && { nextPageToken: String(end) }),
  });
}

function readNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = singleValue(query, name);
  if (text === null || text === "") return otherwise;
  if (!/^\d{1,6}$/.test(text)) throw invalidParameter(name, `Invalid ${name}.`);
  return Number(text);
}

function activated(offer: SubscriptionOffer): SubscriptionOffer {
  // A draft needs only the specified members. An active offer also needs phases.
  if (offer.phases === undefined)
    throw failedPrecondition(
      "An offer needs 1 or 2 phases to be activated, and this draft has none. " +
        "Delete it and create it again with phases.",
    );
  return Object.assign(offer, { state: "ACTIVE" });
}

function deactivated(offer: SubscriptionOffer): SubscriptionOffer {
  if (offer.state === "DRAFT") throw failedPrecondition("A draft offer cannot be deactivated.");
  return Object.assign(offer, { state: "INACTIVE" });
}

function remove(offers: Map<string, SubscriptionOffer>, offerId: string): ProtocolResponse {
  if (find(offers, offerId).state !== "DRAFT")
    throw failedPrecondition("Only draft offers can be deleted.");
  offers.delete(offerId);
  return json(200, {});
}

function find(offers: Map<string, SubscriptionOffer>, offerId: string): SubscriptionOffer {
  const offer = offers.get(offerId);
  if (!offer) throw notFound(`Offer not found: ${offerId}.`);
  return offer;
}

function offersOf(context: ServiceContext, path: OfferPath): Map<string, SubscriptionOffer> {
  const key = `${path.packageName}/${path.productId}/${path.basePlanId}`;
  const offers = context.offers.get(key) ?? new Map<string, SubscriptionOffer>();
  context.offers.set(key, offers);
  return offers;
}

function plansAndOffers(context: ServiceContext, path: OfferPath): number {
  const app = context.fixture.applications.find((entry) => entry.packageName === path.packageName);
  const subscription = app?.subscriptions.find((entry) => entry.productId === path.productId);
  const plans = subscription?.basePlans ?? [];
  const offers = plans.flatMap((plan) => [...offersOf(context, { ...path, ...plan }).keys()]);
  return plans.length + offers.length;
}

function notFound(message: string): ApiError {
  return new ApiError("NOT_FOUND", "notFound", message);
}

function failedPrecondition(message: string): ApiError {
  return new ApiError("FAILED_PRECONDITION", "failedPrecondition", message);
}
