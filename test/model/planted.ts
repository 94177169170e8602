// Faults planted into the core, to show that the model finds them: the test of its oracles. Each is a small
// change of the sources, and fails loudly where their text has moved on.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { runCampaign } from "./campaign.ts";
import { type MakeCore, ofBundle } from "./subject.ts";

interface Edit {
  /** In core/. */
  file: string;
  find: string;
  replacement: string;
}

export interface Planted {
  name: string;
  edits: readonly Edit[];
  /** One of those in which values shared bytes, or calls and the grant each other's state. */
  isShared: boolean;
}

function shared(name: string, ...edits: Edit[]): Planted {
  return { name, edits, isShared: true };
}

function other(name: string, file: string, find: string, replacement: string): Planted {
  return { name, edits: [{ file, find, replacement }], isShared: false };
}

function edit(file: string, find: string, replacement: string): Edit {
  return { file, find, replacement };
}

const CALL = "requests/call.ts";
const RESOURCE = "requests/protected-resource.ts";
const METADATA = "requests/metadata.ts";
const EVENT = "documents/security-event.ts";
const OFFER = "documents/subscription-offer.ts";
const EXCHANGE = "loop/exchange.ts";
const TICK = "loop/tick.ts";
const USER = "loop/user.ts";
const CLOCK = "device/clock.ts";
const REQUEST = "device/request.ts";
const REGIONS = "device/regions.ts";
const REFRESH = "grant/refresh.ts";
const CODE = "grant/device-authorization.ts";
const CHALLENGE = "grant/code-challenge.ts";
const POLL = "grant/device-access-token.ts";
const TOKENS = "grant/token-response.ts";
const KEEPING = "records/record-keeping.ts";
const RECORD = "records/token-record.ts";
const PROMPT = "display/verification-prompt.ts";

