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
import { RecordKind, readRecord, recordSequence, writeRecord } from "./token-record.ts";

export enum Job {
  NONE = 0,
  /** Both slots are read; the first again where it is the newer, so that the newest is read last. */
  READ_FIRST = 1,
  READ_SECOND = 2,
  READ_AGAIN = 3,
  WRITE = 4,
  /** Erases the slot behind the newest. */
  ERASE_OLDER = 5,
  WIPE_OLDER = 6,
  WIPE_NEWEST = 7,
}

/** Starts a job. What the host is still at comes to its end first. */
export function startJob(device: Device, job: number, kind: number): void {
  device.job = job;
  device.recordKind = kind;
  device.jobTries = 0;
  device.jobStale = device.jobActive;
  // The record is made where the poll's body was.
  device.pollReady = 0;
}

function finishJob(device: Device, next: number): void {
  device.job = next;
  device.jobTries = 0;
  device.frameDue = 1;
}

/** Behind a wipe of the older slot comes the newest. */
function finishErase(device: Device): void {
  finishJob(device, device.job === Job.WIPE_OLDER ? Job.WIPE_NEWEST : Job.NONE);
}

/** The next storage command for the host, NONE where there is nothing to do or it is still at one. */
export function nextStorageCommand(device: Device): Command {
  if (device.jobActive) return Command.NONE;
  var command = Command.LOAD as Command;
  while (device.job > Job.WRITE) {
    device.slot = device.job === Job.WIPE_NEWEST ? device.slotNewest : 1 - device.slotNewest;
    command = Command.ERASE;
    if ((device.slotsUsed >> device.slot) & 1) break;
    finishErase(device);
  }
  if (!device.job) return Command.NONE;
  if (device.job <= Job.WRITE) {
    device.data = device.at[Region.OUTPUT];
    device.dataLength = device.room[Region.OUTPUT];
    device.slot = device.job === Job.READ_SECOND ? 1 : 0;
  }
  if (device.job === Job.WRITE) {
    command = Command.STORE;
    device.slot = 1 - device.slotNewest;
    device.dataLength = writeRecord(device, device.recordKind, (device.sequence + 1) & 16777215);
    if (!device.dataLength) {
      device.notSaved = 1;
      finishJob(device, Job.NONE);
      return Command.NONE;
    }
  }
  device.jobActive = command;
  return command;
}

/**
 * The host has finished the last storage command.
 * @param result of LOAD the record's size (0: empty, -1: cannot be read), of the others 1 or 0
 * @returns true when the last record has been read: the device can start
 */
export function finishStorage(device: Device, result: number): boolean {
  var command = device.jobActive;
  var stale = device.jobStale;
  device.jobActive = 0;
  device.jobStale = 0;
  if (!command) return false;
  if (command === Command.LOAD) return finishRead(device, result);
  // A write that failed may have left anything in the slot.
  if (command === Command.STORE) device.slotsUsed |= 1 << device.slot;
  if (result > 0) {
    if (command === Command.STORE) {
      device.slotNewest = device.slot;
      device.sequence = (device.sequence + 1) & 16777215;
    } else {
      device.slotsUsed &= ~(1 << device.slot);
    }
  }
  if (stale) return false;
  device.notSaved = result > 0 ? 0 : 1;
  if (result <= 0 && ++device.jobTries < Limit.STORAGE_TRIES) return false;
  // Where the older cannot be erased the newest stays: without it the older would come back to life.
  if (command === Command.ERASE && result <= 0) finishJob(device, Job.NONE);
  else if (command === Command.ERASE) finishErase(device);
  else {
    // Behind a record that knew of none before may lie one that could not be read: with a sequence of
    // its own it would count as the newer once it can.
    finishJob(
      device,
      device.recordKind === RecordKind.REVOCATION || (result > 0 && device.sequence < 2)
        ? Job.ERASE_OLDER
        : Job.NONE,
    );
  }
  return false;
}

/** One slot has been read. Sequences wrap at 2^24: the newer is the one less than half of it ahead. */
function finishRead(device: Device, size: number): boolean {
  if (size < 0 && ++device.jobTries < Limit.STORAGE_TRIES) return false;
  var isSecond = device.job === Job.READ_SECOND;
  if (size) device.slotsUsed |= isSecond ? 2 : 1;
  var earlier = device.recordKind;
  var kind = readRecord(device, size);
  if (kind) {
    var sequence = recordSequence(device);
    var isOlder = earlier && ((device.sequence - sequence) & 16777215) < 8388608;
    if (isSecond && isOlder) {
      finishJob(device, Job.READ_AGAIN);
      return false;
    }
    device.recordKind = kind;
    device.sequence = sequence;
    device.slotNewest = isSecond ? 1 : 0;
  }
  finishJob(device, device.job === Job.READ_FIRST ? Job.READ_SECOND : Job.NONE);
  return !device.job;
}
