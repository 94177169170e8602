// Which slot is read, written or erased when. Two slots, the newest valid record counts; whatever
// moment the power goes, one of them is whole. The bytes of a record are in token-record.ts.
//
// Crash sequences that this order is made for:
//  - A write goes to the slot that does not hold the newest record: torn, the newest is still there.
//  - Signing out writes a revocation record first (from then on no restart signs in again), erases the
//    record of the token, revokes, and erases the revocation last.
//  - A slot that cannot be read may hold the newest record. The other one's token may have been used up since, and a
//    server that sees it again may end the session (RFC 9700 §4.14.2): the slot is tried for some seconds first.
//  - A slot that could not be read, or not be erased, may hold a token that nothing else would ever end:
//    it is erased after the next record that is written.
//  - The older slot stays where it holds the refresh token before this one. Any other is erased once the newer
//    stands: a code that brought tokens is spent.
//  - What an older program wrote under another name of the server is written again under its name, and then erased:
//    from then on no other server that has that name finds it.
//  - A wipe erases the older slot first: erasing the newest first would bring the older back to life.

import { must } from "../device/assertion.ts";
import { waitFor } from "../device/clock.ts";
import { Command, handOver } from "../device/command.ts";
import { redraw } from "../device/frame.ts";
import { Limit } from "../device/limits.ts";
import { type Device, holds } from "../device/memory.ts";
import { claimOutput, OutputUse, releaseOutput } from "../device/regions.ts";
import { noteNeed } from "../device/sizing.ts";
import { Field, Region } from "../device/tables.ts";
import {
  countRecord,
  dropRecord,
  isRecord,
  isRevocation,
  nameRecord,
  readRecord,
  sealRecord,
  writeRecord,
} from "./token-record.ts";

export enum Job {
  NONE = 0,
  /** Both slots are read; the first again where it is the newer, so that the newest is read last. */
  READ_AGAIN = 1,
  READ_SECOND = 2,
  READ_FIRST = 3,
  WRITE = 4,
  /** Erases what is used, the older slot first: all of it, or until only the newest is left. */
  WIPE = 5,
  ERASE_OLDER = 6,
}

/** What is to be done with the storage, and what it holds. */
export interface Records {
  /** One of Job: what is to be done with the storage. */
  job: Job;
  /** The Command that the host carries out and ends with storageDone, NONE for none. */
  storageCommand: Command;
  /** Failures of the job so far. */
  jobFailures: number;
  /** 1: the host still carries out a command of the job before; it comes to its end first. */
  isJobNew: number;
  /** Of LOAD, STORE, ERASE: 0 or 1. */
  slot: number;
  /** How many slots may hold something: 0, 1 (the newest) or 2. */
  slotsUsed: number;
  /** The slot with the newest record. */
  slotNewest: number;
  /** 1: what should be kept is not: storage refuses it, or it does not fit. */
  notSaved: number;
  /** 1: storage refuses to erase what should be gone: tokens, or an older record beside one that must stand alone. */
  notErased: number;
  /** 1: a slot could not be read at the start. It may hold anything until some slot has been erased. */
  notRead: number;
  /** 1: a slot holds a record under the name that an older program had for the server, until a slot is erased. */
  hasFormer: number;
}

export function makeRecords(device: Records): void {
  device.job = Job.READ_FIRST;
  device.storageCommand = Command.NONE;
  device.jobFailures = 0;
  device.isJobNew = 0;
  device.slot = 0;
  device.slotsUsed = 0;
  device.slotNewest = 1;
  device.notSaved = 0;
  device.notErased = 0;
  device.notRead = 0;
  device.hasFormer = 0;
}

/** Starts a job; what is written is of the present state. A command under way comes to its end first. */
export function startJob(device: Device & Records, job: Job): void {
  ASSERT: must(job !== Job.NONE, "a job is something to do");
  device.job = job;
  nameRecord(device);
  device.jobFailures = 0;
  device.isJobNew = device.storageCommand ? 1 : 0;
  // What is to be wiped need not be saved any more.
  if (job === Job.WIPE) device.notSaved = 0;
}

