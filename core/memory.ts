// What a device consists of: one byte array of the host's, divided into regions, and the record of
// small integers that is the rest of its state. Types and look-ups; making one is in create.ts.

/** A byte array of the host: a typed array, or a plain array of integers 0..255. */
export interface Bytes {
  [index: number]: number;
  readonly length: number;
}

/** Strings that the core needs as bytes; encoded into the memory once (engines allocate for chars). */
export enum Literal {
  MEMBERS = 0,
  ERRORS = 1,
  DEVICE_CODE_GRANT = 2,
  REFRESH_TOKEN_GRANT = 3,
  TOKEN_PARAMETER = 4,
  BEARER = 5,
  /** As many as there are; a complete build's follow, then the display texts. */
  CORE_COUNT = 6,
}

/**
 * What the core looks for in answers. Strings are copied to the region of the same number, the ones
 * from EXPIRES_IN on are integers. Also the bits of a request's mask of wanted fields.
 */
export enum Field {
  NONE = 0,
  DEVICE_CODE = 1,
  USER_CODE = 2,
  VERIFICATION_URI = 3,
  VERIFICATION_URI_COMPLETE = 4,
  ACCESS_TOKEN = 5,
  REFRESH_TOKEN = 6,
  TOKEN_TYPE = 7,
  SCOPE = 8,
  ERROR = 9,
  MESSAGE = 10,
  /** Values of requests beyond the grant (metadata, API, events); overlaid on OUTPUT. */
  VALUE_A = 11,
  VALUE_B = 12,
  VALUE_C = 13,
  VALUE_D = 14,
  EXPIRES_IN = 15,
  REFRESH_TOKEN_EXPIRES_IN = 16,
  INTERVAL = 17,
  /** Names that only need to have been there: the types of a security event. */
  SESSIONS_REVOKED = 18,
  TOKEN_REVOKED = 19,
  ACCOUNT_DISABLED = 20,
  COUNT = 21,
}

/** Further regions, numbered on from Field's strings. */
export enum Region {
  KEY = 15,
  FRAME = 16,
  /** Request bodies, and records on their way to and from storage. */
  OUTPUT = 17,
  /** Encoded once at the start: `client_id=...&client_secret=...`. */
  CLIENT = 18,
  /** `client_id=...&scope=...` and what the maker adds: the whole device authorization request. */
  DEVICE_AUTHORIZATION = 19,
  /**
   * The refresh token in use. Field.REFRESH_TOKEN is where an answer's goes, and after the swap the
   * one before: it is tried once more before the user has to sign in again.
   */
  PRESENT_REFRESH_TOKEN = 20,
  /** Path, query and fields of an API call; overlaid on the codes, which a session has no use for. */
  CALL = 21,
  /** The application's own line below `Signed in`. */
  STATUS = 22,
  /** Checksums of the identifiers of the last security events. */
  SEEN_EVENTS = 23,
  COUNT = 24,
}

/**
 * Member names, each after the letter of its field ('A' is field 0). The documents' service says
 * verification_url and error_code; RFC 8628 says verification_uri and error.
 */
export var MEMBERS =
  "Bdevice_code Cuser_code Dverification_uri Dverification_url Everification_uri_complete " +
  "Faccess_token Grefresh_token Htoken_type Iscope Jerror Jerror_code " +
  "Pexpires_in Qrefresh_token_expires_in Rinterval ";

/** The whole state of one device beside its memory: small integers, and arrays made once. */
export interface Device {
  memory: Bytes;
  /** First byte, capacity and present length (-1: absent) of each region. */
  start: number[];
  capacity: number[];
  length: number[];
  /** Values of the fields from EXPIRES_IN on, by Field - EXPIRES_IN; -1: absent. */
  numbers: number[];
  /** Number of the first display text among the literals. */
  messages: number;
  columns: number;
  rows: number;

  state: number;
  event: number;
  /** Counts moves (16 bits), so that a host notices them. */
  moves: number;
  error: number;
  /** The field that an error is about. */
  errorField: number;

