// A subscription offer as the documents want it: where it goes, and what its names and its body must be.

import { OfferError } from "../../../core/complete.ts";
import { membersOf, readJson } from "./json.ts";
import { formEncoded } from "./requests.ts";

/** What stands in front of each name in an offer's target. */
const BEFORE = [
  "/publisher/v3/applications/",
  "/subscriptions/",
  "/basePlans/",
  "/offers?offerId=",
  "&regionsVersion.version=",
];

/** Where an offer of these names goes: packageName, productId, basePlanId, offerId, regionsVersion. */
export function offerTarget(lines: readonly string[], count = BEFORE.length): string {
  const names = BEFORE.slice(0, count).map((_, i) => lines[i] ?? "");
  return names.map((name, i) => BEFORE[i] + (i === 4 ? formEncoded(name) : name)).join("");
}

/** Formats and lengths of the five names of an offer (the documents' subscription offers). */
const NAMES: readonly [RegExp, number][] = [
  [/^[A-Za-z0-9._]+$/, 255],
  [/^[a-z0-9._]+$/, 40],
  [/^[a-z0-9-]+$/, 63],
  [/^[a-z0-9][a-z0-9-]*$/, 63],
  [/^[\x21-\x7e]+$/, 63],
];

/** @returns what is met first: a name that is wrong, or one that the target has no room for; NONE where all is well */
export function wrongName(lines: readonly string[], room: number): OfferError {
  for (let i = 0; i < NAMES.length; i++) {
    const [format, most] = NAMES[i]!;
    const name = lines[i] ?? "";
    const size = i === 4 ? formEncoded(name).length : name.length;
    if (!format.test(name) || size > most) return OfferError.PACKAGE_NAME + i;
    if (offerTarget(lines, i + 1).length > room) return OfferError.TOO_LONG;
  }
  return OfferError.NONE;
}

/** @returns what in the body is not as the names say, NONE where all is */
export function wrongBody(lines: readonly string[], body: string): number {
  const document = readJson(body);
  if (!document.isComplete) return OfferError.BODY;
  const members = membersOf(document);
  for (const [i, name] of ["packageName", "productId", "basePlanId", "offerId"].entries()) {
    const value = members.get(name);
    if (name === "offerId" && value === undefined) continue;
    if (value !== lines[i]) return OfferError.BODY_PACKAGE_NAME + i;
  }
  return OfferError.NONE;
}
