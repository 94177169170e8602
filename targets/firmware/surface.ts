// What keeps its name in the bundle: the functions of the two builds, and the properties that a host
// sets (configuration) or reads (device). Everything else is shortened.

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
  "state",
  "event",
  "moves",
  "error",
  "errorField",
  "errorLength",
  "memoryNeeded",
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
  "capacity",
  "notErased",
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

/** What else simulators look at: only where each device is a record of its own. */
export const simulatorProperties = [
  "purpose",
  "inFlight",
  "codeLifeS",
  "accessLifeS",
  "refreshLifeS",
  "waitMs",
  "intervalMs",
  "codeShown",
] as const;

/** Of the language. */
export const builtins = [
  "length",
  "charAt",
  "charCodeAt",
  "exports",
  "join",
  "pop",
  "push",
  "split",
] as const;
