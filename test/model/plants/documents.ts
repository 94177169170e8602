// Faults in core/documents: security events, offers of subscriptions.

import { edit, other, type Planted, shared } from "./plant.ts";

export const documentsPlants: readonly Planted[] = [
  shared(
    "sessions-revoked without a refresh token ends the session before it is acknowledged",
    edit(
      "documents/security-event.ts",
      "  if (lacks(device, Region.REFRESH_TOKEN)) return ErrorCode.SESSION_ENDED;\n",
      "",
    ),
  ),
  shared(
    "a member beside sets is taken for an event",
    edit(
      "documents/security-event.ts",
      "lookFor(device, DocumentLiteral.EVENT_POLL_MEMBERS, sets);",
      "lookFor(device, DocumentLiteral.ANY_MEMBER, 1 << Field.VALUE_A);",
    ),
  ),
  shared(
    "the last event of a run is taken and never acknowledged",
    edit("documents/security-event.ts", " && device.eventPolls > 0", ""),
    edit(
      "documents/security-event.ts",
      "  countPolls(device, device.eventPolls - 1);\n",
      "  countPolls(device, device.eventPolls - 1);\n  if (device.eventPolls < 0) {\n    finishCall(device, ErrorCode.NONE);\n    return;\n  }\n",
    ),
  ),
  shared(
    "an event that is handed in carries out what another one told",
    edit(
      "documents/security-event.ts",
      "if (error && !device.endDueWith) endSession(device, error);",
      "if (error) device.endDueWith = error;\n  endIfDue(device);",
    ),
  ),
  other(
    "an offer in any state is a success",
    "documents/subscription-offer.ts",
    "    : ErrorCode.UNEXPECTED_STATE;",
    "    : ErrorCode.NONE;",
  ),
  other(
    "an offer's names may be longer by one",
    "documents/subscription-offer.ts",
    "PRODUCT = 40,",
    "PRODUCT = 41,",
  ),
  other(
    "an event is applied each time that it comes",
    "documents/security-event.ts",
    "if (ok && rememberEvent(device)) endLater",
    "if (ok) endLater",
  ),
  other(
    "an event that is not genuine is acknowledged",
    "documents/security-event.ts",
    "ok ? DocumentLiteral.EVENT_ACKNOWLEDGED : DocumentLiteral.EVENT_REFUSED",
    "DocumentLiteral.EVENT_ACKNOWLEDGED",
  ),
  other(
    "an event that nobody has signed is applied",
    "documents/security-event.ts",
    "if (ok && rememberEvent(device)) endLater",
    "if (rememberEvent(device)) endLater",
  ),
  other(
    "a verification that comes late is taken for the present one",
    "documents/security-event.ts",
    " || requestId !== device.requestId",
    "",
  ),

  other(
    "an event counts as new after seven others",
    "documents/security-event.ts",
    "i < device.seenEvents.length && older",
    "i < device.seenEvents.length - 1 && older",
  ),
  other(
    "an event that is not genuine hides the true one of its identifier",
    "documents/security-event.ts",
    "if (ok && rememberEvent(device)) endLater",
    "if (rememberEvent(device) && ok) endLater",
  ),
];