/** What should have been saved, or still is to be written, is of no use any more. */
export function nothingToSave(device: Device & Records): void {
  device.notSaved = 0;
  if (device.job === Job.WRITE) device.job = Job.NONE;
}

/** The slot that the job's next command is for. */
function slotOfJob(device: Device): number {
  if (device.job === Job.READ_SECOND) return 1;
  // Where only the newest is left, that is what is erased.
  var isErasing = device.job === Job.WIPE || device.job === Job.ERASE_OLDER;
  if (isErasing && device.slotsUsed < 2) return device.slotNewest;
  // The other one; at the start, and when the first slot is read again, the second passes for the newest.
  return 1 - device.slotNewest;
}

/** A slot could not be read, and is read again once waitMs is over. */
export function isReadingLater(device: Device & Records): boolean {
  return device.waitMs > 0 && device.job > Job.NONE && device.job < Job.WRITE;
}

/** The next storage command for the host, NONE where there is nothing to do or it is still at one. */
export function nextStorageCommand(device: Device & Records): Command {
  if (device.storageCommand || isReadingLater(device)) return Command.NONE;
  // Nothing, or nothing more, to be erased.
  if (device.job === Job.WIPE && device.slotsUsed < 1) device.job = Job.NONE;
  if (device.job === Job.ERASE_OLDER && device.slotsUsed < 2) device.job = Job.NONE;
  if (!device.job) return Command.NONE;
  // A request or an answer is there: the record waits until that is over.
  if (device.job <= Job.WRITE && !claimOutput(device, OutputUse.RECORD)) return Command.NONE;
  var size = device.capacity[Region.OUTPUT];
  var command = device.job < Job.WRITE ? Command.LOAD : Command.ERASE;
  if (device.job === Job.WRITE) {
    command = Command.STORE;
    size = writeRecord(device);
    if (size > device.capacity[Region.OUTPUT]) {
      noteNeed(device, Region.OUTPUT, size);
      device.notSaved = 1;
      redraw(device);
      device.job = Job.NONE;
      releaseOutput(device, OutputUse.RECORD);
      return Command.NONE;
    }
    sealRecord(device, size);
  }
  device.slot = slotOfJob(device);
  return requestHost(device, command, device.start[Region.OUTPUT], size);
}

/** Has the host carry out a command that it ends as one for storage, with storageDone. */
export function requestHost(
  device: Device & Records,
  command: Command,
  start: number,
  length: number,
): Command {
  handOver(device, start, length);
  device.storageCommand = command;
  return command;
}

/** The slot just read or written holds the newest record, or remains of one. */
function slotHolds(device: Device & Records, isWhole: boolean): void {
  // With remains both count as used: which of the two they are in does not matter then.
  device.slotsUsed = isWhole && !device.slotsUsed ? 1 : 2;
  if (isWhole) {
    device.slotNewest = device.slot;
    countRecord(device);
  }
}

/** Sequences wrap at 2^24. The newer of two is ahead of the other by half of that at most; a larger distance is none. */
function isOlder(sequence: number, other: number): boolean {
  var ahead = (sequence - other) & 16777215;
  return ahead > 8388608;
}

/**
 * The reading that follows.
 * @param earlier one more than the sequence of the slot read before; 0 where that held no record
 */
function nextRead(device: Device, earlier: number): Job {
  if (device.job === Job.READ_FIRST) return Job.READ_SECOND;
  return earlier && isOlder(device.sequence, earlier) ? Job.READ_AGAIN : Job.NONE;
}

/**
 * Whether the older slot is of no use: it is only where it holds the refresh token before the present one. A code
 * that has brought tokens, or was given up, need not lie there.
 */
function isOlderUnusable(device: Device): boolean {
  return !holds(device, Field.RECEIVED_REFRESH_TOKEN);
}

