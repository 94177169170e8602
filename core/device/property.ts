// The properties of a device that a host may read. `device[Property.STATE]` works in the sources, where a member of
// Property is a name, and in bundles, where the device is an array and a member is an index.

/** The release as a number: 1000 is 0.1.0. A host refuses any other, because numbers of the core API may differ. */
export var release = 1000;

/** Properties of Device that a host may read, in the order of their indexes. */
export enum Property {
  MEMORY = "memory",
  START = "start",
  LENGTH = "length",
  CAPACITY = "capacity",
  STATE = "state",
  ERROR = "error",
  WAIT_MS = "waitMs",
  IN_FLIGHT = "inFlight",
  EVENT = "event",
  MOVES = "moves",
  ERROR_FIELD = "errorField",
  ERROR_LENGTH = "errorLength",
  MEMORY_NEEDED = "memoryNeeded",
  REQUEST_ID = "requestId",
  ENDPOINT = "endpoint",
  TARGET = "target",
  TARGET_LENGTH = "targetLength",
  BODY = "body",
  BODY_LENGTH = "bodyLength",
  IS_GET = "isGet",
  AUTHORIZATION = "authorization",
  IS_JSON = "isJson",
  SLOT = "slot",
  DATA = "data",
  DATA_LENGTH = "dataLength",
  NOT_SAVED = "notSaved",
  NOT_ERASED = "notErased",
  CODE_LIFETIME_S = "codeLifetimeS",
  ACCESS_LIFETIME_S = "accessLifetimeS",
  REFRESH_LIFETIME_S = "refreshLifetimeS",
  INTERVAL_MS = "intervalMs",
  CODE_CONFIRMED = "codeConfirmed",
  CALL_STATE = "callState",
  CALL_ERROR = "callError",
  CALL_ERROR_FIELD = "callErrorField",
  CALL_STATUS = "callStatus",
  CALL_BODY = "callBody",
  CALL_BODY_FROM = "callBodyFrom",
  CALL_BODY_TO = "callBodyTo",
  HAS_NEXT_PAGE = "hasNextPage",
}
