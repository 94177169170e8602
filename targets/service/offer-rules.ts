// What a SubscriptionOffer may hold (offer doc §2, the rest as real publishing APIs have it): phases,
// regions, prices, targeting, tags. Only the shape; whether the base plan fits is decided elsewhere.
import * as z from "zod";

/** Offer and base plan ids: 1 to 63 of these characters, an offer's beginning with a letter or digit. */
export const OFFER_ID = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const BASE_PLAN_ID = /^[a-z0-9-]{1,63}$/;
export const PRODUCT_ID = /^[a-z0-9_.]{1,40}$/;
export const PACKAGE_NAME = /^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/;

const NANOS_MAX = 999_999_999;

const money = z
  .strictObject({
    currencyCode: z.string().regex(/^[A-Z]{3}$/, "must be a three-letter currency code"),
    // 64-bit integers are strings in this family of APIs; small numbers are understood as well, and
    // answered as strings.
    units: z
      .union([
        z.string().regex(/^\d{1,18}$/, "must be a whole number"),
        z.int().min(0).transform(String),
      ])
      .optional(),
    nanos: z.int().min(0).max(NANOS_MAX).optional(),
  })
  .describe("Money");

const relativeDiscount = z
  .number()
  .gt(0, "must be strictly between 0 and 1")
  .lt(1, "must be strictly between 0 and 1");
const nothing = z.strictObject({});
const regionCode = z.string().regex(/^[A-Z]{2}$/, "must be a two-letter region code");
const currencies = z.strictObject({ usdPrice: money, eurPrice: money });
const duration = z
  .string()
  .regex(
    /^P(?=\d)(?=.*[1-9])(\d+Y)?(\d+M)?(\d+W)?(\d+D)?$/,
    "must be an ISO 8601 duration above 0, such as P1M",
  );

/** Refuses an object that has none or several of the names of a union field. */
function exactlyOne(...names: string[]) {
  return (value: Record<string, unknown>, context: z.RefinementCtx) => {
    const given = names.filter((name) => value[name] !== undefined);
    if (given.length !== 1)
      context.addIssue({ code: "custom", message: `must have exactly one of ${names.join(", ")}` });
  };
}

function distinctRegions(list: readonly { regionCode: string }[], context: z.RefinementCtx): void {
  const codes = list.map((entry) => entry.regionCode);
  const twice = codes.find((code, at) => codes.indexOf(code) !== at);
  if (twice !== undefined)
    context.addIssue({ code: "custom", message: `names the region ${twice} twice` });
}

const phaseRegion = z
  .strictObject({
    regionCode,
    price: money.optional(),
    absoluteDiscount: money.optional(),
    relativeDiscount: relativeDiscount.optional(),
    free: nothing.optional(),
  })
  .superRefine(exactlyOne("price", "absoluteDiscount", "relativeDiscount", "free"));

const phaseOtherRegions = z
  .strictObject({
    otherRegionsPrices: currencies.optional(),
    absoluteDiscounts: currencies.optional(),
    relativeDiscount: relativeDiscount.optional(),
    free: nothing.optional(),
  })
  .superRefine(exactlyOne("otherRegionsPrices", "absoluteDiscounts", "relativeDiscount", "free"));

const phase = z.strictObject({
  duration,
  recurrenceCount: z.int().min(1),
  regionalConfigs: z.array(phaseRegion).superRefine(distinctRegions).optional(),
  otherRegionsConfig: phaseOtherRegions.optional(),
});

const targetingScope = z
  .strictObject({
    thisSubscription: nothing.optional(),
    anySubscriptionInApp: nothing.optional(),
    specificSubscriptionInApp: z.string().regex(PRODUCT_ID).optional(),
  })
  .superRefine(exactlyOne("thisSubscription", "anySubscriptionInApp", "specificSubscriptionInApp"));

const targeting = z
  .strictObject({
    acquisitionRule: z.strictObject({ scope: targetingScope }).optional(),
    upgradeRule: z
      .strictObject({
        oncePerUser: z.boolean().optional(),
        billingPeriodDuration: duration.optional(),
        scope: targetingScope.optional(),
      })
      .optional(),
  })
  .superRefine(exactlyOne("acquisitionRule", "upgradeRule"));

const TAGS_MAX = 20;
const tag = z.string().regex(/^[a-z0-9-]{1,20}$/, "must be 1 to 20 of a-z, 0-9 and -");

/** The request body. `state` is output only: what a client sends there is ignored. */
export const offerSchema = z.strictObject({
  packageName: z.string(),
  productId: z.string(),
  basePlanId: z.string(),
  offerId: z.string().optional(),
  state: z.unknown().optional(),
  phases: z.array(phase).min(1).max(2).optional(),
  regionalConfigs: z
    .array(z.strictObject({ regionCode, newSubscriberAvailability: z.boolean().optional() }))
    .superRefine(distinctRegions)
    .optional(),
  otherRegionsConfig: z
    .strictObject({ otherRegionsNewSubscriberAvailability: z.boolean().optional() })
    .optional(),
  targeting: targeting.optional(),
  offerTags: z.array(z.strictObject({ tag })).max(TAGS_MAX).optional(),
});

type OfferBody = z.output<typeof offerSchema>;

export type OfferState = "DRAFT" | "ACTIVE" | "INACTIVE";

/** A stored offer: what the client sent, with its id and state. */
export type SubscriptionOffer = Omit<OfferBody, "offerId" | "state"> & {
  offerId: string;
  state: OfferState;
};
