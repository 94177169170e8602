// Faults in core/loop: start, tick, exchange, what a user does.

import { edit, other, type Planted, shared } from "./plant.ts";

export const loopPlants: readonly Planted[] = [
  other(
    "a second signIn does not give refused tokens up",
    "loop/user.ts",
    "device.refused === Refused.TRIED_FOR_USER",
    "device.refused < Refused.NO",
  ),
  other(
    "cancel leaves refused tokens as they are",
    "loop/user.ts",
    "device.state === State.REVOKING || isRefused(device)",
    "device.state === State.REVOKING",
  ),
  other(
    "an answer of no use is said to lack what an earlier one did",
    "loop/exchange.ts",
    "    noteField(device, Field.NONE);\n",
    "",
  ),
  shared(
    "wakeIn misses the warning and the end of access during a request",
    edit(
      "loop/tick.ts",
      "return warning > 0 && warning < seconds ? warning : seconds;",
      "return seconds;",
    ),
    edit(
      "loop/tick.ts",
      "isIdle ? refreshInS(device) : device.accessLifeS || Limit.ENDLESS;",
      "isIdle ? refreshInS(device) : Limit.ENDLESS;",
    ),
  ),
  shared(
    "signing in is not given up while the device starts",
    edit("loop/user.ts", "  device.autoStart = 0;\n", ""),
  ),

  other(
    "a late answer is taken for the present one",
    "loop/exchange.ts",
    "return device.inFlight && requestId === device.requestId;",
    "return device.inFlight;",
  ),
  other(
    "a record's bytes are overwritten by the next request",
    "loop/exchange.ts",
    "if (device.inFlight || device.job || device.storageCommand ||",
    "if (device.inFlight ||",
  ),
  other(
    "an exchange that the host never ends is waited for without end",
    "loop/exchange.ts",
    "if (device.inFlight && !device.exchangeMs) {",
    "if (device.inFlight && device.exchangeMs < 0) {",
  ),

  other("signing in does not count codes anew", "loop/user.ts", "  countAnew(device);\n", ""),
  other(
    "wakeIn is late by one millisecond",
    "loop/tick.ts",
    "return wake > 0 ? wake : 0;",
    "return wake + 1;",
  ),

  other(
    "signOut is forgotten while the device starts",
    "loop/user.ts",
    "if (device.noted === Noted.SIGN_OUT) signOut(device);",
    "if (device.noted === Noted.SIGN_OUT) cancel(device);",
  ),
  other(
    "no last poll behind a code's end",
    "loop/tick.ts",
    "var isLast = device.lastPollMade || device.waitMs > Limit.LAST_POLL_MS;",
    "var isLast = true;",
  ),
  other(
    "a last poll is waited for without end",
    "loop/tick.ts",
    " || device.waitMs > Limit.LAST_POLL_MS",
    "",
  ),
  other(
    "what is erased behind tokens that are kept takes their record with it",
    "loop/exchange.ts",
    "device.state === State.SIGNED_IN ? Job.ERASE_OLDER : Job.WIPE",
    "Job.WIPE",
  ),
  other(
    "signIn ends a request for the metadata",
    "loop/user.ts",
    "device.endpoint !== Endpoint.METADATA",
    "device.endpoint >= 0",
  ),
  other(
    "the user is signed out without a record of it",
    "loop/user.ts",
    "    startJob(device, Job.WRITE);",
    "",
  ),
  other(
    "half an access token that was arriving is revoked",
    "loop/user.ts",
    "setAccessLife(device, 0);\n    giveUp",
    "{}\n    giveUp",
  ),
  other(
    "tokens that storage refused are not offered to it again",
    "loop/exchange.ts",
    "return state === State.SIGNED_IN ? Purpose.SAVE : Purpose.NONE;",
    "return Purpose.NONE;",
  ),

  other(
    "a code from before a restart is shown at once",
    "loop/start.ts",
    "if (device.state === State.STARTING && !device.job) comeBack(device);",
    "if (device.state === State.STARTING && !device.job) {\n    comeBack(device);\n" +
      "    device.codeShown = +(device.state === State.PENDING);\n  }",
  ),
  other(
    "the host is asked for a challenge again while it is at it",
    "loop/exchange.ts",
    "if (device.inFlight || device.job || device.storageCommand || isOutputHeld(device)) {",
    "if (device.inFlight || device.job || isOutputHeld(device)) {",
  ),
  other(
    "the challenge is not part of the request that is sent",
    "loop/exchange.ts",
    "    start -= Limit.CODE_CHALLENGE_SIZE;\n",
    "",
  ),
];
