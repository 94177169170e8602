// What keeps its name in the bundle: the functions of the two builds, and the properties that a host
// sets (configuration) or reads (device). Everything else is shortened. core/SPEC.md says what they mean;
// a test holds the two lists together.

/** Functions of both builds. */
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
  "errorKind",
] as const;

/** Functions of the complete build alone. */
export const completeFunctions = [
  "discover",
  "beginCall",
  "addPath",
  "addSegment",
  "addQueryValue",
  "sendCall",
  "nextPage",
  "createOffer",
  "pollEvents",
  "eventVerified",
  "applySecurityEvent",
] as const;

/** Properties of Config. */
export const configProperties = [
  "clientId",
  "clientSecret",
  "clientAuthentication",
  "server",
  "scope",
  "deviceParameters",
  "tokenParameters",
  "columns",
  "rows",
  "seed",
  "autoStart",
  "renewalsMax",
  "messages",
] as const;

/** Properties of Device that a host may read, by name, on any engine. */
export const deviceProperties = [
  "memory",
  "start",
  "length",
  "capacity",
  "state",
  "event",
  "moves",
  "error",
  "errorField",
  "errorLength",
  "memoryNeeded",
  "inFlight",
  "requestId",
  "endpoint",
  "target",
  "targetLength",
  "body",
  "bodyLength",
  "isGet",
  "authorization",
  "slot",
  "data",
  "dataLength",
  "notSaved",
  "notErased",
  "codeLifeS",
  "accessLifeS",
  "refreshLifeS",
  "waitMs",
  "intervalMs",
  "codeShown",
] as const;

/** Of the complete build alone. */
export const callProperties = [
  "callState",
  "callError",
  "callErrorField",
  "callStatus",
  "callBody",
  "callBodyFrom",
  "callBodyTo",
  "hasNextPage",
] as const;

/** The two builds: everything, and the grant alone. */
export type Variant = "complete" | "grant";

/** The functions of a build. */
export function functionsOf(variant: Variant): readonly string[] {
  return variant === "complete" ? [...grantFunctions, ...completeFunctions] : grantFunctions;
}

/** Properties of a build's device that a host may read. */
export function propertiesOf(variant: Variant): readonly string[] {
  return variant === "complete" ? [...deviceProperties, ...callProperties] : deviceProperties;
}

/** Every name that crosses the border of a build. */
export function publicNames(variant: Variant): readonly string[] {
  return [...functionsOf(variant), ...configProperties, ...propertiesOf(variant)];
}
