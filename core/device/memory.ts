// What a device consists of: one byte array of the host's, divided into regions, and the record of
// small integers that is the rest of its state. Types and look-ups; making one is in create.ts.

/** A byte array of the host: a typed array, or a plain array of integers 0..255. */
export interface Bytes {
  [index: number]: number;
  readonly length: number;
}

/**
 * Strings that the core needs as bytes: regions behind those of Region, filled once at the start (engines
 * allocate for characters).
 */
export enum Literal {
  MEMBERS = 31,
  ERRORS = 32,
  ERROR_KINDS = 33,
  DEVICE_CODE_GRANT = 34,
  REFRESH_TOKEN_GRANT = 35,
  TOKEN_PARAMETER = 36,
  BEARER = 37,
  GRAMMAR = 38,
  /** What stands between the scheme and the authority of a URI (RFC 3986 §3). */
  AUTHORITY = 39,
  /** A complete build's follow, then the display texts. */
  NEXT = 40,
}

/**
 * What the core looks for in answers; each is copied to the region of the same number. Also the bits
 * of a mask of wanted fields.
 */
export enum Field {
  NONE = 0,
  DEVICE_CODE = 1,
  USER_CODE = 2,
  VERIFICATION_URI = 3,
  VERIFICATION_URI_COMPLETE = 4,
  ACCESS_TOKEN = 5,
  REFRESH_TOKEN = 6,
  SCOPE = 7,
  TOKEN_TYPE = 8,
  ERROR = 9,
  // 10 is free.
  // integers, as the text that the server sent
  EXPIRES_IN = 11,
  REFRESH_TOKEN_EXPIRES_IN = 12,
  INTERVAL = 13,
  // values of answers to requests beyond the grant, in OUTPUT: which one is what, SPEC.md says
  VALUE_A = 14,
  VALUE_B = 15,
  VALUE_C = 16,
  VALUE_D = 17,
  // names that only need to have been there: the types of a security event
  SESSIONS_REVOKED = 18,
  TOKEN_REVOKED = 19,
  ACCOUNT_DISABLED = 20,
}

/** Further regions, numbered on from Field. */
export enum Region {
  KEY = 21,
  FRAME = 22,
  /** Request bodies, and records on their way to and from storage. */
  OUTPUT = 23,
  /** Encoded once at the start: `client_id=...`, and `&client_secret=...` where it goes into bodies. */
  CLIENT = 24,
  /** The whole device authorization request; the end of it is CLIENT or the first part of that. */
  DEVICE_AUTHORIZATION = 25,
  /**
   * The refresh token in use. Field.REFRESH_TOKEN is where an answer's goes, and after the swap the
   * one before: it is tried once more before the user has to sign in again.
   */
  PRESENT_REFRESH_TOKEN = 26,
  /** Path, query and fields of an API call; overlaid on the codes, which a session has no use for. */
  CALL = 27,
  /** The application's own line below `Signed in`. */
  STATUS = 28,
  /** Base64 of the client's identifier and secret, for HTTP Basic; absent for other methods. */
  CLIENT_CREDENTIALS = 29,
  /** What the maker adds to token requests. */
  TOKEN_PARAMETERS = 30,
  COUNT = 31,
}

/**
 * Member names behind the letter of the first one's field ('A' is field 0). A name ends with a space where the
 * next is of the same field, with `!` where it is of the following one, with `"` of the second following...
 * The documents' service says verification_url and error_code; RFC 8628 says verification_uri and error.
 */
export var MEMBERS =
  "Bdevice_code!user_code!verification_uri verification_url!verification_uri_complete!" +
  "access_token!refresh_token!scope!token_type!error error_code" +
  '"expires_in!refresh_token_expires_in!interval ';

/**
 * What a request beyond the grant is for: what is looked for in a success of it, and what it leads to. There is
 * one for each kind, made when the file is loaded.
 */
export interface CallKind {
  /** Literal with the member names, the deepest object in which they are looked up (1: the outermost). */
  names: number;
  depth: number;
  /** How many values share OUTPUT, from VALUE_A on. */
  values: number;
  /** Takes in one byte of the answer. */
  scan: (device: Device, c: number) => void;
  /** The answer is complete: NONE, or what is wrong with it. */
  take: (device: Device) => number;
  /** 1: a success need not be JSON, nor of any length. */
  isAnyBody?: number;
}

/** The whole state of one device beside its memory: small integers, and arrays made once. */
export interface Device {
  /** The host's memory; first byte and present length (-1: absent) of each region. */
  memory: Bytes;
  start: number[];
  length: number[];
  /** How much each region can take; -1 where it has no place. */
  capacity: number[];
  /** The same four under names that the build may shorten; the core uses these. */
  bytes: Bytes;
  at: number[];
  size: number[];
  room: number[];
  /** The first display text. */
  messages: number;
  columns: number;
  rows: number;

  state: number;
  event: number;
  /** Counts moves (16 bits), so that a host notices them. */
  moves: number;
  error: number;
  /** The value that VALUE_TOO_LONG is about: its field, and how many bytes it had. */
  errorField: number;
  errorLength: number;
  /**
   * Bytes of memory that a device needs for what did not fit: a value, a request, or a record. 0: nothing
   * is known to be missing, or it is no matter of memory.
   */
  memoryNeeded: number;

  /** Of SEND: what follows the endpoint's address (path and query), the body, GET, Authorization. */
  requestId: number;
  endpoint: number;
  target: number;
  targetLength: number;
  body: number;
  bodyLength: number;
  isGet: number;
  authorization: number;
  /** Of LOAD, STORE, ERASE, VERIFY. */
  slot: number;
  data: number;
  dataLength: number;

