// What a device consists of: one byte array of the host's, divided into regions, and the record of
// small integers that is the rest of its state. Types and look-ups; making one is in create.ts.

/** A byte array of the host: a typed array, or a plain array of integers 0..255. */
export interface Bytes {
  [index: number]: number;
  /** Number of bytes. */
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
  /** No field. */
  NONE = 0,
  /** `device_code` (RFC 8628 §3.2). */
  DEVICE_CODE = 1,
  /** `user_code` (RFC 8628 §3.2). */
  USER_CODE = 2,
  /** `verification_uri` or `verification_url` (RFC 8628 §3.2). */
  VERIFICATION_URI = 3,
  /** `verification_uri_complete` (RFC 8628 §3.2). */
  VERIFICATION_URI_COMPLETE = 4,
  /** `access_token` (RFC 6749 §5.1): the one in use. */
  ACCESS_TOKEN = 5,
  /** `refresh_token` of an answer (RFC 6749 §5.1). */
  REFRESH_TOKEN = 6,
  /** `scope` (RFC 6749 §5.1), at most 160 bytes. */
  SCOPE = 7,
  /** `token_type` (RFC 6749 §5.1). */
  TOKEN_TYPE = 8,
  /** `error` or `error_code` (RFC 6749 §5.2), at most 40 bytes. */
  ERROR = 9,
  /** `sets` of a poll for events (RFC 8936 §2.3): only its name counts, and nothing is kept of a text. */
  SETS = 10,
  // integers, as the text that the server sent
  /** `expires_in`, digits. */
  EXPIRES_IN = 11,
  /** `refresh_token_expires_in`, digits. */
  REFRESH_TOKEN_EXPIRES_IN = 12,
  /** `interval`, digits (RFC 8628 §3.2). */
  INTERVAL = 13,
  // values of answers to requests beyond the grant, in OUTPUT: which one is what, SPEC.md says
  /** First value of an answer to a call; of a refusal the name of the error. */
  VALUE_A = 14,
  /** Second value; of a refusal its reason. */
  VALUE_B = 15,
  /** Third value; of a refusal its message. */
  VALUE_C = 16,
  /** Fourth value. */
  VALUE_D = 17,
  // names that only need to have been there: the types of a security event
  /** The type of a security event. */
  SESSIONS_REVOKED = 18,
  /** The type of a security event. */
  TOKEN_REVOKED = 19,
  /** The type of a security event. */
  ACCOUNT_DISABLED = 20,
}