  /** The exchange: id of the last request, what it is for, whether it is under way. */
  requestId: number;
  purpose: number;
  inFlight: number;
  exchangeMs: number;
  abortDue: number;
  verifyDue: number;
  status: number;
  retryAfterS: number;
  bodyBytes: number;
  /** Milliseconds until the next request may go out. */
  waitMs: number;
  backoffMs: number;
  intervalMs: number;
  random: number;

  /** Clocks, counting down; INTEGER_MAX where a lifetime is unknown. */
  carryMs: number;
  uptimeS: number;
  bootMinutes: number;
  codeLifeS: number;
  accessLifeS: number;
  refreshLifeS: number;
  refreshMarginS: number;

  /** The code: shown only once known to be valid; codes asked for since the user's last command. */
  codeShown: number;
  codeResumed: number;
  pollReady: number;
  renewals: number;
  renewalsMax: number;
  autoStart: number;
  triedPrevious: number;
  revocationTries: number;
  revokeInBody: number;
  revokeOther: number;

  /** Storage: what is to be done, whether the host is at it, and what the slots hold. */
  job: number;
  jobActive: number;
  jobNext: number;
  kindNext: number;
  jobTries: number;
  jobMs: number;
  storeKind: number;
  slot: number;
  slotsUsed: number;
  slotNewest: number;
  sequence: number;
  notSaved: number;
  binding: number;

  /** The writer's place. */
  writeAt: number;
  writeEnd: number;
  writeOverflow: number;

  /** The scanner. */
  scanState: number;
  scanStack: number;
  scanDepth: number;
  scanDepthMax: number;
  scanNames: number;
  scanWanted: number;
  /** Bit mask of the fields that the document has named so far. */
  scanSeen: number;
  scanField: number;
  scanInKey: number;
  scanListDepth: number;
  scanUnit: number;
  scanDigits: number;
  scanHigh: number;
  scanOverflow: number;

  /** The display. */
  frameDue: number;
  frameChanged: number;
  pageMs: number;
  page: number;
  pages: number;
  /** The window of rows that text is being laid into, and the line reached in it. */
  textRow: number;
  textRows: number;
  textLine: number;

  /** Of SEND: what follows the endpoint's address (path and query), the body, GET, access token. */
  endpoint: number;
  target: number;
  targetLength: number;
  body: number;
  bodyLength: number;
  isGet: number;
  bearer: number;
  /** Of LOAD, STORE, VERIFY. */
  data: number;
  dataLength: number;

  /** A request beyond the grant (complete build), or null. */
  errand: Errand | null;
  errandState: number;
  errandRetried: number;
  errandError: number;
  errandStatus: number;
  errandBody: Bytes | null;
  errandBodyFrom: number;
  errandBodyTo: number;
  /** Length of the call's target without a page token; 1: there is a further page. */
  callBase: number;
  hasNextPage: number;
  /** Requests left in a run of event polls; place of the next identifier in SEEN_EVENTS. */
  eventPolls: number;
  eventSlot: number;
}

/** A request beyond the grant: what protected-resource.ts, metadata.ts and security-event.ts plug in. */
export interface Errand {
  /** Endpoint that it goes to (exchange.ts). */
  endpoint: number;
  /** 1: GET, 0: POST. */
  isGet: number;
  /** 1: carries the access token. */
  needsToken: number;
  /** Literal with the member names, bit mask of fields, and depth that its answer is scanned with. */
  names: number;
  wanted: number;
  depth: number;
  /** The answer has come: takes from it what is wanted, and ends the errand or goes on with it. */
  answered(device: Device, error: number): void;
}

/** First byte of a literal. */
export function literalStart(device: Device, literal: number): number {
  // The table of places is the first thing in the memory.
  return device.memory[2 * literal] * 256 + device.memory[2 * literal + 1];
}

/** One past the literal's last byte. */
export function literalEnd(device: Device, literal: number): number {
  return literalStart(device, literal + 1);
}

/** A region of `capacity` bytes from `at`, empty; returns the place behind it. */
export function takeRegion(device: Device, region: number, at: number, capacity: number): number {
  device.start[region] = at;
  device.capacity[region] = capacity;
  device.length[region] = -1;
  return at + capacity;
}

/** Whether the region holds a value that is not empty. */
export function holds(device: Device, region: number): boolean {
  return device.length[region] > 0;
}
