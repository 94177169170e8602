// Faults in core/requests: calls of APIs, metadata.

import { edit, other, type Planted, shared } from "./plant.ts";

export const requestsPlants: readonly Planted[] = [
  shared(
    "the room for metadata is divided when they are asked for, not when they come",
    edit(
      "requests/call.ts",
      "  device.lent = null;\n  return 1;",
      "  device.lent = null;\n" +
        "  shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, kind.values);\n  return 1;",
    ),
    edit(
      "requests/call.ts",
      "    shareValues(device, device.start[Region.OUTPUT], Field.VALUE_A, kind.values);\n    scanBegin",
      "    scanBegin",
    ),
  ),
  shared(
    "the caller's body is set while a token request goes out",
    edit(
      "requests/protected-resource.ts",
      "  lend(device, body, from, to);\n  return 1;",
      "  lend(device, body, from, to);\n  device.callBody = body;\n" +
        "  device.callBodyFrom = from;\n  device.callBodyTo = to;\n  return 1;",
    ),
  ),
  shared(
    "what refuses a call replaces the error that is shown",
    edit(
      "requests/call.ts",
      "    scanBegin(\n      device,\n      RequestLiteral.REFUSAL_MEMBERS",
      "    device.length[Field.ERROR] = -1;\n    scanBegin(\n      device,\n      RequestLiteral.REFUSAL_MEMBERS",
    ),
  ),
  shared(
    "a call changes the field that the device's error is about",
    edit(
      "requests/metadata.ts",
      "if (isAnswerTooLong(device))",
      "noteTooLong(device, 0);\n  if (isAnswerTooLong(device))",
    ),
    edit(
      "requests/metadata.ts",
      'import { ErrorCode } from "../device/errors.ts";',
      'import { ErrorCode } from "../device/errors.ts";\nimport { noteTooLong } from "../device/sizing.ts";',
    ),
  ),
  shared(
    "a call that the user ended tells a stale error",
    edit(
      "requests/call.ts",
      "if (device.state === State.FAILED) error = device.error;",
      "if (device.error) error = device.error;",
    ),
  ),
  shared(
    "a record is written over the event that is being verified",
    edit("requests/call.ts", "  if (isVerifying(device)) askForAbort(device);\n", ""),
  ),
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
    "requests/call.ts",
    "return device.callEndpoint >= Endpoint.RESOURCE;",
    "return device.callEndpoint >= Endpoint.EVENTS;",
  ),
  other(
    "a page token is not encoded",
    "requests/protected-resource.ts",
    "writeRegion(device, Field.VALUE_A, Encoding.FORM);",
    "writeRegion(device, Field.VALUE_A, Encoding.NONE);",
  ),
  other(
    "a segment is encoded as a form's value",
    "requests/protected-resource.ts",
    "Encoding.PATH",
    "Encoding.FORM",
  ),
  other(
    "the next page's target begins behind the last one's token",
    "requests/protected-resource.ts",
    "  shorten(device, Region.CALL, device.targetSize);\n",
    "",
  ),
  other(
    "metadata of any issuer are taken",
    "requests/metadata.ts",
    "return isOfIssuer(device) &&",
    "return 1 &&",
  ),
  other(
    "http to any host whose name begins as the device's own is secure",
    "requests/metadata.ts",
    "at === device.start[region] + device.length[region] || c === 58 || c === 47",
    "c > 0",
  ),

  other(
    "a host that is at VERIFY is waited for without end",
    "requests/call.ts",
    "if (isVerifying(device) && !device.exchangeMs) ",
    "if (isVerifying(device) && device.exchangeMs < 0) ",
  ),
  other(
    "a page token without room ends the list in silence",
    "requests/protected-resource.ts",
    "return ErrorCode.VALUE_TOO_LONG;",
    "return ErrorCode.NONE;",
  ),
];