/** Further regions, numbered on from Field. */
export enum Region {
  /** @internal The member name being read. */
  KEY = 21,
  /** The display: `columns * rows` cells, row by row. */
  FRAME = 22,
  /**
   * One at a time: a request of the grant, a record, the answer to a call, or scratch (OutputUse in
   * regions.ts).
   */
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
  /** The target of a call, or an event poll's body; lies on the codes, which no session has. */
  CALL = 27,
  /** The application's own line below `Signed in`. */
  STATUS = 28,
  /** Base64 of the client's identifier and secret, for HTTP Basic; absent for other methods. */
  CLIENT_CREDENTIALS = 29,
  /** What the maker adds to token requests. */
  TOKEN_PARAMETERS = 30,
  /** How many regions there are. */
  COUNT = 31,
}

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
  /** The host's memory. */
  memory: Bytes;
  /** First byte of each region in `memory`, by Field and Region. */
  start: number[];
  /** Bytes of the value that each region holds; -1: absent. */
  length: number[];
  /** How much each region can take; -1 where it has no place. */
  capacity: number[];
  /** The first display text. */
  messages: number;
  /** Columns of the display, 16..80. */
  columns: number;
  /** Rows of the display, 2..8. */
  rows: number;

  /** One of State. */
  state: number;
  /** The Event that led to the state. */
  event: number;
  /** Counts moves (16 bits), so that a host notices them. */
  moves: number;
  /** One of ErrorCode: what went wrong last, NONE once it has passed. */
  error: number;
  /** The field that VALUE_TOO_LONG is about. */
  errorField: number;
  /** Bytes that the value of `errorField` had. */
  errorLength: number;
  /**
   * Bytes of memory that a device needs for what did not fit of the grant: a value, a request, or a record.
   * 0: nothing is known to be missing, or more memory does not help. Calls do not set it.
   */
  memoryNeeded: number;

  /** Of SEND and VERIFY: the number that the answer is given with. */
  requestId: number;
  /** Of SEND: one of Endpoint, where the request goes. */
  endpoint: number;
  /** Of SEND: first byte in `memory` of what follows the address: path and query. */
  target: number;
  /** Of SEND: bytes of the target; 0: none. */
  targetLength: number;
  /** Of SEND: first byte of the body in `memory`. */
  body: number;
  /** Of SEND: bytes of the body; 0: none. */
  bodyLength: number;
  /** Of SEND: 1 for GET, 0 for POST. */
  isGet: number;
  /** Of SEND: one of Authorization. */
  authorization: number;
  /** Of LOAD, STORE, ERASE: 0 or 1. */
  slot: number;
  /** Of LOAD, STORE, VERIFY: first byte of the range in `memory`. */
  data: number;
  /** Of LOAD: the most bytes that fit; of STORE and VERIFY: bytes of the range. */
  dataLength: number;

  /** What the last request was for: one of Purpose (loop/exchange.ts). */
  purpose: number;
  /** 1 while a request is under way. */
  inFlight: number;
  /** @internal Milliseconds that the request or VERIFY may still take. */
  exchangeMs: number;
  /** @internal 1: ABORT is due. */
  abortDue: number;
  /** Who has the bytes of OUTPUT: one of OutputUse (regions.ts). */
  outputUse: number;
  /** 1: there was an access token when the answer under way began. */
  hadAccess: number;
  /** HTTP status of the last answer, 100..599; 0 until one begins. */
  httpStatus: number;
  /** Its Retry-After in seconds, -1 where absent, 0 until an answer begins. */
  retryAfterS: number;
  /** @internal Bytes of its body so far. */
  bodyBytes: number;

  /** Milliseconds until what is due is done (the next request). A call does not wait for it. */
  waitMs: number;
  /** Milliseconds between two polls: what the server asks for. */
  intervalMs: number;
  /** @internal The last backoff in milliseconds. */
  backoffMs: number;
  /** @internal State of the jitter. */
  random: number;
  /** Milliseconds that have passed of the second that the three lifetimes below count next. */
  carryMs: number;
  /** Seconds that the code lives on; 100000000: unknown; -1: no number came, so that there is no code. */
  codeLifeS: number;
  /** Seconds that the access token lives on; 0: it has to be refreshed before it is used; 100000000: unknown. */
  accessLifeS: number;
  /** Seconds that the refresh token lives on; 100000000: unknown. */
  refreshLifeS: number;
  /** @internal Seconds ahead of the end at which the access token is refreshed. */
  refreshMarginS: number;

  /** 1 while the code is shown: one from before a restart once the server has confirmed it. */
  codeShown: number;
  /** 1 until a code is received: the countdown of one from before a restart is never shown. */
  codeResumed: number;
  /** @internal 1: the code was polled after its end, and is not polled again. */
  lastPollMade: number;
  /** Codes that the device has asked for by itself since the last signIn. */
  renewals: number;
  /** As in Config. */
  renewalsMax: number;
  /**
   * 1: a code is asked for when the records hold nothing. From Config; signIn, cancel and signOut change it
   * in STARTING.
   */
  autoStart: number;
  /** @internal What the user has asked for while the records are read: one of Noted (states.ts). */
  noted: number;
  /** @internal 1: the refresh token before the present one has been tried. */
  triedPrevious: number;
  /** @internal Tries of the revocation so far. */
  revocationTries: number;
  /** Answers to the code request without a code, since the last code or the user's last command. */
  uselessAnswers: number;
  /** One of ClientAuthentication. */
  clientAuthentication: number;

  /** One of Job (records/record-keeping.ts): what is to be done with the storage. */
  job: number;
  /** @internal The storage Command that the host is at, NONE for none. */
  storageCommand: number;
  /** @internal Failures of the job so far; -1: the host is still at one of the job before. */
  jobFailures: number;
  /** RecordKind of the record to write, or of the last one read. */
  recordKind: number;
  /** How many slots may hold something: 0, 1 (the newest) or 2. */
  slotsUsed: number;
  /** @internal The slot with the newest record. */
  slotNewest: number;
  /** Sequence of the next record. */
  sequence: number;
  /** 1: what should be kept is not: storage refuses it, or it does not fit. */
  notSaved: number;
  /** 1: storage refuses to erase what should be gone: tokens, or what lies behind a record that stands alone. */
  notErased: number;
  /**
   * @internal 1: a slot could not be read at the start. It may hold anything until some slot has been erased.
   */
  notRead: number;
  /** Start value of checksums: records of another client fail. */
  binding: number;

  /** Where the writer is. */
  writeAt: number;
  /** @internal Where the writer must stop. */
  writeEnd: number;

  /** State of the scanner: one of Scan (text/json-scanner.ts). */
  scanState: number;
  /** @internal A leading 1, then a bit for each open level: 0 for an object, 1 for an array. */
  scanStack: number;
  /** @internal Deepest object in which names are looked up. */
  scanDepthMax: number;
  /** @internal Literal with the names that are looked up. */
  scanNames: number;
  /** @internal Bit mask of the fields that are wanted. */
  scanWanted: number;
  /** @internal The field that an error's name goes to, NONE where the document is not to name one. */
  nameField: number;
  /** @internal 1: a member before has named the error by a number other than 0. */
  hasErrorNumber: number;
  /** Bit mask of the fields that the document has named so far. */
  scanSeen: number;
  /** The region that the present string or number goes to, NONE if it is skipped. */
  scanField: number;
  /** @internal UTF-16 unit of the escape being read. */
  scanUnit: number;
  /** @internal High surrogate that waits for its other half. */
  scanHigh: number;
  /** For each field, the bytes of its value that the region had no room for. */
  excess: number[];

  /** 1: the display has to be laid out anew. */
  frameDue: number;
  /** @internal 1: a cell has changed since SHOW. */
  frameChanged: number;
  /** First cell of the page of the text that is shown. */
  pageStart: number;
  /** @internal Where the page of the text ends. */
  pageEnd: number;
  /** @internal For how much longer the page is shown; Limit.ENDLESS: there is no other. */
  pageMs: number;
  /** The cell reached in the text that is being laid out. */
  cell: number;
  /** @internal Where the row ends. */
  rowEnd: number;
  /** Cells of the text that was laid out last. */
  textEnd: number;

  /** The last request beyond the grant; null where there was none, as ever in a build of the grant alone. */
  call: CallKind | null;
  /** @internal Endpoint of the call. */
  callEndpoint: number;
  /** @internal 1 for GET, 0 for POST. */
  callIsGet: number;
  /** One of CallState. */
  callState: number;
  /** @internal 1: the call was sent again after a 401. */
  callRetried: number;
  /** One of ErrorCode: how the last call went. */
  callError: number;
  /** The field that callError is about. */
  callErrorField: number;
  /** HTTP status of the last call, 0 without an answer. */
  callStatus: number;
  /** The body of the request under way, where it is the host's. */
  callBody: Bytes | null;
  /** Of SEND with `callBody`: its first byte there. */
  callBodyFrom: number;
  /** Of SEND with `callBody`: where it ends, exclusively. */
  callBodyTo: number;
  /** What the host lends to a call until it is done: a body, an issuer; null: nothing. */
  lent: Bytes | null;
  /** @internal First byte of what is lent. */
  lentFrom: number;
  /** @internal End of what is lent, exclusively. */
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
  endDueWith: number;
  /** Checksums of the identifiers of the last security events, the newest first; -1 for none. */
  seenEvents: number[];
}

/** Whether the region holds a value that is not empty. */
export function holds(device: Device, region: number): boolean {
  return device.length[region] > 0;
}

/** Whether the region holds none. */
export function lacks(device: Device, region: number): boolean {
  return device.length[region] < 1;
}

/** Whether a value was too long for the region, which then has a part of it. */
export function isTooLong(device: Device, region: number): boolean {
  return device.length[region] > device.capacity[region];
}

/** Whether the region's value is the one in the memory from `at`, of `size` bytes. */
export function equals(device: Device, region: number, at: number, size: number): boolean {
  if (device.length[region] !== size) return false;
  for (var i = 0; i < size; i++) {
    if (device.memory[device.start[region] + i] !== device.memory[at + i]) return false;
  }
  return true;
}

/** Whether two regions hold the same. */
export function isSame(device: Device, region: number, other: number): boolean {
  return equals(device, region, device.start[other], device.length[other]);
}

/** Whether the region's value begins with the other's. */
export function beginsWith(device: Device, region: number, other: number): boolean {
  return (
    device.length[region] >= device.length[other] &&
    equals(device, other, device.start[region], device.length[other])
  );
}
