// Faults in core/records: the two slots and what lies in them.

import { other, type Planted } from "./plant.ts";

export const recordsPlants: readonly Planted[] = [
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
    "the newest record is written over",
    "records/record-keeping.ts",
    "return 1 - device.slotNewest;",
    "return device.slotNewest;",
  ),
  other("sequences do not grow", "records/record-keeping.ts", "    countRecord(device);\n", ""),
  other(
    "the older record counts",
    "records/record-keeping.ts",
    "device.job = nextRead(device, earlier);",
    "device.job = device.job === Job.READ_FIRST ? Job.READ_SECOND : Job.NONE;",
  ),
  other(
    "a storage operation is tried twice only",
    "records/record-keeping.ts",
    "? Limit.READ_TRIES : Limit.STORAGE_TRIES",
    "? Limit.READ_TRIES : Limit.STORAGE_TRIES - 1",
  ),
  other(
    "a record's checksum does not depend on its size",
    "records/token-record.ts",
    "      device.binding ^ size,\n      device.start[Region.OUTPUT],\n      size -",
    "      device.binding,\n      device.start[Region.OUTPUT],\n      size -",
  ),
  other(
    "a code's record is without its verifier",
    "records/token-record.ts",
    "direction === Direction.TO_RECORD ? holds(device, Region.CODE_VERIFIER) : isMore",
    "direction !== Direction.TO_RECORD && isMore",
  ),
  other(
    "every code's record has a verifier, an absent one too",
    "records/token-record.ts",
    "direction === Direction.TO_RECORD ? holds(device, Region.CODE_VERIFIER) : isMore",
    "direction === Direction.TO_RECORD || isMore",
  ),
  other(
    "of two sequences half of all numbers apart the first slot's counts",
    "records/record-keeping.ts",
    "return ahead > 8388608;",
    "return ahead >= 8388608;",
  ),
  other(
    "a slot that cannot be read is given up at once",
    "records/record-keeping.ts",
    "? Limit.READ_TRIES : Limit.STORAGE_TRIES",
    "? 1 : Limit.STORAGE_TRIES",
  ),
];