export const PLANTED: readonly Planted[] = [
  shared(
    "the next page of a list outlives the beginning of another call",
    edit(
      REGIONS,
      "  device.hasNextPage = 0;\n  device.isBuilding = 1;",
      "  device.isBuilding = 1;",
    ),
  ),
  shared(
    "the room for metadata is divided when they are asked for, not when they come",
    edit(
      CALL,
      "  device.lent = null;\n  return 1;",
      "  device.lent = null;\n" +
        "  shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, kind.values);\n  return 1;",
    ),
    edit(
      CALL,
      "    shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, kind.values);\n    scanBegin",
      "    scanBegin",
    ),
  ),
  shared(
    "the device code lies where an answer's access token goes",
    edit(
      REGIONS,
      "device.start[Field.DEVICE_CODE] = device.start[Region.REFRESH_TOKEN];",
      "device.start[Field.DEVICE_CODE] = device.start[Field.ACCESS_TOKEN];",
    ),
  ),
  shared(
    "sessions-revoked without a refresh token ends the session before it is acknowledged",
    edit(EVENT, "  if (lacks(device, Region.REFRESH_TOKEN)) return ErrorCode.SESSION_ENDED;\n", ""),
  ),
  shared(
    "a member beside sets is taken for an event",
    edit(
      EVENT,
      "lookFor(device, DocumentLiteral.EVENT_POLL_MEMBERS, sets);",
      "lookFor(device, DocumentLiteral.ANY_MEMBER, 1 << Field.VALUE_A);",
    ),
  ),
  shared(
    "the last event of a run is taken and never acknowledged",
    edit(EVENT, " && device.eventPolls > 0", ""),
    edit(
      EVENT,
      "  countPolls(device, device.eventPolls - 1);\n",
      "  countPolls(device, device.eventPolls - 1);\n  if (device.eventPolls < 0) {\n    finishCall(device, ErrorCode.NONE);\n    return;\n  }\n",
    ),
  ),
  shared(
    "an event that is handed in carries out what another one told",
    edit(
      EVENT,
      "if (error && !device.endDueWith) endSession(device, error);",
      "if (error) device.endDueWith = error;\n  endIfDue(device);",
    ),
  ),
  shared(
    "the caller's body is set while a token request goes out",
    edit(
      RESOURCE,
      "  lend(device, body, from, to);\n  return 1;",
      "  lend(device, body, from, to);\n  device.callBody = body;\n" +
        "  device.callBodyFrom = from;\n  device.callBodyTo = to;\n  return 1;",
    ),
  ),
  shared(
    "what refuses a call replaces the error that is shown",
    edit(
      CALL,
      "    scanBegin(\n      device,\n      RequestLiteral.REFUSAL_MEMBERS",
      "    device.length[Field.ERROR] = -1;\n    scanBegin(\n      device,\n      RequestLiteral.REFUSAL_MEMBERS",
    ),
  ),
  shared(
    "a call changes the field that the device's error is about",
    edit(
      METADATA,
      "if (isAnswerTooLong(device))",
      "noteTooLong(device, 0);\n  if (isAnswerTooLong(device))",
    ),
    edit(
      METADATA,
      'import { ErrorCode } from "../device/errors.ts";',
      'import { ErrorCode } from "../device/errors.ts";\nimport { noteTooLong } from "../device/sizing.ts";',
    ),
  ),
  shared(
    "a call without an answer keeps the texts of the one before",
    edit(
      REGIONS,
      "  if (device.outputUse === use) {\n    emptyOutput(device);",
      "  if (device.outputUse === use) {",
    ),
  ),
  shared(
    "a call that the user ended tells a stale error",
    edit(
      CALL,
      "if (device.state === State.FAILED) error = device.error;",
      "if (device.error) error = device.error;",
    ),
  ),
  shared(
    "the old error stays on the display while tokens are tried again",
    edit(
      REFRESH,
      "  setError(device, ErrorCode.NONE);\n  waitFor(device, 0);",
      "  waitFor(device, 0);",
    ),
  ),
  other(
    "what the maker can mend ends the session",
    REFRESH,
    "if (!refusesGrant(device, error) && !isUnknownForDay(device, error)) {",
    "if (error === ErrorCode.UNKNOWN_ERROR && !isUnknownForDay(device, error)) {",
  ),
  other(
    "refusals by names that nobody knows are borne without end",
    REFRESH,
    "return !device.refusalsLeftS;",
    "return device.refusalsLeftS < 0;",
  ),
  other(
    "a known name does not begin the day of unknown ones anew",
    REFRESH,
    "if (error !== ErrorCode.UNKNOWN_ERROR) bearRefusals(device, Limit.ENDLESS);\n  else if",
    "if",
  ),
  other(
    "a refused refresh is tried again as soon as one that failed",
    REFRESH,
    "backOff(device, Limit.REFUSED_BACKOFF_MAX_MS);",
    "backOff(device, Limit.BACKOFF_MAX_MS);",
  ),
  other(
    "a second signIn does not give refused tokens up",
    USER,
    "device.refused === Refused.TRIED_FOR_USER",
    "device.refused < Refused.NO",
  ),
  other(
    "a refusal of the session before counts in this one",
    REFRESH,
    "  device.refused = Refused.NO;\n  bearRefusals(",
    "  bearRefusals(",
  ),
  other(
    "cancel leaves refused tokens as they are",
    USER,
    "device.state === State.REVOKING || isRefused(device)",
    "device.state === State.REVOKING",
  ),
  other(
    "redirects are followed up without end",
    CODE,
    "return device.uselessStatuses < Limit.USELESS_STATUSES_MAX ? error : ErrorCode.USELESS_ANSWERS;",
    "return error;",
  ),
  other(
    "a failure of the network takes useless answers back",
    CODE,
    "if (error === ErrorCode.UNREACHABLE) return error;",
    "",
  ),
  other(
    "a status that asks for another try counts as useless",
    CODE,
    " && status !== 408 && status !== 425",
    "",
  ),
  other(
    "JSON without an access token is polled for without end",
    CODE,
    "error === ErrorCode.MALFORMED_RESPONSE && device.scanState === Scan.END",
    "false",
  ),
  other(
    "a portal's page counts as JSON of no use",
    CODE,
    "error === ErrorCode.MALFORMED_RESPONSE && device.scanState === Scan.END",
    "error === ErrorCode.MALFORMED_RESPONSE",
  ),
  other(
    "an answer of no use is said to lack what an earlier one did",
    EXCHANGE,
    "    noteField(device, Field.NONE);\n",
    "",
  ),
  other("any scheme is a host", CODE, " && device.memory[at] !== 58", ""),
  other("a name in capitals is unknown", TOKENS, "if (c > 64 && c < 91)", "if (c > 64 && c < 65)"),
  other(
    "429 with a name of the maker's is final",
    TOKENS,
    "errorKind(device, named) === ErrorKind.MAKER",
    "named === ErrorCode.UNKNOWN_ERROR",
  ),
  other("405 passes by itself", TOKENS, "status === 405 ||\n    ", ""),
  other(
    "codes that the server does not know are asked for up to the cap",
    CODE,
    "++device.deadCodes >= Limit.DEAD_CODES_MAX",
    "device.deadCodes >= Limit.DEAD_CODES_MAX",
  ),
  shared(
    "half a token counts as one",
    edit(
      REFRESH,
      "return hasToken(device) && device.accessLifeS > 0;",
      "return holds(device, Field.ACCESS_TOKEN) && device.accessLifeS > 0;",
    ),
  ),
  shared(
    "wakeIn misses the warning and the end of access during a request",
    edit(TICK, "return warning > 0 && warning < seconds ? warning : seconds;", "return seconds;"),
    edit(
      TICK,
      "isIdle ? refreshInS(device) : device.accessLifeS || Limit.ENDLESS;",
      "isIdle ? refreshInS(device) : Limit.ENDLESS;",
    ),
  ),
  shared(
    "a record is written over the event that is being verified",
    edit(CALL, "  if (isVerifying(device)) askForAbort(device);\n", ""),
  ),
  shared(
    "signing in is not given up while the device starts",
    edit(USER, "  device.autoStart = 0;\n", ""),
  ),

  // calls
  other(
    "a refused access token is not renewed",
    "requests/call-answer.ts",
    "isRefused && !device.callRetried",
    "isRefused && device.callRetried > 1",
  ),
  other(
    "a call is tried again and again after 401",
    "requests/call-answer.ts",
    "retryCall(device);",
    "",
  ),
  other(
    "the access token goes to the server of events",
    CALL,
    "return device.callEndpoint >= Endpoint.RESOURCE;",
    "return device.callEndpoint >= Endpoint.EVENTS;",
  ),
  other(
    "a call goes out with a token that has expired",
    REFRESH,
    "return hasToken(device) && device.accessLifeS > 0;",
    "return hasToken(device);",
  ),
  other(
    "a page token is not encoded",
    RESOURCE,
    "writeRegion(device, Field.VALUE_A, Encoding.FORM);",
    "writeRegion(device, Field.VALUE_A, Encoding.NONE);",
  ),
  other("a segment is encoded as a form's value", RESOURCE, "Encoding.PATH", "Encoding.FORM"),
  other(
    "the next page's target begins behind the last one's token",
    RESOURCE,
    "  shorten(device, Region.CALL, device.targetSize);\n",
    "",
  ),
  other(
    "an offer in any state is a success",
    OFFER,
    "    : ErrorCode.UNEXPECTED_STATE;",
    "    : ErrorCode.NONE;",
  ),
  other("an offer's names may be longer by one", OFFER, "PRODUCT = 40,", "PRODUCT = 41,"),
  other(
    "metadata of any issuer are taken",
    METADATA,
    "return isOfIssuer(device) &&",
    "return 1 &&",
  ),
  other(
    "http to any host whose name begins as the device's own is secure",
    METADATA,
    "at === device.start[region] + device.length[region] || c === 58 || c === 47",
    "c > 0",
  ),

  // events
  other(
    "an event is applied each time that it comes",
    EVENT,
    "if (ok && rememberEvent(device)) endLater",
    "if (ok) endLater",
  ),
  other(
    "an event that is not genuine is acknowledged",
    EVENT,
    "ok ? DocumentLiteral.EVENT_ACKNOWLEDGED : DocumentLiteral.EVENT_REFUSED",
    "DocumentLiteral.EVENT_ACKNOWLEDGED",
  ),
  other(
    "an event that nobody has signed is applied",
    EVENT,
    "if (ok && rememberEvent(device)) endLater",
    "if (rememberEvent(device)) endLater",
  ),
  other(
    "a verification that comes late is taken for the present one",
    EVENT,
    " || requestId !== device.requestId",
    "",
  ),

  // exchanges
  other(
    "a late answer is taken for the present one",
    EXCHANGE,
    "return device.inFlight && requestId === device.requestId;",
    "return device.inFlight;",
  ),
  other("a request is given up without ABORT", REQUEST, "device.abortDue |= device.inFlight;", ""),
  other(
    "a record's bytes are overwritten by the next request",
    EXCHANGE,
    "if (device.inFlight || device.job || device.storageCommand ||",
    "if (device.inFlight ||",
  ),
  other(
    "half a token that was refused stays",
    TOKENS,
    "if ((device.scanSeen >> Field.ACCESS_TOKEN) & 1) forget(device, Field.ACCESS_TOKEN);",
    "",
  ),
  other(
    "a value that is too long by one is taken",
    "device/memory.ts",
    "return device.length[region] > device.capacity[region];",
    "return device.length[region] > device.capacity[region] + 1;",
  ),
  other(
    "a region is longer by one",
    "text/unicode.ts",
    "if (size <= device.capacity[region]) {",
    "if (size <= device.capacity[region] + 1) {",
  ),
  other(
    "an exchange that the host never ends is waited for without end",
    EXCHANGE,
    "if (device.inFlight && !device.exchangeMs) {",
    "if (device.inFlight && device.exchangeMs < 0) {",
  ),

  // time
  other(
    "a wait is shorter by one millisecond",
    CLOCK,
    "waitFor(device, asked > ms ? asked : ms);",
    "waitFor(device, (asked > ms ? asked : ms) - 1);",
  ),
  other(
    "Retry-After is ignored",
    CLOCK,
    "waitFor(device, asked > ms ? asked : ms);",
    "waitFor(device, ms);",
  ),
  other(
    "a failure's wait does not grow",
    CLOCK,
    "device.backoffMs ? device.backoffMs * 2 :",
    "device.backoffMs ? device.backoffMs :",
  ),
  other(
    "a failure shortens the interval",
    CLOCK,
    "device.state === State.PENDING && backoff < device.intervalMs ? device.intervalMs : backoff",
    "backoff",
  ),
  other("a move does not end the backoff", "device/moves.ts", "  resetBackoff(device);\n", ""),
  other(
    "slow_down adds four seconds",
    POLL,
    "device.intervalMs + Limit.SLOW_DOWN_STEP_MS",
    "device.intervalMs + 4000",
  ),
  other(
    "one code too many is asked for",
    CODE,
    "device.renewals++ < device.renewalsMax",
    "device.renewals++ <= device.renewalsMax",
  ),
  other("signing in does not count codes anew", USER, "  countAnew(device);\n", ""),
  other(
    "access is renewed twice as early",
    TOKENS,
    "var margin = life >> 3;",
    "var margin = life >> 2;",
  ),
  other(
    "wakeIn is late by one millisecond",
    TICK,
    "return wake > 0 ? wake : 0;",
    "return wake + 1;",
  ),

  // tokens and records
  other(
    "the refresh token before is never tried",
    REFRESH,
    "device.triedPrevious || lacks(device, Field.RECEIVED_REFRESH_TOKEN)",
    "lacks(device, Field.ACCESS_TOKEN) || lacks(device, Field.RECEIVED_REFRESH_TOKEN)",
  ),
  other(
    "access_denied at a refresh keeps the tokens",
    REFRESH,
    "kind === ErrorKind.RENEWABLE || kind === ErrorKind.USER",
    "kind === ErrorKind.RENEWABLE",
  ),
  other(
    "signOut is forgotten while the device starts",
    USER,
    "if (device.noted === Noted.SIGN_OUT) signOut(device);",
    "if (device.noted === Noted.SIGN_OUT) cancel(device);",
  ),
  other(
    "an interval too long to be waited for is cut",
    CLOCK,
    "    if (device.codeLifeS > Limit.UNPOLLED_LIFE_S) setCodeLife(device, Limit.UNPOLLED_LIFE_S);\n",
    "",
  ),
  other(
    "an error of 0 takes back the one before it",
    "text/json-scanner.ts",
    "field === device.nameField && holds(device, field)",
    "field === Region.KEY && holds(device, field)",
  ),
  other(
    "no last poll behind a code's end",
    "loop/tick.ts",
    "var isLast = device.lastPollMade || device.waitMs > Limit.LAST_POLL_MS;",
    "var isLast = true;",
  ),
  other(
    "an expired code is polled for ever",
    "grant/device-access-token.ts",
    "if (!device.codeLifeS) lastPoll(device);",
    "",
  ),
  other(
    "a last poll is waited for without end",
    "loop/tick.ts",
    " || device.waitMs > Limit.LAST_POLL_MS",
    "",
  ),
  other(
    "behind a slot that could not be read an old token stays",
    "records/record-keeping.ts",
    "if (isGone || hasFailed) device.notRead = 1;",
    "",
  ),
  other(
    "a slot that was not read counts as unread for ever",
    "records/record-keeping.ts",
    "device.notRead = device.hasFormer = 0;",
    "device.hasFormer = 0;",
  ),
  other(
    "a code that brought tokens stays beside them",
    "records/record-keeping.ts",
    "|| isOlderUseless(device)",
    "",
  ),
  other(
    "a spent code that a start finds stays",
    "records/record-keeping.ts",
    "if (!device.notRead && isOlderUseless(device)) startJob",
    "if (device.notErased) startJob",
  ),
  other(
    "a slot that could not be read is erased at the start, though it may be the newer",
    "records/record-keeping.ts",
    "if (!device.notRead && isOlderUseless(device)) startJob",
    "if (isOlderUseless(device)) startJob",
  ),
  other(
    "a record under the server's former name stays as it is",
    "records/record-keeping.ts",
    "if (device.hasFormer && device.recordKind) startJob",
    "if (device.hasFormer > 1) startJob",
  ),
  other(
    "what lies under the former name is not erased behind its copy",
    "records/record-keeping.ts",
    "device.notRead || device.notErased || device.hasFormer || device.notSaved;",
    "device.notRead || device.notErased || device.notSaved;",
  ),
  other(
    "records of any server count as those of the former name",
    "records/record-keeping.ts",
    "isDone = !isFormer || isRecord(device, device.formerBinding, result);",
    "isDone = true;",
  ),
  other(
    "tokens that are saved count as refused where what lies behind them cannot be erased",
    "records/record-keeping.ts",
    "if (command === Command.STORE) device.notSaved = isDone ? 0 : 1;",
    "if (device.job !== Job.WIPE) device.notSaved = isDone ? 0 : 1;",
  ),
  other(
    "what is erased behind tokens that are kept takes their record with it",
    EXCHANGE,
    "device.state === State.SIGNED_IN ? Job.ERASE_OLDER : Job.WIPE",
    "Job.WIPE",
  ),
  other(
    "frequent refreshes put off erasing what could not be erased",
    "grant/refresh.ts",
    "else if (device.notErased) startJob(device, Job.ERASE_OLDER);",
    "",
  ),
  other(
    "a host that is at VERIFY is waited for without end",
    CALL,
    "if (isVerifying(device) && !device.exchangeMs) ",
    "if (isVerifying(device) && device.exchangeMs < 0) ",
  ),
  other(
    "signIn ends a request for the metadata",
    USER,
    "device.endpoint !== Endpoint.METADATA",
    "device.endpoint >= 0",
  ),
  other(
    "the ids of requests do not wrap",
    REQUEST,
    "(device.requestId + 1) & 65535",
    "device.requestId + 1",
  ),
  other(
    "a page token without room ends the list in silence",
    RESOURCE,
    "return ErrorCode.VALUE_TOO_LONG;",
    "return ErrorCode.NONE;",
  ),
  other(
    "a rotated refresh token is not stored",
    REFRESH,
    "if (isNew || isFirst ||",
    "if (isFirst ||",
  ),
  other("a token of any type is taken", TOKENS, "return ErrorCode.UNSUPPORTED_TOKEN_TYPE;", ""),
  other(
    "the user is signed out without a record of it",
    USER,
    "    startJob(device, Job.WRITE);",
    "",
  ),
  other(
    "a revocation is tried once more",
    "grant/revocation.ts",
    "++device.revocationTries >= Limit.REVOCATION_TRIES",
    "++device.revocationTries > Limit.REVOCATION_TRIES",
  ),
  other(
    "half an access token that was arriving is revoked",
    USER,
    "setAccessLife(device, 0);\n    giveUp",
    "{}\n    giveUp",
  ),
  other(
    "the access token is not revoked after the refresh token",
    "grant/revocation.ts",
    "holds(device, Region.REFRESH_TOKEN) &&\n",
    "false &&\n",
  ),
  other(
    "a refresh token that the server does not revoke counts as revoked",
    "grant/revocation.ts",
    "device.refreshOutcome = error;",
    "device.refreshOutcome = ErrorCode.NONE;",
  ),
  other(
    "the next session's refresh token counts as revoked by the last one's sign-out",
    "grant/revocation.ts",
    "  device.revocationTries = 0;\n  device.refreshOutcome = -1;\n  waitFor",
    "  device.revocationTries = 0;\n  waitFor",
  ),
  other(
    "the newest record is written over",
    KEEPING,
    "return 1 - device.slotNewest;",
    "return device.slotNewest;",
  ),
  other("sequences do not grow", KEEPING, "    countRecord(device);\n", ""),
  other(
    "the older record counts",
    KEEPING,
    "device.job = nextRead(device, earlier);",
    "device.job = device.job === Job.READ_FIRST ? Job.READ_SECOND : Job.NONE;",
  ),
  other(
    "a storage operation is tried twice only",
    KEEPING,
    "? Limit.READ_TRIES : Limit.STORAGE_TRIES",
    "? Limit.READ_TRIES : Limit.STORAGE_TRIES - 1",
  ),
  other(
    "a record's checksum does not depend on its size",
    RECORD,
    "      device.binding ^ size,\n      device.start[Region.OUTPUT],\n      size -",
    "      device.binding,\n      device.start[Region.OUTPUT],\n      size -",
  ),
  other(
    "tokens that storage refused are not offered to it again",
    EXCHANGE,
    "return state === State.SIGNED_IN ? Purpose.SAVE : Purpose.NONE;",
    "return Purpose.NONE;",
  ),

  // the display
  other(
    "a code from before a restart is shown at once",
    "loop/start.ts",
    "if (device.state === State.STARTING && !device.job) comeBack(device);",
    "if (device.state === State.STARTING && !device.job) {\n    comeBack(device);\n" +
      "    device.codeShown = +(device.state === State.PENDING);\n  }",
  ),
  other(
    "the countdown is ahead by a second",
    PROMPT,
    "putTwoDigits(device, device.codeLifeS - minutes * 60);",
    "putTwoDigits(device, device.codeLifeS - minutes * 60 - 1);",
  ),
  other(
    "a page stays shorter by a millisecond",
    "device/frame.ts",
    "device.pageEnd : 0;\n  device.pageMs = Limit.PAGE_MS;",
    "device.pageEnd : 0;\n  device.pageMs = Limit.PAGE_MS - 1;",
  ),
  other(
    "the application's line outlives its session",
    REFRESH,
    "if (isFirst) setLength(device, Region.STATUS, -1);",
    "",
  ),
  other(
    "the application's line is longer than its room by one",
    PROMPT,
    "size < device.capacity[Region.STATUS]",
    "size <= device.capacity[Region.STATUS]",
  ),
  other(
    "a request for a code that failed is made again with the verifier of before",
    REGIONS,
    "  forget(device, Region.CODE_VERIFIER);\n}",
    "}",
  ),
  other(
    "a code's record is without its verifier",
    RECORD,
    "direction === Direction.TO_RECORD ? holds(device, Region.CODE_VERIFIER) : isMore",
    "direction !== Direction.TO_RECORD && isMore",
  ),
  other(
    "every code's record has a verifier, an absent one too",
    RECORD,
    "direction === Direction.TO_RECORD ? holds(device, Region.CODE_VERIFIER) : isMore",
    "direction === Direction.TO_RECORD || isMore",
  ),
  other(
    "a poll leaves the verifier out",
    "grant/client-authentication.ts",
    "if (holds(device, Region.CODE_VERIFIER)) {",
    "if (device.state < 0) {",
  ),
  other(
    "a host that cannot make a challenge is taken for one that has none sent",
    CHALLENGE,
    "else if (result < 0) {",
    "else if (result < -1) {",
  ),
  other(
    "the host is asked for a challenge again while it is at it",
    EXCHANGE,
    "if (device.inFlight || device.job || device.storageCommand || isOutputHeld(device)) {",
    "if (device.inFlight || device.job || isOutputHeld(device)) {",
  ),
  other(
    "the challenge is not part of the request that is sent",
    EXCHANGE,
    "    start -= Limit.CODE_CHALLENGE_SIZE;\n",
    "",
  ),

  // what random tests once looked past
  other(
    "an event counts as new after seven others",
    EVENT,
    "i < device.seenEvents.length && older",
    "i < device.seenEvents.length - 1 && older",
  ),
  other(
    "an event that is not genuine hides the true one of its identifier",
    EVENT,
    "if (ok && rememberEvent(device)) endLater",
    "if (rememberEvent(device) && ok) endLater",
  ),
  other(
    "a pending answer leaves the wait after failures as it has grown",
    POLL,
    "  resetBackoff(device);\n",
    "",
  ),
  other(
    "tokens of the refresh token before are not written",
    REFRESH,
    "if (isNew || isFirst || device.triedPrevious || device.notSaved)",
    "if (isNew || isFirst || device.notSaved)",
  ),
  other(
    "of two sequences half of all numbers apart the first slot's counts",
    KEEPING,
    "return ahead > 8388608;",
    "return ahead >= 8388608;",
  ),
  other(
    "the refresh token of before stays when the session is over",
    REGIONS,
    "  forget(device, Field.ACCESS_TOKEN);\n  forget(device, Field.RECEIVED_REFRESH_TOKEN);\n",
    "  forget(device, Field.ACCESS_TOKEN);\n  setLength(device, Field.RECEIVED_REFRESH_TOKEN, -1);\n",
  ),
  other(
    "a slot that cannot be read is given up at once",
    KEEPING,
    "? Limit.READ_TRIES : Limit.STORAGE_TRIES",
    "? 1 : Limit.STORAGE_TRIES",
  ),
];

