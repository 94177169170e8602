// The non-volatile memory of a life: two slots that outlive every loss of power, with everything that
// goes wrong with them. What the bytes mean is not known here.

import type { Bytes, Storage } from "../../platform/contracts.ts";
import type { FaultKind, Plan, Roll } from "./dice.ts";
import type { Appointment, Time } from "./time.ts";
import { PowerCut, Violation } from "./violation.ts";

const NOTHING = new Uint8Array(0);
const CAPACITY = 2048;
/** What is written together until a sync makes the order certain. */
const SECTOR_BYTES = 16;

/** Reads what the slots hold, without faults and at once; writes nothing. */
export function quietReader(slots: Slots): Storage {
  return {
    capacity: CAPACITY,
    read(slot, into, from, to, done) {
      const record = slots.contents[slot as 0 | 1];
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
export interface ScriptedCut {
  /** Number of the write or erase, from 0. */
  operation: number;
  bytes: number;
}

export class Slots implements Storage {
  readonly capacity = CAPACITY;
  readonly contents: [Uint8Array, Uint8Array] = [NOTHING, NOTHING];
  /** Writes and erases begun, and lengths of what each of them replaces in bytes. */
  readonly operationBytes: number[] = [];
  scriptedCut: ScriptedCut | undefined;
  /** Since a slot rotted, a record may be gone for good. */
  onRot: () => void = () => {};
  note: (text: string) => void = () => {};
  private underWay: Operation | undefined;
  private busy = false;
  private epoch = 0;
  private readonly lasting = new Map<FaultKind, number>();

  constructor(
    private readonly time: Time,
    private readonly plan: Plan,
    /** 0: callbacks come before the call returns. */
    private readonly delayMs: number,
  ) {}

  read(slot: number, into: Bytes, from: number, to: number, done: (length: number) => void): void {
    this.begin();
    const record = this.contents[slot as 0 | 1];
    const fails = this.fails("read-fails") !== undefined || record.length > to - from;
    if (fails) this.note(`read of slot ${slot} fails`);
    this.later(() => {
      if (!fails) for (let i = 0; i < record.length; i++) into[from + i] = record[i]!;
      done(fails ? -1 : record.length);
    });
  }

  write(slot: number, bytes: Bytes, from: number, to: number, done: (ok: boolean) => void): void {
    if (to - from > CAPACITY) throw new Violation("flash-budget", "a record beyond the capacity");
    const fresh = new Uint8Array(to - from);
    for (let i = from; i < to; i++) fresh[i - from] = bytes[i]!;
    this.replace(slot, fresh, this.fails("write-fails"), (ok) => {
      for (let i = from; i < to; i++) {
        if (bytes[i] !== fresh[i - from]) {
          throw new Violation("request-stable", "a record changed while it was being written");
        }
      }
      done(ok);
    });
  }

  erase(slot: number, done: (ok: boolean) => void): void {
    this.replace(slot, NOTHING, this.fails("erase-fails"), done);
  }

  /** The power is gone: what was under way stays half done. */
  cut(roll: Roll): void {
    this.epoch++;
    this.busy = false;
    const operation = this.underWay;
    this.underWay = undefined;
    if (!operation) return;
    this.time.cancel(operation.ends);
    this.contents[operation.slot as 0 | 1] = torn(
      this.contents[operation.slot as 0 | 1],
      operation.fresh,
      roll,
    );
  }

  /** Flips bits in one slot, as years do. */
  rot(roll: Roll): void {
    const slot = roll.below(2) as 0 | 1;
    const rotten = this.contents[slot].slice();
    if (rotten.length === 0) return;
    for (let flips = 1 + roll.below(4); flips > 0; flips--) {
      rotten[roll.below(rotten.length)]! ^= 1 << roll.below(8);
    }
    this.contents[slot] = rotten;
    this.note(`slot ${slot} rots`);
    this.onRot();
  }

  /** A failure may last: a worn block fails again and again. */
  private fails(kind: FaultKind): Roll | undefined {
    const lasting = this.lasting.get(kind) ?? 0;
    if (lasting > 0 && !this.plan.calm) {
      this.lasting.set(kind, lasting - 1);
      return this.plan.roll(kind, lasting);
    }
    const roll = this.plan.strikes(kind);
    if (roll) this.lasting.set(kind, roll.pick([0, 0, 0, 2, 5, 7]));
    return roll;
  }

  private replace(
    slot: number,
    fresh: Uint8Array,
    failure: Roll | undefined,
    done: (ok: boolean) => void,
  ): void {
    this.begin();
    const before = this.contents[slot as 0 | 1];
    const script = this.scriptedCut;
    if (script && script.operation === this.operationBytes.length) {
      this.scriptedCut = undefined;
      this.contents[slot as 0 | 1] = prefix(before, fresh, script.bytes);
      this.epoch++;
      this.busy = false;
      throw new PowerCut();
    }
    this.operationBytes.push(Math.max(fresh.length, before.length));
    this.underWay = { slot, fresh, ends: undefined };
    const cut = this.plan.strikes("cut-in-storage");
    if (cut) {
      if (this.delayMs === 0) {
        this.cut(cut);
        throw new PowerCut();
      }
      this.underWay.ends = this.time.after(cut.below(this.delayMs), () => {
        throw new PowerCut();
      });
      return;
    }
    this.underWay.ends = this.later(() => {
      this.underWay = undefined;
      if (!failure) this.contents[slot as 0 | 1] = fresh;
      else if (failure.chance(0.6)) this.contents[slot as 0 | 1] = torn(before, fresh, failure);
      if (failure) this.note(`${fresh.length ? "write" : "erase"} of slot ${slot} fails`);
      done(!failure);
    });
  }

  private begin(): void {
    if (this.busy) throw new Violation("one-in-flight", "two storage operations at a time");
    this.busy = true;
  }

  private later(run: () => void): Appointment | undefined {
    const { epoch } = this;
    const finish = (): void => {
      if (epoch !== this.epoch) return;
      this.busy = false;
      run();
    };
    if (this.delayMs > 0) return this.time.after(this.delayMs, finish);
    finish();
    return undefined;
  }
}

/** First `bytes` new, then what was there; an erase goes over the old record with 0xff. */
function prefix(old: Uint8Array, fresh: Uint8Array, bytes: number): Uint8Array {
  const over = fresh.length > 0 ? fresh : new Uint8Array(old.length).fill(0xff);
  if (bytes >= over.length) return fresh;
  const result = new Uint8Array(Math.max(old.length, bytes));
  result.set(old);
  result.set(over.subarray(0, bytes));
  return result;
}

/** What a slot holds after a cut: old, new, or one of the mixtures that real memories leave. */
function torn(old: Uint8Array, fresh: Uint8Array, roll: Roll): Uint8Array {
  const longest = Math.max(old.length, fresh.length);
  switch (roll.below(6)) {
    case 0:
      return old;
    case 1:
      return fresh;
    case 2:
      // A file that was cut to nothing, or an erased block that was written partly.
      return fresh.slice(0, roll.below(fresh.length + 1));
    case 3: {
      const erased = new Uint8Array(longest).fill(0xff);
      erased.set(fresh.subarray(0, roll.below(fresh.length + 1)));
      return erased;
    }
    case 4: {
      // Sectors in any order until the sync; the length is the new one's or the old one's.
      const mixed = new Uint8Array(longest);
      mixed.set(old);
      for (let at = 0; at < fresh.length; at += SECTOR_BYTES) {
        if (roll.chance(0.5)) mixed.set(fresh.subarray(at, at + SECTOR_BYTES), at);
      }
      return roll.chance(0.5) ? mixed.slice(0, fresh.length) : mixed;
    }
    default:
      return prefix(old, fresh, roll.below(longest + 1));
  }
}
