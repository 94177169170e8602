// Decides which slot is read, written or erased, and when. The device uses the newest valid record of the two slots.
// token-record.ts has the bytes of a record. These rules handle power failures and storage failures:
//  - A write goes to the slot without the newest record. If power fails during the write, that record is still there.
//  - Signing out first writes a revocation record. After that, a restart does not resume the session. Then the device
//    erases the record of the token, and revokes the token. It erases the revocation record last.
//  - A slot that cannot be read may hold the newest record. The token in the other slot may be outdated, and a server
//    that receives an outdated token may end the session (RFC 9700 §4.14.2). So the device retries the read first.
//  - A slot that could not be read or erased may hold a token that nobody would ever revoke. The device erases the slot
//    when it has written the next record.
//  - The older slot stays if it holds the previous refresh token. Otherwise the device erases that slot after the newer
//    record is written, for example a code after its tokens.
//  - A record with the server's former name is written again with the present name, and then erased. Otherwise, another
//    server that later has the former name could get the token.
//  - A wipe erases the older slot first. Otherwise, after a power failure, the older record would be the newest.

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
  /** Read the first slot again. It has the newer record, and the values of the newest record must be read last. */
  READ_AGAIN = 1,
  READ_SECOND = 2,
  READ_FIRST = 3,
  WRITE = 4,
  /** Erase all used slots, the older one first. */
  WIPE = 5,
  /** Erase the slot without the newest record. */
  ERASE_OLDER = 6,
}

