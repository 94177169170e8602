// Of the core.

import { CLAMP, type Explanation } from "./explanation.ts";

export const CORE: readonly Explanation[] = [
  {
    file: "core/text/json-scanner.ts",
    line: "if (c > 47 && c < 58) return c - 48; // 0..9",
    mutants: ["c > 47 => true", "c > 47 => c >= 47"],
    why: "What is before 0 comes to a number below 0, which says that it is no digit, too.",
  },
  {
    file: "core/text/json-scanner.ts",
    line: "while (device.memory[at] > 44) at++;",
    mutants: ["device.memory[at] > 44 => device.memory[at] >= 44"],
    why: "No name in a list has a comma, nor does one end with it.",
  },
  {
    file: "core/text/json-scanner.ts",
    line: "if (device.scanField) keep(device, c);",
    mutants: ["device.scanField => true"],
    why: "What nobody wants is then kept in the scratch region and forgotten there; the question saves the time.",
  },
  {
    file: "core/text/json-scanner.ts",
    line: "else if (device.scanUnit > 65535) {",
    mutants: ["device.scanUnit > 65535 => device.scanUnit >= 65535"],
    why: "With three digits it is at most 8191, with four at least 65536.",
  },
  {
    file: "core/text/json-scanner.ts",
    line: "if (next && next < Scan.COLON) device.scanState = next;",
    mutants: ["next < Scan.COLON => next <= Scan.COLON"],
    why: "No escape leads to COLON: the row names 0, UNICODE, INVALID, and 8 to 13.",
  },
  {
    file: "core/text/json-scanner.ts",
    line: "else if (next < 0) close(device, next, c);",
    mutants: ["next < 0 => next <= 0"],
    why: "Only the row of escapes leads to 0, and those are taken out one line before.",
  },
  {
    file: "core/device/sizing.ts",
    line: "for (var field: number = Field.VALUE_D; field > Field.NONE; field--) {",
    mutants: ["field > Field.NONE => field >= Field.NONE"],
    why: "NONE is in no mask, and is what is returned where nothing is found.",
  },
  {
    file: "core/device/sizing.ts",
    line: "if (bytes > device.memoryNeeded) device.memoryNeeded = bytes;",
    mutants: ["bytes > device.memoryNeeded => bytes >= device.memoryNeeded"],
    why: CLAMP,
  },
  {
    file: "core/records/record-keeping.ts",
    line: "var isErasing = device.job === Job.WIPE || device.job === Job.ERASE_OLDER;",
    mutants: ["device.job === Job.ERASE_OLDER => false"],
    why: "ERASE_OLDER is over before where only the newest is left; the line says of both what holds of both.",
  },
  {
    file: "core/records/record-keeping.ts",
    line: "var command: number = device.job < Job.WRITE ? Command.LOAD : Command.ERASE;",
    mutants: ["device.job < Job.WRITE => device.job <= Job.WRITE"],
    why: "A write sets its own command in the lines behind.",
  },
  {
    file: "core/grant/client-authentication.ts",
    line: "if (device.writeAt > device.writeEnd) return 0;",
    mutants: ["device.writeAt > device.writeEnd => device.writeAt >= device.writeEnd"],
    why: "Where the last byte of the memory is taken there is none for the regions behind: create fails all the same.",
  },
  {
    file: "core/device/digits.ts",
    line: "return value > step ? value - step : 0;",
    mutants: ["value > step => value >= step"],
    why: "Where both are equal, value - step is 0 as well.",
  },
  {
    file: "core/device/clock.ts",
    line: "if (!(elapsedMs > 0)) return;",
    mutants: ["elapsedMs > 0 => elapsedMs >= 0"],
    why: "0 milliseconds are taken from every clock: nothing changes. The line is there for what is less, or no number.",
  },
  {
    file: "core/device/clock.ts",
    line: "if (elapsedMs > Limit.ELAPSED_MS_MAX) elapsedMs = Limit.ELAPSED_MS_MAX;",
    mutants: ["elapsedMs > Limit.ELAPSED_MS_MAX => elapsedMs >= Limit.ELAPSED_MS_MAX"],
    why: CLAMP,
  },
  {
    file: "core/device/clock.ts",
    line: "if (seconds) redraw(device);",
    mutants: ["seconds => true"],
    why: "The frame is laid out once more where nothing in it differs: that is seen, and nothing shown.",
  },
  {
    file: "core/device/clock.ts",
    line: "device.retryAfterS > Limit.RETRY_AFTER_MAX_S",
    mutants: [
      "device.retryAfterS > Limit.RETRY_AFTER_MAX_S => device.retryAfterS >= Limit.RETRY_AFTER_MAX_S",
    ],
    why: CLAMP,
  },
  {
    file: "core/device/clock.ts",
    line: "waitFor(device, asked > ms ? asked : ms);",
    mutants: ["asked > ms => asked >= ms"],
    why: "The larger of two that are equal.",
  },
  {
    file: "core/device/clock.ts",
    line: "device.state === State.PENDING && backoff < device.intervalMs ? device.intervalMs : backoff,",
    mutants: ["backoff < device.intervalMs => backoff <= device.intervalMs"],
    why: "The larger of two that are equal.",
  },
  {
    file: "core/device/clock.ts",
    line: "if (device.codeLifeS > Limit.UNPOLLED_LIFE_S) setCodeLife(device, Limit.UNPOLLED_LIFE_S);",
    mutants: [
      "device.codeLifeS > Limit.UNPOLLED_LIFE_S => device.codeLifeS >= Limit.UNPOLLED_LIFE_S",
    ],
    why: CLAMP,
  },
  {
    file: "core/grant/device-access-token.ts",
    line: "pollEvery(device, named > longer ? named : longer);",
    mutants: ["named > longer => named >= longer"],
    why: "The larger of two that are equal.",
  },
  {
    file: "core/grant/device-authorization.ts",
    line: "if (seconds > Limit.INTERVAL_MAX_S) seconds = Limit.INTERVAL_MAX_S + 1;",
    mutants: ["seconds > Limit.INTERVAL_MAX_S => false"],
    why: "What is too long is cut by pollEvery either way; this only keeps its milliseconds within 27 bits (npm run tool -- test-integers).",
  },
  {
    file: "core/grant/revocation.ts",
    line: "if (device.waitMs > Limit.BACKOFF_MAX_MS) waitFor(device, Limit.BACKOFF_MAX_MS);",
    mutants: ["device.waitMs > Limit.BACKOFF_MAX_MS => device.waitMs >= Limit.BACKOFF_MAX_MS"],
    why: CLAMP,
  },
  {
    file: "core/device/request.ts",
    line: "device.requestId = (device.requestId + 1) & 65535;",
    mutants: ["device.requestId + 1 => device.requestId - 1"],
    why: "An identifier has to differ from those before it; counting down does that as well.",
  },
  {
    file: "core/device/request.ts",
    line: "if (device.bodyBytes <= Limit.BODY_MAX) device.bodyBytes++;",
    mutants: ["device.bodyBytes <= Limit.BODY_MAX => true"],
    why: "What is too long is refused by its count either way (classify); this only keeps the count within 27 bits.",
  },
  {
    file: "core/requests/metadata.ts",
    line: "for (var start = RequestLiteral.SECURE + 1; start < RequestLiteral.SECURE + 4; start++) {",
    mutants: ["start < RequestLiteral.SECURE + 4 => start <= RequestLiteral.SECURE + 4"],
    why: "The literal behind the three hosts holds member names with spaces; no address that is visible begins with it.",
  },
  {
    file: "core/requests/protected-resource.ts",
    line: "if (!isTooLong(device, Field.VALUE_A) && device.length[Region.CALL] > 0) {",
    mutants: ["device.length[Region.CALL] > 0 => device.length[Region.CALL] >= 0"],
    why: "The name of the parameter was just written: the size is more than 0, or -1 where it does not fit.",
  },
  {
    file: "core/documents/security-event.ts",
    line: "while (at < end && device.memory[at] !== 46) at++;",
    mutants: ["at < end => at <= end"],
    why: "Without a dot the payload is empty, and no document, one byte further on as well.",
  },
  {
    file: "core/loop/tick.ts",
    line: "if (device.pageMs < wake) wake = device.pageMs;",
    mutants: ["device.pageMs < wake => device.pageMs <= wake"],
    why: "The smaller of two that are equal.",
  },
  {
    file: "core/loop/tick.ts",
    line: "return warning > 0 && warning < seconds ? warning : seconds;",
    mutants: ["warning < seconds => warning <= seconds"],
    why: "The smaller of two that are equal.",
  },
  {
    file: "core/loop/tick.ts",
    line: "return wake > 0 ? wake : 0;",
    mutants: ["wake > 0 => wake >= 0"],
    why: CLAMP,
  },
  {
    file: "core/loop/tick.ts",
    line: "if (device.call) checkCall(device);",
    mutants: ["device.call => true"],
    why: "Without a call there is nothing to end; the question leaves the line out of a build without calls.",
  },
  {
    file: "core/loop/tick.ts",
    line: "if (seconds <= Limit.ELAPSED_S_MAX && seconds * 1000 - device.carryMs < wake) {",
    mutants: [
      "seconds <= Limit.ELAPSED_S_MAX => true",
      "seconds * 1000 - device.carryMs < wake => seconds * 1000 - device.carryMs <= wake",
    ],
    why: "Longer times are none of the smaller ones either, only their milliseconds leave the 27 bits (npm run tool -- test-integers); and of two that are equal either will do.",
  },
  {
    file: "core/records/token-record.ts",
    line: "size <= device.capacity[Region.OUTPUT] &&",
    mutants: ["size <= device.capacity[Region.OUTPUT] => true"],
    why: "Defence in depth: no host may read more than dataLength, and what lies behind the region is in no record's checksum.",
  },
  {
    file: "core/records/token-record.ts",
    line: "readFrom(device, Region.OUTPUT, size - Layout.CHECKSUM_SIZE);",
    mutants: ["size - Layout.CHECKSUM_SIZE => size + Layout.CHECKSUM_SIZE"],
    why: "Defence in depth: only a record whose lengths lie reaches that end, and such a one has no right checksum.",
  },
  {
    file: "core/grant/token-response.ts",
    line: "for (; at < end; at++) {",
    mutants: ["at < end => at <= end"],
    why: "One byte more is made lower case: that behind the value's own, which nobody reads; behind a type that fills its room, the first of an error's name, of which an answer with tokens has none.",
  },
  {
    file: "core/grant/token-response.ts",
    line: "if (margin > Limit.REFRESH_MARGIN_MAX_S) margin = Limit.REFRESH_MARGIN_MAX_S;",
    mutants: ["margin > Limit.REFRESH_MARGIN_MAX_S => margin >= Limit.REFRESH_MARGIN_MAX_S"],
    why: CLAMP,
  },
  {
    file: "core/text/unicode.ts",
    line: "if (unit > Surrogate.LAST_HIGH && high && device.length[device.scanField] > 2) {",
    mutants: [
      "device.length[device.scanField] > 2 => true",
      "device.length[device.scanField] > 2 => device.length[device.scanField] >= 2",
    ],
    why: "Names, spaces of lists and plain characters forget a high surrogate: with one, a region that counts holds its three bytes. Only of a text that nobody wants they are not kept.",
  },
];
