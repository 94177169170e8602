// The public names of the bundle. Functions and members of the configuration keep their names. The properties of the
// device that a host may read have fixed indexes. All other names are shortened. core/SPEC.md describes the public
// names, and a test compares it with this file.

import { Property } from "../../core/device/property.ts";

/** Functions of all builds. */
export const grantFunctions = [
  "create",
  "configError",
  "tick",
  "wakeIn",
  "responseStart",
  "responseBody",
  "responseEnd",
  "responseFailed",
  "storageDone",
  "signIn",
  "cancel",
  "signOut",
  "setStatus",
  "accessTokenRefused",
  "outcome",
  "setEndpoints",
  "errorKind",
] as const;

/** Functions that a host can delete after it has created its devices. */
export const bootFunctions: readonly string[] = ["create", "configError"];

/** The name of the bundle's one function (dispatch.ts). record.ts marks calls of functions in tables with this name. */
export const CALL = "call$";

/** A call of this name lists the functions that have a number. dispatch.ts removes it. */
export const EXPORTS = `${CALL}exports`;

/** Functions for API calls and metadata. The build "grant" does not have them. */
const callFunctions = [
  "discover",
  "beginCall",
  "addPath",
  "addSegment",
  "addQueryValue",
  "sendCall",
  "nextPage",
  "responseChallenge",
] as const;

/** Functions for subscription offers and security events, only in the complete build. */
const documentFunctions = [
  "createOffer",
  "pollEvents",
  "eventVerified",
  "applySecurityEvent",
] as const;

/** Properties of Config. Closure Compiler keeps their names. */
export const configProperties = [
  "clientId",
  "clientSecret",
  "clientAuthentication",
  "server",
  "formerServer",
  "scope",
  "deviceParameters",
  "tokenParameters",
  "columns",
  "rows",
  "seed",
  "autoStart",
  "renewalsMax",
  "messages",
  "startSpreadMs",
  "pkce",
  "jsonBodies",
] as const;

/** Properties of Device that a host may read, in the order of their indexes, which are the same in all builds. */
export const deviceProperties: readonly string[] = Object.values(Property);

/** Functions of the complete build that the build "grant" does not have. */
export const completeFunctions = [...callFunctions, ...documentFunctions] as const;

/** The builds. "complete" has everything. "api" has the grant, API calls and metadata. "grant" has the grant alone. */
export type Variant = "complete" | "api" | "grant";

export const variants: readonly Variant[] = ["complete", "api", "grant"];

/** The file in core/ that a build starts from. */
export function entryOf(variant: Variant): string {
  return { complete: "complete.ts", api: "api.ts", grant: "index.ts" }[variant];
}

/** The name of a build's files, without extension. */
export function nameOf(variant: Variant): string {
  return variant === "complete" ? "picogrant" : `picogrant-${variant}`;
}

export function functionsOf(variant: Variant): readonly string[] {
  if (variant === "grant") return grantFunctions;
  if (variant === "api") return [...grantFunctions, ...callFunctions];
  return [...grantFunctions, ...completeFunctions];
}

/** The functions in the order of their numbers, which are the same in all builds. A host calls them by number. */
export const functionNumbers: readonly string[] = functionsOf("complete").filter(
  (name) => !bootFunctions.includes(name),
);

export function exportsOf(variant: Variant): readonly string[] {
  return [...functionsOf(variant), "release"];
}
