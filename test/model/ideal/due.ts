// What is due, by the state that the device is in: the command that has to come next, the request that it is for, and
// until when the host may sleep.

import { Command, Region, State } from "../../../core/index.ts";
import type { Ideal } from "./device.ts";
import { Holder, Purpose } from "./purpose.ts";
import { sizeOf } from "./record.ts";
import { type Request, Requests } from "./requests.ts";
import { Task } from "./storage.ts";

/** A command that has to come now, or may. */
interface Expectation {
  command: number;
  /** It may also come later: chance decides. */
  isOptional: boolean;
}

export class Due {
  readonly #device: Ideal;

  constructor(device: Ideal) {
    this.#device = device;
  }

  /** What has to come next. */
  expected(): Expectation {
    const device = this.#device;
    if (device.isAbortDue) return { command: Command.ABORT, isOptional: false };
    const { storage } = device;
    const stored = this.#isReadingLater ? Command.NONE : storage.due();
    if (stored && (stored === Command.ERASE || device.isRoomFree))
      return { command: stored, isOptional: false };
    if (device.calls.isVerifyDue) return { command: Command.VERIFY, isOptional: false };
    if (device.prompt.isChanged()) return { command: Command.SHOW, isOptional: false };
    const purpose = this.purposeDue();
    let command: number = Command.SEND;
    if (purpose === Purpose.SAVE) command = Command.STORE;
    if (purpose === Purpose.ERASE) command = Command.ERASE;
    if (purpose === Purpose.CODE && device.isChallengeDue) command = Command.CHALLENGE;
    const isNow = purpose === Purpose.CALL;
    if (purpose === Purpose.NONE || (device.clock.wait.leastMs > 0 && !isNow)) {
      return { command: Command.NONE, isOptional: false };
    }
    // The host is still to read the answer to a call.
    if (command === Command.SEND && !device.isRoomFree) {
      return { command: Command.NONE, isOptional: false };
    }
    return { command, isOptional: device.clock.wait.mostMs > 0 && !isNow };
  }

  /** A record that has no room is not written. */
  dropUnfit(): void {
    const device = this.#device;
    const { storage } = device;
    const isWrite = storage.task === Task.WRITE && !storage.active && device.isRoomFree;
    if (device.isAbortDue || !isWrite || this.#recordFits()) return;
    storage.task = Task.NONE;
    storage.notSaved = true;
    device.holder = Holder.NOBODY;
  }

  /** A slot could not be read just now. */
  get #isReadingLater(): boolean {
    const { clock, storage } = this.#device;
    return storage.task === Task.READ && clock.wait.mostMs > 0;
  }

  purposeDue(): Purpose {
    const device = this.#device;
    const isHeld = !device.isRoomFree && !(device.holder === Holder.ANSWER && device.calls.isDone);
    if (device.isInFlight || device.storage.isBusy || device.storage.active || isHeld) {
      return Purpose.NONE;
    }
    if (device.calls.isDue) return Purpose.CALL;
    switch (device.state) {
      case State.REQUESTING:
        return Purpose.CODE;
      case State.PENDING:
        return Purpose.POLL;
      case State.REFRESHING:
        return Purpose.REFRESH;
      case State.REVOKING:
        return Purpose.REVOCATION;
      case State.SIGNED_IN:
        if (device.storage.notSaved) return Purpose.SAVE;
        return device.storage.notErased ? Purpose.ERASE : Purpose.NONE;
      case State.SIGNED_OUT:
      case State.FAILED:
        // Tokens that are kept and not saved are saved first, which they are only when somebody is signed in again.
        if (device.storage.notSaved) return Purpose.NONE;
        return device.storage.notErased ? Purpose.ERASE : Purpose.NONE;
      default:
        return Purpose.NONE;
    }
  }

  /** The request that goes out now. */
  request(purpose: Purpose): Request {
    const device = this.#device;
    switch (purpose) {
      case Purpose.CODE:
        return device.requests.deviceAuthorization(device.challenge);
      case Purpose.POLL:
        return device.requests.poll(device.deviceCode!, device.verifier ?? "");
      case Purpose.REFRESH:
        return device.requests.refresh(device.refreshToken!);
      case Purpose.REVOCATION:
        return device.requests.revocation(device.refreshToken || device.accessToken || "");
      default:
        return device.calls.request();
    }
  }

  /** Whether the request has room in the memory: what has none ends as an answer of its own would. */
  requestFits(purpose: Purpose, request: Request): boolean {
    const device = this.#device;
    if (purpose === Purpose.CODE) return true;
    const region = purpose === Purpose.CALL ? Region.CALL : Region.OUTPUT;
    return Requests.sizeOf(request) <= device.room(region);
  }

  /** Milliseconds after which something is due at the latest. */
  nextDueMs(waitMs: "leastMs" | "mostMs" = "mostMs"): number {
    const device = this.#device;
    const { clock } = device;
    const { command, isOptional } = this.expected();
    if (command !== Command.NONE && !isOptional) return 0;
    let due = Number.POSITIVE_INFINITY;
    const purpose = this.purposeDue();
    if (device.isInFlight || device.calls.isAsked) due = clock.exchangeMs;
    else if (purpose !== Purpose.NONE || this.#isReadingLater) due = clock.wait[waitMs];
    if (device.state === State.PENDING && clock.codeLifeS > 0) {
      due = Math.min(due, clock.msUntil(clock.codeLifeS));
    }
    if (device.state === State.SIGNED_IN && !device.isInFlight) {
      due = Math.min(due, clock.msUntil(this.refreshDueS.most));
    }
    return Math.min(due, device.prompt.nextChangeMs());
  }

  /** Seconds until the access token is to be renewed, at the least and at the most. */
  get refreshDueS(): { least: number; most: number } {
    const device = this.#device;
    const left = device.accessToken ? device.clock.accessLifeS : 0;
    if (!device.refreshToken) return { least: left, most: left };
    return { least: left - device.clock.marginMostS, most: left - device.clock.marginLeastS };
  }

  #recordFits(): boolean {
    const device = this.#device;
    return sizeOf(device.record()) <= device.room(Region.OUTPUT);
  }
}
