// Faults in core/device: clock, regions, request, sizes.

import { edit, other, type Planted, shared } from "./plant.ts";

export const devicePlants: readonly Planted[] = [
  shared(
    "the next page of a list outlives the beginning of another call",
    edit(
      "device/regions.ts",
      "  device.hasNextPage = 0;\n  device.isBuilding = 1;",
      "  device.isBuilding = 1;",
    ),
  ),
  shared(
    "the device code lies where an answer's access token goes",
    edit(
      "device/regions.ts",
      "device.start[Field.DEVICE_CODE] = device.start[Region.REFRESH_TOKEN];",
      "device.start[Field.DEVICE_CODE] = device.start[Field.ACCESS_TOKEN];",
    ),
  ),
  shared(
    "a call without an answer keeps the texts of the one before",
    edit(
      "device/regions.ts",
      "  if (device.outputUse === use) {\n    emptyOutput(device);",
      "  if (device.outputUse === use) {",
    ),
  ),
  other(
    "a request is given up without ABORT",
    "device/request.ts",
    "device.abortDue |= device.inFlight;",
    "",
  ),
  other(
    "a value that is too long by one is taken",
    "device/memory.ts",
    "return device.length[region] > device.capacity[region];",
    "return device.length[region] > device.capacity[region] + 1;",
  ),
  other(
    "a wait is shorter by one millisecond",
    "device/clock.ts",
    "waitFor(device, asked > ms ? asked : ms);",
    "waitFor(device, (asked > ms ? asked : ms) - 1);",
  ),
  other(
    "Retry-After is ignored",
    "device/clock.ts",
    "waitFor(device, asked > ms ? asked : ms);",
    "waitFor(device, ms);",
  ),
  other(
    "a failure's wait does not grow",
    "device/clock.ts",
    "device.backoffMs ? device.backoffMs * 2 :",
    "device.backoffMs ? device.backoffMs :",
  ),
  other(
    "a failure shortens the interval",
    "device/clock.ts",
    "device.state === State.PENDING && backoff < device.intervalMs ? device.intervalMs : backoff",
    "backoff",
  ),
  other("a move does not end the backoff", "device/moves.ts", "  resetBackoff(device);\n", ""),
  other(
    "an interval too long to be waited for is cut",
    "device/clock.ts",
    "    if (device.codeLifeS > Limit.UNPOLLED_LIFE_S) setCodeLife(device, Limit.UNPOLLED_LIFE_S);\n",
    "",
  ),
  other(
    "the ids of requests do not wrap",
    "device/request.ts",
    "(device.requestId + 1) & 65535",
    "device.requestId + 1",
  ),
  other(
    "a page stays shorter by a millisecond",
    "device/frame.ts",
    "device.pageEnd : 0;\n  device.pageMs = Limit.PAGE_MS;",
    "device.pageEnd : 0;\n  device.pageMs = Limit.PAGE_MS - 1;",
  ),
  other(
    "a request for a code that failed is made again with the verifier of before",
    "device/regions.ts",
    "  forget(device, Region.CODE_VERIFIER);\n}",
    "}",
  ),
  other(
    "the refresh token of before stays when the session is over",
    "device/regions.ts",
    "  forget(device, Field.ACCESS_TOKEN);\n  forget(device, Field.RECEIVED_REFRESH_TOKEN);\n",
    "  forget(device, Field.ACCESS_TOKEN);\n  setLength(device, Field.RECEIVED_REFRESH_TOKEN, -1);\n",
  ),
];
