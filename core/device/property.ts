// What a host reads of a device: `device[Property.STATE]`, the same text for the sources and for what ships. Here a
// member is the property's name; in the bundle it is the property's place, since the build makes the device one array.

/** The release that this is of, 1000 for 0.1.0: hosts refuse the core of another, whose numbers may mean others. */
export var release = 1000;

/** Properties of Device that a host may read. Their order is the order of their places. */
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
