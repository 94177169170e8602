// The non-volatile memory of a life: two slots that outlive every loss of power, and when which fault
// strikes them. What they are made of is media.ts's, what the bytes mean is not known here.

import type { Bytes, Storage } from "../../platform/contracts.ts";
import type { FaultKind, Plan, Roll } from "./dice.ts";
import { type Medium, MemoryMedium, NOTHING } from "./media.ts";
import type { Appointment, Time } from "./time.ts";
import { PowerCut, Violation } from "./violation.ts";

/** Reads what the slots hold, without faults and at once; writes nothing. */
export function quietReader(slots: Slots): Storage {
  return {
    capacity: slots.capacity,
    read(slot, into, from, to, done) {
      const record = slots.medium.peek(slot);
      const fits = record.length <= to - from;
      if (fits) for (let i = 0; i < record.length; i++) into[from + i] = record[i]!;
      done(fits ? record.length : -1);
    },
    write: () => {},
    erase: () => {},
  };
}

interface Operation {
  slot: number;
  fresh: Uint8Array;
  ends: Appointment | undefined;
}

/** What the exhaustive runs ask for: this operation is cut after so many bytes. */
interface ScriptedCut {
  /** Number of the write or erase, from 0. */
  operation: number;
  bytes: number;
}

export class Slots implements Storage {
  readonly capacity: number;
  /** Writes and erases begun, and lengths of what each of them replaces in bytes. */
  readonly operationBytes: number[] = [];
  scriptedCut: ScriptedCut | undefined;
  /** Something was torn or rotted: its remains may be anywhere in the medium. */
  hasRemains = false;
  /** Since a slot rotted, a record may be gone for good. */
  onRot: () => void = () => {};
  /** Hears of the very bytes that go to the medium. */
  onWrite: (bytes: Uint8Array) => void = () => {};
  note: (text: string) => void = () => {};
  #underWay: Operation | undefined;
  #busy = false;
  #epoch = 0;
  readonly #lasting = new Map<FaultKind, number>();

  readonly #time: Time;
  readonly #plan: Plan;
  readonly #delayMs: number;

  constructor(
    time: Time,
    plan: Plan,
    /** 0: callbacks come before the call returns. */
    delayMs: number,
    readonly medium: Medium = new MemoryMedium(),
  ) {
    this.#time = time;
    this.#plan = plan;
    this.#delayMs = delayMs;
    this.capacity = medium.capacity;
  }

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.#begin();
    const record = this.#fails("read-fails") ? undefined : this.medium.get(slot);
    if (!record) this.note(`read of slot ${slot} fails`);
    this.#later(() => {
      const isGiven = record !== undefined && record.length <= to - from;
      if (isGiven) for (let i = 0; i < record.length; i++) into[from + i] = record[i]!;
      done(isGiven ? record.length : -1);
    });
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    if (to - from > this.capacity)
      throw new Violation("flash-budget", "a record beyond the capacity");
    const fresh = new Uint8Array(to - from);
    for (let i = from; i < to; i++) fresh[i - from] = bytes[i]!;
    this.onWrite(fresh);
    this.#replace(slot, fresh, this.#fails("write-fails"), (ok) => {
      for (let i = from; i < to; i++) {
        if (bytes[i] !== fresh[i - from]) {
          throw new Violation("request-stable", "a record changed while it was being written");
        }
      }
      done(ok);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.#replace(slot, NOTHING, this.#fails("erase-fails"), done);
  }

  /** The power is gone: what was under way stays half done. */
  cut(roll: Roll): void {
    this.#epoch++;
    this.#busy = false;
    const operation = this.#underWay;
    this.#underWay = undefined;
    if (!operation) return;
    this.#time.cancel(operation.ends);
    this.#tear(operation, roll, true);
  }

  #tear({ slot, fresh }: Operation, roll: Roll, isCut: boolean): void {
    this.hasRemains = true;
    this.medium.tear(slot, fresh, roll, isCut);
  }

  /** Flips bits in one slot, as years do. */
  rot(roll: Roll): void {
    const slot = roll.below(2);
    if (!this.medium.rot(slot, roll)) return;
    this.hasRemains = true;
    this.note(`slot ${slot} rots`);
    this.onRot();
  }

  /** A failure may last: a worn block fails again and again. */
  #fails(kind: FaultKind): Roll | undefined {
    const lasting = this.#lasting.get(kind) ?? 0;
    if (lasting > 0 && !this.#plan.calm) {
      this.#lasting.set(kind, lasting - 1);
      return this.#plan.roll(kind, lasting);
    }
    const roll = this.#plan.strikes(kind);
    if (roll) this.#lasting.set(kind, roll.pick([0, 0, 0, 2, 5, 7, 12]));
    return roll;
  }

  #replace(
    slot: number,
    fresh: Uint8Array,
    failure: Roll | undefined,
    done: (ok: boolean) => void,
  ): void {
    this.#begin();
    this.#followScript(slot, fresh);
    const operation: Operation = { slot, fresh, ends: undefined };
    this.#underWay = operation;
    const cut = this.#plan.strikes("cut-in-storage");
    if (cut) {
      if (this.#delayMs === 0) {
        this.cut(cut);
        throw new PowerCut();
      }
      operation.ends = this.#time.after(cut.below(this.#delayMs), () => {
        throw new PowerCut();
      });
      return;
    }
    operation.ends = this.#later(() => {
      this.#underWay = undefined;
      const isDone = !failure && this.medium.put(slot, fresh);
      if (failure?.chance(0.6)) this.#tear(operation, failure, false);
      if (!isDone) this.note(`${fresh.length ? "write" : "erase"} of slot ${slot} fails`);
      done(isDone);
    });
  }

  /** The cut that an exhaustive run asks for, in plain memory. */
  #followScript(slot: number, fresh: Uint8Array): void {
    const { medium, scriptedCut: script } = this;
    if (!(medium instanceof MemoryMedium)) return;
    if (script && script.operation === this.operationBytes.length) {
      this.scriptedCut = undefined;
      this.hasRemains = true;
      medium.cutAfter(slot, fresh, script.bytes);
      this.#epoch++;
      this.#busy = false;
      throw new PowerCut();
    }
    this.operationBytes.push(Math.max(fresh.length, medium.peek(slot).length));
  }

  #begin(): void {
    if (this.#busy) throw new Violation("one-in-flight", "two storage operations at a time");
    this.#busy = true;
  }

  #later(run: () => void): Appointment | undefined {
    const epoch = this.#epoch;
    const finish = (): void => {
      if (epoch !== this.#epoch) return;
      this.#busy = false;
      run();
    };
    if (this.#delayMs > 0) return this.#time.after(this.#delayMs, finish);
    finish();
    return undefined;
  }
}