const core = fileURLToPath(new URL("../../core/", import.meta.url));

/** The files of the core that a fault changes. @throws Error where its place is not there any more, or there twice */
export function textsWith({ name, edits }: Planted): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { file, find, replacement } of edits) {
    const path = core + file;
    const text = texts.get(path) ?? readFileSync(path, "utf8");
    const parts = text.split(find);
    if (parts.length !== 2) {
      throw new Error(`planted fault "${name}": its place is ${parts.length - 1} times in ${file}`);
    }
    texts.set(path, parts.join(replacement));
  }
  return texts;
}

/** The core with the fault in it. @throws Error as `textsWith` */
export async function plant(fault: Planted): Promise<MakeCore> {
  const texts = textsWith(fault);
  const result = await build({
    entryPoints: [`${core}complete.ts`],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "picogrant",
    plugins: [
      {
        name: "planted",
        setup(setup) {
          setup.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = texts.get(path);
            return contents === undefined ? undefined : { contents, loader: "ts" };
          });
        },
      },
    ],
  });
  // As the sources, it drives any number of devices: evaluated once, its functions become fast.
  const planted = ofBundle(result.outputFiles[0]!.text)();
  return () => planted;
}

export interface Hunt {
  name: string;
  /** The oracle that found it, and after how many steps. */
  oracle: string | undefined;
  what: string;
  steps: number;
}

/** Sequences with this fault in the core, until one finds it. */
export async function hunt(fault: Planted, seed: number, stepsMax: number): Promise<Hunt> {
  const makeCore = await plant(fault);
  const { failure, steps } = runCampaign({ makeCore, seed, steps: stepsMax });
  const { oracle, what = "" } = failure?.broken ?? { oracle: undefined };
  return { name: fault.name, oracle, what, steps };
}