/** The current storage task, and the content of the storage. */
export interface Records {
  /** The current storage task, one of Job. */
  job: Job;
  /** The Command that the host is carrying out until storageDone, or NONE. */
  storageCommand: Command;
  /** Failed attempts of the job's current step. */
  jobFailures: number;
  /** 1: the host is still carrying out a command of the previous job. The new job starts after it. */
  isJobNew: number;
  /** The slot of a LOAD, STORE or ERASE, 0 or 1. */
  slot: number;
  /** The number of slots that may contain data: 0, 1 (the newest slot) or 2. */
  slotsUsed: number;
  /** The slot with the newest record. */
  slotNewest: number;
  /** 1: the code or the tokens are not saved, because storage rejects them or they do not fit. */
  notSaved: number;
  /** 1: storage fails to erase data that must be erased: tokens, or the older of two records. */
  notErased: number;
  /** 1: a slot could not be read at the start. The content of that slot is unknown until a slot has been erased. */
  notRead: number;
  /** 1: a slot contains a record with the server's former name, until a slot is erased. */
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

/** Starts a job, or notes it until the command in progress ends. The current state determines the record's kind. */
export function startJob(device: Device & Records, job: Job): void {
  ASSERT: must(job !== Job.NONE, "a job is something to do");
  device.job = job;
  nameRecord(device);
  device.jobFailures = 0;
  device.isJobNew = device.storageCommand ? 1 : 0;
  // After a wipe, nothing needs to be saved.
  if (job === Job.WIPE) device.notSaved = 0;
}

/** Call this when the data of a pending write is not needed any more. Cancels the write. */
export function nothingToSave(device: Device & Records): void {
  device.notSaved = 0;
  if (device.job === Job.WRITE) device.job = Job.NONE;
}

function slotOfJob(device: Device): number {
  if (device.job === Job.READ_SECOND) return 1;
  // If only the newest slot is left, erase it.
  var isErasing = device.job === Job.WIPE || device.job === Job.ERASE_OLDER;
  if (isErasing && device.slotsUsed < 2) return device.slotNewest;
  // A write and the first of two erases use the slot without the newest record. While the first slot is read, the
  // second one counts as the newest.
  return 1 - device.slotNewest;
}

/** Whether a slot could not be read, and will be read again after waitMs. */
export function isReadingLater(device: Device & Records): boolean {
  return device.waitMs > 0 && device.job > Job.NONE && device.job < Job.WRITE;
}

/** The next storage command for the host, NONE if there is none or one is in progress. */
export function nextStorageCommand(device: Device & Records): Command {
  if (device.storageCommand || isReadingLater(device)) return Command.NONE;
  // End an erase job when nothing is left to erase.
  if (device.job === Job.WIPE && device.slotsUsed < 1) device.job = Job.NONE;
  if (device.job === Job.ERASE_OLDER && device.slotsUsed < 2) device.job = Job.NONE;
  if (!device.job) return Command.NONE;
  // A LOAD or STORE must wait while a request or response uses OUTPUT.
  if (device.job <= Job.WRITE && !claimOutput(device, OutputUse.RECORD)) return Command.NONE;
  var size = device.capacity[Region.OUTPUT];
  var command = device.job < Job.WRITE ? Command.LOAD : Command.ERASE;
  if (device.job === Job.WRITE) {
    command = Command.STORE;
    size = writeRecord(device);
    if (size > device.capacity[Region.OUTPUT]) {
      noteNeed(device, size - device.capacity[Region.OUTPUT]);
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

/** Starts a command that the host ends with storageDone. */
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

/** Notes the content of `slot`, which was read or written: the newest record (`isWhole`), or no valid record. */
function slotHolds(device: Device & Records, isWhole: boolean): void {
  // After a failed write, both slots count as used, so it does not matter which one contains the incomplete record.
  device.slotsUsed = isWhole && !device.slotsUsed ? 1 : 2;
  if (isWhole) {
    device.slotNewest = device.slot;
    countRecord(device);
  }
}

/** Whether `sequence` is older. Sequences wrap at 2^24, so the newer one of two is ahead by at most half of that. */
function isOlder(sequence: number, other: number): boolean {
  var ahead = (sequence - other) & 16777215;
  return ahead > 8388608;
}

/**
 * Determines the next read.
 * @param earlier one more than the sequence of the slot read before; 0 if it contained no record
 */
function nextRead(device: Device, earlier: number): Job {
  if (device.job === Job.READ_FIRST) return Job.READ_SECOND;
  return earlier && isOlder(device.sequence, earlier) ? Job.READ_AGAIN : Job.NONE;
}

/** Call this when a session's record has been read. Erases the other slot, unless it has the previous refresh token. */
export function dropSpentCode(device: Device & Records): void {
  // Keep an unreadable slot: it may hold the newer record, and the next start may be able to read it.
  if (!device.notRead && !holds(device, Field.RECEIVED_REFRESH_TOKEN))
    startJob(device, Job.ERASE_OLDER);
}

/**
 * Whether this step of the job has ended: it has succeeded, or failed as often as allowed. A command of the previous
 * job does not count, because the new job has not started yet.
 */
function isTryOver(device: Device & Records, hasFailed: boolean, tries: number): boolean {
  if (device.isJobNew || (hasFailed && ++device.jobFailures < tries)) return false;
  device.jobFailures = 0;
  redraw(device);
  return true;
}

/** Takes the record of `size` bytes that was read. @returns false if it is damaged, or of another client or server */
function takeRecord(device: Device & Records, size: number): boolean {
  var isOwn = isRecord(device, device.binding, size);
  if (!isOwn && !isRecord(device, device.formerBinding, size)) return false;
  readRecord(device, size);
  if (!isOwn) device.hasFormer = 1;
  return true;
}

/** Handles the end of LOAD. @param size of the record; 0: the slot is empty, -1: it cannot be read */
function finishLoad(device: Device & Records, size: number): void {
  var earlier = device.sequence;
  var isFound = size > 0 && takeRecord(device, size);
  releaseOutput(device, OutputUse.RECORD);
  if (size) slotHolds(device, isFound);
  if (!isTryOver(device, size < 0, Limit.READ_TRIES)) {
    if (!device.isJobNew) waitFor(device, Limit.READ_AGAIN_MS << device.jobFailures);
    return;
  }
  // The newer record cannot be read again. Do not use the older one, because the newer may have ended that session.
  var isGone = device.job === Job.READ_AGAIN && !isFound;
  if (isGone) dropRecord(device);
  if (isGone || size < 0) device.notRead = 1;
  device.job = nextRead(device, earlier);
}

function finishStore(device: Device & Records, isDone: boolean): void {
  // Whether the other slot must be erased afterwards: it may contain invalid data or an outdated record.
  var isStray = device.notRead || device.notErased || device.hasFormer || device.notSaved;
  releaseOutput(device, OutputUse.RECORD);
  // After a failed write, the content of the slot is unknown.
  slotHolds(device, isDone);
  if (!isTryOver(device, !isDone, Limit.STORAGE_TRIES)) return;
  device.notSaved = isDone ? 0 : 1;
  // Erase the other slot, unless it holds the previous refresh token. A record that cannot be read now could be read at
  // a later start, and count.
  var isOlderToGo =
    isRevocation(device.recordKind) ||
    isStray ||
    device.sequence < 2 ||
    !holds(device, Field.RECEIVED_REFRESH_TOKEN);
  device.job = isDone && isOlderToGo ? Job.ERASE_OLDER : Job.NONE;
}

function finishErase(device: Device & Records, isDone: boolean): void {
  if (isDone) {
    device.slotsUsed--;
    device.notRead = device.hasFormer = 0;
  }
  if (!isTryOver(device, !isDone, Limit.STORAGE_TRIES)) return;
  device.notErased = isDone ? 0 : 1;
  // If the older record cannot be erased, do not erase the newest. Otherwise the older one would become the newest.
  if (!isDone) device.job = Job.NONE;
}

/**
 * Handles the end of the last storage command, or of CHALLENGE, which ends like one.
 * @param result of LOAD: the record's size (0: empty, -1: unreadable); of the other commands: 1, or 0 on failure
 */
export function finishStorage(device: Device & Records, result: number): void {
  var command = device.storageCommand;
  if (!command) return;
  device.storageCommand = Command.NONE;
  if (command === Command.LOAD) finishLoad(device, result);
  else if (command === Command.STORE) finishStore(device, result > 0);
  else if (command === Command.ERASE) finishErase(device, result > 0);
  // A job that was requested while the command ran starts now.
  device.isJobNew = 0;
}
