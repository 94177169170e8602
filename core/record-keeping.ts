// Which slot is read, written or erased when. Two slots, the newest valid record counts; whatever
// moment the power goes, one of them is whole. The bytes of a record are in token-record.ts.
//
// Crash sequences that this order is made for:
//  - A write goes to the slot that does not hold the newest record: torn, the newest is still there.
//  - Signing out writes a revocation record first (from then on no restart signs in again), erases the
//    token behind it, revokes, and erases the revocation last.
//  - A wipe erases the older slot first: erasing the newest first would bring the older back to life.

import { Command } from "./command.ts";
import { Limit } from "./limits.ts";
import { type Device, Region } from "./memory.ts";
import { RecordKind, readRecord, recordKind, recordSequence, writeRecord } from "./token-record.ts";

export enum Job {
  NONE = 0,
  INSPECT_FIRST = 1,
  INSPECT_SECOND = 2,
  READ_OLDER = 3,
  READ_NEWEST = 4,
  WRITE = 5,
  /** Erases the slot behind the newest. */
  ERASE_OLDER = 6,
  WIPE_OLDER = 7,
  WIPE_NEWEST = 8,
}

/** Starts a job, or remembers it until the host has finished what it is at. */
export function startJob(device: Device, job: number, kind: number): void {
  if (device.jobActive) {
    device.jobNext = job;
    device.kindNext = kind;
    return;
  }
  device.job = job;
  device.storeKind = kind;
  device.jobTries = 0;
  device.jobMs = 0;
  // The record is made where the poll's body was.
  device.pollReady = 0;
}

/** Whether storage is at rest: nothing is sent before. */
export function isKept(device: Device): boolean {
  return device.job === Job.NONE;
}

function slotOf(device: Device): number {
  switch (device.job) {
    case Job.INSPECT_FIRST:
      return 0;
    case Job.INSPECT_SECOND:
      return 1;
    case Job.READ_NEWEST:
    case Job.WIPE_NEWEST:
      return device.slotNewest;
    default:
      return 1 - device.slotNewest;
  }
}

/** The next storage command for the host, NONE where there is nothing to do or it is still at one. */
export function nextStorageCommand(device: Device): Command {
  if (device.jobActive || device.jobMs > 0) return Command.NONE;
  while (
    device.job === Job.ERASE_OLDER ||
    device.job === Job.WIPE_OLDER ||
    device.job === Job.WIPE_NEWEST
  ) {
    device.slot = slotOf(device);
    if ((device.slotsUsed >> device.slot) & 1) {
      device.jobActive = 1;
      return Command.ERASE;
    }
    finishErase(device);
  }
  if (device.job === Job.NONE) return Command.NONE;
  device.slot = slotOf(device);
  device.data = device.start[Region.OUTPUT];
  if (device.job === Job.WRITE) {
    device.dataLength = writeRecord(device, device.storeKind, (device.sequence + 1) & 16777215);
    if (!device.dataLength) {
      device.notSaved = 1;
      finishJob(device);
      return Command.NONE;
    }
    device.jobActive = 1;
    return Command.STORE;
  }
  device.dataLength = device.capacity[Region.OUTPUT];
  device.jobActive = 1;
  return Command.LOAD;
}

function finishJob(device: Device): void {
  device.job = Job.NONE;
  device.frameDue = 1;
}

function finishErase(device: Device): void {
  if (device.job === Job.WIPE_OLDER) device.job = Job.WIPE_NEWEST;
  else finishJob(device);
  device.jobTries = 0;
}

/** True while a failed operation is to be tried again. */
function retry(device: Device): boolean {
  device.jobTries++;
  device.jobMs = Limit.STORAGE_RETRY_MS;
  return device.jobTries < Limit.STORAGE_TRIES;
}

/**
 * The host has finished the last storage command.
 * @param result of LOAD the record's length (0: empty, -1: cannot be read), of the others 1 or 0
 * @returns the kind of record that the device starts from once all are read, -1 until then
 */
export function finishStorage(device: Device, result: number): number {
  if (!device.jobActive) return -1;
  device.jobActive = 0;
  var found = -1;
  if (device.job >= Job.ERASE_OLDER) {
    if (result > 0) device.slotsUsed &= ~(1 << device.slot);
    else device.notSaved = 1;
    if (result > 0 || !retry(device)) finishErase(device);
  } else if (device.job === Job.WRITE) {
    finishWrite(device, result > 0);
  } else if (result >= 0 || !retry(device)) {
    device.jobTries = 0;
    device.jobMs = 0;
    found = finishLoad(device, result);
  }
  if (device.jobNext) {
    var job = device.jobNext;
    device.jobNext = Job.NONE;
    startJob(device, job, device.kindNext);
  }
  return found;
}

function finishWrite(device: Device, ok: boolean): void {
  // A write that failed may have left anything in the slot.
  device.slotsUsed |= 1 << device.slot;
  if (!ok && retry(device)) return;
  device.notSaved = ok ? 0 : 1;
  if (ok) {
    device.slotNewest = device.slot;
    device.sequence = (device.sequence + 1) & 16777215;
  }
  if (ok && device.storeKind === RecordKind.REVOCATION) {
    device.job = Job.ERASE_OLDER;
    device.jobTries = 0;
  } else finishJob(device);
}

/** Whether sequence `a` was written after `b`, in numbers that wrap at 2^24. */
function isNewer(a: number, b: number): boolean {
  return ((a - b) & 16777215) < 8388608;
}

function finishLoad(device: Device, length: number): number {
  var kind = recordKind(device, length);
  if (device.job === Job.INSPECT_FIRST) {
    if (length !== 0) device.slotsUsed |= 1;
    device.storeKind = kind;
    device.slotNewest = kind ? 0 : 1;
    if (kind) device.sequence = recordSequence(device);
    device.job = Job.INSPECT_SECOND;
    return -1;
  }
  if (device.job === Job.INSPECT_SECOND) {
    inspectSecond(device, length, kind);
    return -1;
  }
  var ok = kind !== RecordKind.NONE && readRecord(device, kind, length);
  if (device.job === Job.READ_OLDER) {
    device.job = Job.READ_NEWEST;
    return -1;
  }
  finishJob(device);
  return ok ? kind : RecordKind.NONE;
}

/** With both slots seen, the newest is known, and whether the other holds the token before it. */
function inspectSecond(device: Device, length: number, kind: number): void {
  var first = device.storeKind;
  var sequence = recordSequence(device);
  if (length !== 0) device.slotsUsed |= 2;
  if (kind && (!first || isNewer(sequence, device.sequence))) {
    device.slotNewest = 1;
    device.sequence = sequence;
  }
  device.job =
    first === RecordKind.TOKEN && kind === RecordKind.TOKEN ? Job.READ_OLDER : Job.READ_NEWEST;
}
