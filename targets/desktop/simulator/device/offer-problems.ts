// What the device finds wrong with an offer before it asks for one (core/documents/subscription-offer.ts): in words
// that say what to do.
import { OfferError } from "../../../../core/complete.ts";

/** What to do about it, and what is the matter where the name alone does not say it. */
const REMEDIES: Readonly<Record<Exclude<OfferError, OfferError.NONE>, string>> = {
  [OfferError.PACKAGE_NAME]: "use letters, 0-9, . and _, at most 255",
  [OfferError.PRODUCT_ID]: "use a-z, 0-9, . and _, at most 40",
  [OfferError.BASE_PLAN_ID]: "use a-z, 0-9 and -, at most 63",
  [OfferError.OFFER_ID]: "use a-z, 0-9 and -, no - first, at most 63",
  [OfferError.REGIONS_VERSION]: "use a version such as 2025/03",
  [OfferError.BODY]: "send an offer as a JSON object",
  [OfferError.BODY_PACKAGE_NAME]: "name the same one in the body",
  [OfferError.BODY_PRODUCT_ID]: "name the same one in the body",
  [OfferError.BODY_BASE_PLAN_ID]: "name the same one in the body",
  [OfferError.BODY_OFFER_ID]: "name the same one in the body, or none",
  [OfferError.NOT_NOW]: "wait for the call under way, or sign in",
  [OfferError.TOO_LONG]: "choose shorter names, or give the core more memory",
};

/** "offer_id: use a-z, 0-9 and -, no - first, at most 63"; "" for NONE */
export function offerProblem(error: OfferError): string {
  return error === OfferError.NONE ? "" : `${OfferError[error].toLowerCase()}: ${REMEDIES[error]}`;
}