  /** The exchange: what the last request was for, whether it is under way and for how long it, or VERIFY, may be. */
  purpose: number;
  inFlight: number;
  exchangeMs: number;
  abortDue: number;
  /** Who has the bytes of OUTPUT: one of OutputUse (regions.ts). */
  outputUse: number;
  /** 1 while there was an access token when the answer under way began. */
  hadAccess: number;
  status: number;
  retryAfterS: number;
  bodyBytes: number;

  /** Milliseconds until the next request may go out; polling interval; last backoff; jitter's state. */
  waitMs: number;
  intervalMs: number;
  backoffMs: number;
  random: number;
  /** Clocks, counting down; Limit.ENDLESS_S where a lifetime is unknown. */
  carryMs: number;
  codeLifeS: number;
  accessLifeS: number;
  refreshLifeS: number;
  refreshMarginS: number;

  /** 1 while the user code may be on the display; 1 for a code from before a restart. */
  codeShown: number;
  codeResumed: number;
  /** Codes asked for since the user's last command, and how many may be. */
  renewals: number;
  renewalsMax: number;
  autoStart: number;
  /** What the user has asked for while the records are read: one of Noted (states.ts). */
  noted: number;
  triedPrevious: number;
  revocationTries: number;
  /** Answers to the code request without a code, since the last code or the user's last command. */
  uselessAnswers: number;
  /** One of ClientAuthentication. */
  clientAuthentication: number;

  /**
   * Storage: the job, the command that the host is at, and how often it has failed (-1: the host is at
   * a command of the job before).
   */
  job: number;
  jobActive: number;
  jobTries: number;
  /** State that the record to write is of, or the last one read; odd with a refresh token. */
  recordKind: number;
  /** How many slots may hold something: none, the newest, both. */
  slotsUsed: number;
  slotNewest: number;
  /** Of the next record. */
  sequence: number;
  /** 1: storage refuses what should be kept; 1: it refuses to erase tokens that should be gone. */
  notSaved: number;
  notErased: number;
  /** Start value of checksums: records of another client fail. */
  binding: number;

  /** The writer's place, and where it must stop. */
  writeAt: number;
  writeEnd: number;

  /** The scanner. */
  scanState: number;
  scanStack: number;
  scanDepthMax: number;
  scanNames: number;
  scanWanted: number;
  /** Bit mask of the fields that the document has named so far. */
  scanSeen: number;
  /** The region that the present string or number goes to, NONE if it is skipped. */
  scanField: number;
  scanUnit: number;
  scanHigh: number;
  /** For each field, the bytes of its value that the region had no room for. */
  excess: number[];

  /** The display: to be drawn, changed. */
  frameDue: number;
  frameChanged: number;
  /**
   * The cells of the text that are shown, as many as there is room for, and for how much longer
   * (Limit.ENDLESS_S: there are no others).
   */
  pageStart: number;
  pageEnd: number;
  pageMs: number;
  /** The cell reached in the text that is being laid out, and where its row ends. */
  cell: number;
  rowEnd: number;
  /** Cells of the text that was laid out last. */
  textEnd: number;

  /** The last request beyond the grant; null where there was none, as ever in a build of the grant alone. */
  call: CallKind | null;
  callEndpoint: number;
  callIsGet: number;
  callState: number;
  callRetried: number;
  callError: number;
  /** The field that callError is about. */
  callErrorField: number;
  callStatus: number;
  /** The body of the request under way, where it is the host's. */
  callBody: Bytes | null;
  callBodyFrom: number;
  callBodyTo: number;
  /** What the host lends to a call until it is done: a body, an issuer. */
  lent: Bytes | null;
  lentFrom: number;
  lentTo: number;
  /** 1 between beginCall and sendCall: the target is being built in CALL. */
  isBuilding: number;
  /** Length of the call's target without a page token. */
  targetSize: number;
  /** 1: there is a further page. */
  hasNextPage: number;
  /** One of Verification. */
  verification: number;
  /** Requests left in a run of event polls. */
  eventPolls: number;
  /** ErrorCode that an event ends the session with as soon as it is acknowledged, 0 for none. */
  endsWith: number;
  /** Checksums of the identifiers of the last security events, the newest first; -1 for none. */
  seenEvents: number[];
}

/** Whether the region holds a value that is not empty. */
export function holds(device: Device, region: number): boolean {
  return device.size[region] > 0;
}

/** Whether the region holds none. */
export function lacks(device: Device, region: number): boolean {
  return device.size[region] < 1;
}

/** Whether a value was too long for the region, which then has a part of it. */
export function isTooLong(device: Device, region: number): boolean {
  return device.size[region] > device.room[region];
}

/** Whether the region's value is the one in the memory from `at`, of `size` bytes. */
export function equals(device: Device, region: number, at: number, size: number): boolean {
  if (device.size[region] !== size) return false;
  for (var i = 0; i < size; i++) {
    if (device.bytes[device.at[region] + i] !== device.bytes[at + i]) return false;
  }
  return true;
}

/** Whether two regions hold the same. */
export function isSame(device: Device, region: number, other: number): boolean {
  return equals(device, region, device.at[other], device.size[other]);
}

/** Whether the region's value begins with the other's. */
export function beginsWith(device: Device, region: number, other: number): boolean {
  return (
    device.size[region] >= device.size[other] &&
    equals(device, other, device.at[region], device.size[other])
  );
}