/** The record of a session has been read: a spent code beside it goes. */
export function dropSpentCode(device: Device & Records): void {
  // What could not be read may be the newer record, which the next start can read.
  if (!device.notRead && isOlderUnusable(device)) startJob(device, Job.ERASE_OLDER);
}

/**
 * Whether a try of the job has come to its end: it is done, or has failed as often as it may. A command of the job before
 * says nothing of this one, which has not begun yet.
 */
function isTryOver(device: Device & Records, hasFailed: boolean, tries: number): boolean {
  if (device.isJobNew || (hasFailed && ++device.jobFailures < tries)) return false;
  device.jobFailures = 0;
  redraw(device);
  return true;
}

/** Takes the record of `size` bytes that was read; false where it is none of this client and server. */
function takeRecord(device: Device & Records, size: number): boolean {
  var isOwn = isRecord(device, device.binding, size);
  if (!isOwn && !isRecord(device, device.formerBinding, size)) return false;
  readRecord(device, size);
  if (!isOwn) device.hasFormer = 1;
  return true;
}

/** LOAD is over. @param size of the record; 0: the slot is empty, -1: it cannot be read */
function finishLoad(device: Device & Records, size: number): void {
  var earlier = device.sequence;
  var isFound = size > 0 && takeRecord(device, size);
  releaseOutput(device, OutputUse.RECORD);
  if (size) slotHolds(device, isFound);
  if (!isTryOver(device, size < 0, Limit.READ_TRIES)) {
    if (!device.isJobNew) waitFor(device, Limit.READ_AGAIN_MS << device.jobFailures);
    return;
  }
  // The newer record was there and is not any more: the older must not count in its place. It may be of a session
  // that the newer one ends.
  var isGone = device.job === Job.READ_AGAIN && !isFound;
  if (isGone) dropRecord(device);
  if (isGone || size < 0) device.notRead = 1;
  device.job = nextRead(device, earlier);
}

/** STORE is over. */
function finishStore(device: Device & Records, isDone: boolean): void {
  // A slot may hold what has no right to be there. Nor is what lies behind a record that was never saved the token
  // before the present one.
  var isStray = device.notRead || device.notErased || device.hasFormer || device.notSaved;
  releaseOutput(device, OutputUse.RECORD);
  // A write that failed may have left anything in the slot.
  slotHolds(device, isDone);
  if (!isTryOver(device, !isDone, Limit.STORAGE_TRIES)) return;
  device.notSaved = isDone ? 0 : 1;
  // Behind a record that knew of none before may lie one that could not be read: with a sequence of its own it would
  // count as the newer once it can.
  var isOlderToGo =
    isRevocation(device.recordKind) || isStray || device.sequence < 2 || isOlderUnusable(device);
  device.job = isDone && isOlderToGo ? Job.ERASE_OLDER : Job.NONE;
}

/** ERASE is over. */
function finishErase(device: Device & Records, isDone: boolean): void {
  if (isDone) {
    device.slotsUsed--;
    device.notRead = device.hasFormer = 0;
  }
  if (!isTryOver(device, !isDone, Limit.STORAGE_TRIES)) return;
  device.notErased = isDone ? 0 : 1;
  // Where the older cannot be erased the newest stays: without it the older would come back to life.
  if (!isDone) device.job = Job.NONE;
}

/**
 * The host has finished the last storage command, or CHALLENGE, which ends as one.
 * @param result of LOAD the record's size (0: empty, -1: cannot be read), of the others 1 or 0
 */
export function finishStorage(device: Device & Records, result: number): void {
  var command = device.storageCommand;
  if (!command) return;
  device.storageCommand = Command.NONE;
  if (command === Command.LOAD) finishLoad(device, result);
  else if (command === Command.STORE) finishStore(device, result > 0);
  else if (command === Command.ERASE) finishErase(device, result > 0);
  // What has come meanwhile begins now.
  device.isJobNew = 0;
}
